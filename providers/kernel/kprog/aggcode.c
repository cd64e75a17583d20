/* aggcode.c: `@a[keys] = f(value)` of a clause as BPF instructions (clausecode.h). */
#include "providers/kernel/kprog/clausecode_priv.h"

#include "dlang/run/aggtable.h"
#include "dlang/run/handover.h"
#include "dlang/run/vm.h"
#include "providers/kernel/kprog/bucketcode.h"
#include "providers/world/world.h"

enum { PF_KTHREAD = 0x200000 }; /* include/linux/sched.h */

enum key_kind {
	KEY_FIXED,
	KEY_NAME,
	KEY_NUMBER,
	KEY_TEXT,
	KEY_BYTES,
	KEY_STACK,
	KEY_USTACK,
	KEY_OTHER
};

static enum key_kind kind_of(const struct action *act)
{
	const struct difo *d = act->difo;

	if (aggkey_is_fixed(act, CLAIM_ALL_PROCESSES))
		return KEY_FIXED;
	switch (act->rec.kind) {
	case REC_STACK: /* that of a number is the engine's */
		return d ? KEY_OTHER : KEY_STACK;
	case REC_USTACK:
		return d ? KEY_OTHER : KEY_USTACK;
	case REC_INT:
		return KEY_NUMBER;
	case REC_STRING:
		return d->ninsns == 2 && DIF_OP(d->text[0]) == DIF_OP_LDGS &&
				       DIF_GETINDEX(d->text[0]) == BUILTIN_EXECNAME
			       ? KEY_NAME
			       : KEY_TEXT;
	case REC_BYTES:
		return KEY_BYTES;
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

	if (u->kind == CLAUSES_OF_EVENTS) {
		emit_load32(e, BPF_REG_1, SUBJECT, offsetof(struct bpf_clause_event, pid));
		emit_store32(e, BPF_REG_10, FRAME_KEY + KEY_AT(pid), BPF_REG_1);
		emit_insn(e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, FRAME_KEY + KEY_AT(has_name),
			  1);
		for (int i = 0; i < 16; i += 8) {
			emit_load64(e, BPF_REG_1, SUBJECT,
				    (int)offsetof(struct bpf_clause_event, name) + i);
			emit_store64(e, BPF_REG_10, FRAME_KEY + KEY_AT(name) + i, BPF_REG_1);
		}
		return;
	}
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
	emit_map_key(e, fd, FRAME_KEY);
	emit_call(e, BPF_FUNC_map_lookup_elem);
}

/* The element to r0, made if need be. Returns the jump of those who find no room. */
static unsigned find_element(struct emitter *e, int fd)
{
	const int none = (int)sizeof(struct bpf_count_squares);
	unsigned found;

	look_up(e, fd);
	found = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	for (int i = 0; i < none; i += 8)
		emit_store_imm(e, BPF_REG_10, FRAME_TUPLE + i, 0);
	emit_map_key(e, fd, FRAME_KEY);
	emit_mov(e, BPF_REG_3, BPF_REG_10);
	emit_add_imm(e, BPF_REG_3, FRAME_TUPLE);
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

/* The square of the value, of 64 bits in 128, to the element at r0; r1 to r5 are used. */
static void add_square(struct emitter *e)
{
	const int low = offsetof(struct bpf_count_squares, low),
		  high = offsetof(struct bpf_count_squares, high);
	unsigned positive, fits;

	emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
	positive = emit_jump(e, BPF_JSGE, BPF_REG_1, 0);
	emit_insn(e, BPF_ALU64 | BPF_NEG, BPF_REG_1, 0, 0, 0);
	emit_land(e, positive);
	/* (h 2^32 + l)^2: l^2 to r3, 2 h l, of which the upper bits go to r5, h^2 */
	emit_mov(e, BPF_REG_2, BPF_REG_1);
	emit_alu_imm(e, BPF_RSH, BPF_REG_2, 32);
	emit_extend(e, BPF_REG_1, 4, false);
	emit_mov(e, BPF_REG_3, BPF_REG_1);
	emit_alu(e, BPF_MUL, BPF_REG_3, BPF_REG_1);
	emit_alu(e, BPF_MUL, BPF_REG_1, BPF_REG_2); /* h l; h < 2^31 but for 2^63, whose l is 0 */
	emit_mov(e, BPF_REG_5, BPF_REG_1);
	emit_alu_imm(e, BPF_RSH, BPF_REG_5, 31);
	emit_alu(e, BPF_MUL, BPF_REG_2, BPF_REG_2);
	emit_alu(e, BPF_ADD, BPF_REG_5, BPF_REG_2);
	emit_alu_imm(e, BPF_LSH, BPF_REG_1, 33);
	emit_alu(e, BPF_ADD, BPF_REG_3, BPF_REG_1);
	fits = emit_jump_reg(e, BPF_JGE, BPF_REG_3, BPF_REG_1);
	emit_add_imm(e, BPF_REG_5, 1);
	emit_land(e, fits);
	/* what an interruption adds meanwhile is not lost */
	emit_mov(e, BPF_REG_1, BPF_REG_3);
	emit_insn(e, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, low, BPF_ADD | BPF_FETCH);
	emit_alu(e, BPF_ADD, BPF_REG_1, BPF_REG_3);
	fits = emit_jump_reg(e, BPF_JGE, BPF_REG_1, BPF_REG_3);
	emit_add_imm(e, BPF_REG_5, 1);
	emit_land(e, fits);
	emit_insn(e, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_5, high, BPF_ADD);
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

/* Of texts of the process's memory. */
struct text_jumps {
	struct text_exits v[BPF_COUNT_TEXTS];
	unsigned n;
};

/* Nothing has been done of the event yet: it becomes a record, or is lost. */
static void leave_to_records(const struct clause_unit *u, struct emitter *e,
			     const struct text_jumps *texts)
{
	for (unsigned i = 0; i < texts->n; i++)
		emit_land(e, texts->v[i].absent);
	emit_mov(e, BPF_REG_1, CTX);
	emit_map(e, BPF_REG_2, u->records_fd);
	emit_mov_imm(e, BPF_REG_3, 0);
	emit_call(e, BPF_FUNC_tail_call);
	for (unsigned i = 0; i < texts->n; i++)
		for (unsigned j = 0; j < ARRAY_SIZE(texts->v[i].lost); j++)
			emit_land(e, texts->v[i].lost[j]);
}

/* Those who come by `exits` have found no room before. */
static void write_count(struct clause_unit *u, struct emitter *e, unsigned number,
			const struct bpf_count *c, const struct stack_exits *exits, unsigned nexits,
			const struct text_jumps *texts)
{
	unsigned lost, done;

	emit_load32(e, BPF_REG_1, BPF_REG_10, FRAME_NR);
	emit_add_imm(e, BPF_REG_1, (int32_t)u->row);
	emit_store32(e, BPF_REG_10, FRAME_KEY + KEY_AT(row), BPF_REG_1);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_H, BPF_REG_10, 0, FRAME_KEY + KEY_AT(stmt),
		  (int32_t)number);
	lost = find_element(e, u->counted_fd);
	if (c->func == BPF_COUNT_MIN || c->func == BPF_COUNT_MAX)
		keep_extreme(e, c->func == BPF_COUNT_MIN);
	emit_mov_imm(e, BPF_REG_1, 1);
	add_to(e, offsetof(struct bpf_count_value, n));
	if (c->func == BPF_COUNT_SUM || c->func == BPF_COUNT_STDDEV || c->is_weighted) {
		emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
		add_to(e, offsetof(struct bpf_count_value, sum));
	}
	if (c->func == BPF_COUNT_STDDEV)
		add_square(e);
	done = emit_jump(e, BPF_JA, 0, 0);
	if (texts->n)
		leave_to_records(u, e, texts);
	emit_land(e, lost);
	for (unsigned i = 0; i < nexits; i++)
		for (unsigned j = 0; j < ARRAY_SIZE(exits[i].at); j++)
			emit_land(e, exits[i].at[j]);
	emit_count(e, u->lost_fd, number);
	emit_land(e, done);
}

static const char *write_number(struct difwriter *w, const struct action *act,
				struct bpf_count_keys *k)
{
	if (k->n == BPF_COUNT_KEYS)
		return WHY(KEYS);
	return difwriter_value(w, act->difo, word_at(k->n++)) ? NULL : w->why;
}

static bool calls_subroutine(const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_CALL)
			return true;
	return false;
}

bool clausecode_copies(const struct difo *d)
{
	const unsigned n = d->ninsns;

	return n > 1 && DIF_OP(d->text[n - 2]) == DIF_OP_CALL &&
	       DIF_GETINDEX(d->text[n - 2]) == SUBR_COPYINSTR &&
	       DIF_RD(d->text[n - 2]) == DIF_RD(d->text[n - 1]);
}

/* What a text is made of, which follows from the record: `family ? inet_ntop(family, addr) : ""`.
 * The engine makes it when it is handed over. */
static const char *write_parts(struct difwriter *w, const struct action *act, const struct probe *p,
			       struct bpf_count_keys *k)
{
	struct derived text;

