/*
 * fpid_codegen.c: the machine code of what the target does of clauses (fpid_clauses.h): it works
 * with arguments, the clock, self-> and this-> variables and constants, assigns such variables,
 * aggregates, and asks for records.
 */
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "dlang/offload/claim.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

enum { /* locals of a native clause */
       LOCAL_KEYS = 0,
       LOCAL_VALUE = HOOK_KEYS_MAX,
       LOCAL_CARRIED = 0, /* when the hook is called for a record */
       LOCAL_TIME = FPID_CARRIED_MAX,
       LOCAL_SCRATCH, /* within one step */
       LOCAL_THIS,    /* from here on: this-> variables */
};
#define MAX_THIS (NATIVE_LOCALS - LOCAL_THIS)
_Static_assert(MAX_THIS >= FPID_THIS_MAX, "this-> variables");

static const struct native_type word = {8, false};

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

static bool is_caller(unsigned id)
{
	return id == BUILTIN_CALLER || id == BUILTIN_UCALLER;
}

struct writing {
	struct fpid_claims *claims;
	const struct fpid_claim *claim;
	struct native_clause *native;
	const struct fpid_shares *shares;
	struct fpid_record_call calls[FPID_CLAUSES_MAX]; /* of FPID_DECIDES */
	struct fpid_constants known; /* of the expression that is being written */
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
	const struct varslot *slot =
		vars_slot(w->claim->site->proc->pw->session->engine->vars, scope, id);

	return (struct native_type){(unsigned)slot->size, slot->is_signed};
}

static unsigned cell_off(struct writing *w, int cell)
{
	if (cell < 0)
		w->error = cell;
	return HOOK_BLOCK_HEADER + (cell < 0 ? 0 : (unsigned)cell * 8);
}

static unsigned element_off(struct writing *w, uint16_t id)
{
	return cell_off(w, fpid_claims_element_cell(w->claims, id, &w->known.key));
}

static void write_cpu(struct writing *w, unsigned rd)
{
	native_cpu(&w->native->code, w->native->has_rdpid, LOCAL_SCRATCH);
	native_load_local(&w->native->code, rd, LOCAL_SCRATCH);
}

