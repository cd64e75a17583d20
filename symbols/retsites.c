/*
 * The instructions of functions, and where they return. What a compiler has moved out of a function
 * because it is seldom run (.cold) is a part of it: a jump there does not leave it, and its returns
 * are the function's.
 */
#include <stdlib.h>

#include "symbols/x86/disasm.h"
#include "symbols/elf_priv.h"

#define MAX_FUNCTION ((uint64_t)64 << 20) /* longer ones are not searched for return sites */
#define MAX_PARTS    16

/* ---- instructions ---- */

typedef void insn_fn(void *arg, const struct func *, uint32_t off, const struct insn *);

/* Calls fn for the instructions of a function, in order; false: not all of it decodes. */
static bool each_insn(const struct objfile *o, const struct func *f, insn_fn *fn, void *arg)
{
	uint8_t *code;
	size_t size, at = 0;
	struct insn insn;

	if (f->size > MAX_FUNCTION)
		return false;
	code = xmalloc(f->size + 1);
	size = objfile_bytes(o, f->addr, code, f->size);
	while (at < size && insn_decode(code + at, size - at, f->addr + at, &insn)) {
		fn(arg, f, (uint32_t)at, &insn);
		at += insn.len;
	}
	free(code);
	return at == f->size;
}

struct offsets {
	uint32_t *v;
	unsigned n, room;
};

static void note_insn(void *arg, const struct func *f UNUSED, uint32_t off,
		      const struct insn *insn UNUSED)
{
	struct offsets *list = arg;

	if (list->n == list->room) {
		list->room = list->room ? list->room * 2 : 64;
		list->v = xrealloc(list->v, list->room * sizeof(*list->v));
	}
	list->v[list->n++] = off;
}

unsigned objfile_insns(const struct objfile *o, const struct func *f, uint32_t **offs,
		       bool *decoded)
{
	struct offsets list = {0};

	*decoded = each_insn(o, f, note_insn, &list);
	*offs = list.v;
	return list.n;
}

/* ---- parts ---- */

struct site_list {
	struct retsite *v;
	taddr_t *targets; /* of jumps */
	unsigned n, room;
};

/* A function, and what belongs to it elsewhere. */
struct body {
	struct objfile *o;
	const struct func *parts[MAX_PARTS]; /* the first is the function itself */
	unsigned n;
	struct site_list sites;
	bool decoded;
};

/* "name.cold" or "name.cold.3": the length of the name before; 0: it is none. */
static size_t cold_part_of(const char *name)
{
	const char *cold = strstr(name, ".cold");

	if (!cold ||
	    (cold[5] && (cold[5] != '.' || strspn(cold + 6, "0123456789") != strlen(cold + 6))))
		return 0;
	return (size_t)(cold - name);
}

struct looking {
	const struct func *f;
	bool found, found_begin;
};

static void look_for_jump(void *arg, const struct func *part UNUSED, uint32_t off UNUSED,
			  const struct insn *insn)
{
	struct looking *l = arg;

	if (!insn_jumps(insn->kind))
		return;
	l->found |= insn->target - l->f->addr - 1 < l->f->size - 1;
	l->found_begin |= insn->target == l->f->addr;
}

/* Does f jump to the beginning of the other? */
static bool begins(const struct body *b, const struct func *f, const struct func *other)
{
	struct looking l = {.f = other};

	each_insn(b->o, f, look_for_jump, &l);
	return l.found_begin;
}

/* Nothing has a name: one that begins without a frame may be a function, unless it jumps back among
 * the other's instructions. (So does a function with its part, but it begins that, too.) */
static bool is_unnamed_part_of(const struct body *b, const struct func *part)
{
	struct looking l = {.f = b->parts[0], .found = part->is_part};

	if (l.found || !part->is_cfi)
		return l.found;
	each_insn(b->o, part, look_for_jump, &l);
	return l.found && (!l.found_begin || begins(b, b->parts[0], part));
}