	if (!derived_of(p, act->difo, &text))
		return WHY(TEXT_MADE);
	for (unsigned i = 0; i < text.n; i++) {
		const unsigned size = text.v[i].size;
		const unsigned n = difwriter_part(w, text.v[i].id, text.v[i].off, size,
						  word_at(k->n), BPF_COUNT_KEYS - k->n);

		if (!n || k->nparts == BPF_COUNT_KEYS)
			return n ? WHY(KEYS) : WHY(TEXT_PARTS);
		k->parts[k->nparts++] = (struct bpf_count_part){.arg = text.v[i].id,
								.key = k->n,
								.size = size ? size : n * 8,
								.off = (size_t)text.v[i].off};
		k->n += n;
	}
	return NULL;
}

/* Is it a text that is made of what two words stand for? All of the statement are of the same. */
static bool is_interned(struct difwriter *w, const struct action *act, const struct probe *p,
			struct bpf_count_keys *k)
{
	struct derived text;
	const unsigned at = k->has_interned ? k->interned_at : k->n;

	if (!p || !derived_of(p, act->difo, &text) || text.n != 1 || text.v[0].size ||
	    at + BPF_INTERNED_WORDS > BPF_COUNT_KEYS ||
	    !difwriter_interned(w, text.v[0].id, text.v[0].off, word_at(at)))
		return false;
	if (!k->has_interned)
		k->n += BPF_INTERNED_WORDS;
	k->interned_at = at;
	k->has_interned = true;
	return true;
}

/* A text of the process's memory. NULL: it is written. */
static const char *write_copied(struct clause_unit *u, struct difwriter *w,
				const struct action *act, struct bpf_count_keys *k,
				struct text_jumps *x)
{
	struct textcode tc = {.program = u->number, .at = word_at(k->n), .spare = FRAME_TUPLE};
	unsigned room;

