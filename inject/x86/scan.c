#include "inject/x86/scan.h"

#include <stdlib.h>

#include "base/pulse.h"
#include "inject/x86/flagsuse.h"
#include "inject/x86/reloc.h"
#include "inject/x86/scancalls.h"
#include "inject/x86/scanslots.h"

#define MAX_FUNCTION (4U << 20)
#define MAX_TABLE    4096 /* entries of a jump table that are looked at */
#define LOCK	     0xf0

static void set_bit(const struct codescan *c, uint8_t *bits, taddr_t at, bool on)
{
	uint8_t bit = (uint8_t)(1u << ((at - c->lo) & 7));

	if (at < c->lo || at >= c->hi)
		return;
	if (on)
		bits[(at - c->lo) / 8] |= bit;
	else
		bits[(at - c->lo) / 8] &= (uint8_t)~bit;
}

static bool get_bit(const struct codescan *c, const uint8_t *bits, taddr_t at)
{
	return at >= c->lo && at < c->hi && (bits[(at - c->lo) / 8] >> ((at - c->lo) & 7) & 1);
}

static void mark(struct codescan *c, taddr_t at)
{
	set_bit(c, c->targets, at, true);
	set_bit(c, c->foreign, at, true);
}

static void mark_jump(struct codescan *c, taddr_t at)
{
	set_bit(c, c->jumped, at, true);
	mark(c, at);
}

static void mark_inner_jump(struct codescan *c, taddr_t at)
{
	set_bit(c, c->jumped, at, true);
	set_bit(c, c->targets, at, true);
}

static void mark_call(struct codescan *c, taddr_t at)
{
	set_bit(c, c->called, at, true);
	mark(c, at);
}

/* It may be one, for all that is known before all code has been read. */
static void mark_word(void *arg, taddr_t at)
{
	const struct codescan *c = arg;

	set_bit(c, c->words, at, true);
}

bool codescan_is_target(const struct codescan *c, taddr_t at)
{
	return get_bit(c, c->targets, at);
}

bool codescan_is_inner(const struct codescan *c, taddr_t at)
{
	return !get_bit(c, c->foreign, at);
}

