#include "tracer/unwind/epilogue.h"

#include "symbols/x86/disasm.h"

#define FORKS_MAX  32
#define CODE_BYTES (EPILOGUE_BEFORE + EPILOGUE_BEHIND)

/* Registers by their number in instructions; psABI figure 3.36 numbers them in another order. */
enum { RSP = 4, RBP = 5, NREGS = 16 };
enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };
static const uint8_t dwarf_reg[NREGS] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

#define CALLEE_SAVED (1U << 3 | 1U << RBP | 0xf000U) /* rbx, rbp, r12 to r15 */

struct way {
	size_t at;    /* in the code */
	uint8_t base; /* rsp is what this register was at the start, plus off */
	int64_t off;
	uint16_t saved; /* registers that were loaded, the last time from base + where[] */
	uint16_t early; /* those loaded from rbp + where[], while rsp was the base */
	bool lost_rbp;	/* it is not what it was at the start */
	int64_t where[NREGS];
};

struct search {
	const struct code_bytes *code;
	struct way forks[FORKS_MAX];
	unsigned nforks;
	bool seen[CODE_BYTES]; /* a way came by here */
};

/* An instruction of general registers, taken apart. */
struct parts {
	uint8_t rex, op, mod, reg, rm;
	const uint8_t *rest; /* behind ModRM */
};

static struct parts take_apart(const uint8_t *p, unsigned len)
{
	struct parts x = {0};

	if ((*p & 0xf0) == 0x40 && len > 1) {
		x.rex = *p++;
		len--;
	}
	x.op = *p;
	if (len > 1) {
		x.mod = p[1] >> 6;
		x.reg = (uint8_t)((p[1] >> 3 & 7) | (x.rex & REX_R) << 1);
		x.rm = (uint8_t)((p[1] & 7) | (x.rex & REX_B) << 3);
		x.rest = p + 2;
	} else {
		x.rm = (uint8_t)((*p & 7) | (x.rex & REX_B) << 3);
	}
	return x;
}

