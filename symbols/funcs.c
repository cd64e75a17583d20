/*
 * What is asked of an ELF file once it is read: functions by address and by name, names near to a
 * wrong one.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/glob.h"
#include "symbols/demangle.h"
#include "symbols/elf_priv.h"

#define MAX_NESTING   64   /* functions around another that are looked for */
#define MAX_SAME_NAME 1024 /* symbols of one name that are looked at */

/* ---- by address ---- */

static bool is_ifunc(const struct sym *s)
{
	return s->type == STT_GNU_IFUNC;
}

/* The code of an indirect function is that which chooses another: its own name, where it has one,
 * says so better. */
int sym_prefer(const struct sym *a, const struct sym *b)
{
	int d;

	if ((d = sym_is_function(b) - sym_is_function(a)))
		return d;
	if ((d = is_ifunc(a) - is_ifunc(b)))
		return d;
	if ((d = (a->bind == STB_LOCAL) - (b->bind == STB_LOCAL)))
		return d;
	if ((d = a->hidden - b->hidden)) /* nobody can call it so any more: cfree@GLIBC_2.2.5 */
		return d;
	if ((d = a->is_dollar - b->is_dollar))
		return d;
	if ((d = a->underscores - b->underscores))
		return d;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	/* mostly one name, which .symtab and .dynsym both have */
	return a->name_sum == b->name_sum ? 0 : strcmp(a->name, b->name);
}

/* A function symbol, while they are put in order. */
struct place {
	taddr_t addr;
	const struct sym *sym;
};

/* Of one address: by size, then preference: the first of equals is the function. */
static int by_size(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->sym->size != b->sym->size)
		return a->sym->size < b->sym->size ? -1 : 1;
	return sym_prefer(a->sym, b->sym);
}

#define AHEAD 16 /* places; what they lead to is anywhere in memory */

static void fetch_ahead(const struct place *v, unsigned i, unsigned n)
{
	if (i + AHEAD < n)
		__builtin_prefetch(v[i + AHEAD].sym);
}

#define DIGIT_BITS 11
#define DIGITS	   (1u << DIGIT_BITS)

/* One pass of a radix sort: stable, by the digit of the address at `shift`. */
static void sort_digit(const struct place *from, struct place *to, unsigned n, unsigned shift)
{
	unsigned start[DIGITS + 1] = {0};

	for (unsigned i = 0; i < n; i++)
		start[(from[i].addr >> shift) % DIGITS + 1]++;
	for (unsigned i = 0; i < DIGITS; i++)
		start[i + 1] += start[i];
	for (unsigned i = 0; i < n; i++)
		to[start[(from[i].addr >> shift) % DIGITS]++] = from[i];
}

/* Those of one address: mostly one, or two where .symtab and .dynsym both have it. */
static void sort_same(struct place *v, unsigned n)
{
	struct place swap = v[0];

	if (n == 2 && by_size(&v[0], &v[1]) > 0) {
		v[0] = v[1];
		v[1] = swap;
	} else if (n > 2) {
		qsort(v, n, sizeof(*v), by_size);
	}
}

/* Programs have a hundred thousand symbols and more: no comparison looks at them but of neighbours.
 */
static struct place *sort_places(struct place *v, unsigned n)
{
	struct place *other = xcalloc(n + 1, sizeof(*other)), *swap;
	taddr_t most = 0;
	unsigned end;

	will_fill(other, n * sizeof(*other));
	for (unsigned i = 0; i < n; i++)
		most = MAX(most, v[i].addr);
	for (unsigned shift = 0; shift < 64 && most >> shift; shift += DIGIT_BITS) {
		sort_digit(v, other, n, shift);
		swap = v;
		v = other;
		other = swap;
	}
	free(other);
	for (unsigned i = 0; i < n; i = end) {
		for (end = i + 1; end < n && v[end].addr == v[i].addr; end++)
			fetch_ahead(v, end, n);
		fetch_ahead(v, i, n);
		sort_same(v + i, end - i);
	}
	return v;
}

/*
 * Patterns leave out what bounds badly (_init, _fini), versions, and the pieces compilers make of a
 * function; another '.' is part of a name as Go writes them.
 */
static bool never_globbed(const struct sym *s)
{
	static const char *const pieces[] = {".cold", ".part.", ".constprop.", ".isra.", ".llvm."};
	const char *dot;

	if (!s->is_odd)
		return false;
	dot = strchr(s->name, '.');
	for (unsigned i = 0; dot && i < ARRAY_SIZE(pieces); i++)
		if (strstr(dot, pieces[i]))
			return true;
	return !strcmp(s->name, "_init") || !strcmp(s->name, "_fini") || strchr(s->name, '@');
}

