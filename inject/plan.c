#include "inject/plan.h"

#include <stdlib.h>

#include "inject/reloc.h"
#include "symbols/disasm.h"

#define MAX_FUNCTION (4U << 20)
#define MAX_TABLE    4096 /* entries of a jump table that are looked at */
#define MAX_SPAN     (1U << 30)
#define NEIGHBOURS   4 /* functions before and behind, where padding is looked for */

struct codescan {
	struct objfile *o;
	taddr_t lo, hi;
	uint8_t *targets; /* one bit per byte of [lo, hi): something jumps there */
	/* per function: */
	uint8_t *broken; /* does not decode to its end */
	uint8_t *open;	 /* its last instruction may go on into what follows */
	taddr_t *reach;	 /* how far those up to it extend */
};

static void mark(struct codescan *c, taddr_t at)
{
	if (at >= c->lo && at < c->hi)
		c->targets[(at - c->lo) / 8] |= (uint8_t)(1u << ((at - c->lo) & 7));
}

static bool is_marked(const struct codescan *c, taddr_t at)
{
	return at >= c->lo && at < c->hi &&
	       (c->targets[(at - c->lo) / 8] >> ((at - c->lo) & 7) & 1);
}

/* A table of 32-bit distances from itself, as compilers make them for switch: its entries lead
 * into the function. What is none ends at its first word. */
static void mark_table(struct codescan *c, const struct func *f, taddr_t table)
{
	int32_t word;

	for (unsigned i = 0; i < MAX_TABLE; i++) {
		taddr_t to;

		if (objfile_bytes(c->o, table + i * 4, &word, sizeof(word)) != sizeof(word))
			return;
		to = table + (uint64_t)(int64_t)word;
		if (to < f->addr || to >= f->addr + f->size)
			return;
		mark(c, to);
	}
}

/* The same of absolute addresses, in programs that are not relocated. */
static void mark_addresses(struct codescan *c, const struct func *f, taddr_t table)
{
	uint64_t to;

	for (unsigned i = 0; i < MAX_TABLE; i++) {
		if (objfile_bytes(c->o, table + i * 8, &to, sizeof(to)) != sizeof(to) ||
		    to < f->addr || to >= f->addr + f->size)
			return;
		mark(c, to);
	}
}

static int32_t load32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* lea disp(%rip), reg: perhaps a jump table; jmp *table(, reg, 8) */
static void look_for_table(struct codescan *c, const struct func *f, const uint8_t *p,
			   const struct insn *in, taddr_t pc)
{
	unsigned rex = (p[0] & 0xf0) == 0x40;

	if (in->len == 7 && (p[0] & 0xf8) == 0x48 && p[1] == 0x8d && (p[2] & 0xc7) == 0x05)
		mark_table(c, f, pc + 7 + (uint64_t)(int64_t)load32(p + 3));
	else if (in->len == 7 + rex && p[rex] == 0xff && p[rex + 1] == 0x24 &&
		 (p[rex + 2] & 0xc7) == 0xc5)
		mark_addresses(c, f, (uint64_t)(int64_t)load32(p + rex + 3));
}

static bool scan_function(struct codescan *c, const struct func *f, uint8_t *open)
{
	bool has_table_jump = false, ok = true;
	enum insn_kind last = INSN_OTHER;
	uint8_t *code;

	*open = 1;

	if (f->size > MAX_FUNCTION)
		return false;
	code = xcalloc(1, f->size + 1);
	if (objfile_bytes(c->o, f->addr, code, f->size) != f->size)
		ok = false;
	for (size_t at = 0; ok && at < f->size;) {
		struct insn in;

		ok = insn_decode(code + at, f->size - at, f->addr + at, &in) != 0;
		if (!ok)
			break;
		if (in.kind == INSN_JMP || in.kind == INSN_JCC || in.kind == INSN_CALL)
			mark(c, in.target);
		has_table_jump |= in.kind == INSN_JMP_INDIRECT;
		last = in.kind;
		at += in.len;
	}
	*open = !ok || last == INSN_OTHER || last == INSN_JCC;
	for (size_t at = 0; ok && has_table_jump && at < f->size;) {
		struct insn in;

		if (!insn_decode(code + at, f->size - at, f->addr + at, &in))
			break;
		look_for_table(c, f, code + at, &in, f->addr + at);
		at += in.len;
	}
	free(code);
	return ok;
}

struct codescan *codescan_new(struct objfile *o)
{
	struct codescan *c = xcalloc(1, sizeof(*c));

	c->o = o;
	c->broken = xcalloc(o->nfuncs + 1, 1);
	c->open = xcalloc(o->nfuncs + 1, 1);
	c->reach = xcalloc(o->nfuncs + 1, sizeof(*c->reach));
	if (!o->nfuncs)
		return c;
	c->lo = o->funcs[0].addr;
	c->hi = c->lo;
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (o->funcs[i].addr - c->lo < MAX_SPAN && o->funcs[i].size < MAX_SPAN)
			c->hi = MAX(c->hi, o->funcs[i].addr + o->funcs[i].size);
	c->targets = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	for (unsigned i = 0; i < o->nfuncs; i++) {
		const struct func *f = &o->funcs[i];

		c->broken[i] = !scan_function(c, f, &c->open[i]);
		c->reach[i] = MAX(i ? c->reach[i - 1] : 0, f->addr + f->size);
	}
	return c;
}

