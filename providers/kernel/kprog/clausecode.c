#include "providers/kernel/kprog/clausecode_priv.h"

#include <string.h>

#include "dlang/run/vm.h"
#include "providers/kernel/bpfprobe.h"

enum {
	TS_COMPAT = 2,	  /* arch/x86/include/asm/thread_info.h */
	TASK_DEAD = 0x80, /* include/linux/sched.h */
};

/* struct pt_regs, which is user_regs_struct: where the arguments of a call are. */
static const short arg_at[2][6] = {
	{14 * 8, 13 * 8, 12 * 8, 7 * 8, 9 * 8, 8 * 8},	 /* di si dx r10 r8 r9 */
	{5 * 8, 11 * 8, 12 * 8, 13 * 8, 14 * 8, 4 * 8}}; /* of a 32-bit call: bx cx dx si di bp */

/* ---- what clauses read ---- */

struct reads {
	bool time, name;
	unsigned args; /* a bit for each */
};

static void see_builtins(void *arg, const struct difo *d)
{
	struct reads *r = arg;

	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned id = DIF_GETINDEX(d->text[i]);

		if (DIF_OP(d->text[i]) == DIF_OP_LDGA)
			r->args = 63;
		if (DIF_OP(d->text[i]) != DIF_OP_LDGS)
			continue;
		r->time |= id == BUILTIN_TIMESTAMP;
		r->name |= id == BUILTIN_EXECNAME;
		if (id - BUILTIN_ARG0 < 6)
			r->args |= 1U << (id - BUILTIN_ARG0);
	}
}

static bool has_probe(const struct clause *c, const char *name)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		if (strcmp(c->probes[i]->name, name) == 0)
			return true;
	return false;
}

/* What each program sees; of a switch the last is of the thread that comes. */
#define LEAVING 5
static const char *const seen[][LEAVING + 2] = {
	[CLAUSES_OF_ENTRIES] = {"entry"},
	[CLAUSES_OF_RETURNS] = {"return"},
	[CLAUSES_OF_SWITCHES] = {"off-cpu", "sleep", "preempt", "enqueue", "dequeue", "on-cpu"},
	[CLAUSES_OF_WAKEUPS] = {"wakeup", "enqueue"},
	[CLAUSES_OF_MIGRATIONS] = {"dequeue"},
};

/* A clause of that row. */
static bool has_row(const struct clause_unit *u, const struct clause *c, unsigned row)
{
	for (unsigned i = 0; i < c->nprobes && u->probes[row]; i++)
		if (c->probes[i] == u->probes[row])
			return true;
	return false;
}

static bool is_of_rows(const struct clause_unit *u, const struct clause *c)
{
	for (unsigned row = 0; row < 32; row++)
		if (u->rows & 1U << row && has_row(u, c, row))
			return true;
	return false;
}

static bool is_event(const struct clause_unit *u)
{
	return u->kind == CLAUSES_OF_EVENTS || u->kind == CLAUSES_OF_OWN;
}

static bool is_seen(const struct clause *c, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n && names[i]; i++)
		if (has_probe(c, names[i]))
			return true;
	return false;
}

/* ---- a clause ---- */

static const char *write_stmt(struct clause_unit *u, struct difwriter *w, const struct stmt *st)
{
	if (st->naggs)
		return clausecode_agg(u, w, st);
	for (unsigned i = 0; i < st->nacts; i++) {
		if (st->acts[i].kind != ACT_EXPR)
			return WHY(ACTION);
		if (!difwriter_value(w, st->acts[i].difo, FRAME_VALUE))
			return w->why;
	}
	return NULL;
}