static void write_builtin(struct writing *w, unsigned id, unsigned rd)
{
	const struct taskinfo *task = &w->claim->site->proc->fpid->task;
	struct native *n = &w->native->code;
	bool is_return = w->claim->at.is_return;
	unsigned arg = id - BUILTIN_ARG0;

	if (id == BUILTIN_PID)
		native_constant(n, rd, (uint64_t)w->claim->site->proc->pid);
	else if (id == BUILTIN_TID)
		native_load_block(n, rd, cell_off(w, fpid_claims_tid_cell(w->claims)));
	else if (id == BUILTIN_TIMESTAMP)
		native_load_local(n, rd, LOCAL_TIME);
	else if (id == BUILTIN_CPU)
		write_cpu(w, rd);
	else if (id == BUILTIN_PPID)
		native_constant(n, rd, (uint64_t)task->ppid);
	else if (id == BUILTIN_UID)
		native_constant(n, rd, task->uid);
	else if (id == BUILTIN_GID)
		native_constant(n, rd, task->gid);
	else if (fpid_is_text_builtin(id))
		native_constant(n, rd, FPID_TEXT_OF(id));
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

static void write_addition(struct writing *w, uint16_t id, unsigned rd)
{
	uint64_t place = 0;
	int r = fpid_claims_counter(w->claims, id, &place);

	w->error = r ? r : w->error;
	native_store_local(&w->native->code, LOCAL_SCRATCH, rd, word);
	native_add(&w->native->code, place, LOCAL_SCRATCH);
}

/* A branch. Another one behind it may ask for the same comparison. */
static void write_branch(struct writing *w, const struct difo *d, unsigned i, unsigned a,
			 unsigned b)
{
	struct native_jump jump = {.cond = fpid_insns[DIF_OP(d->text[i])].cond,
				   .a = a,
				   .b = b,
				   .to = DIF_GETLABEL(d->text[i]),
				   .live = 1U << a | 1U << b};

	if (!(insn_class[DIF_OP(d->text[i + 1])] & INSN_BRANCH))
		jump.live = 0;
	for (unsigned k = i + 1; k < d->ninsns; k++)
		jump.live |= fpid_reads(d->text[k]);
	native_branch(&w->native->code, &jump);
}

/* Both are known: numbers that compare as they do, signed or not. */
static void compare_texts(const struct writing *w, uint32_t insn)
{
	const struct session *s = w->claim->site->proc->pw->session;
	size_t size = (size_t)opt(&s->options, OPT_STRSIZE);
	int r = strncmp(w->known.text[DIF_R1(insn)], w->known.text[DIF_R2(insn)], size);

	native_constant(&w->native->code, DIF_R1(insn), r < 0 ? 1 : r > 0 ? 3 : 2);
	native_constant(&w->native->code, DIF_R2(insn), 2);
}

/* a and b: what the last comparison compared */
static void write_insn(struct writing *w, const struct difo *d, unsigned i, unsigned *a,
		       unsigned *b)
{
	struct native *n = &w->native->code;
	uint32_t insn = d->text[i];
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	uint16_t id = (uint16_t)ix;

	if (fpid_insns[op].is_op)
		native_op(n, fpid_insns[op].op, rd, DIF_R1(insn), DIF_R2(insn));
	else if (insn_class[op] & INSN_BRANCH)
		write_branch(w, d, i, *a, *b);
	switch (op) {
	case DIF_OP_CMP:
	case DIF_OP_TST:
		*a = DIF_R1(insn);
		*b = op == DIF_OP_CMP ? DIF_R2(insn) : 0;
		break;
	case DIF_OP_SCMP: /* the result takes their places */
		compare_texts(w, insn);
		*a = DIF_R1(insn);
		*b = DIF_R2(insn);
		break;
	case DIF_OP_SETX:
		native_constant(n, rd, d->ints[ix]);
		break;
	case DIF_OP_SETS:
		native_constant(n, rd, ix);
		break;
	case DIF_OP_LDGA:
		write_builtin(w, BUILTIN_ARG0 + (unsigned)w->known.number[DIF_R2(insn)], rd);
		break;
	case DIF_OP_LDGS:
		if (ix >= DIF_VAR_USER) /* a counter: what is added to it */
			native_constant(n, rd, 0);
		else
			write_builtin(w, ix, rd);
		break;
	case DIF_OP_LDTAA:
		native_load_block(n, rd, element_off(w, id));
		break;
	case DIF_OP_STTAA:
		native_store_block(n, element_off(w, id), rd, type_of(w, DIF_SCOPE_SELF, id));
		break;
	case DIF_OP_LDTS:
		native_load_block(n, rd, cell_off(w, fpid_claims_self_cell(w->claims, id)));
		break;
	case DIF_OP_STGS:
		write_addition(w, id, rd);
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

	if (i + COMPARISON >= d->ninsns || !(insn_class[op] & INSN_BRANCH) || op == DIF_OP_BA)
		return false;
	rd = DIF_RD(t[3]);
	return DIF_GETLABEL(t[0]) == i + 3 && DIF_OP(t[1]) == DIF_OP_MOV && DIF_R1(t[1]) == 0 &&
	       DIF_RD(t[1]) == rd && DIF_OP(t[2]) == DIF_OP_BA && DIF_GETLABEL(t[2]) == i + 4 &&
	       DIF_OP(t[3]) == DIF_OP_SETX && d->ints[DIF_GETINDEX(t[3])] == 1 &&
	       fpid_ways_to(d, i + 1) + fpid_ways_to(d, i + 2) == 0 && fpid_ways_to(d, i + 3) == 1;
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
	return fpid_ways_to(d, *at) == 0 && fpid_ways_to(d, end) == 1 &&
	       (end == ret || !fpid_ways_to(d, ret));
}

/* The first `end` of its instructions. a and b: what the last comparison compared */
static void write_insns(struct writing *w, const struct difo *d, unsigned end, unsigned *a,
			unsigned *b)
{
	const struct pid_site *site = w->claim->site;
	struct native *n = &w->native->code;

	native_expr(n);
	fpid_constants_begin(&w->known, site->proc->pw->session, d, site->probe->probe,
			     &site->proc->fpid->task);
	for (unsigned i = 0; i < end; i++) {
		native_label(n, i);
		fpid_constants_label(&w->known, i);
		if (is_comparison(d, i)) {
			native_compare(n, fpid_insns[DIF_OP(d->text[i])].cond,
				       DIF_RD(d->text[i + 3]), *a, *b);
			i += COMPARISON - 1;
		} else {
			write_insn(w, d, i, a, b);
			fpid_constants_insn(&w->known, d->text[i]);
		}
	}
}

/* Returns the jump that is taken where it is false. */
static unsigned write_predicate(struct writing *w, const struct difo *d)
{
	unsigned a = 0, b = 0, at;

	if (!ends_in_comparison(d, &at)) {
		write_insns(w, d, d->ninsns, &a, &b);
		return native_if(&w->native->code);
	}
	write_insns(w, d, at, &a, &b);
	return native_if_compared(&w->native->code, fpid_insns[DIF_OP(d->text[at])].cond, a, b);
}

/* Its value is what native_keep or native_if finds. */
static void write_expr(struct writing *w, const struct difo *d)
{
	unsigned a = 0, b = 0;

	write_insns(w, d, d->ninsns, &a, &b);
}

static void write_agg(struct writing *w, const struct ecb *ecb, const struct stmt *st)
{
	const struct native_clause *p = w->native;
	struct hook_agg *agg = &p->aggs[w->naggs];
	const struct native_agg what = {.agg = agg,
					.there = p->at + w->naggs * sizeof(*agg),
					.function = p->aggregate,
					.table_words = p->table_words,
					.keys = LOCAL_KEYS,
					.value = LOCAL_VALUE};
	int r = fpid_claims_group(w->claims, w->claim, ecb, st, agg);

	if (r) {
		w->error = r;
		return;
	}
	native_aggregate(&w->native->code, &what);
	w->naggs++;
}

/* Returns where to jump to when there is none. */
static unsigned write_stack_key(struct writing *w, const struct action *act, unsigned key)
{
	uint64_t what = 0;
	int r = fpid_claims_stack(w->claims, (unsigned)(uint32_t)act->rec.arg, &what);

	w->error = r ? r : w->error;
	return native_stack_key(&w->native->code, w->native->stack_key, what, key);
}

static void write_statement(struct writing *w, const struct ecb *ecb, const struct stmt *st)
{
	unsigned key = LOCAL_KEYS, without[HOOK_KEYS_MAX], nwithout = 0;

	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind == ACT_AGGKEY && aggkey_is_fixed(act, CLAIM_ONE_PROCESS))
			continue;
		if (act->kind == ACT_AGGKEY && act->rec.kind == REC_USTACK)
			without[nwithout++] = write_stack_key(w, act, key++);
		if (act->difo) {
			write_expr(w, act->difo);
			native_keep(&w->native->code,
				    act->kind == ACT_AGGKEY ? key++ : LOCAL_VALUE);
		}
		if (act->kind == ACT_AGG)
			write_agg(w, ecb, st);
	}
	while (nwithout)
		native_here(&w->native->code, without[--nwithout]);
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
	if (w->native->context.take_block ||
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
	*g = (struct native_guard){.is_there = true, .cond = fpid_insns[DIF_OP(t[at])].cond};
	if (DIF_R1(t[2]) == DIF_RD(t[sets]) && DIF_R2(t[2]) == DIF_RD(t[loads]))
		g->cond = swapped(g->cond);
	else if (DIF_R1(t[2]) != DIF_RD(t[loads]) || DIF_R2(t[2]) != DIF_RD(t[sets]))
		return false;
	return DIF_RD(t[0]) != DIF_RD(t[1]) && guard_sets(d, t[sets], g) &&
	       guard_loads(w, t[loads], g);
}

/* Its value is not wanted, but what it assigns. */
static void write_assignment(struct writing *w, const struct difo *d)
{
	if (!d || !fpid_keeps(w->shares, d))
		return;
	write_expr(w, d);
	native_keep(&w->native->code, LOCAL_VALUE);
}

static void carry(struct writing *w, const struct fpid_carried *c)
{
	struct native *n = &w->native->code;
	unsigned to = LOCAL_CARRIED;

	native_expr(n);
	if (c->has_time) {
		native_load_local(n, 1, LOCAL_TIME);
		native_store_local(n, to++, 1, word);
	}
	for (unsigned i = 0; i < c->n; i++, to++) {
		uint16_t id = c->vars[i].id;

		if (c->vars[i].scope == DIF_SCOPE_THIS)
			native_load_local(n, 1, local_of_this(w, id));
		else
			native_load_block(n, 1, cell_off(w, fpid_claims_self_cell(w->claims, id)));
		native_store_local(n, to, 1, word);
	}
}

/* The record holds what was there before anything is assigned. */
static void write_record_call(struct writing *w, const struct clause *c, unsigned nth)
{
	const struct native_clause *p = w->native;
	const struct native_record_call call = {.function = w->calls[nth].is_full ? p->record_full
										  : p->record,
						.number = w->calls[nth].number,
						.keep = LOCAL_SCRATCH};

	carry(w, &w->shares->carried[nth]);
	native_call_record(&w->native->code, &call);
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			write_assignment(w, c->stmts[i].acts[j].difo);
			write_assignment(w, c->stmts[i].acts[j].incr);
		}
}