	if (k->ntexts == BPF_COUNT_TEXTS || k->n + TEXTCODE_WORDS > BPF_COUNT_KEYS)
		return WHY(KEYS);
	if (!difwriter_copied(w, act->difo, tc.at, &tc.size))
		return w->why;
	room = textcode_room(tc.size);
	if (!room)
		return WHY(TEXT_LONG);
	u->texts->room = MAX(u->texts->room, room);
	x->v[x->n++] = textcode_write(w->e, u->texts, &tc);
	k->texts[k->ntexts++] = (struct bpf_count_text){.key = act, .at = k->n, .is_copied = true};
	k->n += TEXTCODE_WORDS;
	return NULL;
}

static const char *write_text(struct clause_unit *u, struct difwriter *w, const struct action *act,
			      struct bpf_count_keys *k, struct text_jumps *x)
{
	struct bpf_count_text *t = &k->texts[k->ntexts];
	unsigned n = BPF_COUNT_KEYS - k->n;
	const struct probe *p = u->probe;
	bool is_choice;

	if (is_interned(w, act, p, k))
		return NULL;
	if (u->kind == CLAUSES_OF_ENTRIES && clausecode_copies(act->difo))
		return write_copied(u, w, act, k, x);
	if (calls_subroutine(act->difo))
		return write_parts(w, act, p, k);
	if (k->ntexts == BPF_COUNT_TEXTS)
		return WHY(KEYS);
	k->ntexts++;
	*t = (struct bpf_count_text){.key = act, .at = k->n};
	if (!difwriter_text(w, act->difo, word_at(k->n), &n, &is_choice))
		return w->why;
	t->texts = is_choice ? act->difo->strs : NULL;
	k->n += n;
	return NULL;
}

/* An array of the record, as it is there. */
static const char *write_bytes(struct difwriter *w, const struct action *act,
			       struct bpf_count_keys *k)
{
	const unsigned n = (act->rec.size + 7) / 8;