/* NULL: it is written. */
static const char *write_clause(struct clause_unit *u, struct difwriter *w, const struct clause *c)
{
	unsigned skips = 0;
	const char *why = NULL;

	if (c->pred) {
		if (!difwriter_value(w, c->pred, FRAME_VALUE))
			return w->why;
		emit_load64(w->e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
		skips = emit_jump(w->e, BPF_JEQ, BPF_REG_1, 0);
	}
	for (unsigned i = 0; i < c->nstmts && !why; i++)
		why = write_stmt(u, w, &c->stmts[i]);
	if (c->pred)
		emit_land(w->e, skips);
	return why;
}

/* ---- the beginning ---- */

struct exits {
	unsigned at[8], n;
};

static void leave_if(struct exits *x, unsigned jump)
{
	x->at[x->n++] = jump;
}

/* Room for a 32-bit number, whose address goes to r2. */
static void look_up_number(struct emitter *e, int fd)
{
	emit_map_key(e, fd, FRAME_NR);
	emit_call(e, BPF_FUNC_map_lookup_elem);
}

/* The number of the call to the frame: a 32-bit one has another. The thread to r9. */
static void find_call(const struct clause_unit *u, struct emitter *e, struct exits *x)
{
	unsigned native;

	emit_load64(e, BPF_REG_1, CTX, u->kind == CLAUSES_OF_RETURNS ? 0 : 8);
	if (u->kind == CLAUSES_OF_RETURNS)
		emit_load64(e, BPF_REG_1, BPF_REG_1, u->at->regs_orig_ax);
	emit_store32(e, BPF_REG_10, FRAME_NR, BPF_REG_1);
	emit_store_imm(e, BPF_REG_10, FRAME_COMPAT, 0);
	emit_call(e, BPF_FUNC_get_current_task_btf);
	emit_mov(e, TASK, BPF_REG_0);
	emit_load32(e, BPF_REG_1, TASK, u->at->task_status);
	emit_alu_imm(e, BPF_AND, BPF_REG_1, TS_COMPAT);
	native = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	look_up_number(e, u->numbers32_fd);
	leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_0, 0));
	emit_load32(e, BPF_REG_1, BPF_REG_0, 0);
	emit_store32(e, BPF_REG_10, FRAME_NR, BPF_REG_1);
	emit_store_imm(e, BPF_REG_10, FRAME_COMPAT, 1);
	emit_land(e, native);
}

static void find_mask(const struct clause_unit *u, struct emitter *e, struct exits *x)
{
	look_up_number(e, u->rows_fd);
	leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_0, 0));
	emit_load64(e, BPF_REG_1, BPF_REG_0, 0);
	leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_1, 0));
	emit_store64(e, BPF_REG_10, FRAME_MASK, BPF_REG_1);
}

/* Of the thread in r9. */
static void choose_process(const struct clause_unit *u, struct emitter *e, struct exits *x)
{
	unsigned is_first;

	emit_load32(e, BPF_REG_0, TASK, u->at->task_tgid);
	if (!u->first_target) {
		for (unsigned i = 0; i < ARRAY_SIZE(u->own); i++)
			if (u->own[i])
				leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_0, (int32_t)u->own[i]));
		return;
	}
	is_first = emit_jump(e, BPF_JEQ, BPF_REG_0, (int32_t)u->first_target);
	emit_store32(e, BPF_REG_10, FRAME_SPARE, BPF_REG_0);
	emit_map_key(e, u->targets_fd, FRAME_SPARE);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_0, 0));
	emit_land(e, is_first);
}

/* Eight characters in r1: what is behind an end becomes zeros. Returns the jump of those that have
 * none; r2 to r4 are used. */