/* The clock is read once for a clause, and only where it is wanted. */
static void write_clause(struct writing *w, const struct ecb *ecb, unsigned nth)
{
	const struct clause *c = ecb->clause;
	bool has_test = c->pred && !w->is_guarded;
	taddr_t clock = w->native->clock;
	unsigned skip = 0;

	if (fpid_reads_clock(c->pred))
		native_now(&w->native->code, clock, LOCAL_TIME);
	if (has_test)
		skip = write_predicate(w, c->pred);
	if (!fpid_reads_clock(c->pred) && fpid_clause_reads_clock(c))
		native_now(&w->native->code, clock, LOCAL_TIME);
	if (w->shares->v[nth] == FPID_DECIDES)
		write_record_call(w, c, nth);
	for (unsigned i = 0; i < c->nstmts && w->shares->v[nth] == FPID_ALL; i++)
		write_statement(w, ecb, &c->stmts[i]);
	if (has_test)
		native_here(&w->native->code, skip);
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
		native_store_local(&w->native->code, LOCAL_THIS + i, 0, word);
}

static int write_code(struct writing *w, const struct native_context *context)
{
	unsigned nth = 0;

	w->nthis = w->naggs = 0;
	native_begin(&w->native->code, context);
	clear_this(w);
	for (const struct ecb *e = w->claim->site->probe->probe->ecbs; e; e = e->next)
		write_clause(w, e, nth++);
	return native_end(&w->native->code);
}

