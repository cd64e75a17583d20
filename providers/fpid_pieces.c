/*
 * fpid_pieces.c: clauses that the target runs itself: which they are, and their machine code. They
 * work with integers only: arguments, the clock, self-> and this-> variables, constants; they
 * assign such variables and aggregate. Nothing in them can fault.
 */
#include "providers/fpid_claims.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "dlang/claim.h"
#include "dlang/vm.h"

enum { /* locals of a piece */
       LOCAL_KEYS = 0,
       LOCAL_VALUE = HOOK_KEYS_MAX,
       LOCAL_TIME,
       LOCAL_THIS, /* from here on: this-> variables */
};
#define MAX_THIS (NATIVE_LOCALS - LOCAL_THIS)

static const struct native_type word = {8, false};

/* ---- instructions ---- */

struct arithmetic {
	bool is_there, divides;
	enum native_op op;
};
static const struct arithmetic arithmetic[DIF_NOPS] = {
	[DIF_OP_OR] = {true, false, NATIVE_OR},	   [DIF_OP_XOR] = {true, false, NATIVE_XOR},
	[DIF_OP_AND] = {true, false, NATIVE_AND},  [DIF_OP_SLL] = {true, false, NATIVE_SLL},
	[DIF_OP_SRL] = {true, false, NATIVE_SRL},  [DIF_OP_SRA] = {true, false, NATIVE_SRA},
	[DIF_OP_SUB] = {true, false, NATIVE_SUB},  [DIF_OP_ADD] = {true, false, NATIVE_ADD},
	[DIF_OP_MUL] = {true, false, NATIVE_MUL},  [DIF_OP_NOT] = {true, false, NATIVE_NOT},
	[DIF_OP_MOV] = {true, false, NATIVE_MOV},  [DIF_OP_SDIV] = {true, true, NATIVE_SDIV},
	[DIF_OP_UDIV] = {true, true, NATIVE_UDIV}, [DIF_OP_SREM] = {true, true, NATIVE_SREM},
	[DIF_OP_UREM] = {true, true, NATIVE_UREM},
};

struct branch {
	bool is_there;
	enum native_cond cond;
};
static const struct branch branches[DIF_NOPS] = {
	[DIF_OP_BA] = {true, NATIVE_ALWAYS},	    [DIF_OP_BE] = {true, NATIVE_EQUAL},
	[DIF_OP_BNE] = {true, NATIVE_NOT_EQUAL},    [DIF_OP_BG] = {true, NATIVE_GREATER},
	[DIF_OP_BGU] = {true, NATIVE_ABOVE},	    [DIF_OP_BGE] = {true, NATIVE_GREATER_EQUAL},
	[DIF_OP_BGEU] = {true, NATIVE_ABOVE_EQUAL}, [DIF_OP_BL] = {true, NATIVE_LESS},
	[DIF_OP_BLU] = {true, NATIVE_BELOW},	    [DIF_OP_BLE] = {true, NATIVE_LESS_EQUAL},
	[DIF_OP_BLEU] = {true, NATIVE_BELOW_EQUAL},
};

/* Where registers of the program are that an argument is in; -1: its value is always 0. */
static int place_of_arg(unsigned arg, bool is_return)
{
	static const int entry[] = {
		offsetof(struct hook_regs, rdi), offsetof(struct hook_regs, rsi),
		offsetof(struct hook_regs, rdx), offsetof(struct hook_regs, rcx),
		offsetof(struct hook_regs, r8),	 offsetof(struct hook_regs, r9)};

	if (!is_return)
		return entry[arg];
	return arg == 1	  ? (int)offsetof(struct hook_regs, rax)
	       : arg == 2 ? (int)offsetof(struct hook_regs, rdx)
			  : -1;
}

/* ---- which clauses ---- */

static bool is_integer(const struct varslot *slot)
{
	return slot && !slot->is_byref && !slot->is_string && !slot->is_array &&
	       (slot->size == 1 || slot->size == 2 || slot->size == 4 || slot->size == 8);
}

static const struct varslot *slot_of(const struct session *s, enum dif_scope scope, unsigned id)
{
	const struct varstore *vs = &s->vars;

	return id - DIF_VAR_USER < vs->nslots[scope] ? vs->slots[scope][id - DIF_VAR_USER] : NULL;
}

static bool is_caller(unsigned id)
{
	return id == BUILTIN_CALLER || id == BUILTIN_UCALLER;
}

