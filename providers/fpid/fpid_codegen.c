/*
 * fpid_codegen.c: the machine code of what the target does of clauses (fpid_clauses.h): it works
 * with arguments, the clock, self-> and this-> variables and constants, assigns such variables,
 * aggregates, and asks for records.
 */
#include "providers/fpid/fpid_codegen.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "dlang/offload/claim.h"
#include "dlang/offload/group.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

const struct native_type code_word = {8, false};

int code_place_of_arg(unsigned arg, bool is_return)
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

void code_jump_later(struct writing *w, unsigned *jumps, unsigned *n, unsigned jump)
{
	if (*n == JUMPS)
		w->error = -ENOSPC;
	else
		jumps[(*n)++] = jump;
}

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

struct native_type code_type_of(const struct writing *w, enum dif_scope scope, uint16_t id)
{
	const struct varslot *slot =
		vars_slot(w->claim->site->proc->pw->session->engine->vars, scope, id);

	return (struct native_type){(unsigned)slot->size, slot->is_signed};
}

unsigned code_cell_off(struct writing *w, int cell)
{
	if (cell < 0)
		w->error = cell;
	return HOOK_BLOCK_HEADER + (cell < 0 ? 0 : (unsigned)cell * 8);
}

static void write_cpu(struct writing *w, unsigned rd)
{
	native_cpu(&w->native->code, w->native->has_rdpid, LOCAL_SCRATCH);
	native_load_local(&w->native->code, rd, LOCAL_SCRATCH);
}

static void write_wall(struct writing *w, unsigned rd)
{
	native_wall(&w->native->code, w->native->clock, LOCAL_TIME, LOCAL_SCRATCH);
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
		native_load_block(n, rd, code_cell_off(w, fpid_claims_tid_cell(w->claims)));
	else if (id == BUILTIN_TIMESTAMP)
		native_load_local(n, rd, LOCAL_TIME);
	else if (id == BUILTIN_WALLTIMESTAMP)
		write_wall(w, rd);
	else if (id == BUILTIN_VTIMESTAMP)
		native_load_local(n, rd, LOCAL_VTIME);
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
	else if (id == BUILTIN_ERRNO || id == BUILTIN_STACKDEPTH) /* of the kernel: not here */
		native_constant(n, rd, 0);
	else if (is_caller(id))
		native_load_stack(n, rd, 0);
	else if (w->claim->at.is_offset && arg >= EVENT_REG_ARGS)
		native_constant(n, rd, 0);
	else if (!is_return && arg >= EVENT_REG_ARGS) /* behind the return address */
		native_load_stack(n, rd, arg - EVENT_REG_ARGS + 1);
	else if (is_return && arg == 0)
		native_constant(n, rd, (uint64_t)w->claim->at.off);
	else if (code_place_of_arg(arg, is_return) < 0)
		native_constant(n, rd, 0);
	else
		native_load_saved(n, rd, (unsigned)code_place_of_arg(arg, is_return));
}