static unsigned cut_text(struct emitter *e)
{
	unsigned has_none;

	/* the lowest bit of (v - 0x01...) & ~v & 0x80... is the top one of the first zero */
	emit_const(e, BPF_REG_3, 0, 0x0101010101010101);
	emit_mov(e, BPF_REG_2, BPF_REG_1);
	emit_alu(e, BPF_SUB, BPF_REG_2, BPF_REG_3);
	emit_mov(e, BPF_REG_4, BPF_REG_1);
	emit_alu_imm(e, BPF_XOR, BPF_REG_4, -1);
	emit_alu(e, BPF_AND, BPF_REG_2, BPF_REG_4);
	emit_const(e, BPF_REG_3, 0, 0x8080808080808080);
	emit_alu(e, BPF_AND, BPF_REG_2, BPF_REG_3);
	has_none = emit_jump(e, BPF_JEQ, BPF_REG_2, 0);
	emit_mov(e, BPF_REG_3, BPF_REG_2);
	emit_insn(e, BPF_ALU64 | BPF_NEG, BPF_REG_3, 0, 0, 0);
	emit_alu(e, BPF_AND, BPF_REG_2, BPF_REG_3);
	emit_alu_imm(e, BPF_RSH, BPF_REG_2, 7);
	emit_add_imm(e, BPF_REG_2, -1);
	emit_alu(e, BPF_AND, BPF_REG_1, BPF_REG_2);
	return has_none;
}

/* Of the process. Older kernels leave what was there behind the end of a name. */
static void get_name(const struct clause_unit *u, struct emitter *e)
{
	unsigned goes_on, is_whole, done;

	emit_load64(e, BPF_REG_5, TASK, u->at->task_leader);
	emit_store_imm(e, BPF_REG_10, FRAME_NAME + 8, 0);
	emit_load64(e, BPF_REG_1, BPF_REG_5, u->at->task_comm);
	goes_on = cut_text(e);
	emit_store64(e, BPF_REG_10, FRAME_NAME, BPF_REG_1);
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, goes_on);
	emit_store64(e, BPF_REG_10, FRAME_NAME, BPF_REG_1);
	emit_load64(e, BPF_REG_1, BPF_REG_5, u->at->task_comm + 8);
	is_whole = cut_text(e);
	emit_store64(e, BPF_REG_10, FRAME_NAME + 8, BPF_REG_1);
	emit_land(e, is_whole); /* it is being changed: the end is always there */
	emit_land(e, done);
}

/* Of a return the first two are its result, the others 0. */
static void get_arguments(const struct clause_unit *u, struct emitter *e, unsigned args)
{
	unsigned native, done;

	if (u->kind == CLAUSES_OF_RETURNS) {
		emit_load64(e, BPF_REG_1, CTX, 8);
		for (int i = 0; i < 6; i++)
			if (i < 2)
				emit_store64(e, BPF_REG_10, FRAME_ARGS + i * 8, BPF_REG_1);
			else
				emit_store_imm(e, BPF_REG_10, FRAME_ARGS + i * 8, 0);
		return;
	}
	emit_load64(e, BPF_REG_1, CTX, 0);
	emit_load64(e, BPF_REG_2, BPF_REG_10, FRAME_COMPAT);
	native = emit_jump(e, BPF_JEQ, BPF_REG_2, 0);
	for (int i = 0; i < 6; i++)
		if (args & 1U << i) {
			emit_load64(e, BPF_REG_2, BPF_REG_1, arg_at[1][i]);
			emit_insn(e, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_2, 0, 0);
			emit_store64(e, BPF_REG_10, FRAME_ARGS + i * 8, BPF_REG_2);
		}
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, native);
	for (int i = 0; i < 6; i++)
		if (args & 1U << i) {
			emit_load64(e, BPF_REG_2, BPF_REG_1, arg_at[0][i]);
			emit_store64(e, BPF_REG_10, FRAME_ARGS + i * 8, BPF_REG_2);
		}
	emit_land(e, done);
}