static bool is_builtin_ok(unsigned id)
{
	return id - BUILTIN_ARG0 < EVENT_ARGS || id == BUILTIN_TID || id == BUILTIN_PID ||
	       id == BUILTIN_TIMESTAMP || is_caller(id);
}

/* What is known of registers while instructions are checked in order. */
struct checking {
	const struct session *s;
	bool is_divisor[DIF_NREGS]; /* holds a constant that is neither 0 nor -1 */
	bool compared;		    /* the instruction before compares, or branches by it */
};

static bool check_insn(struct checking *c, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn);
	bool compared = c->compared;

	c->compared = op == DIF_OP_CMP || op == DIF_OP_TST || (branches[op].is_there && compared);
	if (branches[op].is_there)
		return op == DIF_OP_BA || compared;
	if (op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_NOP || op == DIF_OP_RET)
		return true;
	if (arithmetic[op].is_there && arithmetic[op].divides && !c->is_divisor[DIF_R2(insn)])
		return false;
	if (op == DIF_OP_STTS || op == DIF_OP_STLS)
		return is_integer(slot_of(c->s, op == DIF_OP_STTS ? DIF_SCOPE_SELF : DIF_SCOPE_THIS,
					  DIF_GETINDEX(insn)));
	c->is_divisor[DIF_RD(insn)] = op == DIF_OP_SETX && d->ints[DIF_GETINDEX(insn)] != 0 &&
				      d->ints[DIF_GETINDEX(insn)] != UINT64_MAX;
	switch (op) {
	case DIF_OP_SETX:
		return true;
	case DIF_OP_LDGS:
		return is_builtin_ok(DIF_GETINDEX(insn));
	case DIF_OP_LDTS:
		return is_integer(slot_of(c->s, DIF_SCOPE_SELF, DIF_GETINDEX(insn)));
	case DIF_OP_LDLS:
		return is_integer(slot_of(c->s, DIF_SCOPE_THIS, DIF_GETINDEX(insn)));
	default:
		return arithmetic[op].is_there;
	}
}

/* How many branches lead there. */
static unsigned ways_to(const struct difo *d, unsigned at)
{
	unsigned n = 0;

	for (unsigned i = 0; i < at; i++)
		n += branches[DIF_OP(d->text[i])].is_there && DIF_GETLABEL(d->text[i]) == at;
	return n;
}

static bool can_run(const struct session *s, const struct difo *d)
{
	struct checking c = {.s = s};

	if (d->ninsns > 64)
		return false;
	for (unsigned i = 0; i < d->ninsns; i++) {
		if (ways_to(d, i)) {
			memset(c.is_divisor, 0, sizeof(c.is_divisor));
			c.compared = false;
		}
		if (!check_insn(&c, d, d->text[i]))
			return false;
	}
	return true;
}

bool fpid_agg_func(const struct aggfunc *f, enum hook_aggfunc *out)
{
	static const struct {
		const struct aggfunc *func;
		enum hook_aggfunc ours;
	} rows[] = {
		{&aggfunc_count, HOOK_AGG_COUNT},
		{&aggfunc_sum, HOOK_AGG_SUM},
		{&aggfunc_min, HOOK_AGG_MIN},
		{&aggfunc_max, HOOK_AGG_MAX},
		{&aggfunc_avg, HOOK_AGG_AVG},
		{&aggfunc_stddev, HOOK_AGG_STDDEV},
		{&aggfunc_quantize, HOOK_AGG_QUANTIZE},
		{&aggfunc_lquantize, HOOK_AGG_LQUANTIZE},
		{&aggfunc_llquantize, HOOK_AGG_LLQUANTIZE},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].func == f) {
			*out = rows[i].ours;
			return true;
		}
	return false;
}

static bool statement_can_run(const struct session *s, const struct stmt *st)
{
	enum hook_aggfunc func;
	unsigned nkeys = 0;

	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];

		switch (act->kind) {
		case ACT_EXPR:
			break;
		case ACT_AGGKEY:
			if (claim_key_is_fixed(act, CLAIM_ONE_PROCESS))
				continue;
			if (act->rec.kind != REC_INT || nkeys++ == HOOK_KEYS_MAX)
				return false;
			break;
		case ACT_AGG:
			if (act->incr || !fpid_agg_func(st->aggs[0]->func, &func))
				return false;
			break;
		default:
			return false;
		}
		if (act->difo && !can_run(s, act->difo))
			return false;
	}
	return true;
}

