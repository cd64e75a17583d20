/*
 * difevent.c: what an event has, as programs know it: built-in variables, arguments, members of the
 * records that args[] lead into.
 */
#include <string.h>

#include "dlang/run/vm.h"
#include "providers/kernel/kprog/difcode_priv.h"

static bool is_event(const struct difcode *c)
{
	return c->w->kind == CLAUSES_OF_EVENTS || c->w->kind == CLAUSES_OF_OWN;
}

static bool is_of_scheduler(const struct difcode *c)
{
	return c->w->kind >= CLAUSES_OF_SWITCHES;
}

/* NULL: programs do not have it. */
static const struct bpf_word *find_word(const struct difwriter *d, unsigned arg, bool is_member,
					uint64_t off, unsigned size)
{
	for (unsigned i = 0; i < d->nwords; i++) {
		const struct bpf_word *w = &d->words[i];

		if (w->rows & d->row && w->arg == arg && w->is_member == is_member &&
		    (!is_member || (w->off == off && w->size == size)))
			return w;
	}
	return NULL;
}

static int word_place(const struct bpf_word *w)
{
	return (int)offsetof(struct bpf_clause_event, words) + 8 * w->word;
}

/* What the event's record has there. */
static bool load_word(struct difcode *c, uint32_t insn)
{
	const struct known *m = &c->regs[DIF_R1(insn)];
	const struct insn_load *l = &insn_loads[DIF_OP(insn)];
	const struct bpf_word *w = find_word(c->w, m->arg, true, m->value, l->size);

	if (!w || l->is_user)
		return difcode_refuse(c, WHY(MEMBER));
	emit_load64(c->e, BPF_REG_1, SUBJECT, word_place(w));
	emit_extend(c->e, BPF_REG_1, l->size, l->is_signed);
	difcode_store(c, DIF_RD(insn), BPF_REG_1);
	difcode_always(c, DIF_RD(insn), DIF_OP(insn), w->word);
	return true;
}

/* argN of an event: a number, or it leads to the record. */
static bool load_argument(struct difcode *c, unsigned arg, unsigned rd)
{
	const struct bpf_word *w = find_word(c->w, arg, false, 0, 0);
	bool is_record = false;

	for (unsigned i = 0; i < c->w->nwords; i++)
		is_record |= c->w->words[i].is_member && c->w->words[i].arg == arg;
	if (is_record) {
		c->regs[rd] = (struct known){.kind = KNOWN_RECORD, .arg = arg};
		return true;
	}
	if (!w)
		return difcode_refuse(c, WHY(ARGUMENT));
	emit_load64(c->e, BPF_REG_1, SUBJECT, word_place(w));
	difcode_store(c, rd, BPF_REG_1);
	difcode_always(c, rd, DIF_OP_LDGS, w->word);
	return true;
}

/* Of the thread that the event is about. */
bool difevent_load(struct difcode *c, uint32_t insn)
{
	const struct known *m = &c->regs[DIF_R1(insn)];
	const uint64_t off = m->value;
	const struct insn_load *l = &insn_loads[DIF_OP(insn)];

	if (m->kind == KNOWN_RECORD)
		return load_word(c, insn);
	if (m->kind != KNOWN_MEMBER || l->size != 4 || l->is_user ||
	    (m->value != offsetof(struct bpf_task, pid) &&
	     m->value != offsetof(struct bpf_task, tid)))
		return difcode_refuse(c, WHY(FAULTS));
	emit_load32(c->e, BPF_REG_1, SUBJECT,
		    m->value == offsetof(struct bpf_task, pid) ? c->w->at->task_tgid
							       : c->w->at->task_pid);
	difcode_store(c, DIF_RD(insn), BPF_REG_1);
	difcode_always(c, DIF_RD(insn), DIF_OP(insn), off);
	return true;
}

/* ---- built-in variables ---- */

static void load_ids(struct difcode *c, int helper, bool is_upper)
{
	emit_call(c->e, helper);
	if (!is_upper)
		emit_alu_imm(c->e, BPF_LSH, BPF_REG_0, 32);
	emit_alu_imm(c->e, BPF_RSH, BPF_REG_0, 32);
	emit_mov(c->e, BPF_REG_1, BPF_REG_0);
}

static void load_frame(const struct difcode *c, int at)
{
	emit_load64(c->e, BPF_REG_1, BPF_REG_10, at);
}

/* As dlang/run/builtins.c has it: a result that asks for the call again is no error. */
static void load_errno(const struct difcode *c)
{
	enum { FIRST_RESTART = 512, NRESTARTS = 5 }; /* include/linux/errno.h */
	unsigned none[2], done;

	if (c->w->kind != CLAUSES_OF_RETURNS) {
		emit_mov_imm(c->e, BPF_REG_1, 0);
		return;
	}
	load_frame(c, FRAME_ARGS);
	emit_insn(c->e, BPF_ALU64 | BPF_NEG, BPF_REG_1, 0, 0, 0);
	none[0] = emit_jump(c->e, BPF_JGE, BPF_REG_1, 4096);
	emit_mov(c->e, BPF_REG_2, BPF_REG_1);
	emit_add_imm(c->e, BPF_REG_2, -FIRST_RESTART);
	none[1] = emit_jump(c->e, BPF_JLT, BPF_REG_2, NRESTARTS);
	done = emit_jump(c->e, BPF_JA, 0, 0);
	emit_land(c->e, none[0]);
	emit_land(c->e, none[1]);
	emit_mov_imm(c->e, BPF_REG_1, 0);
	emit_land(c->e, done);
}