void codescan_free(struct codescan *c)
{
	if (!c)
		return;
	free(c->targets);
	free(c->broken);
	free(c->open);
	free(c->reach);
	free(c);
}

/* Length of an instruction of padding: int3, or a nop of any length. 0: it is none. */
static unsigned padding_len(const uint8_t *p, size_t n)
{
	struct insn in;
	size_t at = 0;

	while (at < n && (p[at] == 0x66 || p[at] == 0x2e))
		at++;
	if (n == 0 || (p[0] != 0xcc && !(at < n && p[at] == 0x90) &&
		       !(at + 1 < n && p[at] == 0x0f && p[at + 1] == 0x1f)))
		return 0;
	return insn_decode(p, n, 0, &in);
}

/* How far padding goes behind the end of a function that is too short. */
static size_t padded_size(const struct codescan *c, const struct func *f, taddr_t limit)
{
	uint8_t code[64];
	size_t size = f->size, n;
	unsigned len;

	n = objfile_bytes(c->o, f->addr, code, MIN(sizeof(code), limit - f->addr));
	while (size < JUMP_LEN && size < n && (len = padding_len(code + size, n - size)) != 0)
		size += len;
	return size;
}

static bool is_free(const struct codescan *c, taddr_t at)
{
	for (unsigned i = 0; i < JUMP_LEN; i++)
		if (is_marked(c, at + i))
			return false;
	return true;
}

/* A place for a long jump in the padding behind function k, which a short jump of f reaches. */
static taddr_t island_behind(const struct codescan *c, unsigned k, const struct func *f)
{
	taddr_t start = c->reach[k], end = c->o->funcs[k + 1].addr, back = f->addr + SHORT_JUMP_LEN;
	uint8_t code[256];
	size_t n, size = 0;
	unsigned len;

	if (c->open[k] || end <= start)
		return 0;
	n = objfile_bytes(c->o, start, code, MIN(sizeof(code), end - start));
	while (size < n && (len = padding_len(code + size, n - size)) != 0)
		size += len;
	for (taddr_t at = start; at + JUMP_LEN <= start + size; at++)
		if (at + 128 >= back && at <= back + 127 && is_free(c, at))
			return at;
	return 0;
}

static taddr_t find_island(struct codescan *c, unsigned i)
{
	unsigned first = i > NEIGHBOURS ? i - NEIGHBOURS : 0;
	taddr_t at = 0;

	for (unsigned k = first; !at && k + 1 < c->o->nfuncs && k < i + NEIGHBOURS; k++)
		at = island_behind(c, k, &c->o->funcs[i]);
	for (unsigned b = 0; at && b < JUMP_LEN; b++)
		mark(c, at + b); /* taken */
	return at;
}

/* Do the first bytes of a function, from its second on, belong to it alone? */
static const char *check_window(const struct codescan *c, const struct func *f, size_t room,
				unsigned need)
{
	if (room < need)
		return "it is too short";
	for (unsigned off = 1; off < need; off++)
		if (is_marked(c, f->addr + off))
			return "something jumps into its first bytes";
	return NULL;
}

/* Where the next function begins. */
static taddr_t limit_of(const struct codescan *c, unsigned i)
{
	const struct objfile *o = c->o;
	unsigned next = i + 1;

	while (next < o->nfuncs && o->funcs[next].addr == o->funcs[i].addr)
		next++;
	return next < o->nfuncs ? o->funcs[next].addr : o->funcs[i].addr + o->funcs[i].size;
}

struct verdict plan_function(struct codescan *c, unsigned i)
{
	const struct func *f = &c->o->funcs[i];
	taddr_t limit = limit_of(c, i);
	struct verdict v = {
		.room = f->size, .need = JUMP_LEN, .is_careful = f->is_cfi || f->no_glob};

	if (f->is_ifunc)
		v.reason = "it chooses an implementation (ifunc)";
	else if (!strcmp(f->name, "__restore_rt"))
		v.reason = "unwinders know it by its bytes";
	else if (c->broken[i])
		v.reason = "its code cannot be decoded";
	if (v.reason)
		return v;
	if (v.room < JUMP_LEN)
		v.room = padded_size(c, f, limit);
	v.room = MIN(v.room, limit - f->addr);
	v.reason = check_window(c, f, v.room, JUMP_LEN);
	if (v.reason && !check_window(c, f, v.room, SHORT_JUMP_LEN)) {
		v.island = find_island(c, i);
		v.need = SHORT_JUMP_LEN;
		v.reason = v.island ? NULL : v.reason;
	}
	for (unsigned off = f->size < JUMP_LEN ? (unsigned)f->size : JUMP_LEN;
	     !v.reason && !v.island && off < JUMP_LEN; off++)
		mark(c, f->addr + off); /* padding it needs itself */
	return v;
}