bool fpid_clause_can_run(const struct session *s, const struct clause *c)
{
	if (c->has_record || c->split || c->is_error)
		return false;
	if (c->pred && !can_run(s, c->pred))
		return false;
	for (unsigned i = 0; i < c->nstmts; i++)
		if (!statement_can_run(s, &c->stmts[i]))
			return false;
	return true;
}

/* ---- their code ---- */

struct writing {
	struct fpid_claims *claims;
	const struct fpid_claim *claim;
	struct piece *piece;
	uint16_t this_ids[MAX_THIS]; /* of the locals from LOCAL_THIS on */
	unsigned nthis;
	unsigned naggs;
	bool is_guarded; /* its only clause runs where the predicate holds */
	int error;
};

static unsigned local_of_this(struct writing *w, uint16_t id)
{
	for (unsigned i = 0; i < w->nthis; i++)
		if (w->this_ids[i] == id)
			return LOCAL_THIS + i;
	if (w->nthis == MAX_THIS) {
		w->error = -ENOSPC;
		return LOCAL_THIS;
	}
	w->this_ids[w->nthis] = id;
	return LOCAL_THIS + w->nthis++;
}

static struct native_type type_of(const struct writing *w, enum dif_scope scope, uint16_t id)
{
	const struct varslot *slot = slot_of(w->claim->site->proc->pw->session, scope, id);

	return (struct native_type){(unsigned)slot->size, slot->is_signed};
}

static unsigned cell_off(struct writing *w, int cell)
{
	if (cell < 0)
		w->error = cell;
	return HOOK_BLOCK_HEADER + (cell < 0 ? 0 : (unsigned)cell * 8);
}

static void write_builtin(struct writing *w, unsigned id, unsigned rd)
{
	struct native *n = &w->piece->code;
	bool is_return = w->claim->at.is_return;
	unsigned arg = id - BUILTIN_ARG0;

	if (id == BUILTIN_PID)
		native_constant(n, rd, (uint64_t)w->claim->site->proc->pid);
	else if (id == BUILTIN_TID)
		native_load_block(n, rd, cell_off(w, fpid_claims_tid_cell(w->claims)));
	else if (id == BUILTIN_TIMESTAMP)
		native_load_local(n, rd, LOCAL_TIME);
	else if (is_caller(id))
		native_load_stack(n, rd, 0);
	else if (!is_return && arg >= EVENT_REG_ARGS) /* behind the return address */
		native_load_stack(n, rd, arg - EVENT_REG_ARGS + 1);
	else if (is_return && arg == 0)
		native_constant(n, rd, (uint64_t)w->claim->at.off);
	else if (place_of_arg(arg, is_return) < 0)
		native_constant(n, rd, 0);
	else
		native_load_saved(n, rd, (unsigned)place_of_arg(arg, is_return));
}

/* Registers that an instruction reads. */
static unsigned reads(uint32_t insn)
{
	unsigned op = DIF_OP(insn);

	if (op == DIF_OP_STTS || op == DIF_OP_STLS || op == DIF_OP_RET)
		return 1U << DIF_RD(insn);
	if (arithmetic[op].is_there || op == DIF_OP_CMP || op == DIF_OP_TST)
		return 1U << DIF_R1(insn) | 1U << DIF_R2(insn);
	return 0;
}

/* A branch. Another one behind it may ask for the same comparison. */
static void write_branch(struct writing *w, const struct difo *d, unsigned i, unsigned a,
			 unsigned b)
{
	struct native_jump jump = {.cond = branches[DIF_OP(d->text[i])].cond,
				   .a = a,
				   .b = b,
				   .to = DIF_GETLABEL(d->text[i]),
				   .live = 1U << a | 1U << b};

	if (!branches[DIF_OP(d->text[i + 1])].is_there)
		jump.live = 0;
	for (unsigned k = i + 1; k < d->ninsns; k++)
		jump.live |= reads(d->text[k]);
	native_branch(&w->piece->code, &jump);
}