/* Of the thread in r9, by the clauses that have one of these probes (NULL: by all). */
static void get_what_is_read(const struct clause_unit *u, struct emitter *e,
			     const char *const *names, unsigned n)
{
	struct reads r = {0};

	for (unsigned i = 0; i < u->n; i++)
		if (!names || is_seen(u->clauses[i], names, n))
			clause_each_difo(u->clauses[i], see_builtins, &r);
	if (u->group->nself && u->kind != CLAUSES_OF_EVENTS)
		difwriter_find_vars(e, u->vars_fd, false);
	if (r.time) {
		emit_call(e, BPF_FUNC_ktime_get_ns);
		emit_store64(e, BPF_REG_10, FRAME_TIME, BPF_REG_0);
	}
	if (r.name && u->kind != CLAUSES_OF_EVENTS)
		get_name(u, e);
	if (u->kind <= CLAUSES_OF_RETURNS && (r.args || u->kind == CLAUSES_OF_RETURNS))
		get_arguments(u, e, r.args);
}

/* Variables of the clause begin with each firing. */
static void clear_this(const struct clause_unit *u, struct emitter *e)
{
	for (unsigned i = 0; i < u->group->nthis; i++)
		emit_store_imm(e, BPF_REG_10, FRAME_THIS + (int)i * 8, 0);
}

/* ---- programs ---- */

static struct difwriter writer_of(const struct clause_unit *u, struct emitter *e)
{
	return (struct difwriter){.e = e,
				  .session = u->session,
				  .group = u->group,
				  .at = u->at,
				  .kind = u->kind,
				  .vars_fd = u->vars_fd,
				  .globals_fd = u->globals_fd,
				  .lost_fd = u->lost_fd,
				  .call_number = u->call_number,
				  .array_fds = u->array_fds,
				  .words = u->words,
				  .nwords = u->nwords,
				  .fields = u->fields,
				  .nfields = u->nfields,
				  .row = u->rows,
				  .lost_index = CLAUSECODE_LOST_VAR};
}

static void write_call(struct clause_unit *u, struct emitter *e)
{
	struct difwriter w = writer_of(u, e);
	struct exits exits = {.n = 0};
	unsigned skip;

	w.probename = seen[u->kind][0];
	find_call(u, e, &exits);
	find_mask(u, e, &exits);
	choose_process(u, e, &exits);
	get_what_is_read(u, e, seen[u->kind], 1);
	clear_this(u, e);
	for (unsigned i = 0; i < u->n && !u->why; i++) {
		emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_MASK);
		emit_alu_imm(e, BPF_AND, BPF_REG_1, 1 << i);
		skip = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
		u->why = write_clause(u, &w, u->clauses[i]);
		emit_land(e, skip);
	}
	for (unsigned i = 0; i < exits.n; i++)
		emit_land(e, exits.at[i]);
}

/* The clauses of one probe, in their order. */
static void write_row(struct clause_unit *u, struct difwriter *w, unsigned row, const char *name)
{
	emit_insn(w->e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, FRAME_NR, (int32_t)row);
	clear_this(u, w->e);
	w->probename = name;
	for (unsigned i = 0; i < u->n && !u->why; i++)
		if (has_probe(u->clauses[i], name))
			u->why = write_clause(u, w, u->clauses[i]);
}

/* The idle thread is never on a queue. */
static void write_queue(struct clause_unit *u, struct difwriter *w, enum bpf_sched_row row,
			const char *name)
{
	unsigned is_idle;

	emit_load32(w->e, BPF_REG_1, TASK, u->at->task_pid);
	is_idle = emit_jump(w->e, BPF_JEQ, BPF_REG_1, 0);
	emit_mov(w->e, SUBJECT, TASK);
	write_row(u, w, row, name);
	emit_land(w->e, is_idle);
}

