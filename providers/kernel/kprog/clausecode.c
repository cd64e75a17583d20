#include "providers/kernel/kprog/clausecode.h"

#include <string.h>

#include "dlang/run/aggtable.h"
#include "dlang/run/handover.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "providers/kernel/kprog/bucketcode.h"
#include "providers/kernel/kprog/difcode.h"

/* Kept over calls: the context, the thread that the event is about, the thread. */
enum { CTX = BPF_REG_6, SUBJECT = BPF_REG_8, TASK = BPF_REG_9 };
enum {
	TS_COMPAT = 2, /* arch/x86/include/asm/thread_info.h */
	PF_KTHREAD = 0x200000,
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

static bool is_seen(const struct clause *c, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n && names[i]; i++)
		if (has_probe(c, names[i]))
			return true;
	return false;
}

/* ---- an aggregation ---- */

enum key_kind { KEY_FIXED, KEY_NAME, KEY_NUMBER, KEY_TEXT, KEY_STACK, KEY_OTHER };

static enum key_kind kind_of(const struct action *act)
{
	const struct difo *d = act->difo;

	if (aggkey_is_fixed(act, CLAIM_ALL_PROCESSES))
		return KEY_FIXED;
	switch (act->rec.kind) {
	case REC_STACK:
		return KEY_STACK;
	case REC_INT:
		return KEY_NUMBER;
	case REC_STRING:
		return d->ninsns == 2 && DIF_OP(d->text[0]) == DIF_OP_LDGS &&
				       DIF_GETINDEX(d->text[0]) == BUILTIN_EXECNAME
			       ? KEY_NAME
			       : KEY_TEXT;
	default:
		return KEY_OTHER;
	}
}

static int word_at(unsigned n)
{
	return FRAME_KEY + KEY_AT(words) + (int)n * 8;
}

static void clear_key(struct emitter *e, unsigned nwords)
{
	for (unsigned at = 0; at < KEY_AT(words) + nwords * 8; at += 8)
		emit_store_imm(e, BPF_REG_10, FRAME_KEY + (int)at, 0);
}

/* The pid and the name of the process; of a thread of the kernel, which may have another name
 * elsewhere, the pid alone. */
static void fill_name(const struct clause_unit *u, struct emitter *e)
{
	unsigned is_idle, is_kernel;

	emit_load32(e, BPF_REG_1, TASK, u->at->task_tgid);
	emit_store32(e, BPF_REG_10, FRAME_KEY + KEY_AT(pid), BPF_REG_1);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, FRAME_KEY + KEY_AT(has_name), 1);
	is_idle = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	emit_load32(e, BPF_REG_1, TASK, u->at->task_flags);
	is_kernel = emit_jump(e, BPF_JSET, BPF_REG_1, PF_KTHREAD);
	for (int i = 0; i < 16; i += 8) {
		emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_NAME + i);
		emit_store64(e, BPF_REG_10, FRAME_KEY + KEY_AT(name) + i, BPF_REG_1);
	}
	emit_land(e, is_idle);
	emit_land(e, is_kernel);
}

static void look_up(struct emitter *e, int fd)
{
	emit_map(e, BPF_REG_1, fd);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, FRAME_KEY);
	emit_call(e, BPF_FUNC_map_lookup_elem);
}

/* The element to r0, made if need be. Returns the jump of those who find no room. */
static unsigned find_element(struct emitter *e, int fd)
{
	unsigned found;

	look_up(e, fd);
	found = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	for (int i = 0; i < 16; i += 8)
		emit_store_imm(e, BPF_REG_10, FRAME_NONE + i, 0);
	emit_map(e, BPF_REG_1, fd);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, FRAME_KEY);
	emit_mov(e, BPF_REG_3, BPF_REG_10);
	emit_add_imm(e, BPF_REG_3, FRAME_NONE);
	emit_mov_imm(e, BPF_REG_4, BPF_NOEXIST);
	emit_call(e, BPF_FUNC_map_update_elem);
	look_up(e, fd);
	emit_land(e, found);
	return emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
}

static void add_to(struct emitter *e, int off)
{
	emit_insn(e, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, off, BPF_ADD);
}