/* Of args[], or of uregs[]. */
static void write_known(struct writing *w, uint32_t insn)
{
	const struct pid_site *site = w->claim->site;
	unsigned rd = DIF_RD(insn);
	uint64_t index = w->known.number[DIF_R2(insn)];

	if (DIF_R1(insn) == BUILTIN_ARGS)
		write_builtin(w, BUILTIN_ARG0 + (unsigned)index, rd);
	else if (index == VM_UREG_SP)
		native_load_stack_pointer(&w->native->code, rd);
	else if (index == VM_UREG_PC)
		native_constant(&w->native->code, rd,
				site->addr + site->mod->bias + (taddr_t)w->claim->at.off);
	else
		native_load_saved(&w->native->code, rd, fpid_reg_word(index) * 8);
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

static void write_division(struct writing *w, uint32_t insn)
{
	unsigned b = DIF_R2(insn), zero;
	const struct native_division division = {
		.op = fpid_insns[DIF_OP(insn)].divop,
		.may_be_0 = fpid_may_be_0(&w->known, b),
		.may_be_minus_1 = !(w->known.numbers >> b & 1) || w->known.number[b] == UINT64_MAX};

	zero = native_divide(&w->native->code, &division, DIF_RD(insn), DIF_R1(insn), b);
	if (zero)
		code_jump_later(w, w->absent, &w->nabsent, zero);
}

/* a and b: what the last comparison compared */
static void write_insn(struct writing *w, const struct difo *d, unsigned i, unsigned *a,
		       unsigned *b)
{
	struct native *n = &w->native->code;
	uint32_t insn = d->text[i];
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	uint16_t id = (uint16_t)ix;

	if (fpid_insns[op].divides)
		write_division(w, insn);
	else if (fpid_insns[op].is_op)
		native_op(n, fpid_insns[op].op, rd, DIF_R1(insn), DIF_R2(insn));
	else if (insn_class[op] & INSN_BRANCH)
		write_branch(w, d, i, *a, *b);
	else if (insn_loads[op].size)
		code_load(w, insn);
	switch (op) {
	case DIF_OP_CMP:
	case DIF_OP_TST:
		*a = DIF_R1(insn);
		*b = op == DIF_OP_CMP ? DIF_R2(insn) : 0;
		break;
	case DIF_OP_SCMP: /* the result takes their places */
		code_compare_texts(w, insn);
		*a = DIF_R1(insn);
		*b = DIF_R2(insn);
		break;
	case DIF_OP_FLUSHTS:
		code_flush_texts(w);
		break;
	case DIF_OP_PUSHTV:
		code_push(w, d, i);
		break;
	case DIF_OP_PUSHTR:
		code_push_text(w, d, i);
		break;
	case DIF_OP_CALL:
		code_call(w, d, i);
		break;
	case DIF_OP_SETX:
		native_constant(n, rd, d->ints[ix]);
		break;
	case DIF_OP_SETS:
		native_constant(n, rd, ix);
		break;
	case DIF_OP_LDGA:
		write_known(w, insn);
		break;
	case DIF_OP_LDGS:
		if (ix >= DIF_VAR_USER)
			code_load_scalar(w, insn);
		else
			write_builtin(w, ix, rd);
		break;
	case DIF_OP_LDTAA:
		code_load_element(w, insn);
		break;
	case DIF_OP_STTAA:
		code_store_element(w, insn);
		break;
	case DIF_OP_LDGAA:
		code_load_global(w, d, i);
		break;
	case DIF_OP_STGAA:
		code_store_global(w, insn);
		break;
	case DIF_OP_LDTS:
		native_load_block(n, rd, code_cell_off(w, fpid_claims_self_cell(w->claims, id)));
		break;
	case DIF_OP_STGS:
		code_store_scalar(w, insn);
		break;
	case DIF_OP_STTS:
		if (fpid_is_text_variable(d, insn)) {
			code_store_text(w, insn);
			break;
		}
		native_store_block(n, code_cell_off(w, fpid_claims_self_cell(w->claims, id)), rd,
				   code_type_of(w, DIF_SCOPE_SELF, id));
		break;
	case DIF_OP_LDLS:
		native_load_local(n, rd, local_of_this(w, id));
		code_load_kept(w, insn);
		break;
	case DIF_OP_STLS:
		code_keep_text(w, insn);
		native_store_local(n, local_of_this(w, id), rd,
				   code_type_of(w, DIF_SCOPE_THIS, id));
		break;
	case DIF_OP_RET:
		native_return(n, rd, insn == d->text[d->ninsns - 1]);
		break;
	default:
		break;
	}
}

/* The first `end` of its instructions. a and b: what the last comparison compared */
static void write_insns(struct writing *w, const struct difo *d, unsigned end, unsigned *a,
			unsigned *b)
{
	const struct pid_site *site = w->claim->site;
	struct native *n = &w->native->code;

	w->unread = w->unread_pushed = w->nkept = w->nwords = 0;
	code_sums_begin(w);
	native_expr(n);
	fpid_constants_begin(&w->known, site->proc->pw->session, d, site->probe->probe,
			     &site->proc->fpid->task);
	for (unsigned i = 0; i < end; i++) {
		native_label(n, i);
		fpid_constants_label(&w->known, i);
		if (fpid_ways_to(d, i))
			code_sums_meet(w, d, i);
		if (code_is_comparison(d, i)) {
			native_compare(n, fpid_insns[DIF_OP(d->text[i])].cond,
				       DIF_RD(d->text[i + 3]), *a, *b);
			i += CODE_COMPARISON - 1;
			code_sums_forget(w, DIF_RD(d->text[i]));
		} else {
			write_insn(w, d, i, a, b);
			fpid_constants_insn(&w->known, d->text[i]);
			code_sums_insn(w, d, d->text[i]);
		}
	}
}

/* Returns the jump that is taken where it is false. */
static unsigned write_predicate(struct writing *w, const struct difo *d)
{
	unsigned a = 0, b = 0, at;

	if (!code_ends_in_comparison(d, &at)) {
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

/* A key that is a variable: NULL is no text. */
static void check_text_key(struct writing *w, unsigned key)
{
	struct native *n = &w->native->code;

	native_expr(n);
	native_load_local(n, 1, key);
	code_jump_later(w, w->absent, &w->nabsent, native_if_compared(n, NATIVE_NOT_EQUAL, 1, 0));
}

/* A key that is the address of a text, which has been computed. */
static void read_text_key(struct writing *w, const struct action *act, unsigned key)
{
	struct hook_text_step how = {.op = HOOK_TEXT_AT, .size = act->rec.size - 1};
	struct native *n = &w->native->code;

	if (fpid_returns_copy(act->difo)) {
		how.size = (uint32_t)w->known.pushed[1];
		how.op = HOOK_TEXT_WHOLE;
	}
	native_expr(n);
	native_load_local(n, 1, key);
	code_text_key(w, how, 1);
	native_store_local(n, key, 1, code_word);
}

static void write_statement(struct writing *w, const struct ecb *ecb, const struct stmt *st)
{
	unsigned key = LOCAL_KEYS;

	w->nwithout = 0;
	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind == ACT_AGGKEY && aggkey_is_fixed(act, CLAIM_ONE_PROCESS))
			continue;
		if (act->kind == ACT_AGGKEY && act->rec.kind == REC_USTACK)
			code_jump_later(w, w->without, &w->nwithout,
					write_stack_key(w, act, key++));
		if (act->difo) {
			w->is_unused = act->kind == ACT_EXPR;
			write_expr(w, act->difo);
			w->is_unused = false;
			native_keep(&w->native->code,
				    act->kind == ACT_AGGKEY ? key++ : LOCAL_VALUE);
		}
		if (act->kind == ACT_AGGKEY && act->difo && fpid_is_text_there(w->shares, act))
			read_text_key(w, act, key - 1);
		else if (act->kind == ACT_AGGKEY && fpid_returns_text_variable(act->difo))
			check_text_key(w, key - 1);
		if (act->kind == ACT_AGG)
			write_agg(w, ecb, st);
	}
	while (w->nwithout)
		native_here(&w->native->code, w->without[--w->nwithout]);
}

/* Its value is not wanted, but what it assigns. */
static void write_assignment(struct writing *w, const struct difo *d)
{
	if (!d || !fpid_keeps(w->shares, d))
		return;
	write_expr(w, d);
	native_keep(&w->native->code, LOCAL_VALUE);
}

static void carry_local(struct writing *w, unsigned to, unsigned local)
{
	native_load_local(&w->native->code, 1, local);
	native_store_local(&w->native->code, to, 1, code_word);
}

static void carry(struct writing *w, const struct fpid_carried *c)
{
	struct native *n = &w->native->code;
	unsigned to = LOCAL_CARRIED;

	native_expr(n);
	if (c->has_time)
		carry_local(w, to++, LOCAL_TIME);
	if (c->has_vtime)
		carry_local(w, to++, LOCAL_VTIME);
	for (unsigned i = 0; i < c->n; i++, to++) {
		uint16_t id = c->vars[i].id;

		if (c->vars[i].scope == DIF_SCOPE_THIS)
			native_load_local(n, 1, local_of_this(w, id));
		else
			native_load_block(n, 1,
					  code_cell_off(w, fpid_claims_self_cell(w->claims, id)));
		native_store_local(n, to, 1, code_word);
	}
}

/* The record holds what was there before anything is assigned. */
static void call_record(struct writing *w, const struct fpid_record_call *c, unsigned nth)
{
	const struct native_clause *p = w->native;
	const struct native_record_call call = {.function = c->is_full ? p->record_full : p->record,
						.number = c->number,
						.keep = LOCAL_SCRATCH};

	carry(w, &w->shares->carried[nth]);
	native_call_record(&w->native->code, &call);
}

static void write_record_call(struct writing *w, const struct clause *c, unsigned nth)
{
	call_record(w, &w->calls[nth], nth);
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			write_assignment(w, c->stmts[i].acts[j].difo);
			write_assignment(w, c->stmts[i].acts[j].incr);
		}
}