/* sched_switch(bool preempt, prev, next, unsigned int prev_state), as sched.bpf.c sees it. */
static void write_switch(struct clause_unit *u, struct emitter *e)
{
	const char *const *names = seen[CLAUSES_OF_SWITCHES];
	struct difwriter w = writer_of(u, e);
	unsigned is_dead, is_preempted, is_runnable, sleeps;

	emit_load64(e, TASK, CTX, 8);
	get_what_is_read(u, e, names, LEAVING);
	emit_load64(e, SUBJECT, CTX, 16);
	write_row(u, &w, SCHED_OFF_CPU, "off-cpu");
	emit_load64(e, BPF_REG_1, CTX, 24);
	emit_alu_imm(e, BPF_LSH, BPF_REG_1, 32);
	is_runnable = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	emit_load64(e, BPF_REG_1, CTX, 0);
	is_preempted = emit_jump(e, BPF_JSET, BPF_REG_1, 1);
	emit_load64(e, BPF_REG_1, CTX, 24);
	is_dead = emit_jump(e, BPF_JSET, BPF_REG_1, TASK_DEAD);
	write_row(u, &w, SCHED_SLEEP, "sleep");
	emit_land(e, is_dead);
	write_queue(u, &w, SCHED_DEQUEUE, "dequeue");
	sleeps = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, is_runnable);
	emit_land(e, is_preempted);
	emit_load64(e, BPF_REG_1, CTX, 24);
	is_dead = emit_jump(e, BPF_JSET, BPF_REG_1, TASK_DEAD);
	write_row(u, &w, SCHED_PREEMPT, "preempt");
	emit_land(e, is_dead);
	write_queue(u, &w, SCHED_ENQUEUE, "enqueue");
	emit_land(e, sleeps);
	emit_load64(e, TASK, CTX, 16);
	get_what_is_read(u, e, names + LEAVING, 1);
	u->stack_of = TASK; /* it sleeps still, as far as its stack is concerned */
	write_row(u, &w, SCHED_ON_CPU, "on-cpu");
	u->stack_of = 0;
}

/* sched_wakeup(t), sched_migrate_task(t, cpu): in the context of whoever does it. */
static void write_thread_event(struct clause_unit *u, struct emitter *e)
{
	struct difwriter w = writer_of(u, e);

	emit_load64(e, SUBJECT, CTX, 0);
	emit_call(e, BPF_FUNC_get_current_task_btf);
	emit_mov(e, TASK, BPF_REG_0);
	get_what_is_read(u, e, seen[u->kind], 2);
	if (u->kind == CLAUSES_OF_MIGRATIONS) {
		write_row(u, &w, SCHED_DEQUEUE, "dequeue");
		return;
	}
	write_row(u, &w, SCHED_WAKEUP, "wakeup");
	write_row(u, &w, SCHED_ENQUEUE, "enqueue");
}

static void write_event_row(struct clause_unit *u, struct difwriter *w, unsigned row)
{
	struct emitter *e = w->e;
	unsigned is_other;

	w->row = 1U << row;
	u->probe = u->probes[row];
	w->probename = u->probe->name;
	emit_load32(e, BPF_REG_1, SUBJECT, offsetof(struct bpf_clause_event, rows));
	emit_alu_imm(e, BPF_AND, BPF_REG_1, (int32_t)(1U << row));
	is_other = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, FRAME_NR, (int32_t)row);
	clear_this(u, e);
	for (unsigned i = 0; i < u->n && !u->why; i++)
		if (has_row(u, u->clauses[i], row))
			u->why = write_clause(u, w, u->clauses[i]);
	emit_land(e, is_other);
}

static void write_event_rows(struct clause_unit *u, struct difwriter *w, unsigned rows)
{
	for (unsigned row = 0; row < 32; row++)
		if (rows & 1U << row && u->probes[row])
			write_event_row(u, w, row);
}