/* a and b: what the last comparison compared */
static void write_insn(struct writing *w, const struct difo *d, unsigned i, unsigned *a,
		       unsigned *b)
{
	struct native *n = &w->piece->code;
	uint32_t insn = d->text[i];
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	uint16_t id = (uint16_t)ix;

	if (arithmetic[op].is_there)
		native_op(n, arithmetic[op].op, rd, DIF_R1(insn), DIF_R2(insn));
	else if (branches[op].is_there)
		write_branch(w, d, i, *a, *b);
	switch (op) {
	case DIF_OP_CMP:
	case DIF_OP_TST:
		*a = DIF_R1(insn);
		*b = op == DIF_OP_CMP ? DIF_R2(insn) : 0;
		break;
	case DIF_OP_SETX:
		native_constant(n, rd, d->ints[ix]);
		break;
	case DIF_OP_LDGS:
		write_builtin(w, ix, rd);
		break;
	case DIF_OP_LDTS:
		native_load_block(n, rd, cell_off(w, fpid_claims_self_cell(w->claims, id)));
		break;
	case DIF_OP_STTS:
		native_store_block(n, cell_off(w, fpid_claims_self_cell(w->claims, id)), rd,
				   type_of(w, DIF_SCOPE_SELF, id));
		break;
	case DIF_OP_LDLS:
		native_load_local(n, rd, local_of_this(w, id));
		break;
	case DIF_OP_STLS:
		native_store_local(n, local_of_this(w, id), rd, type_of(w, DIF_SCOPE_THIS, id));
		break;
	case DIF_OP_RET:
		native_return(n, rd, insn == d->text[d->ninsns - 1]);
		break;
	default:
		break;
	}
}

#define COMPARISON 4 /* instructions */

/* A branch, and what the compiler makes of `a < b` as a value: bl 3; mov %r0, %rd; ba 4; 3: setx 1,
 * %rd; 4: */
static bool is_comparison(const struct difo *d, unsigned i)
{
	const uint32_t *t = &d->text[i];
	unsigned op = DIF_OP(t[0]), rd;

	if (i + COMPARISON >= d->ninsns || !branches[op].is_there || op == DIF_OP_BA)
		return false;
	rd = DIF_RD(t[3]);
	return DIF_GETLABEL(t[0]) == i + 3 && DIF_OP(t[1]) == DIF_OP_MOV && DIF_R1(t[1]) == 0 &&
	       DIF_RD(t[1]) == rd && DIF_OP(t[2]) == DIF_OP_BA && DIF_GETLABEL(t[2]) == i + 4 &&
	       DIF_OP(t[3]) == DIF_OP_SETX && d->ints[DIF_GETINDEX(t[3])] == 1 &&
	       ways_to(d, i + 1) + ways_to(d, i + 2) == 0 && ways_to(d, i + 3) == 1;
}

/* Is such a value all that is returned, whatever way led there? Then it begins at *at. */
static bool ends_in_comparison(const struct difo *d, unsigned *at)
{
	unsigned ret = d->ninsns - 1, end = ret;

	if (end && DIF_OP(d->text[end - 1]) == DIF_OP_NOP)
		end--;
	if (end < COMPARISON || !is_comparison(d, end - COMPARISON) ||
	    DIF_RD(d->text[end - 1]) != DIF_RD(d->text[ret]))
		return false;
	for (unsigned i = 0; i < end; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_RET)
			return false;
	*at = end - COMPARISON;
	return ways_to(d, *at) == 0 && ways_to(d, end) == 1 && (end == ret || !ways_to(d, ret));
}

/* The first `end` of its instructions. a and b: what the last comparison compared */
static void write_insns(struct writing *w, const struct difo *d, unsigned end, unsigned *a,
			unsigned *b)
{
	struct native *n = &w->piece->code;

	native_expr(n);
	for (unsigned i = 0; i < end; i++) {
		native_label(n, i);
		if (is_comparison(d, i)) {
			native_compare(n, branches[DIF_OP(d->text[i])].cond, DIF_RD(d->text[i + 3]),
				       *a, *b);
			i += COMPARISON - 1;
		} else {
			write_insn(w, d, i, a, b);
		}
	}
}

/* Returns the jump that is taken where it is false. */
static unsigned write_predicate(struct writing *w, const struct difo *d)
{
	unsigned a = 0, b = 0, at;

	if (!ends_in_comparison(d, &at)) {
		write_insns(w, d, d->ninsns, &a, &b);
		return native_if(&w->piece->code);
	}
	write_insns(w, d, at, &a, &b);
	return native_if_compared(&w->piece->code, branches[DIF_OP(d->text[at])].cond, a, b);
}