static int64_t displacement(const uint8_t *p, bool is_byte)
{
	int32_t wide;

	if (is_byte)
		return (int8_t)*p;
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

/* Does it write reg, and not only memory at it? Sums and moves are told apart before. */
static bool writes(const struct parts *x, uint8_t reg)
{
	static const uint8_t to_reg[] = {0x03, 0x0b, 0x13, 0x1b, 0x23,
					 0x2b, 0x33, 0x63, 0x8b, 0x8d};
	static const uint8_t to_rm[] = {0x01, 0x09, 0x11, 0x19, 0x21, 0x29,
					0x31, 0x87, 0x89, 0x8f, 0xc7};
	bool is_rm = x->mod == 3 && x->rm == reg;

	if (memchr(to_reg, x->op, sizeof(to_reg)) || x->op == 0x87)
		return x->reg == reg || (x->op == 0x87 && is_rm);
	if (memchr(to_rm, x->op, sizeof(to_rm)))
		return is_rm;
	if (x->op == 0x81 || x->op == 0x83)
		return is_rm && x->reg != 7;		      /* but for cmp */
	if ((x->op & 0xf8) == 0x90 || (x->op & 0xf8) == 0xb8) /* xchg with rax, mov imm */
		return ((x->op & 7) | (x->rex & REX_B) << 3) == reg;
	return x->op == 0xc8; /* enter */
}

static void load(struct way *w, uint8_t reg, int64_t from, bool is_early)
{
	uint16_t bit = (uint16_t)(1U << reg);

	w->saved = (uint16_t)(is_early ? w->saved & ~bit : w->saved | bit);
	w->early = (uint16_t)(is_early ? w->early | bit : w->early & ~bit);
	w->where[reg] = from;
	w->lost_rbp |= reg == RBP;
}

/* A load from the frame, by rsp or by rbp. */
static bool load_from_frame(struct way *w, const struct parts *x)
{
	bool is_rsp, is_rbp;
	int64_t from;

	if (x->op != 0x8b || !(x->rex & REX_W) || x->reg == RSP)
		return false;
	is_rsp = x->rm == RSP && x->mod != 3 && *x->rest == 0x24 && !(x->rex & REX_X);
	is_rbp = x->rm == RBP && (x->mod == 1 || x->mod == 2) && !w->lost_rbp;
	if (!is_rsp && !is_rbp)
		return false;
	from = x->mod ? displacement(x->rest + is_rsp, x->mod == 1) : 0; /* behind SIB */
	from += is_rsp ? w->off : 0;
	load(w, x->reg, from, is_rbp && w->base == RSP);
	return true;
}

/* rsp becomes what rbp was, plus off. */
static bool back_to_rbp(struct way *w, int64_t off)
{
	if (w->lost_rbp)
		return false;
	if (w->base != RBP)
		w->saved = w->early;
	w->base = RBP;
	w->off = off;
	return true;
}

/* add and sub of a constant; lea from rsp and rbp; mov from rbp. False: it is none of these. */
static bool moves_rsp(struct way *w, const struct parts *x)
{
	bool is_sum = (x->op == 0x83 || x->op == 0x81) && x->mod == 3 && x->rm == RSP;
	bool is_lea = x->op == 0x8d && x->reg == RSP && (x->mod == 1 || x->mod == 2);

	if (!(x->rex & REX_W))
		return false;
	if (is_sum && (x->reg == 0 || x->reg == 5)) {
		int64_t n = displacement(x->rest, x->op == 0x83);

		w->off += x->reg ? -n : n;
		return true;
	}
	if (is_lea && x->rm == RSP && *x->rest == 0x24 && !(x->rex & REX_X)) {
		w->off += displacement(x->rest + 1, x->mod == 1);
		return true;
	}
	if (is_lea && x->rm == RBP)
		return back_to_rbp(w, displacement(x->rest, x->mod == 1));
	return x->mod == 3 &&
	       ((x->op == 0x89 && x->reg == RBP && x->rm == RSP) ||
		(x->op == 0x8b && x->reg == RSP && x->rm == RBP)) &&
	       back_to_rbp(w, 0);
}

/* What an instruction that goes nowhere does to the stack. False: it is not understood. */
static bool run_one(struct way *w, const uint8_t *p, unsigned len)
{
	struct parts x = take_apart(p, len);
	bool is_pop = x.op >= 0x58 && x.op <= 0x5f;
	bool is_push = (x.op & 0xf8) == 0x50 || x.op == 0x68 || x.op == 0x6a ||
		       x.op == 0x9c /* pushf */ || (x.op == 0xff && x.reg == 6);

	if (is_push) {
		w->off -= 8;
	} else if (x.op == 0x9d || (x.op == 0x8f && x.reg == 0 && x.mod != 3)) {
		w->off += 8;	   /* popf, pop into memory */
	} else if (x.op == 0xc9) { /* leave */
		if (!back_to_rbp(w, 8))
			return false;
		load(w, RBP, 0, false);
	} else if (is_pop && x.rm != RSP) {
		load(w, x.rm, w->off, false);
		w->off += 8;
	} else if (is_pop || (!moves_rsp(w, &x) && writes(&x, RSP))) {
		return false;
	} else if (!load_from_frame(w, &x)) {
		w->lost_rbp |= writes(&x, RBP);
	}
	return true;
}

static bool fits(int64_t off)
{
	return off >= INT32_MIN / 2 && off <= INT32_MAX / 2;
}

/* Behind the ret: its row. */
static bool make_row(const struct way *w, const uint8_t *ret, unsigned len, struct row *row)
{
	int64_t cfa = w->off + 8;
	uint16_t imm;

	if (!fits(w->off))
		return false;
	if (len > 2) { /* ret imm16 */
		memcpy(&imm, ret + len - 2, sizeof(imm));
		cfa += imm;
	}
	*row = (struct row){.pc = row->pc,
			    .how = ROW_PLAIN,
			    .cfa_reg = dwarf_reg[w->base],
			    .cfa_off = (int32_t)cfa,
			    .nsaved = 1,
			    .reg = {CFI_RA},
			    .off = {(int32_t)(w->off - cfa)}};
	for (uint8_t i = 0; i < NREGS && row->nsaved < ROW_SAVED_MAX; i++)
		if (w->saved & CALLEE_SAVED & 1U << i && fits(w->where[i])) {
			row->reg[row->nsaved] = dwarf_reg[i];
			row->off[row->nsaved++] = (int32_t)(w->where[i] - cfa);
		}
	return true;
}

/* In the code there is; else its size. */
static size_t place_of(const struct code_bytes *code, taddr_t target)
{
	return target >= code->addr && target - code->addr < code->n ? target - code->addr
								     : code->n;
}

static void fork_to(struct search *s, const struct way *w, size_t to)
{
	if (s->nforks == FORKS_MAX || to == s->code->n)
		return;
	s->forks[s->nforks] = *w;
	s->forks[s->nforks++].at = to;
}

/* To its ret, leaving the targets of conditional jumps for later. */
static bool run_way(struct search *s, struct way *w, struct row *row)
{
	while (w->at < s->code->n && !s->seen[w->at]) {
		const uint8_t *p = s->code->p + w->at;
		struct insn in;

		if (!insn_decode(p, s->code->n - w->at, s->code->addr + w->at, &in))
			return false;
		s->seen[w->at] = true;
		w->at += in.len;
		switch (in.kind) {
		case INSN_RET:
			return make_row(w, p, in.len, row);
		case INSN_JMP:
			w->at = place_of(s->code, in.target);
			break;
		case INSN_JCC:
		case INSN_XBEGIN:
			fork_to(s, w, place_of(s->code, in.target));
			break;
		case INSN_CALL:
		case INSN_CALL_INDIRECT:
			break;
		case INSN_OTHER:
			if (!run_one(w, p, in.len))
				return false;
			break;
		default:
			return false;
		}
	}
	return false;
}

bool epilogue_row(const struct code_bytes *code, taddr_t pc, epilogue_fn *accept, void *arg,
		  struct row *row)
{
	struct code_bytes part = *code;
	struct search s = {.code = &part};
	struct way w = {.base = RSP};

	part.n = MIN(part.n, CODE_BYTES);
	w.at = place_of(&part, pc);
	*row = (struct row){.pc = pc};
	for (unsigned i = 0;; i++) {
		if (run_way(&s, &w, row) && accept(arg, row))
			return true;
		if (i >= s.nforks)
			return false;
		w = s.forks[i];
	}
}
