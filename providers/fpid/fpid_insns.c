/* fpid_insns.c: instructions of one function that have probes (fpid_function.h). */
#include <stdlib.h>

#include "providers/fpid/fpid_function.h"

static int by_off(const void *a, const void *b)
{
	const struct plan_offset *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off;
}

/* Several names of a function, and several probes, may have the same one. */
static unsigned unite(struct plan_offset *v, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 1; i < n; i++)
		if (v[i].off != v[kept].off)
			v[++kept] = v[i];
		else if (!v[kept].why)
			v[kept].why = v[i].why;
	return n ? kept + 1 : 0;
}

static bool is_one(const struct hooking *f, const struct pid_site *e)
{
	return fpid_is_same_function(e, f->any) && e->probe->kind == PID_OFFSET;
}

void fpid_insns_init(struct hooking *f)
{
	struct fpid_insns *insns = &f->insns;

	for (const struct pid_site *e = f->first; e; e = e->fpid->next_end)
		insns->n += is_one(f, e);
	if (!insns->n)
		return;
	insns->v = xcalloc(insns->n + 1, sizeof(*insns->v));
	insns->cells = xcalloc(insns->n + 1, sizeof(*insns->cells));
	insns->counts = xcalloc(insns->n + 1, sizeof(*insns->counts));
	insns->n = 0;
	for (const struct pid_site *e = f->first; e; e = e->fpid->next_end)
		if (is_one(f, e))
			insns->v[insns->n++] = (struct plan_offset){
				.off = fpid_offset_of(e),
				.why = e->fpid->how == FPID_NOT
					       ? "another probe of it is a breakpoint"
					       : NULL};
	qsort(insns->v, insns->n, sizeof(*insns->v), by_off);
	insns->n = unite(insns->v, insns->n);
	for (const struct pid_site *e = f->first; e; e = e->fpid->next_end)
		if (is_one(f, e) && e->fpid->how == FPID_COUNTS)
			insns->counts[fpid_insn_at(insns, fpid_offset_of(e))] = true;
		else if (is_one(f, e))
			insns->only_count = false;
}

void fpid_insns_release(struct fpid_insns *insns)
{
	free(insns->v);
	free(insns->cells);
	free(insns->counts);
}

unsigned fpid_insn_at(const struct fpid_insns *insns, uint32_t off)
{
	const struct plan_offset key = {.off = off};
	const struct plan_offset *found =
		bsearch(&key, insns->v, insns->n, sizeof(*insns->v), by_off);

	return (unsigned)(found - insns->v);
}