/* Its value is what native_keep or native_if finds. */
static void write_expr(struct writing *w, const struct difo *d)
{
	unsigned a = 0, b = 0;

	write_insns(w, d, d->ninsns, &a, &b);
}

static void write_agg(struct writing *w, const struct ecb *ecb, const struct stmt *st)
{
	const struct piece *p = w->piece;
	struct hook_agg *agg = &p->aggs[w->naggs];
	const struct native_agg what = {.agg = agg,
					.there = p->at + w->naggs * sizeof(*agg),
					.function = p->aggregate,
					.table_size = p->table_size,
					.keys = LOCAL_KEYS,
					.value = LOCAL_VALUE};
	int r = fpid_claims_group(w->claims, w->claim, ecb, st, agg);

	if (r) {
		w->error = r;
		return;
	}
	native_aggregate(&w->piece->code, &what);
	w->naggs++;
}

static void write_statement(struct writing *w, const struct ecb *ecb, const struct stmt *st)
{
	unsigned key = LOCAL_KEYS;

	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind == ACT_AGGKEY && claim_key_is_fixed(act, CLAIM_ONE_PROCESS))
			continue;
		if (act->difo) {
			write_expr(w, act->difo);
			native_keep(&w->piece->code, act->kind == ACT_AGGKEY ? key++ : LOCAL_VALUE);
		}
		if (act->kind == ACT_AGG)
			write_agg(w, ecb, st);
	}
}

/* Loads what a guard may compare. */
static bool guard_loads(struct writing *w, uint32_t insn, struct native_guard *g)
{
	unsigned ix = DIF_GETINDEX(insn), arg = ix - BUILTIN_ARG0;
	bool is_return = w->claim->at.is_return, is_self = DIF_OP(insn) == DIF_OP_LDTS;
	int cell;

	if (DIF_OP(insn) == DIF_OP_LDGS && arg < EVENT_REG_ARGS &&
	    place_of_arg(arg, is_return) >= 0) {
		g->is_block = false;
		g->off = (unsigned)place_of_arg(arg, is_return);
		return true;
	}
	if (w->piece->place.take_block ||
	    (!is_self && (DIF_OP(insn) != DIF_OP_LDGS || ix != BUILTIN_TID)))
		return false;
	cell = is_self ? fpid_claims_self_cell(w->claims, (uint16_t)ix)
		       : fpid_claims_tid_cell(w->claims);
	g->is_block = true;
	g->off = cell_off(w, cell);
	return true;
}

/* A small constant. */
static bool guard_sets(const struct difo *d, uint32_t insn, struct native_guard *g)
{
	uint64_t value = DIF_OP(insn) == DIF_OP_SETX ? d->ints[DIF_GETINDEX(insn)] : UINT64_MAX / 2;

	g->constant = (int32_t)value;
	return value == (uint64_t)g->constant;
}

/* a < b is b > a. */
static enum native_cond swapped(enum native_cond cond)
{
	static const uint8_t others[] = {
		[NATIVE_BELOW] = NATIVE_ABOVE,
		[NATIVE_ABOVE] = NATIVE_BELOW,
		[NATIVE_BELOW_EQUAL] = NATIVE_ABOVE_EQUAL,
		[NATIVE_ABOVE_EQUAL] = NATIVE_BELOW_EQUAL,
		[NATIVE_LESS] = NATIVE_GREATER,
		[NATIVE_GREATER] = NATIVE_LESS,
		[NATIVE_LESS_EQUAL] = NATIVE_GREATER_EQUAL,
		[NATIVE_GREATER_EQUAL] = NATIVE_LESS_EQUAL,
		[NATIVE_EQUAL] = NATIVE_EQUAL,
		[NATIVE_NOT_EQUAL] = NATIVE_NOT_EQUAL,
	};

	return others[cond];
}

#define GUARD 3 /* instructions: a word, a constant, cmp */