/* The function symbols with a size that are not in the table, in order; the caller frees. */
static struct place *new_places(const struct objfile_priv *p, unsigned *count)
{
	struct place *v = xcalloc(p->nsyms - p->nbuilt + 1, sizeof(*v));
	unsigned n = 0;

	will_fill(v, (p->nsyms - p->nbuilt) * sizeof(*v));
	for (uint32_t k = p->nbuilt; k < p->nsyms; k++)
		if (sym_is_function(&p->syms[k]) && p->syms[k].size)
			v[n++] = (struct place){p->syms[k].addr, &p->syms[k]};
	*count = n;
	return sort_places(v, n);
}

static void add_function(struct objfile *o, const struct sym *s)
{
	struct objfile_priv *p = priv(o);
	const struct func *last = o->nfuncs ? &p->funcs[o->nfuncs - 1] : NULL;

	if (last && last->addr == s->addr && last->size == s->size && last->is_ifunc == is_ifunc(s))
		return;
	p->func_syms[o->nfuncs] = (uint32_t)(s - p->syms);
	p->funcs[o->nfuncs++] = (struct func){.addr = s->addr,
					      .size = s->size,
					      .name = s->name,
					      .is_ifunc = is_ifunc(s),
					      .is_cfi = s->bind == BIND_CFI,
					      .is_local = s->bind == STB_LOCAL,
					      .is_part = s->is_part,
					      .no_glob = s->is_part || never_globbed(s)};
}

static void measure_reach(struct objfile *o)
{
	taddr_t *reach = priv(o)->reach;

	for (unsigned i = 0; i < o->nfuncs; i++)
		reach[i] = MAX(i ? reach[i - 1] : 0, o->funcs[i].addr + o->funcs[i].size);
}

void funcs_build(struct objfile *o)
{
	struct objfile_priv *p = priv(o);
	struct func *old = p->funcs;
	uint32_t *old_syms = p->func_syms;
	unsigned nold = o->nfuncs, nnew, at = 0;
	struct place *new = new_places(p, &nnew);

	p->nbuilt = p->nsyms;
	if (nnew) {
		p->funcs = xcalloc(nold + nnew, sizeof(*p->funcs));
		p->func_syms = xcalloc(nold + nnew, sizeof(*p->func_syms));
		p->reach = xrealloc(p->reach, (nold + nnew) * sizeof(*p->reach));
		will_fill(p->funcs, (nold + nnew) * sizeof(*p->funcs));
		will_fill(p->func_syms, (nold + nnew) * sizeof(*p->func_syms));
		will_fill(p->reach, (nold + nnew) * sizeof(*p->reach));
		o->nfuncs = 0;
		for (unsigned i = 0; i <= nnew; i++) {
			/* no new one lies where an old one is */
			for (; at < nold && (i == nnew || old[at].addr < new[i].addr); at++) {
				p->func_syms[o->nfuncs] = old_syms[at];
				p->funcs[o->nfuncs++] = old[at];
			}
			fetch_ahead(new, i, nnew);
			if (i < nnew)
				add_function(o, new[i].sym);
		}
		o->funcs = p->funcs;
		measure_reach(o);
		free(old);
		free(old_syms);
	}
	free(new);
}