/* Calls what is written behind it for each of those that were gathered, then whoever has more. */
static void write_loop(struct clause_unit *u, struct emitter *e)
{
	enum { CONTEXT = -8, FIRST = -16 }; /* of its own frame */
	unsigned none, ends, each;

	emit_store64(e, BPF_REG_10, CONTEXT, CTX);
	emit_store_imm(e, BPF_REG_10, FIRST, 0);
	emit_map_key(e, u->events_fd, FIRST);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	none = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	emit_mov(e, SUBJECT, BPF_REG_0);
	emit_load32(e, BPF_REG_1, SUBJECT, offsetof(struct bpf_clause_event, is_taken));
	each = emit_function(e, BPF_REG_2);
	emit_mov(e, BPF_REG_3, BPF_REG_10);
	emit_add_imm(e, BPF_REG_3, CONTEXT);
	emit_mov_imm(e, BPF_REG_4, 0);
	emit_call(e, BPF_FUNC_loop);
	emit_load32(e, BPF_REG_1, SUBJECT, offsetof(struct bpf_clause_event, goes_on));
	ends = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	emit_mov(e, BPF_REG_1, CTX);
	emit_map(e, BPF_REG_2, u->again_fd);
	emit_mov_imm(e, BPF_REG_3, 0);
	emit_call(e, BPF_FUNC_tail_call);
	emit_land(e, ends);
	emit_land(e, none);
	emit_leave(e);
	emit_aim(e, each);
	u->each_at = e->n;
	emit_load64(e, CTX, BPF_REG_2, 0);
}

static void write_event(struct clause_unit *u, struct emitter *e)
{
	struct difwriter w = writer_of(u, e);
	unsigned none;

	if (u->gathers)
		write_loop(u, e);
	if (u->gathers)
		emit_store32(e, BPF_REG_10, FRAME_NR, BPF_REG_1);
	else
		emit_store_imm(e, BPF_REG_10, FRAME_NR, 0);
	if (u->is_packet) {
		emit_load32(e, BPF_REG_1, CTX, offsetof(struct __sk_buff, cb));
		emit_store32(e, BPF_REG_10, FRAME_NR, BPF_REG_1);
	}
	look_up_number(e, u->events_fd);
	none = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	emit_mov(e, SUBJECT, BPF_REG_0);
	if (u->kind == CLAUSES_OF_OWN) {
		emit_call(e, BPF_FUNC_get_current_task_btf);
		emit_mov(e, TASK, BPF_REG_0);
	}
	get_what_is_read(u, e, NULL, 0);
	write_event_rows(u, &w, u->rows & ~u->last);
	write_event_rows(u, &w, u->rows & u->last);
	if (u->is_packet) /* others may have the place */
		emit_insn(e, BPF_ST | BPF_MEM | BPF_W, SUBJECT, 0,
			  offsetof(struct bpf_clause_event, is_taken), 0);
	emit_land(e, none);
}

static void get_constants(const struct clause_unit *u, struct emitter *e)
{
	for (int i = 0; i < 2; i++) {
		emit_const(e, BPF_REG_1, 0, u->args[i]);
		emit_store64(e, BPF_REG_10, FRAME_ARGS + i * 8, BPF_REG_1);
	}
}

/* Of a tracepoint, which is of one row. */
static const char *name_of(const struct clause_unit *u)
{
	for (unsigned row = 0; row < 32; row++)
		if (u->rows & 1U << row && u->probes[row])
			return u->probes[row]->name;
	return "";
}

static void write_tracepoint(struct clause_unit *u, struct emitter *e)
{
	struct difwriter w = writer_of(u, e);
	struct exits exits = {.n = 0};

	emit_store_imm(e, BPF_REG_10, FRAME_NR, 0);
	emit_call(e, BPF_FUNC_get_current_task_btf);
	emit_mov(e, TASK, BPF_REG_0);
	choose_process(u, e, &exits);
	w.probename = name_of(u);
	get_constants(u, e);
	get_what_is_read(u, e, NULL, 0);
	clear_this(u, e);
	for (unsigned i = 0; i < u->n && !u->why; i++)
		u->why = write_clause(u, &w, u->clauses[i]);
	for (unsigned i = 0; i < exits.n; i++)
		emit_land(e, exits.at[i]);
}