/* Is a predicate a comparison of a word with a constant, or that of a word with 0? */
static bool as_guard(struct writing *w, const struct difo *d, struct native_guard *g)
{
	const uint32_t *t = d->text;
	unsigned at, loads, sets;

	if (d->ninsns == 2 && DIF_OP(t[1]) == DIF_OP_RET && DIF_RD(t[0]) == DIF_RD(t[1])) {
		*g = (struct native_guard){.is_there = true, .cond = NATIVE_NOT_EQUAL};
		return guard_loads(w, t[0], g);
	}
	if (d->ninsns < GUARD || !ends_in_comparison(d, &at) || at != GUARD ||
	    DIF_OP(t[2]) != DIF_OP_CMP)
		return false;
	sets = DIF_OP(t[0]) == DIF_OP_SETX ? 0 : 1;
	loads = !sets;
	*g = (struct native_guard){.is_there = true, .cond = branches[DIF_OP(t[at])].cond};
	if (DIF_R1(t[2]) == DIF_RD(t[sets]) && DIF_R2(t[2]) == DIF_RD(t[loads]))
		g->cond = swapped(g->cond);
	else if (DIF_R1(t[2]) != DIF_RD(t[loads]) || DIF_R2(t[2]) != DIF_RD(t[sets]))
		return false;
	return DIF_RD(t[0]) != DIF_RD(t[1]) && guard_sets(d, t[sets], g) &&
	       guard_loads(w, t[loads], g);
}

static bool reads_clock(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_LDGS &&
		    DIF_GETINDEX(d->text[i]) == BUILTIN_TIMESTAMP)
			return true;
	return false;
}

static bool statements_read_clock(const struct clause *c)
{
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			if (reads_clock(c->stmts[i].acts[j].difo))
				return true;
	return false;
}

/* The clock is read once for a clause, and only where it is wanted. */
static void write_clause(struct writing *w, const struct ecb *ecb)
{
	const struct clause *c = ecb->clause;
	bool is_asked = c->pred && !w->is_guarded;
	taddr_t clock = w->piece->clock;
	unsigned skip = 0;

	if (reads_clock(c->pred))
		native_now(&w->piece->code, clock, LOCAL_TIME);
	if (is_asked)
		skip = write_predicate(w, c->pred);
	if (!reads_clock(c->pred) && statements_read_clock(c))
		native_now(&w->piece->code, clock, LOCAL_TIME);
	for (unsigned i = 0; i < c->nstmts; i++)
		write_statement(w, ecb, &c->stmts[i]);
	if (is_asked)
		native_here(&w->piece->code, skip);
}

bool fpid_clause_reads_clock(const struct clause *c)
{
	return reads_clock(c->pred) || statements_read_clock(c);
}

static unsigned count_aggs(const struct probe *p)
{
	unsigned n = 0;

	for (const struct ecb *e = p->ecbs; e; e = e->next)
		for (unsigned i = 0; i < e->clause->nstmts; i++)
			n += e->clause->stmts[i].naggs;
	return n;
}

static void name_this(struct writing *w, const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STLS || DIF_OP(d->text[i]) == DIF_OP_LDLS)
			local_of_this(w, (uint16_t)DIF_GETINDEX(d->text[i]));
}

/* this-> variables of all clauses hold 0 when the first one begins. */
static void clear_this(struct writing *w)
{
	for (const struct ecb *e = w->claim->site->probe->probe->ecbs; e; e = e->next) {
		name_this(w, e->clause->pred);
		for (unsigned i = 0; i < e->clause->nstmts; i++)
			for (unsigned j = 0; j < e->clause->stmts[i].nacts; j++)
				name_this(w, e->clause->stmts[i].acts[j].difo);
	}
	for (unsigned i = 0; i < w->nthis; i++)
		native_store_local(&w->piece->code, LOCAL_THIS + i, 0, word);
}

static int write_code(struct writing *w, const struct native_place *place)
{
	w->nthis = w->naggs = 0;
	native_begin(&w->piece->code, place);
	clear_this(w);
	for (const struct ecb *e = w->claim->site->probe->probe->ecbs; e; e = e->next)
		write_clause(w, e);
	return native_end(&w->piece->code);
}

int fpid_write_piece(struct fpid_claims *claims, const struct fpid_claim *claim, struct piece *p)
{
	struct writing w = {.claims = claims, .claim = claim, .piece = p};
	const struct ecb *only = claim->site->probe->probe->ecbs;
	struct native_place place = p->place;
	int r;

	if (count_aggs(claim->site->probe->probe) > p->naggs)
		return -ENOSPC;
	w.is_guarded = only && !only->next && only->clause->pred &&
		       as_guard(&w, only->clause->pred, &place.guard);
	place.guard.is_there = w.is_guarded;
	write_code(&w, &place); /* to see what it needs */
	place.frame = p->code.needs;
	r = write_code(&w, &place);
	p->naggs = w.naggs;
	return w.error ? w.error : MIN(r, 0);
}