static const struct fpid_record_call *stop_at(const struct writing *w, const struct ecb_part *part,
					      unsigned nth)
{
	for (unsigned i = 0; i < w->nstops; i++)
		if (w->stops[i].part.ecb == part->ecb && w->stops[i].part.from == part->from)
			return &w->stops[i].call;
	return &w->calls[nth];
}

/* Where memory was not there: a record of what is left, and no more of the clause. Returns where
 * that ends, or 0: it reads none. */
static unsigned write_stop(struct writing *w, const struct ecb_part *part, unsigned nth)
{
	struct native *n = &w->native->code;
	unsigned over, end;

	if (!w->nabsent)
		return 0;
	over = native_go(n);
	while (w->nabsent)
		native_here(n, w->absent[--w->nabsent]);
	call_record(w, stop_at(w, part, nth), nth);
	end = native_go(n);
	native_here(n, over);
	return end;
}

static void write_statements(struct writing *w, const struct ecb *ecb, unsigned nth)
{
	const struct clause *c = ecb->clause;
	unsigned ends[STOPS], nends = 0;

	for (unsigned i = 0; i < c->nstmts; i++) {
		const struct ecb_part part = {ecb, i + 1, true, true};
		unsigned end;

		write_statement(w, ecb, &c->stmts[i]);
		end = write_stop(w, &part, nth);
		if (end)
			code_jump_later(w, ends, &nends, end);
	}
	while (nends)
		native_here(&w->native->code, ends[--nends]);
}