/* The value to the element at r0, if it is the first one or beyond what there is. */
static void keep_extreme(struct emitter *e, bool is_min)
{
	unsigned first, stays;

	emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
	emit_load64(e, BPF_REG_2, BPF_REG_0, offsetof(struct bpf_count_value, n));
	first = emit_jump(e, BPF_JEQ, BPF_REG_2, 0);
	emit_load64(e, BPF_REG_2, BPF_REG_0, offsetof(struct bpf_count_value, sum));
	stays = emit_jump_reg(e, is_min ? BPF_JSGE : BPF_JSLE, BPF_REG_1, BPF_REG_2);
	emit_land(e, first);
	emit_store64(e, BPF_REG_0, offsetof(struct bpf_count_value, sum), BPF_REG_1);
	emit_land(e, stays);
}

/* The bucket of the value, into the key. */
static void write_bucket(struct emitter *e, const struct aggvar *var, const struct bpf_count *c)
{
	emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
	bucketcode_write(e, var, c);
	emit_insn(e, BPF_STX | BPF_MEM | BPF_H, BPF_REG_10, BPF_REG_2, FRAME_KEY + KEY_AT(bucket),
		  0);
}

/* Those who come by `exits` (NULL: none) have found no room before. */
static void write_count(struct clause_unit *u, struct emitter *e, unsigned number,
			const struct aggvar *var, const struct bpf_count *c,
			const struct stack_exits *exits)
{
	unsigned lost, done;

	emit_load32(e, BPF_REG_1, BPF_REG_10, FRAME_NR);
	emit_add_imm(e, BPF_REG_1, (int32_t)u->row);
	emit_store32(e, BPF_REG_10, FRAME_KEY + KEY_AT(row), BPF_REG_1);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_H, BPF_REG_10, 0, FRAME_KEY + KEY_AT(stmt),
		  (int32_t)number);
	if (var->func->hist)
		write_bucket(e, var, c);
	lost = find_element(e, u->counted_fd);
	if (c->func == BPF_COUNT_MIN || c->func == BPF_COUNT_MAX)
		keep_extreme(e, c->func == BPF_COUNT_MIN);
	emit_mov_imm(e, BPF_REG_1, 1);
	add_to(e, offsetof(struct bpf_count_value, n));
	if (c->func == BPF_COUNT_SUM) {
		emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
		add_to(e, offsetof(struct bpf_count_value, sum));
	}
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, lost);
	for (unsigned i = 0; exits && i < ARRAY_SIZE(exits->at); i++)
		emit_land(e, exits->at[i]);
	emit_count(e, u->lost_fd, number);
	emit_land(e, done);
}

static const char *write_number(struct difwriter *w, const struct action *act,
				struct bpf_count_keys *k)
{
	if (aggkey_is_fixed(act, CLAIM_ONE_PROCESS))
		return "a key that belongs to the process";
	if (k->n == BPF_COUNT_KEYS)
		return "too many keys";
	return difwriter_value(w, act->difo, word_at(k->n++)) ? NULL : w->why;
}

static const char *write_text(struct difwriter *w, const struct action *act,
			      struct bpf_count_keys *k)
{
	struct bpf_count_text *t = &k->texts[k->ntexts];
	unsigned n = BPF_COUNT_KEYS - k->n;
	bool is_choice;

	if (k->ntexts == BPF_COUNT_TEXTS)
		return "too many keys";
	k->ntexts++;
	*t = (struct bpf_count_text){.key = act, .at = k->n};
	if (!difwriter_text(w, act->difo, word_at(k->n), &n, &is_choice))
		return w->why;
	t->texts = is_choice ? act->difo->strs : NULL;
	k->n += n;
	return NULL;
}

/* NULL: it is written. */
static const char *write_stack(struct clause_unit *u, struct emitter *e, const struct action *act,
			       struct bpf_count_keys *k, struct stack_exits *x)
{
	const uint64_t nframes = act->rec.arg;