static int ask_for_records(struct writing *w)
{
	const struct ecb *e = w->claim->site->probe->probe->ecbs;
	int r = 0;

	for (unsigned i = 0; e && !r; e = e->next, i++)
		if (w->shares->v[i] == FPID_DECIDES)
			r = fpid_record_number(w->claim->site, &w->claim->at, e,
					       &w->shares->carried[i], &w->calls[i]);
	return r;
}

/* Of the native clause as it has been written. */
static void set_frames(const struct writing *w)
{
	for (unsigned i = 0; i < w->shares->n; i++)
		if (w->shares->v[i] == FPID_DECIDES)
			fpid_record_frame(w->claim->site, w->calls[i].number,
					  native_frame_words(&w->native->code));
}

int fpid_write_clause(struct fpid_claims *claims, const struct fpid_claim *claim,
		      struct native_clause *p)
{
	struct writing w = {.claims = claims, .claim = claim, .native = p};
	const struct ecb *only = claim->site->probe->probe->ecbs;
	struct native_context context = p->context;
	int r;

	if (count_aggs(claim->site->probe->probe) > p->naggs)
		return -ENOSPC;
	w.shares = fpid_shares_of(only->probe);
	r = ask_for_records(&w);
	if (r)
		return r;
	w.is_guarded = !only->next && only->clause->pred &&
		       as_guard(&w, only->clause->pred, &context.guard);
	context.guard.is_there = w.is_guarded;
	write_code(&w, &context); /* to see what it needs */
	context.frame = p->code.needs;
	r = write_code(&w, &context);
	p->naggs = w.naggs;
	set_frames(&w);
	return w.error ? w.error : MIN(r, 0);
}