unsigned clausecode_make(struct clause_unit *u, struct bpf_insn *insns, unsigned max)
{
	struct emitter e = {.at = insns, .max = max};

	u->n = u->each_at = 0;
	u->why = NULL;
	for (unsigned i = 0; i < u->group->n; i++) {
		if (is_event(u) || u->kind == CLAUSES_OF_TRACEPOINTS
			    ? !is_of_rows(u, u->group->clauses[i])
			    : !is_seen(u->group->clauses[i], seen[u->kind], LEAVING + 1))
			continue;
		if (u->n == CLAUSECODE_CLAUSES) {
			u->why = WHY(CLAUSES);
			return 0;
		}
		u->clauses[u->n++] = u->group->clauses[i];
	}
	emit_mov(&e, CTX, BPF_REG_1);
	if (u->kind == CLAUSES_OF_TRACEPOINTS)
		write_tracepoint(u, &e);
	else if (is_event(u))
		write_event(u, &e);
	else if (u->kind == CLAUSES_OF_SWITCHES)
		write_switch(u, &e);
	else if (u->kind > CLAUSES_OF_SWITCHES)
		write_thread_event(u, &e);
	else
		write_call(u, &e);
	/* of a tracepoint others have records only where all programs say so; a packet passes */
	emit_return(&e, u->kind == CLAUSES_OF_TRACEPOINTS || u->is_packet);
	if (e.is_full || e.n > INT16_MAX)
		u->why = WHY(LONG);
	return u->why ? 0 : e.n;
}

static bool statement_reads_texts(const struct stmt *st)
{
	for (unsigned i = 0; i < st->nacts; i++)
		if (st->acts[i].kind == ACT_AGGKEY && st->acts[i].difo &&
		    clausecode_copies(st->acts[i].difo))
			return true;
	return false;
}

bool clausecode_reads_texts(const struct clause *c)
{
	for (unsigned i = 0; i < c->nstmts; i++)
		if (statement_reads_texts(&c->stmts[i]))
			return true;
	return false;
}

/* What has been done when a text turns out to be absent would be done again by the record's clause,
 * which knows nothing of variables that are kept in the kernel. */
static const char *refuse_texts(const struct clause_group *alone, const struct clause *c)
{
	bool has_counted = false;

	if (!clausecode_reads_texts(c))
		return NULL;
	if (c->split || alone->nself || alone->nglobals || alone->narrays)
		return WHY(TEXT_FIRST);
	for (unsigned i = 0; i < c->nstmts; i++) {
		if (has_counted && statement_reads_texts(&c->stmts[i]))
			return WHY(TEXT_FIRST);
		has_counted |= c->stmts[i].naggs != 0;
	}
	return NULL;
}

/* What a clause of its own would say, with nothing kept. */
const char *clausecode_refuses(const struct clause_unit *of, const struct clause *c)
{
	static const struct clause_offsets somewhere;
	static struct bpf_insn scratch[CLAUSECODE_MAX];
	struct emitter e = {.at = scratch, .max = CLAUSECODE_MAX};
	struct clause_group alone = {.clauses = {c}, .n = 1};
	struct stack_maps stacks = {.nframes = 0};
	struct text_maps texts = {.room = 0};
	struct clause_unit u = *of;
	struct difwriter w;
	const char *why;

	u.group = &alone;
	u.at = &somewhere;
	u.stacks = &stacks;
	u.texts = &texts;
	u.counter = NULL;
	if (c->has_record || c->is_error || c->is_destructive || c->has_exit)
		return WHY(RECORDS);
	if (!clause_group_list(&alone))
		return WHY(VARIABLES);
	w = writer_of(&u, &e);
	u.probe = c->probes[0];
	for (unsigned i = 0; i < c->nprobes && is_event(&u); i++)
		if (u.rows & 1U << bpf_probes_row(c->probes[i]))
			u.probe = c->probes[i];
	w.probename = u.probe->name;
	why = write_clause(&u, &w, c);
	why = why ? why : refuse_texts(&alone, c);
	return why || !e.is_full ? why : WHY(LONG);
}