	if (k->has_stack)
		return "two stacks as keys";
	if (nframes > STACKCODE_FRAMES)
		return "a stack of more than 120 frames";
	if (k->n + STACKCODE_WORDS > BPF_COUNT_KEYS)
		return "too many keys";
	u->stacks->nframes = MAX(u->stacks->nframes, (unsigned)nframes + STACKCODE_OWN);
	*x = stackcode_write(e, u->stacks, u->number, CTX, u->stack_of, word_at(k->n), FRAME_TUPLE);
	k->has_stack = true;
	k->stack_at = k->n;
	k->n += STACKCODE_WORDS;
	return NULL;
}

/* Those of a kind. NULL: they are written, or need not be: the engine knows them by the probe. */
static const char *write_keys(struct clause_unit *u, struct difwriter *w, const struct stmt *st,
			      enum key_kind kind, struct bpf_count_keys *k, struct stack_exits *x)
{
	const char *why = NULL;

	for (unsigned i = 0; i + 1 < st->nacts && !why; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind != ACT_AGGKEY)
			return "an action";
		if (kind_of(act) != kind)
			continue;
		if (kind == KEY_NUMBER)
			why = write_number(w, act, k);
		else if (kind == KEY_TEXT)
			why = write_text(w, act, k);
		else if (kind == KEY_STACK)
			why = write_stack(u, w->e, act, k, x);
		else if (act->rec.kind == REC_USTACK)
			why = "a user stack as key, which is found by memory of the process";
		else if (kind == KEY_OTHER)
			why = "a key that is no number and no name of a program";
		else
			k->has_name = true;
	}
	return why;
}

static const char *write_agg(struct clause_unit *u, struct difwriter *w, const struct stmt *st)
{
	const struct action *last = &st->acts[st->nacts - 1];
	struct emitter *e = w->e;
	/* numbers first, in their order; the stack when all else is known, as it uses their room */
	static const enum key_kind before[] = {KEY_OTHER, KEY_NAME, KEY_NUMBER, KEY_TEXT};
	struct bpf_count_keys k = {.n = 0};
	struct stack_exits lost;
	struct bpf_count made;
	const char *why = NULL;
	int number;

	if (st->naggs != 1 || last->kind != ACT_AGG || last->incr)
		return "an aggregation with an increment";
	clear_key(e, BPF_COUNT_KEYS);
	for (unsigned i = 0; i < ARRAY_SIZE(before) && !why; i++)
		why = write_keys(u, w, st, before[i], &k, NULL);
	if (why)
		return why;
	if (!last->difo)
		emit_store_imm(e, BPF_REG_10, FRAME_VALUE, 0);
	else if (!difwriter_value(w, last->difo, FRAME_VALUE))
		return w->why;
	why = write_keys(u, w, st, KEY_STACK, &k, &lost);
	if (why)
		return why;
	number = bpf_counter_place(u->session, u->counter, u->counts, st, &k, &made);
	if (number < 0)
		return "an aggregating function that needs every value, or too many of them";
	if (k.has_name)
		fill_name(u, e);
	write_count(u, e, (unsigned)number, st->aggs[0], &made, k.has_stack ? &lost : NULL);
	return NULL;
}

/* ---- a clause ---- */

static const char *write_stmt(struct clause_unit *u, struct difwriter *w, const struct stmt *st)
{
	if (st->naggs)
		return write_agg(u, w, st);
	for (unsigned i = 0; i < st->nacts; i++) {
		if (st->acts[i].kind != ACT_EXPR)
			return "an action";
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
	emit_map(e, BPF_REG_1, fd);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, FRAME_NR);
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

static void choose_process(const struct clause_unit *u, struct emitter *e, struct exits *x)
{
	unsigned is_first;

	emit_call(e, BPF_FUNC_get_current_pid_tgid);
	emit_alu_imm(e, BPF_RSH, BPF_REG_0, 32);
	if (!u->first_target) {
		for (unsigned i = 0; i < 2; i++)
			if (u->own[i])
				leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_0, (int32_t)u->own[i]));
		return;
	}
	is_first = emit_jump(e, BPF_JEQ, BPF_REG_0, (int32_t)u->first_target);
	emit_store32(e, BPF_REG_10, FRAME_SPARE, BPF_REG_0);
	emit_map(e, BPF_REG_1, u->targets_fd);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, FRAME_SPARE);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	leave_if(x, emit_jump(e, BPF_JEQ, BPF_REG_0, 0));
	emit_land(e, is_first);
}

