/* Variables by address: what usym() says of a pointer to data. */
#include <stdlib.h>

#include "symbols/demangle.h"
#include "symbols/elfint.h"

struct datasym {
	const struct sym *sym;
	const char *shown; /* NULL: not asked for yet */
};

static int by_place(const void *pa, const void *pb)
{
	const struct sym *a = ((const struct datasym *)pa)->sym,
			 *b = ((const struct datasym *)pb)->sym;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return sym_prefer(a, b);
}

static void collect(struct objfile_priv *p)
{
	unsigned n = 0;

	p->datas = xcalloc(p->nsyms + 1, sizeof(*p->datas));
	for (uint32_t i = 0; i < p->nsyms; i++)
		if (p->syms[i].type == STT_OBJECT && p->syms[i].size)
			p->datas[n++].sym = &p->syms[i];
	qsort(p->datas, n, sizeof(*p->datas), by_place);
	/* of several names the first is the one */
	for (unsigned i = 0; i < n; i++)
		if (!p->ndatas || p->datas[p->ndatas - 1].sym->addr != p->datas[i].sym->addr)
			p->datas[p->ndatas++] = p->datas[i];
}

static const char *shown(struct objfile_priv *p, struct datasym *d)
{
	char text[DEMANGLED_MAX];

	if (!d->shown)
		d->shown = demangle_may(d->sym->name) && demangle(d->sym->name, true, text)
				   ? arena_strdup(&p->arena, text)
				   : d->sym->name;
	return d->shown;
}

const char *objfile_data_at(struct objfile *o, taddr_t addr, taddr_t *start)
{
	struct objfile_priv *p = priv(o);
	unsigned lo = 0, hi;

	if (!p->datas)
		collect(p);
	for (hi = p->ndatas; lo < hi;) {
		unsigned mid = lo + (hi - lo) / 2;

		if (p->datas[mid].sym->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - p->datas[lo - 1].sym->addr >= p->datas[lo - 1].sym->size)
		return NULL;
	*start = p->datas[lo - 1].sym->addr;
	return shown(p, &p->datas[lo - 1]);
}
