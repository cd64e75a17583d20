/*
 * What is no function, by address: variables, for usym() of a pointer to data; code with a name but
 * no size, as assemblers leave it, and glibc the frame of a signal; and stubs through which other
 * functions are called, which are called as they are, with "@plt" behind, as perf and gdb do.
 */
#include <stdlib.h>

#include "base/cleanname.h"
#include "symbols/demangle.h"
#include "symbols/elf_priv.h"

struct othersym {
	const struct sym *sym;
	const char *shown; /* NULL: not asked for yet */
	bool is_stub;
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

struct collected {
	struct objfile_priv *p;
	unsigned n, room;
};

static void add_other(struct collected *c, const struct sym *s, bool is_stub)
{
	struct objfile_priv *p = c->p;

	if (c->n == c->room) {
		c->room *= 2;
		p->others = xrealloc(p->others, c->room * sizeof(*p->others));
	}
	p->others[c->n++] = (struct othersym){.sym = s, .is_stub = is_stub};
}

static void add_stub(void *arg, taddr_t at, uint64_t size, const char *name)
{
	struct collected *c = arg;
	struct sym *s = ARENA_NEW(&c->p->arena, struct sym);

	*s = (struct sym){.name = name_cleaned(&c->p->arena, name),
			  .addr = at,
			  .size = size,
			  .type = STT_FUNC,
			  .code = true};
	add_other(c, s, true);
}

/* Where only dynamic symbols are, what follows a label is mostly something else. */
static void collect(struct objfile *o)
{
	struct objfile_priv *p = priv(o);
	bool has_all = p->strings[0] || p->strings[2];
	struct collected c = {.p = p, .room = p->nsyms + 1};

	p->others = xcalloc(c.room, sizeof(*p->others));
	for (uint32_t i = 0; i < p->nsyms; i++)
		if ((p->syms[i].type == STT_OBJECT && p->syms[i].size) ||
		    (has_all && is_label(&p->syms[i])))
			add_other(&c, &p->syms[i], false);
	pltstubs_each(o, add_stub, &c);
	qsort(p->others, c.n, sizeof(*p->others), by_place);
	/* of several names the first is the one */
	for (unsigned i = 0; i < c.n; i++)
		if (!p->nothers || p->others[p->nothers - 1].sym->addr != p->others[i].sym->addr)
			p->others[p->nothers++] = p->others[i];
}

static const char *shown(struct objfile_priv *p, struct othersym *d)
{
	char text[DEMANGLED_MAX];

	if (d->shown)
		return d->shown;
	d->shown = d->sym->name;
	if (demangle_may(d->sym->name) && demangle(d->sym->name, true, text))
		d->shown = arena_strdup(&p->arena, text);
	if (d->is_stub)
		d->shown = arena_printf(&p->arena, "%s@plt", d->shown);
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
		collect(o);
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