/* Each is read once for a clause. Returns where to jump to when one is not known; 0: they are. */
static unsigned read_clocks(struct writing *w, const struct clause *c)
{
	if (fpid_clause_reads_time(c))
		native_now(&w->native->code, w->native->clock, LOCAL_TIME);
	if (!fpid_clause_reads_builtin(c, BUILTIN_VTIMESTAMP))
		return 0;
	w->claim->site->proc->fpid->asks_cputime = true;
	return native_vtime(&w->native->code, w->native->vtime, LOCAL_VTIME);
}

/* The clocks are read behind the predicate, unless that wants them. */
static void write_clause(struct writing *w, const struct ecb *ecb, unsigned nth)
{
	const struct clause *c = ecb->clause;
	bool has_test = c->pred && !w->is_guarded;
	bool reads_first =
		fpid_reads_clock(c->pred) || (fpid_can_stop(c->pred) && fpid_clause_reads_clock(c));
	const struct ecb_part whole = {ecb, 0, false, false};
	unsigned skip = 0, stop = 0, unknown = 0;

	if (reads_first)
		unknown = read_clocks(w, c);
	if (has_test) {
		skip = write_predicate(w, c->pred);
		stop = write_stop(w, &whole, nth);
	}
	if (!reads_first)
		unknown = read_clocks(w, c);
	if (w->shares->v[nth] == FPID_DECIDES)
		write_record_call(w, c, nth);
	else
		write_statements(w, ecb, nth);
	if (stop)
		native_here(&w->native->code, stop);
	if (has_test)
		native_here(&w->native->code, skip);
	if (unknown)
		native_here(&w->native->code, unknown);
}