	if (k->ntexts == BPF_COUNT_TEXTS || n > BPF_COUNT_KEYS - k->n)
		return WHY(KEYS);
	if (!difwriter_bytes(w, act->difo, word_at(k->n), act->rec.size))
		return w->why;
	k->texts[k->ntexts++] = (struct bpf_count_text){.key = act, .at = k->n};
	k->n += n;
	return NULL;
}

/* NULL: it can be written. */
static const char *refuse_stack(const struct clause_unit *u, const struct action *act,
				const struct bpf_count_keys *k)
{
	const bool is_user = kind_of(act) == KEY_USTACK;

	if (u->kind == CLAUSES_OF_EVENTS && (is_user || !u->has_stack))
		return WHY(STACK);
	if (is_user && opt_on(&u->session->options, OPT_USTACKUNWIND))
		return WHY(USTACK);
	if (is_user && world_of(u->session)->nprocs) /* they are asked while they live */
		return WHY(USTACK_TRACED);
	if (is_user && u->stack_of)
		return WHY(USTACK_LATER);
	if (!is_user && u->has_no_stack)
		return WHY(NO_STACK);
	if (is_user ? k->has_ustack : k->has_stack)
		return WHY(STACKS);
	if (act->rec.arg > STACKCODE_FRAMES)
		return WHY(FRAMES);
	return k->n + STACKCODE_WORDS > BPF_COUNT_KEYS ? WHY(KEYS) : NULL;
}

/* NULL: it is written. */
static const char *write_stack(struct clause_unit *u, struct emitter *e, const struct action *act,
			       struct bpf_count_keys *k, struct stack_exits *x)
{
	const struct stackcode sc = {.program = u->number,
				     .ctx = CTX,
				     .task = u->stack_of,
				     .thread = TASK,
				     .at = word_at(k->n),
				     .spare = FRAME_TUPLE,
				     .is_user = kind_of(act) == KEY_USTACK,
				     .tgid_at = u->at->task_tgid,
				     .execs_at = u->at->task_execs};
	const char *why = refuse_stack(u, act, k);

	if (why)
		return why;
	u->stacks->nframes = MAX(u->stacks->nframes, (unsigned)act->rec.arg + STACKCODE_OWN);
	*x = stackcode_write(e, u->stacks, &sc);
	u->stacks->has_user |= sc.is_user;
	if (sc.is_user) {
		emit_load32(e, BPF_REG_1, TASK, u->at->task_tgid);
		emit_store32(e, BPF_REG_10, FRAME_KEY + KEY_AT(pid), BPF_REG_1);
		k->has_ustack = true;
		k->ustack_at = k->n;
	} else {
		k->has_stack = true;
		k->stack_at = k->n;
	}
	k->n += STACKCODE_WORDS;
	return NULL;
}

/* Those of a kind. NULL: they are written, or need not be: the engine knows them by the probe. */
static const char *write_keys(struct clause_unit *u, struct difwriter *w, const struct stmt *st,
			      enum key_kind kind, struct bpf_count_keys *k, struct stack_exits *x,
			      struct text_jumps *texts)
{
	const char *why = NULL;