/* Where a name of one is known, it says whose part it is; static functions share names. */
static bool is_part_of(const struct body *b, const struct func *part)
{
	size_t len = cold_part_of(part->name);
	const struct func *owners[MAX_PARTS];
	char name[256];
	unsigned n;

	if (!len || len >= sizeof(name))
		return is_unnamed_part_of(b, part);
	snprintf(name, sizeof(name), "%.*s", (int)len, part->name);
	n = objfile_find(b->o, name, owners, MAX_PARTS);
	for (unsigned i = 0; i < MIN(n, MAX_PARTS); i++)
		if (owners[i]->addr == b->parts[0]->addr)
			return true;
	return n == 0;
}

static bool is_within(const struct body *b, taddr_t target)
{
	for (unsigned i = 0; i < b->n; i++)
		if (target - b->parts[i]->addr < b->parts[i]->size)
			return true;
	return false;
}

static void add_part(struct body *b, const struct func *part)
{
	if (part && b->n < MAX_PARTS && !is_within(b, part->addr) && is_part_of(b, part))
		b->parts[b->n++] = part;
}

/* One that no jump leads to but through a table, or the unwinder: if no other has its name. */
static void add_part_by_name(struct body *b)
{
	const struct func *part;
	char name[256];

	if ((size_t)snprintf(name, sizeof(name), "%s.cold", b->parts[0]->name) >= sizeof(name))
		return;
	if (objfile_find(b->o, name, &part, 1) == 1)
		add_part(b, part);
}

/* ---- return sites ---- */

static void note_site(void *arg, const struct func *f, uint32_t off, const struct insn *insn)
{
	bool jumps = insn->kind == INSN_JMP || insn->kind == INSN_JCC;
	struct body *b = arg;
	struct site_list *list = &b->sites;

	if (insn->kind != INSN_RET && (!jumps || is_within(b, insn->target)))
		return;
	if (list->n == list->room) {
		list->room = list->room ? list->room * 2 : 8;
		list->v = xrealloc(list->v, list->room * sizeof(*list->v));
		list->targets = xrealloc(list->targets, list->room * sizeof(*list->targets));
	}
	list->targets[list->n] = insn->target;
	list->v[list->n++] = (struct retsite){.off = (int64_t)(f->addr + off - b->parts[0]->addr),
					      .is_jump = jumps};
	if (jumps)
		add_part(b, objfile_at(b->o, insn->target));
}

/* Jumps that were met before the part they lead to was known. */
static void drop_inner_jumps(struct body *b)
{
	struct site_list *list = &b->sites;
	unsigned n = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (!list->v[i].is_jump || !is_within(b, list->targets[i]))
			list->v[n++] = list->v[i];
	list->n = n;
}

static void find_sites(struct objfile *o, const struct func *f, struct sites *out)
{
	struct body b = {.o = o, .parts = {f}, .n = 1, .decoded = true};

	if (!cold_part_of(f->name) && !f->is_part)
		add_part_by_name(&b);
	for (unsigned i = 0; i < b.n; i++)
		b.decoded &= each_insn(o, b.parts[i], note_site, &b);
	drop_inner_jumps(&b);
	out->decoded = b.decoded;
	out->done = true;
	out->n = b.sites.n;
	if (out->n)
		out->site = arena_memdup(&priv(o)->arena, b.sites.v, out->n * sizeof(*b.sites.v));
	free(b.sites.v);
	free(b.sites.targets);
}

unsigned objfile_retsites(struct objfile *o, const struct func *f, const struct retsite **out,
			  bool *decoded)
{
	struct objfile_priv *p = priv(o);
	struct sites *s;

	if (!p->sites)
		p->sites = xcalloc(o->nfuncs, sizeof(*p->sites));
	s = &p->sites[f - o->funcs];
	if (!s->done)
		find_sites(o, f, s);
	*out = s->site;
	*decoded = s->decoded;
	return s->n;
}
