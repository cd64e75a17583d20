/*
 * What is no function, by address: variables, for usym() of a pointer to data; and code with a name
 * but no size, as assemblers leave it, and glibc the frame of a signal.
 */
#include <stdlib.h>

#include "symbols/demangle.h"
#include "symbols/elf_priv.h"

struct othersym {
	const struct sym *sym;
	const char *shown; /* NULL: not asked for yet */
};

static int by_place(const void *pa, const void *pb)
{
	const struct sym *a = ((const struct othersym *)pa)->sym,
			 *b = ((const struct othersym *)pb)->sym;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return sym_prefer(a, b);
}

#define LABEL_REACH 4096 /* bytes of code without a size that are believed to be one's */

static bool is_label(const struct sym *s)
{
	return !s->size && s->code && !s->is_odd && (sym_is_function(s) || s->type == STT_NOTYPE);
}

/* Where only dynamic symbols are, what follows a label is mostly something else. */
static void collect(struct objfile_priv *p)
{
	bool has_all = p->strings[0] || p->strings[2];
	unsigned n = 0;

	p->others = xcalloc(p->nsyms + 1, sizeof(*p->others));
	for (uint32_t i = 0; i < p->nsyms; i++)
		if ((p->syms[i].type == STT_OBJECT && p->syms[i].size) ||
		    (has_all && is_label(&p->syms[i])))
			p->others[n++].sym = &p->syms[i];
	qsort(p->others, n, sizeof(*p->others), by_place);
	/* of several names the first is the one */
	for (unsigned i = 0; i < n; i++)
		if (!p->nothers || p->others[p->nothers - 1].sym->addr != p->others[i].sym->addr)
			p->others[p->nothers++] = p->others[i];
}

static const char *shown(struct objfile_priv *p, struct othersym *d)
{
	char text[DEMANGLED_MAX];

	if (!d->shown)
		d->shown = demangle_may(d->sym->name) && demangle(d->sym->name, true, text)
				   ? arena_strdup(&p->arena, text)
				   : d->sym->name;
	return d->shown;
}

/* A label holds to the next function. */
static bool reaches(const struct objfile *o, const struct sym *s, taddr_t addr)
{
	const struct func *f;

	if (s->size)
		return addr - s->addr < s->size;
	f = objfile_before(o, addr);
	return addr - s->addr < LABEL_REACH && (!f || f->addr < s->addr);
}

const char *objfile_other_at(struct objfile *o, taddr_t addr, taddr_t *start)
{
	struct objfile_priv *p = priv(o);
	unsigned lo = 0, hi;

	if (!p->others)
		collect(p);
	for (hi = p->nothers; lo < hi;) {
		unsigned mid = lo + (hi - lo) / 2;

		if (p->others[mid].sym->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !reaches(o, p->others[lo - 1].sym, addr))
		return NULL;
	*start = p->others[lo - 1].sym->addr;
	return shown(p, &p->others[lo - 1]);
}