static const enum place places[] = {
	[CLAUSES_OF_ENTRIES] = PLACE_CALLS,	 [CLAUSES_OF_RETURNS] = PLACE_CALLS,
	[CLAUSES_OF_EVENTS] = PLACE_EVENTS,	 [CLAUSES_OF_OWN] = PLACE_OWN,
	[CLAUSES_OF_SWITCHES] = PLACE_SWITCHES,	 [CLAUSES_OF_WAKEUPS] = PLACE_SWITCHES,
	[CLAUSES_OF_MIGRATIONS] = PLACE_SWITCHES};

bool difevent_builtin(struct difcode *c, unsigned id, unsigned rd)
{
	const bool is_argument = id - BUILTIN_ARG0 < EVENT_ARGS;

	if (!place_has_builtin(places[c->w->kind], id))
		return difcode_refuse(c, is_argument		  ? WHY(ARGUMENTS)
					 : id == BUILTIN_EXECNAME ? WHY(LATE_NAME)
								  : WHY(BUILTIN));
	if (is_event(c) && is_argument)
		return load_argument(c, id - BUILTIN_ARG0, rd);
	if (is_argument) {
		if (id - BUILTIN_ARG0 < 6)
			load_frame(c, FRAME_ARGS + (int)(id - BUILTIN_ARG0) * 8);
		else
			emit_mov_imm(c->e, BPF_REG_1, 0);
		difcode_store(c, rd, BPF_REG_1);
		difcode_always(c, rd, DIF_OP_LDGS, id);
		return true;
	}
	switch (id) {
	case BUILTIN_TIMESTAMP:
		load_frame(c, FRAME_TIME);
		break;
	case BUILTIN_PID:
		if (is_event(c))
			emit_load32(c->e, BPF_REG_1, SUBJECT,
				    offsetof(struct bpf_clause_event, pid));
		else
			emit_load32(c->e, BPF_REG_1, TASK, c->w->at->task_tgid);
		break;
	case BUILTIN_TID:
		if (is_event(c))
			emit_load32(c->e, BPF_REG_1, SUBJECT,
				    offsetof(struct bpf_clause_event, tid));
		else
			emit_load32(c->e, BPF_REG_1, TASK, c->w->at->task_pid);
		break;
	case BUILTIN_UID:
		load_ids(c, BPF_FUNC_get_current_uid_gid, false);
		break;
	case BUILTIN_GID:
		load_ids(c, BPF_FUNC_get_current_uid_gid, true);
		break;
	case BUILTIN_CPU:
		emit_call(c->e, BPF_FUNC_get_smp_processor_id);
		emit_mov(c->e, BPF_REG_1, BPF_REG_0);
		break;
	case BUILTIN_ERRNO:
		load_errno(c);
		break;
	case BUILTIN_PROBEFUNC:
		c->regs[rd] = (struct known){.kind = KNOWN_CALL};
		return true;
	case BUILTIN_EXECNAME:
		c->regs[rd] = (struct known){.kind = KNOWN_NAME};
		return true;
	default:
		return difcode_refuse(c, WHY(BUILTIN));
	}
	difcode_store(c, rd, BPF_REG_1);
	difcode_always(c, rd, DIF_OP_LDGS, id);
	return true;
}

bool difevent_argument(struct difcode *c, uint32_t insn)
{
	const struct known *index = &c->regs[DIF_R2(insn)];

	if (DIF_R1(insn) != BUILTIN_ARGS || index->kind != KNOWN_NUMBER || index->value >= 6)
		return difcode_refuse(c, WHY(ARRAY));
	if (is_event(c))
		return load_argument(c, (unsigned)index->value, DIF_RD(insn));
	if (is_of_scheduler(c) && index->value < 2) {
		c->regs[DIF_RD(insn)] = (struct known){.kind = KNOWN_MEMBER};
		return true;
	}
	if (is_of_scheduler(c) && index->value == 2) {
		emit_load32(c->e, BPF_REG_1, SUBJECT, c->w->at->task_cpu);
		difcode_store(c, DIF_RD(insn), BPF_REG_1);
		return true;
	}
	return difevent_builtin(c, (unsigned)(BUILTIN_ARG0 + index->value), DIF_RD(insn));
}

/* Bytes of the event's record, which begin in that word. */
static void copy_words(struct emitter *e, const struct bpf_word *w, unsigned n, int to)
{
	for (unsigned i = 0; i < n; i++) {
		emit_load64(e, BPF_REG_1, SUBJECT, word_place(w) + (int)i * 8);
		emit_store64(e, BPF_REG_10, to + (int)i * 8, BPF_REG_1);
	}
}

bool difevent_text(const struct difcode *c, const struct known *k, int to, unsigned *nwords)
{
	const struct bpf_word *w = find_word(c->w, k->arg, true, k->value, 0);
	const unsigned n = w ? bpf_word_length(w) : 0;

	if (!w || n > *nwords)
		return difcode_refuse(c, WHY(TEXT_KEY));
	copy_words(c->e, w, n, to);
	*nwords = n;
	return true;
}

unsigned difwriter_part(struct difwriter *d, unsigned arg, int64_t off, unsigned size, int to,
			unsigned room)
{
	const struct bpf_word *w = find_word(d, arg, true, (uint64_t)off, size);
	const unsigned n = !w ? 0 : size ? (size + 7) / 8 : bpf_word_length(w);

	if (!n || n > room)
		return 0;
	copy_words(d->e, w, n, to);
	return n;
}