static void get_name(const struct clause_unit *u, struct emitter *e)
{
	for (int i = 0; i < 16; i += 8)
		emit_store_imm(e, BPF_REG_10, FRAME_NAME + i, 0);
	emit_load64(e, BPF_REG_3, TASK, u->at->task_leader);
	emit_add_imm(e, BPF_REG_3, u->at->task_comm);
	emit_mov(e, BPF_REG_1, BPF_REG_10);
	emit_add_imm(e, BPF_REG_1, FRAME_NAME);
	emit_mov_imm(e, BPF_REG_2, 16);
	emit_call(e, BPF_FUNC_probe_read_kernel_str);
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

/* Of the thread in r9, by the clauses that have one of these probes. */
static void get_what_is_read(const struct clause_unit *u, struct emitter *e,
			     const char *const *names, unsigned n)
{
	struct reads r = {0};

	for (unsigned i = 0; i < u->n; i++)
		if (is_seen(u->clauses[i], names, n))
			clause_each_difo(u->clauses[i], see_builtins, &r);
	if (u->group->nself)
		difwriter_find_vars(e, u->vars_fd, false);
	if (r.time) {
		emit_call(e, BPF_FUNC_ktime_get_ns);
		emit_store64(e, BPF_REG_10, FRAME_TIME, BPF_REG_0);
	}
	if (r.name)
		get_name(u, e);
	if (u->kind < CLAUSES_OF_SWITCHES && (r.args || u->kind == CLAUSES_OF_RETURNS))
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
				  .lost_index = CLAUSECODE_LOST_VAR};
}

static void write_call(struct clause_unit *u, struct emitter *e)
{
	struct difwriter w = writer_of(u, e);
	struct exits exits = {.n = 0};
	unsigned skip;

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
static void write_row(struct clause_unit *u, struct difwriter *w, enum bpf_sched_row row,
		      const char *name)
{
	emit_insn(w->e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, FRAME_NR, (int32_t)row);
	clear_this(u, w->e);
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

unsigned clausecode_make(struct clause_unit *u, struct bpf_insn *insns, unsigned max)
{
	struct emitter e = {.at = insns, .max = max};

	u->n = 0;
	u->why = NULL;
	for (unsigned i = 0; i < u->group->n; i++) {
		if (!is_seen(u->group->clauses[i], seen[u->kind], LEAVING + 1))
			continue;
		if (u->n == CLAUSECODE_CLAUSES) {
			u->why = "too many clauses";
			return 0;
		}
		u->clauses[u->n++] = u->group->clauses[i];
	}
	emit_mov(&e, CTX, BPF_REG_1);
	if (u->kind == CLAUSES_OF_SWITCHES)
		write_switch(u, &e);
	else if (u->kind > CLAUSES_OF_SWITCHES)
		write_thread_event(u, &e);
	else
		write_call(u, &e);
	emit_leave(&e);
	if (e.is_full || e.n > INT16_MAX)
		u->why = "too many instructions";
	return u->why ? 0 : e.n;
}

/* What a clause of its own would say, with nothing kept. */
const char *clausecode_refuses(const struct session *s, const struct clause *c,
			       enum clause_kind kind)
{
	static const struct clause_offsets somewhere;
	static struct bpf_insn scratch[CLAUSECODE_MAX];
	struct emitter e = {.at = scratch, .max = CLAUSECODE_MAX};
	struct clause_group alone = {.clauses = {c}, .n = 1};
	struct stack_maps stacks = {.nframes = 0};
	struct clause_unit u = {
		.session = s, .group = &alone, .kind = kind, .at = &somewhere, .stacks = &stacks};
	struct difwriter w;
	const char *why;

	if (c->has_record || c->is_error || c->is_destructive || c->has_exit)
		return "it records or acts";
	if (!clause_group_list(&alone))
		return "too many variables";
	w = writer_of(&u, &e);
	why = write_clause(&u, &w, c);
	return why || !e.is_full ? why : "too many instructions";
}