	for (unsigned i = 0; i + 1 < st->nacts && !why; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind != ACT_AGGKEY)
			return WHY(ACTION);
		if (kind_of(act) != kind)
			continue;
		if (kind == KEY_NUMBER)
			why = write_number(w, act, k);
		else if (kind == KEY_TEXT)
			why = write_text(u, w, act, k, texts);
		else if (kind == KEY_BYTES)
			why = write_bytes(w, act, k);
		else if (kind == KEY_STACK || kind == KEY_USTACK)
			why = write_stack(u, w->e, act, k, x);
		else if (kind == KEY_OTHER)
			why = WHY(TEXT_KEY);
		else
			k->has_name = true;
	}
	return why;
}

static bool assigns(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (insn_class[DIF_OP(d->text[i])] & INSN_STORE)
			return true;
	return false;
}

/* Texts are made behind numbers, which shows if one of the keys changes what others are. */
static bool keys_are_reordered(const struct stmt *st)
{
	bool has_text = false, has_assigned = false;

	for (unsigned i = 0; i + 1 < st->nacts; i++) {
		has_text |= kind_of(&st->acts[i]) == KEY_TEXT || kind_of(&st->acts[i]) == KEY_BYTES;
		has_assigned |= assigns(st->acts[i].difo);
	}
	return has_text && has_assigned;
}

/* Those of whom there was no room for what the words stand for. */
static struct stack_exits check_interned(struct emitter *e, const struct bpf_count_keys *k)
{
	struct stack_exits x;

	for (unsigned i = 0; i < ARRAY_SIZE(x.at); i++) {
		emit_load64(e, BPF_REG_1, BPF_REG_10, word_at(k->interned_at + i));
		x.at[i] = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	}
	return x;
}

const char *clausecode_agg(struct clause_unit *u, struct difwriter *w, const struct stmt *st)
{
	const struct action *last = &st->acts[st->nacts - 1];
	struct emitter *e = w->e;
	/* numbers first, in their order; the stack when all else is known, as it uses their room */
	static const enum key_kind before[] = {KEY_OTHER, KEY_NAME, KEY_NUMBER, KEY_TEXT,
					       KEY_BYTES};
	struct bpf_count_keys k = {.n = 0};
	struct text_jumps texts = {.n = 0};
	struct stack_exits lost[3];
	unsigned nlost = 0;
	struct bpf_count made;
	const char *why = NULL;
	int number;

	if (st->naggs != 1 || last->kind != ACT_AGG)
		return WHY(SEVERAL);
	if (keys_are_reordered(st))
		return WHY(ORDER);
	number = bpf_counter_place(u->session, NULL, st, &k, &made);
	if (number < 0)
		return WHY(FORGETS);
	clear_key(e, BPF_COUNT_KEYS);
	for (unsigned i = 0; i < ARRAY_SIZE(before) && !why; i++)
		why = write_keys(u, w, st, before[i], &k, NULL, &texts);
	if (why)
		return why;
	if (!last->difo)
		emit_store_imm(e, BPF_REG_10, FRAME_VALUE, 0);
	else if (!difwriter_value(w, last->difo, FRAME_VALUE))
		return w->why;
	if (st->aggs[0]->func->hist)
		write_bucket(e, st->aggs[0], &made);
	if (last->incr && !difwriter_value(w, last->incr, FRAME_VALUE))
		return w->why;
	why = write_keys(u, w, st, KEY_STACK, &k, &lost[nlost], NULL);
	nlost += k.has_stack;
	if (!why)
		why = write_keys(u, w, st, KEY_USTACK, &k, &lost[nlost], NULL);
	nlost += k.has_ustack;
	if (why)
		return why;
	if (k.has_interned)
		lost[nlost++] = check_interned(e, &k);
	number = bpf_counter_place(u->session, u->counter, st, &k, &made);
	if (number < 0)
		return WHY(AGGREGATIONS);
	if (k.has_name)
		fill_name(u, e);
	write_count(u, e, (unsigned)number, &made, lost, nlost, &texts);
	return NULL;
}