static unsigned count_aggs(const struct probe *p)
{
	unsigned n = 0;

	for (const struct ecb *e = p->ecbs; e; e = e->next)
		for (unsigned i = 0; i < e->clause->nstmts; i++)
			n += e->clause->stmts[i].naggs;
	return n;
}

static void name_this(void *arg, const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STLS || DIF_OP(d->text[i]) == DIF_OP_LDLS)
			local_of_this(arg, (uint16_t)DIF_GETINDEX(d->text[i]));
}

/* this-> variables of all clauses hold 0 when the first one begins. */
static void clear_this(struct writing *w)
{
	for (const struct ecb *e = w->claim->site->probe->probe->ecbs; e; e = e->next)
		clause_each_difo(e->clause, name_this, w);
	for (unsigned i = 0; i < w->nthis; i++)
		native_store_local(&w->native->code, LOCAL_THIS + i, 0, code_word);
}

static int write_code(struct writing *w, const struct native_context *context)
{
	unsigned nth = 0;

	w->nthis = w->naggs = w->nabsent = 0;
	native_begin(&w->native->code, context);
	clear_this(w);
	for (const struct ecb *e = w->claim->site->probe->probe->ecbs; e; e = e->next)
		write_clause(w, e, nth++);
	return native_end(&w->native->code);
}

static int ask_for_record(struct writing *w, const struct ecb_part *part, unsigned nth,
			  struct fpid_record_call *call)
{
	return fpid_record_number(w->claim->site, &w->claim->at, part, &w->shares->carried[nth],
				  call);
}

static int ask_for_stop(struct writing *w, const struct ecb *e, unsigned from, unsigned nth)
{
	struct stop *stop = &w->stops[w->nstops];

	if (w->nstops == STOPS)
		return -ENOSPC;
	w->nstops++;
	stop->part = (struct ecb_part){e, from, true, w->shares->v[nth] == FPID_ALL};
	return ask_for_record(w, &stop->part, nth, &stop->call);
}

static int ask_for_stops(struct writing *w, const struct ecb *e, unsigned nth)
{
	const struct clause *c = e->clause;
	int r = fpid_can_stop(c->pred) ? ask_for_stop(w, e, 0, nth) : 0;

	for (unsigned i = 0; i < c->nstmts && !r; i++)
		if (fpid_statement_can_stop(&c->stmts[i]))
			r = ask_for_stop(w, e, i + 1, nth);
	return r;
}

/* A predicate that assigns is not evaluated again: it has changed what it would see. Nor is a
 * random one. */
static int ask_for_records(struct writing *w)
{
	const struct ecb *e = w->claim->site->probe->probe->ecbs;
	int r = 0;

	for (unsigned i = 0; e && !r; e = e->next, i++) {
		const struct difo *pred = e->clause->pred;
		const struct ecb_part part = {e, fpid_assigns(pred) || fpid_is_random(pred), false,
					      false};

		if (w->shares->v[i] == FPID_DECIDES)
			r = ask_for_record(w, &part, i, &w->calls[i]);
		else if (w->shares->stops[i])
			r = ask_for_stops(w, e, i);
	}
	return r;
}

/* Of the native clause as it has been written. */
static void set_frames(const struct writing *w)
{
	const unsigned words = native_frame_words(&w->native->code);

	for (unsigned i = 0; i < w->shares->n; i++)
		if (w->shares->v[i] == FPID_DECIDES)
			fpid_record_frame(w->claim->site, w->calls[i].number, words);
	for (unsigned i = 0; i < w->nstops; i++)
		fpid_record_frame(w->claim->site, w->stops[i].call.number, words);
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
		       code_as_guard(&w, only->clause->pred, &context.guard);
	context.guard.is_there = w.is_guarded;
	write_code(&w, &context); /* to see what it needs */
	context.frame = p->code.needs;
	r = write_code(&w, &context);
	p->naggs = w.naggs;
	set_frames(&w);
	return w.error ? w.error : MIN(r, 0);
}