/* The index of the last function that starts at or before addr, or -1. */
static int64_t func_before(const struct objfile *o, taddr_t addr)
{
	int64_t lo = 0, hi = o->nfuncs;

	while (lo < hi) {
		int64_t mid = (lo + hi) / 2;

		if (o->funcs[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

const struct func *objfile_before(const struct objfile *o, taddr_t addr)
{
	int64_t i = func_before(o, addr);

	return i < 0 ? NULL : &o->funcs[i];
}

const struct func *objfile_at(const struct objfile *o, taddr_t addr)
{
	const struct objfile_priv *p = priv(o);
	int64_t last = func_before(o, addr), best = -1;

	for (int64_t i = last; i >= 0 && i > last - MAX_NESTING && p->reach[i] > addr; i--) {
		const struct func *f = &o->funcs[i];

		if (best >= 0 && f->addr != o->funcs[best].addr)
			break;
		if (addr - f->addr >= f->size)
			continue;
		if (best < 0 ||
		    sym_prefer(&p->syms[p->func_syms[i]], &p->syms[p->func_syms[best]]) < 0)
			best = i;
	}
	return best < 0 ? NULL : &o->funcs[best];
}

/* ---- by name ---- */

/* The first symbol of that name; the others follow by `next`. */
static const struct sym *symbols_named(const struct objfile *o, const char *name)
{
	struct objfile_priv *p = priv(o);

	if (!p->names.n) {
		for (uint32_t i = 0; i < p->nsyms; i++) {
			struct sym *first = strmap_get(&p->names, p->syms[i].name);

			if (first) {
				p->syms[i].next = first->next;
				first->next = i;
			} else {
				strmap_put(&p->names, p->syms[i].name, &p->syms[i]);
			}
		}
	}
	return strmap_get(&p->names, name);
}

static const struct sym *next_named(const struct objfile *o, const struct sym *s)
{
	return s->next == NO_SYM ? NULL : &priv(o)->syms[s->next];
}

/*
 * The canonical function at the address of a symbol: the preferred of those that start there. An
 * indirect function and the one that chooses for it are two, at one address.
 */
static const struct func *canonical(const struct objfile *o, const struct sym *s)
{
	const struct func *f = sym_is_function(s) ? objfile_at(o, s->addr) : NULL;

	if (!f || f->addr != s->addr)
		return NULL;
	for (int64_t i = func_before(o, s->addr);
	     i >= 0 && o->funcs[i].addr == s->addr && f->is_ifunc != is_ifunc(s); i--)
		if (o->funcs[i].is_ifunc == is_ifunc(s))
			f = &o->funcs[i];
	return f;
}

static unsigned find_functions(const struct objfile *o, const char *name, bool hidden,
			       const struct func **out, unsigned max)
{
	const struct sym *first = symbols_named(o, name);
	unsigned n = 0, seen = 0;

	for (const struct sym *s = first; s && seen < MAX_SAME_NAME; s = next_named(o, s), seen++) {
		const struct func *f = s->hidden == hidden ? canonical(o, s) : NULL;
		const struct sym *t = first;

		if (!f)
			continue;
		while (t != s && (t->addr != s->addr || t->hidden != hidden || !sym_is_function(t)))
			t = next_named(o, t);
		if (t != s)
			continue; /* that address was counted: .symtab and .dynsym both have it */
		if (n < max)
			out[n] = f;
		n++;
	}
	return n;
}

unsigned objfile_find(const struct objfile *o, const char *name, const struct func **out,
		      unsigned max)
{
	unsigned n = find_functions(o, name, false, out, max);

	return n ? n : find_functions(o, name, true, out, max);
}

bool objfile_symbol(const struct objfile *o, const char *name, taddr_t *addr, uint64_t *size)
{
	const struct sym *best = NULL;

	for (const struct sym *s = symbols_named(o, name); s; s = next_named(o, s))
		if (!best || best->hidden > s->hidden ||
		    (best->hidden == s->hidden && sym_prefer(s, best) < 0))
			best = s;
	if (!best)
		return false;
	*addr = best->addr;
	*size = best->size;
	return true;
}

/* ---- names of C++ and Rust ---- */

static const char not_mangled[] = "";

const char *objfile_demangled(struct objfile *o, const struct func *f)
{
	struct objfile_priv *p = priv(o);
	char text[DEMANGLED_MAX];
	const char **d;

	if (!demangle_may(f->name))
		return NULL;
	if (!p->demangled)
		p->demangled = xcalloc(o->nfuncs, sizeof(*p->demangled));
	d = &p->demangled[f - o->funcs];
	if (!*d)
		*d = demangle(f->name, true, text) ? arena_strdup(&p->arena, text) : not_mangled;
	return *d == not_mangled ? NULL : *d;
}

bool objfile_demangled_matches(struct objfile *o, const struct func *f, const char *pattern)
{
	size_t len = strlen(pattern);
	bool is_glob = glob_is_pattern(pattern);
	char text[DEMANGLED_MAX];
	const char *full;

	/* no written name begins as mangled ones do; an identifier alone stands in those as it is:
	 * most are sorted out here */
	if (!len || !demangle_may(f->name) || !strncmp(pattern, "_Z", 2) ||
	    (!is_glob && !strchr(pattern, ':') && !strstr(f->name, pattern)))
		return false;
	full = objfile_demangled(o, f);
	if (!full)
		return false;
	if (glob_match(pattern, full))
		return true;
	/* the name without parameters is the beginning of the other */
	if (is_glob && pattern[len - 1] == '*')
		return false;
	return demangle(f->name, false, text) && glob_match(pattern, text);
}

/* ---- "did you mean" ---- */

void objfile_suggest(const struct objfile *o, struct nearest *near)
{
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (!o->funcs[i].is_cfi)
			nearest_add(near, o->funcs[i].name);
}