bool codescan_may_be_part(const struct codescan *c, taddr_t at)
{
	uint8_t code[6] = {0}, *p = code;

	if (get_bit(c, c->called, at))
		return false;
	if (get_bit(c, c->jumped, at) || objfile_bytes(c->o, at, code, sizeof(code)) < 6)
		return true;
	if (!memcmp(p, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		p += 4;
	if ((*p & 0xf0) == 0x40) /* REX */
		p++;
	return (*p & 0xf8) != 0x50; /* push */
}

bool codescan_keeps_flags(const struct codescan *c, unsigned i)
{
	return c->funcs[i].reads_flags || get_bit(c, c->flagged, c->o->funcs[i].addr);
}

bool codescan_is_taken(const struct codescan *c, taddr_t at)
{
	return get_bit(c, c->taken, at);
}

bool codescan_is_free(const struct codescan *c, taddr_t at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (codescan_is_taken(c, at + i))
			return false;
	return true;
}

void codescan_take(struct codescan *c, taddr_t at, unsigned n, bool on)
{
	for (unsigned i = 0; i < n; i++)
		set_bit(c, c->taken, at + i, on);
}

void codescan_take_nothing(struct codescan *c)
{
	memset(c->taken, 0, (c->hi - c->lo) / 8 + 1);
}

bool codescan_shares_code(const struct codescan *c, unsigned i)
{
	const struct func *f = &c->o->funcs[i];

	if (i && c->funcs[i - 1].reach > f->addr)
		return true;
	return i + 1 < c->o->nfuncs && c->o->funcs[i + 1].addr < f->addr + f->size;
}

/* Where the function behind function i begins, or i ends if there is none. */
static taddr_t limit_of(const struct codescan *c, unsigned i)
{
	const struct objfile *o = c->o;
	unsigned next = i + 1;

	while (next < o->nfuncs && o->funcs[next].addr == o->funcs[i].addr)
		next++;
	return next < o->nfuncs ? o->funcs[next].addr : o->funcs[i].addr + o->funcs[i].size;
}

unsigned padding_len(const uint8_t *p, size_t n)
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

/* ---- one function ---- */

/* For one instruction more, and so many. */
static void make_room(struct funcode *fc, size_t more)
{
	if (fc->ninsns < fc->room)
		return;
	fc->room += fc->room / 2 + (unsigned)more + 16;
	fc->insns = xrealloc(fc->insns, fc->room * sizeof(*fc->insns));
	fc->offs = xrealloc(fc->offs, fc->room * sizeof(*fc->offs));
}

void funcode_init(struct funcode *fc, const struct codescan *c, unsigned i)
{
	const struct func *f = &c->o->funcs[i];
	size_t at = 0;

	*fc = (struct funcode){.scan = c, .func = f, .index = i};
	fc->limit = limit_of(c, i) - f->addr;
	fc->n = MAX(fc->limit, f->size);
	fc->bytes = xmalloc(fc->n + 1);
	fc->n = objfile_bytes(c->o, f->addr, fc->bytes, fc->n);
	make_room(fc, f->size / 4);
	while (at < f->size && at < fc->n &&
	       insn_decode(fc->bytes + at, fc->n - at, f->addr + at, &fc->insns[fc->ninsns])) {
		fc->offs[fc->ninsns] = (uint32_t)at;
		at += fc->insns[fc->ninsns++].len;
		make_room(fc, 0);
	}
}

void funcode_release(struct funcode *fc)
{
	free(fc->bytes);
	free(fc->insns);
	free(fc->offs);
}

bool funcode_may_move(const struct funcode *f, unsigned i)
{
	return reloc_may_move(f->bytes + f->offs[i], &f->insns[i], f->func->addr + f->offs[i]);
}

unsigned funcode_index(const struct funcode *f, uint32_t off)
{
	unsigned lo = 0, hi = f->ninsns;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (f->offs[mid] < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool funcode_is_jumped_into(const struct funcode *f, uint32_t from, uint32_t to)
{
	for (uint32_t off = from; off < to; off++)
		if (codescan_is_target(f->scan, f->func->addr + off))
			return true;
	return false;
}

unsigned funcode_padding(const struct funcode *fc, size_t off, unsigned enough)
{
	size_t at = off, end = MIN(fc->n, fc->limit);
	unsigned len;

	while (at - off < enough && at < end &&
	       (len = padding_len(fc->bytes + at, end - at)) != 0) {
		for (unsigned i = 0; i < len; i++)
			if (codescan_is_target(fc->scan, fc->func->addr + at + i) ||
			    codescan_is_taken(fc->scan, fc->func->addr + at + i))
				return (unsigned)(at - off);
		at += len;
	}
	return (unsigned)(at - off);
}

/* ---- jump tables ---- */

/* May a table of f lead there? Into f, or into a part of a function that stands apart. */
static bool is_label(const struct codescan *c, const struct func *f, taddr_t to)
{
	const struct func *at;

	if (to - f->addr < f->size)
		return true;
	if (to < c->lo || to >= c->hi)
		return false;
	at = objfile_at(c->o, to);
	return at && (at->is_cfi || at->no_glob);
}

/* A table of 32-bit distances from itself, as compilers make them for switch: its entries lead
 * into the function. What is none ends at its first word; what follows one may look like more. */
static bool mark_table(struct codescan *c, const struct func *f, taddr_t table)
{
	bool may_be_more = c->words && !objfile_at(c->o, table);
	int32_t word;

	for (unsigned i = 0; i < MAX_TABLE; i++) {
		taddr_t to;

		if (objfile_bytes(c->o, table + i * 4ULL, &word, sizeof(word)) != sizeof(word))
			return i > 0;
		to = table + (uint64_t)(int64_t)word;
		if (to == f->addr + f->size) /* clang's label of what is never come to */
			continue;
		if (!is_label(c, f, to))
			return i > 0;
		if (may_be_more) {
			set_bit(c, c->jumped, to, true);
			mark_word(c, to);
		} else {
			mark_jump(c, to);
		}
	}
	return true;
}

static int32_t load32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* What the jumps through tables in one function look like. */
struct dispatch {
	bool jumps;		  /* there is one to an address that is not in it */
	bool is_relative;	  /* distances of a table are loaded: movslq (base, index, 4) */
	unsigned njumps, ntables; /* to addresses in registers; tables that were found */
	struct slots slots;
};

/* Do its last four bytes hold a constant, or where its memory is, and nothing else? */
static bool ends_with_constant(const uint8_t *p, const struct insn *in)
{
	unsigned at = in->opcode + (p[in->opcode] == 0x0f ? 2U : 1U), ndisp = 0;
	unsigned mod, rm, has_sib;

	if (in->modrm) {
		mod = p[in->modrm] >> 6;
		rm = p[in->modrm] & 7;
		has_sib = mod != 3 && rm == 4;
		at = in->modrm + 1U + has_sib;
		if (mod == 0 && (rm == 5 || (has_sib && (p[at - 1] & 7) == 5)))
			ndisp = sizeof(int32_t);
		else if (mod != 3)
			ndisp = mod == 2 ? sizeof(int32_t) : mod;
		if (in->len == at + ndisp)
			return ndisp == sizeof(int32_t) && !in->rip_rel;
	}
	return in->len >= at + ndisp + sizeof(int32_t);
}

/* Where addresses are not known before it is loaded they are no constants. */
static void look_at_constant(struct codescan *c, const uint8_t *p, const struct insn *in)
{
	if (c->o->is_exec && in->kind == INSN_OTHER && ends_with_constant(p, in))
		mark(c, (uint32_t)load32(p + in->len - sizeof(int32_t)));
}

/* What is behind the last of them is taken for more. */
static void mark_slots(struct codescan *c, const struct func *f, struct slots *s)
{
	taddr_t end = s->from + MAX_TABLE * (taddr_t)s->stride;

	s->is_lost |= end < f->addr + f->size;
	for (taddr_t to = s->from; to < MIN(end, f->addr + f->size); to += s->stride)
		mark_jump(c, to);
}

/* lea disp(%rip), reg: perhaps a jump table; its address is kept in any case */
static void look_at_insn(struct codescan *c, const struct func *f, const uint8_t *p,
			 const struct insn *in, taddr_t pc, struct dispatch *d)
{
	unsigned rex = (p[0] & 0xf0) == 0x40;
	taddr_t to, label = 0;

	look_at_constant(c, p, in);
	if (in->kind == INSN_JMP_INDIRECT) {
		d->jumps = true;
		d->njumps += p[in->modrm] >> 6 == 3;
	} else if (in->len == 7 && (p[0] & 0xf8) == 0x48 && p[1] == 0x8d && (p[2] & 0xc7) == 0x05) {
		to = pc + 7 + (uint64_t)(int64_t)load32(p + 3);
		mark(c, to);
		if (mark_table(c, f, to))
			d->ntables++;
		else if (to > f->addr && to < f->addr + f->size)
			label = to;
	} else if (rex && in->len >= 4 && p[1] == 0x63 && (p[2] & 7) == 4 && p[2] >> 6 != 3 &&
		   p[3] >> 6 == 2) {
		d->is_relative = true;
	}
	if (slots_follow(&d->slots, p, in, label))
		mark_slots(c, f, &d->slots);
}

/* Flags that instructions in a row leave as they are, and whose they are. */
struct flagflow {
	bool is_entry;	/* those of the function's beginning */
	taddr_t callee; /* those that it returned with; 0: none */
};

static void follow_flags(struct codescan *c, struct scanned *s, struct flagflow *flow,
			 const uint8_t *p, const struct insn *in)
{
	enum flagsuse use = flow->is_entry || flow->callee ? flagsuse_of(p, in) : FLAGS_OTHER;

	if (use == FLAGS_READ) {
		s->reads_flags |= flow->is_entry;
		if (flow->callee)
			set_bit(c, c->flagged, flow->callee, true);
	}
	if (use != FLAGS_KEPT)
		*flow = (struct flagflow){.callee = in->kind == INSN_CALL ? in->target : 0};
}

bool insn_ends_code(enum insn_kind kind)
{
	return kind == INSN_RET || kind == INSN_JMP || kind == INSN_JMP_INDIRECT ||
	       kind == INSN_TRAP;
}

/* known: code before that has been scanned with another function. */
static void scan_function(struct codescan *c, const struct func *f, struct scanned *s,
			  taddr_t known)
{
	enum insn_kind last = INSN_OTHER;
	struct dispatch d = {0};
	struct flagflow flow = {.is_entry = true};
	taddr_t behind = c->lo;
	unsigned ncalls = c->ncalls;
	uint8_t *code;
	bool ok;

	s->broken = s->open = true;
	if (f->size > MAX_FUNCTION)
		return;
	code = xcalloc(1, f->size + 1);
	ok = objfile_bytes(c->o, f->addr, code, f->size) == f->size;
	for (size_t at = 0; ok && at < f->size;) {
		struct insn in;

		ok = insn_decode(code + at, f->size - at, f->addr + at, &in) != 0;
		if (!ok)
			break;
		if (in.kind == INSN_CALL)
			mark_call(c, in.target);
		else if (insn_jumps(in.kind) && in.target - f->addr < f->size)
			mark_inner_jump(c, in.target);
		else if (insn_jumps(in.kind))
			mark_jump(c, in.target);
		if (f->addr + at >= known && codecall_is_long(code + at, &in))
			codescan_keep_call(c, &in, f->addr + at + in.len, behind);
		look_at_insn(c, f, code + at, &in, f->addr + at, &d);
		follow_flags(c, s, &flow, code + at, &in);
		last = in.kind;
		at += in.len;
		if (insn_ends_code(in.kind))
			behind = f->addr + at;
	}
	free(code);
	if (!ok) /* what was taken for instructions may be data */
		c->ncalls = ncalls;
	s->broken = s->has_data = !ok;
	s->open = !ok || last == INSN_OTHER || last == INSN_JCC || last == INSN_XBEGIN;
	s->is_lost = d.slots.is_lost || (d.jumps && d.is_relative && !d.ntables);
	s->is_unsure = s->is_lost || (d.jumps && d.is_relative && d.njumps > d.ntables);
}

static void mark_pointer(void *arg, taddr_t at)
{
	mark(arg, at);
}

/* ---- words of data, which may be addresses ---- */

/* The first of them from there on; `end`: there is none. */
static taddr_t next_word(const struct codescan *c, taddr_t from, taddr_t end)
{
	while (from < MIN(end, c->hi) && !get_bit(c, c->words, from)) {
		taddr_t off = from - c->lo;

		from += off % 8 || c->words[off / 8] ? 1 : 8;
	}
	return from < MIN(end, c->hi) ? from : end;
}

static void mark_all_words(struct codescan *c, taddr_t from, taddr_t end)
{
	for (taddr_t at = from; (at = next_word(c, at, end)) < end; at++)
		mark(c, at);
}

/* An address of some code, among the instructions. */
static bool holds_addresses(const struct funcode *f)
{
	uint64_t word;

	for (size_t off = -f->func->addr % 8; off + sizeof(word) <= f->func->size;
	     off += sizeof(word)) {
		memcpy(&word, f->bytes + off, sizeof(word));
		if (word >= f->scan->lo && word < f->scan->hi)
			return true;
	}
	return false;
}

/* Is what has been taken for the instructions of a function what its jumps take for them? They may
 * pass a lock prefix. */
static bool is_in_step(const struct funcode *f)
{
	if (f->n < f->func->size || holds_addresses(f))
		return false;
	for (unsigned i = 0; i < f->ninsns; i++)
		for (unsigned k = 1; k < f->insns[i].len; k++)
			if (codescan_is_target(f->scan, f->func->addr + f->offs[i] + k) &&
			    (k > 1 || f->bytes[f->offs[i]] != LOCK))
				return false;
	return true;
}

/*
 * Of some millions of words (texts, tables of numbers, what follows a table of labels) a few are
 * the address of some byte in the middle of an instruction by chance. None of them is one that is
 * jumped to where it is known where instructions begin.
 */
static void mark_words_of(struct codescan *c, unsigned i)
{
	const struct func *f = &c->o->funcs[i];
	bool is_known = !c->funcs[i].broken && !c->funcs[i].has_data && !codescan_shares_code(c, i);
	struct funcode code;

	funcode_init(&code, c, i);
	is_known = is_known && is_in_step(&code);
	for (taddr_t at = f->addr; (at = next_word(c, at, f->addr + f->size)) < f->addr + f->size;
	     at++) {
		unsigned k = funcode_index(&code, (uint32_t)(at - f->addr));

		if (!is_known || (k < code.ninsns && code.offs[k] == at - f->addr))
			mark(c, at);
	}
	funcode_release(&code);
}

/* What stands at its beginning, or in no function, may be meant in any case. */
static void mark_words(struct codescan *c)
{
	taddr_t behind = c->lo; /* the functions so far */

	for (unsigned i = 0; i < c->o->nfuncs; i++) {
		const struct func *f = &c->o->funcs[i];
		taddr_t end = f->addr + f->size;

		mark_all_words(c, behind, f->addr + 1);
		if (f->size > MAX_FUNCTION)
			mark_all_words(c, f->addr, MAX(end, f->addr));
		else if (next_word(c, f->addr + 1, end) < end)
			mark_words_of(c, i);
		behind = MAX(behind, c->funcs[i].reach);
	}
}

/* ---- a function with data between its instructions ---- */

/* ghc has such, and what is written by hand: its code is where control comes to. */
struct byflow {
	struct codescan *c;
	const struct func *func;
	struct scanned *scanned;
	uint8_t *code;
	bool *is_seen;	/* of each byte: it is part of an instruction */
	uint32_t *todo; /* places that something leads to */
	size_t ntodo, room;
	bool ok;
};

static void come_to(struct byflow *b, taddr_t at)
{
	taddr_t off = at - b->func->addr;

	if (off >= b->func->size || b->is_seen[off])
		return;
	if (b->ntodo == b->room) {
		b->room = 2 * b->room + 16;
		b->todo = xrealloc(b->todo, b->room * sizeof(*b->todo));
	}
	b->todo[b->ntodo++] = (uint32_t)off;
}

/* From there on, as long as one instruction follows the other. */
static void follow_path(struct byflow *b, size_t at)
{
	const struct func *f = b->func;
	struct flagflow flow = {.is_entry = at == 0};
	struct dispatch d = {0};
	struct insn in;

	for (; at < f->size && !b->is_seen[at]; at += in.len) {
		if (!insn_decode(b->code + at, f->size - at, f->addr + at, &in)) {
			b->ok = false;
			b->is_seen[at] = true; /* nobody need come here again */
			return;
		}
		memset(b->is_seen + at, true, in.len);
		if (insn_jumps(in.kind)) {
			mark_jump(b->c, in.target);
			come_to(b, in.target);
		} else if (in.kind == INSN_CALL) {
			mark_call(b->c, in.target);
		}
		look_at_insn(b->c, f, b->code + at, &in, f->addr + at, &d);
		b->scanned->is_lost |= d.slots.is_lost;
		b->scanned->is_unsure |= d.slots.is_lost;
		follow_flags(b->c, b->scanned, &flow, b->code + at, &in);
		if (insn_ends_code(in.kind))
			return;
	}
}

static void follow_all(struct byflow *b)
{
	while (b->ntodo)
		follow_path(b, b->todo[--b->ntodo]);
}

/* What is come to from its beginning must be code; what its address is kept of may be. */
static void scan_by_flow(struct codescan *c, const struct func *f, struct scanned *s)
{
	struct byflow b = {.c = c, .func = f, .scanned = s, .ok = true};
	bool found;

	b.code = xcalloc(1, f->size + 1);
	b.is_seen = xcalloc(f->size + 1, sizeof(*b.is_seen));
	if (objfile_bytes(c->o, f->addr, b.code, f->size) == f->size) {
		come_to(&b, f->addr);
		follow_all(&b);
		s->broken = !b.ok;
		do {
			for (taddr_t off = 0; off < f->size; off++)
				if (get_bit(c, c->targets, f->addr + off))
					come_to(&b, f->addr + off);
			found = b.ntodo != 0;
			follow_all(&b);
		} while (found);
	}
	free(b.code);
	free(b.is_seen);
	free(b.todo);
}

/* Each may keep addresses of others. */
static void scan_data_functions(struct codescan *c)
{
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < c->o->nfuncs; i++)
			if (c->funcs[i].has_data)
				scan_by_flow(c, &c->o->funcs[i], &c->funcs[i]);
}

void codescan_bounds(const struct objfile *o, taddr_t *lo, taddr_t *hi)
{
	*lo = *hi = o->nfuncs ? o->funcs[0].addr : 0;
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (o->funcs[i].addr - *lo < SCAN_SPAN_MAX && o->funcs[i].size < SCAN_SPAN_MAX)
			*hi = MAX(*hi, o->funcs[i].addr + o->funcs[i].size);
}

struct codescan *codescan_new(struct objfile *o)
{
	struct codescan *c = xcalloc(1, sizeof(*c));

	c->o = o;
	c->funcs = xcalloc(o->nfuncs + 1, sizeof(*c->funcs));
	codescan_bounds(o, &c->lo, &c->hi);
	if (!o->nfuncs)
		return c;
	c->targets = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	c->called = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	c->jumped = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	c->foreign = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	c->taken = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	c->flagged = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	c->words = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	/* what is not relocated keeps words that look like addresses */
	objfile_pointers(o, o->is_exec ? mark_word : mark_pointer, c);
	objfile_landing_pads(o, mark_pointer, c);
	for (unsigned i = 0; i < o->nfuncs; i++) {
		const struct func *f = &o->funcs[i];

		pulse();
		scan_function(c, f, &c->funcs[i], i ? c->funcs[i - 1].reach : 0);
		c->funcs[i].reach = MAX(i ? c->funcs[i - 1].reach : 0, f->addr + f->size);
	}
	mark_words(c);
	free(c->words);
	c->words = NULL;
	scan_data_functions(c);
	codescan_sort_calls(c);
	return c;
}

struct codescan *codescan_copy(const struct codescan *whole)
{
	struct codescan *c = xcalloc(1, sizeof(*c));

	*c = *whole;
	c->is_copy = true;
	c->taken = xcalloc(1, (c->hi - c->lo) / 8 + 1);
	return c;
}

static void free_code(struct codescan *c)
{
	free(c->targets);
	free(c->called);
	free(c->jumped);
	free(c->foreign);
	free(c->flagged);
	free(c->calls);
	free(c->funcs);
}

void codescan_free(struct codescan *c)
{
	if (!c)
		return;
	if (!c->is_copy)
		free_code(c);
	free(c->taken);
	free(c);
}
