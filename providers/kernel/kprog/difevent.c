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

/* ---- records of tracepoints ---- */

static bool is_tracepoint(const struct difcode *c)
{
	return c->w->kind == CLAUSES_OF_TRACEPOINTS;
}

/* The field that has these bytes, all of them; size 0: the text that begins there. NULL: there is
 * none. *off: where the record has them, *room: how many the field has from there on. */
static const struct clause_field *find_field(const struct difwriter *d, const struct known *k,
					     unsigned size, int *off, unsigned *room)
{
	for (unsigned i = 0; i < d->nfields && k->kind == KNOWN_RECORD; i++) {
		const struct clause_field *f = &d->fields[i];
		const uint64_t in = k->value - f->at;

		if (k->value < f->at || in >= f->size || size > f->size - in ||
		    (!size && !f->is_text))
			continue;
		*room = f->size - (unsigned)in;
		*off = (int)(f->offset + in);
		return f;
	}
	return NULL;
}

/* The kernel lets programs read it in its sizes where they lie as these do. */
static void load_context(struct emitter *e, unsigned to, int off, unsigned size)
{
	static const uint8_t widths[] = {[1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW};

	emit_insn(e, BPF_LDX | BPF_MEM | widths[size], to, CTX, off, 0);
}

static bool load_field(struct difcode *c, uint32_t insn)
{
	const struct known *m = &c->regs[DIF_R1(insn)];
	const struct insn_load *l = &insn_loads[DIF_OP(insn)];
	const uint64_t value = m->value;
	unsigned room;
	int off;

	if (!find_field(c->w, m, l->size, &off, &room) || l->is_user || off % (int)l->size)
		return difcode_refuse(c, WHY(MEMBER));
	load_context(c->e, BPF_REG_1, off, l->size);
	emit_extend(c->e, BPF_REG_1, l->size, l->is_signed);
	difcode_store(c, DIF_RD(insn), BPF_REG_1);
	difcode_always(c, DIF_RD(insn), DIF_OP(insn), value);
	return true;
}

/* By a helper: `how` copies so many bytes of the record. */
static void copy_context(struct emitter *e, int how, int off, unsigned size, int to)
{
	emit_mov(e, BPF_REG_1, BPF_REG_10);
	emit_add_imm(e, BPF_REG_1, to);
	emit_mov_imm(e, BPF_REG_2, (int32_t)size);
	emit_mov(e, BPF_REG_3, CTX);
	emit_add_imm(e, BPF_REG_3, off);
	emit_call(e, how);
}

/* What is behind its end is 0, as in all keys. */
static bool copy_text(const struct difcode *c, const struct known *k, int to, unsigned *nwords)
{
	unsigned room, n;
	int off;

	if (!find_field(c->w, k, 0, &off, &room))
		return difcode_refuse(c, WHY(TEXT_KEY));
	n = (room + 7) / 8;
	if (n > *nwords)
		return difcode_refuse(c, WHY(KEYS));
	for (unsigned i = 0; i < n; i++)
		emit_store_imm(c->e, BPF_REG_10, to + (int)i * 8, 0);
	copy_context(c->e, BPF_FUNC_probe_read_kernel_str, off, room, to);
	*nwords = n;
	return true;
}

bool difevent_bytes(const struct difcode *c, const struct known *k, int to, unsigned size)
{
	const struct clause_field *f;
	unsigned room;
	int off;

	f = find_field(c->w, k, size, &off, &room);
	if (!f)
		return difcode_refuse(c, WHY(MEMBER));
	/* with room for an end behind a text that fills its place: a zero, where keys are still 0
	 */
	if (f->is_text)
		copy_context(c->e, BPF_FUNC_probe_read_kernel_str, off, size + 1, to);
	else
		copy_context(c->e, BPF_FUNC_probe_read_kernel, off, size, to);
	return true;
}

bool difevent_compare(const struct difcode *c, const struct known *k, const char *text)
{
	const unsigned n = (unsigned)strlen(text) + 1;
	unsigned room;
	int off;

	if (!find_field(c->w, k, 0, &off, &room) || n > room)
		return difcode_refuse(c, WHY(TEXTS));
	emit_mov_imm(c->e, BPF_REG_1, 0);
	for (unsigned i = 0, size; i < n; i += size) {
		uint64_t word = 0;

		for (size = 8; size > n - i || ((unsigned)off + i) % size; size /= 2)
			;
		memcpy(&word, text + i, size);
		load_context(c->e, BPF_REG_2, off + (int)i, size);
		emit_const(c->e, BPF_REG_3, 0, word);
		emit_alu(c->e, BPF_XOR, BPF_REG_2, BPF_REG_3);
		emit_alu(c->e, BPF_OR, BPF_REG_1, BPF_REG_2);
	}
	return true;
}

/* ---- words of events ---- */

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
		is_record |= c->w->words[i].rows & c->w->row && c->w->words[i].is_member &&
			     c->w->words[i].arg == arg;
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
		return is_tracepoint(c) ? load_field(c, insn) : load_word(c, insn);
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

/* What leads to it is no number here. */
static bool load_record(struct difcode *c, unsigned arg, unsigned rd)
{
	if (arg != CLAUSE_RECORD)
		return difcode_refuse(c, WHY(ARGUMENT));
	c->regs[rd] = (struct known){.kind = KNOWN_RECORD, .arg = arg};
	return true;
}

static const enum place places[] = {
	[CLAUSES_OF_ENTRIES] = PLACE_CALLS,	  [CLAUSES_OF_RETURNS] = PLACE_CALLS,
	[CLAUSES_OF_EVENTS] = PLACE_EVENTS,	  [CLAUSES_OF_OWN] = PLACE_OWN,
	[CLAUSES_OF_TRACEPOINTS] = PLACE_RECORDS, [CLAUSES_OF_SWITCHES] = PLACE_SWITCHES,
	[CLAUSES_OF_WAKEUPS] = PLACE_SWITCHES,	  [CLAUSES_OF_MIGRATIONS] = PLACE_SWITCHES};

bool difevent_builtin(struct difcode *c, unsigned id, unsigned rd)
{
	const bool is_argument = id - BUILTIN_ARG0 < EVENT_ARGS;

	if (!place_has_builtin(places[c->w->kind], id))
		return difcode_refuse(c, is_argument		  ? WHY(ARGUMENTS)
					 : id == BUILTIN_EXECNAME ? WHY(LATE_NAME)
								  : WHY(BUILTIN));
	if (is_event(c) && is_argument)
		return load_argument(c, id - BUILTIN_ARG0, rd);
	if (is_tracepoint(c) && is_argument && id - BUILTIN_ARG0 > 1)
		return load_record(c, id - BUILTIN_ARG0, rd);
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
	case BUILTIN_PROBENAME:
		c->regs[rd] = (struct known){.kind = KNOWN_PROBE, .text = c->w->probename};
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
	const unsigned n = w && !w->is_interned ? bpf_word_length(w) : 0;

	if (is_tracepoint(c))
		return copy_text(c, k, to, nwords);
	if (!n || n > *nwords)
		return difcode_refuse(c, WHY(TEXT_KEY));
	copy_words(c->e, w, n, to);
	*nwords = n;
	return true;
}

unsigned difwriter_part(struct difwriter *d, unsigned arg, int64_t off, unsigned size, int to,
			unsigned room)
{
	const struct bpf_word *w = find_word(d, arg, true, (uint64_t)off, size);
	const unsigned n = !w || w->is_interned ? 0 : size ? (size + 7) / 8 : bpf_word_length(w);

	if (!n || n > room)
		return 0;
	copy_words(d->e, w, n, to);
	return n;
}

bool difwriter_interned(struct difwriter *d, unsigned arg, int64_t off, int to)
{
	const struct bpf_word *w = find_word(d, arg, true, (uint64_t)off, 0);

	if (!w || !w->is_interned)
		return false;
	copy_words(d->e, w, BPF_INTERNED_WORDS, to);
	return true;
}
