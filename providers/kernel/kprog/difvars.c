/*
 * difvars.c: variables of D in programs: those of the thread in its task storage, those of the
 * clause in the frame, arrays in hash maps, globals in memory that the engine has mapped.
 */
#include <string.h>

#include "dlang/run/vars.h"
#include "dlang/session_engine.h"
#include "providers/kernel/kprog/difcode_priv.h"

static void load_frame(const struct difcode *c, int at)
{
	emit_load64(c->e, BPF_REG_1, BPF_REG_10, at);
}

static int index_of(const uint16_t *ids, unsigned n, unsigned id)
{
	for (unsigned i = 0; i < n; i++)
		if (ids[i] == id)
			return (int)i;
	return -1;
}

/* NULL: it is no number. */
static const struct varslot *number_slot(const struct difcode *c, enum dif_scope scope, unsigned id)
{
	const struct varslot *v = vars_slot(c->w->session->engine->vars, scope, id);

	return varslot_is_number(v) ? v : NULL;
}

/* r1 as the variable holds it. */
static void cut(const struct difcode *c, const struct varslot *v)
{
	emit_extend(c->e, BPF_REG_1, (unsigned)v->size, v->is_signed);
}

void difwriter_find_vars(struct emitter *e, int vars_fd, bool makes)
{
	emit_map(e, BPF_REG_1, vars_fd);
	emit_mov(e, BPF_REG_2, TASK);
	emit_mov_imm(e, BPF_REG_3, 0);
	emit_mov_imm(e, BPF_REG_4, makes ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	emit_call(e, BPF_FUNC_task_storage_get);
	emit_mov(e, VARS, BPF_REG_0);
}

/* Whose thread the event is of may not be the one that runs. */
static bool has_thread(const struct difcode *c)
{
	return c->w->kind != CLAUSES_OF_EVENTS;
}

bool difvars_load_self(struct difcode *c, unsigned id, unsigned rd)
{
	const int i = index_of(c->w->group->self, c->w->group->nself, id);
	unsigned none;

	if (!has_thread(c))
		return difcode_refuse(c, WHY(SELF));
	if (i < 0 || !number_slot(c, DIF_SCOPE_SELF, id))
		return difcode_refuse(c, WHY(NUMBER));
	emit_mov_imm(c->e, BPF_REG_1, 0);
	none = emit_jump(c->e, BPF_JEQ, VARS, 0);
	emit_load64(c->e, BPF_REG_1, VARS, i * 8);
	emit_land(c->e, none);
	difcode_store(c, rd, BPF_REG_1);
	c->regs[rd].same = difcode_same(DIF_OP_LDTS, id, c->nsets + 1);
	return true;
}

/* A thread that stores nothing but 0 needs no room. */
bool difvars_store_self(struct difcode *c, unsigned id, unsigned rd)
{
	const int i = index_of(c->w->group->self, c->w->group->nself, id);
	const struct varslot *v = number_slot(c, DIF_SCOPE_SELF, id);
	struct emitter *e = c->e;
	unsigned is_there, is_zero, is_made, done;

	c->nsets++;
	if (!has_thread(c))
		return difcode_refuse(c, WHY(SELF));
	if (i < 0 || !v)
		return difcode_refuse(c, WHY(NUMBER));
	is_there = emit_jump(e, BPF_JNE, VARS, 0);
	difcode_load(c, BPF_REG_1, rd);
	is_zero = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	difwriter_find_vars(e, c->w->vars_fd, true);
	is_made = emit_jump(e, BPF_JNE, VARS, 0);
	emit_count(e, c->w->lost_fd, c->w->lost_index);
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, is_there);
	emit_land(e, is_made);
	difcode_load(c, BPF_REG_1, rd);
	cut(c, v);
	emit_store64(e, VARS, i * 8, BPF_REG_1);
	emit_land(e, is_zero);
	emit_land(e, done);
	return true;
}

bool difvars_load_this(struct difcode *c, unsigned id, unsigned rd)
{
	const int i = index_of(c->w->group->this, c->w->group->nthis, id);

	if (i < 0 || !number_slot(c, DIF_SCOPE_THIS, id))
		return difcode_refuse(c, WHY(NUMBER));
	load_frame(c, FRAME_THIS + i * 8);
	difcode_store(c, rd, BPF_REG_1);
	c->regs[rd].same = difcode_same(DIF_OP_LDLS, id, c->nsets + 1);
	return true;
}

bool difvars_store_this(struct difcode *c, unsigned id, unsigned rd)
{
	const int i = index_of(c->w->group->this, c->w->group->nthis, id);
	const struct varslot *v = number_slot(c, DIF_SCOPE_THIS, id);

	c->nsets++;
	if (i < 0 || !v)
		return difcode_refuse(c, WHY(NUMBER));
	difcode_load(c, BPF_REG_1, rd);
	cut(c, v);
	emit_store64(c->e, BPF_REG_10, FRAME_THIS + i * 8, BPF_REG_1);
	return true;
}

/* ---- globals ---- */

/* Its address to `reg`. */
static bool find_global(struct difcode *c, unsigned id, unsigned reg)
{
	const int i = index_of(c->w->group->globals, c->w->group->nglobals, id);

	if (i < 0 || !number_slot(c, DIF_SCOPE_GLOBAL, id))
		return difcode_refuse(c, WHY(NUMBER));
	emit_const(c->e, reg, BPF_PSEUDO_MAP_VALUE,
		   (uint32_t)c->w->globals_fd | (uint64_t)i * 8 << 32);
	return true;
}

/* What was read, in r1, goes to the register, and is kept besides. */
static void keep_old(struct difcode *c, unsigned id, uint64_t keys, unsigned rd)
{
	const unsigned old = c->nold++;

	emit_store64(c->e, BPF_REG_10, FRAME_OLD + (int)(old % DIFCODE_OLD) * 8, BPF_REG_1);
	difcode_store(c, rd, BPF_REG_1);
	c->regs[rd].plus = id;
	c->regs[rd].old = old;
	c->regs[rd].keys = keys;
}

/* What is stored has only added to what it replaces. */
static bool only_adds(const struct difcode *c, unsigned id, uint64_t keys, unsigned rd)
{
	const struct known *k = &c->regs[rd];

	return k->plus == id && k->keys == keys && c->nold - k->old <= DIFCODE_OLD;
}

/* It does so at once, at `to`, and nothing is lost that others add meanwhile. */
static void add_news(struct difcode *c, unsigned rd, unsigned to)
{
	const unsigned old = c->regs[rd].old;
	struct emitter *e = c->e;

	difcode_load(c, BPF_REG_1, rd);
	emit_load64(e, BPF_REG_3, BPF_REG_10, FRAME_OLD + (int)(old % DIFCODE_OLD) * 8);
	emit_alu(e, BPF_SUB, BPF_REG_1, BPF_REG_3);
	emit_insn(e, BPF_STX | BPF_ATOMIC | BPF_DW, to, BPF_REG_1, 0, BPF_ADD);
}

bool difvars_load_global(struct difcode *c, unsigned id, unsigned rd)
{
	if (!find_global(c, id, BPF_REG_2))
		return false;
	emit_load64(c->e, BPF_REG_1, BPF_REG_2, 0);
	cut(c, number_slot(c, DIF_SCOPE_GLOBAL, id));
	keep_old(c, id, 0, rd);
	return true;
}

bool difvars_store_global(struct difcode *c, unsigned id, unsigned rd)
{
	if (!find_global(c, id, BPF_REG_2))
		return false;
	if (only_adds(c, id, 0, rd)) {
		add_news(c, rd, BPF_REG_2);
	} else {
		difcode_load(c, BPF_REG_1, rd);
		emit_store64(c->e, BPF_REG_2, 0, BPF_REG_1);
	}
	return true;
}

/* ---- arrays ---- */

enum { THREAD_WORDS = 2 }; /* of the key of self->a[] */

/* NULL: it is none of numbers. */
static const struct varslot *array_slot(const struct session *s, unsigned id)
{
	const struct varslot *v =
		vars_slot(s->engine->vars, id & GROUP_OF_SELF ? DIF_SCOPE_SELF : DIF_SCOPE_GLOBAL,
			  id & ~(unsigned)GROUP_OF_SELF);

	return v && v->is_array && !v->is_byref && !v->is_string && v->size <= 8 ? v : NULL;
}

unsigned difcode_key_words(const struct session *s, uint16_t id)
{
	const struct varslot *v = array_slot(s, id);
	unsigned n = id & GROUP_OF_SELF ? THREAD_WORDS : 0;

	if (!v)
		return 0;
	for (unsigned i = 0; i < v->nkeys; i++)
		n += type_is_string(v->keys[i]) ? 2 : 1;
	return n <= DIFCODE_TUPLE ? n : 0;
}

static bool push_word(struct difcode *c)
{
	if (c->ntuple == DIFCODE_TUPLE)
		return difcode_refuse(c, WHY(ARRAY_KEYS));
	emit_store64(c->e, BPF_REG_10, FRAME_TUPLE + (int)c->ntuple++ * 8, BPF_REG_1);
	return true;
}

bool difvars_push_number(struct difcode *c, uint32_t insn)
{
	if (difcode_is_text(c, DIF_RD(insn)))
		return difcode_refuse(c, WHY(TEXT));
	difcode_load(c, BPF_REG_1, DIF_RD(insn));
	c->keys = difcode_same(DIF_OP_PUSHTV, c->keys, c->regs[DIF_RD(insn)].same);
	return push_word(c);
}

/* A text of the event's record, as long as a name of a process. */
static bool push_record(struct difcode *c, const struct known *k)
{
	unsigned n = 2;

	c->keys = difcode_same(DIF_OP_PUSHTR, c->keys, k->value + 1);
	if (c->ntuple + n > DIFCODE_TUPLE)
		return difcode_refuse(c, WHY(ARRAY_KEYS));
	if (!difevent_text(c, k, FRAME_TUPLE + (int)c->ntuple * 8, &n) || n != 2)
		return difcode_refuse(c, WHY(ARRAY_TEXT));
	c->ntuple += n;
	return true;
}

/* The name of a call is its number here; as long as a name of a process. */
/* As the name of a process is. */
static bool push_constant(struct difcode *c, const char *text)
{
	uint64_t words[2] = {0, 0};

	if (strlen(text) >= sizeof(words))
		return difcode_refuse(c, WHY(ARRAY_TEXT));
	memcpy(words, text, strlen(text));
	for (int i = 0; i < 2; i++) {
		emit_const(c->e, BPF_REG_1, 0, words[i]);
		if (!push_word(c))
			return false;
	}
	return true;
}

bool difvars_push_text(struct difcode *c, uint32_t insn)
{
	const struct known *k = &c->regs[DIF_RD(insn)];

	c->keys = difcode_same(DIF_OP_PUSHTR, c->keys, k->kind);
	if (k->kind == KNOWN_RECORD)
		return push_record(c, k);
	if (k->kind == KNOWN_PROBE)
		return push_constant(c, k->text);
	for (int i = 0; i < 2; i++) {
		if (k->kind == KNOWN_NAME)
			load_frame(c, FRAME_NAME + i * 8);
		else if (k->kind != KNOWN_CALL)
			return difcode_refuse(c, WHY(ARRAY_TEXT));
		else if (i == 0)
			emit_load32(c->e, BPF_REG_1, BPF_REG_10, FRAME_NR);
		else
			emit_mov_imm(c->e, BPF_REG_1, 0);
		if (!push_word(c))
			return false;
	}
	return true;
}

/* Behind the other keys: its number, which another one may have later, and when it was started. */
static void push_thread(const struct difcode *c)
{
	const int at = FRAME_TUPLE + (int)c->ntuple * 8;

	emit_load32(c->e, BPF_REG_1, TASK, c->w->at->task_pid);
	emit_store64(c->e, BPF_REG_10, at, BPF_REG_1);
	emit_load64(c->e, BPF_REG_1, TASK, c->w->at->task_start);
	emit_store64(c->e, BPF_REG_10, at + 8, BPF_REG_1);
}

/* The map to r1, the address of the keys to r2. False: it is none that programs keep. */
static bool find_array(struct difcode *c, unsigned id)
{
	const int i = index_of(c->w->group->arrays, c->w->group->narrays, id);
	const bool is_self = id & GROUP_OF_SELF;
	const unsigned n = difcode_key_words(c->w->session, (uint16_t)id);

	if (is_self && !has_thread(c))
		return difcode_refuse(c, WHY(SELF));
	if (is_self && n == c->ntuple + THREAD_WORDS)
		push_thread(c);
	if (i < 0 || !c->ntuple || n != c->ntuple + (is_self ? THREAD_WORDS : 0))
		return difcode_refuse(c, WHY(ARRAY));
	emit_map_key(c->e, c->w->array_fds ? c->w->array_fds[i] : 0, FRAME_TUPLE);
	return true;
}

bool difvars_load_element(struct difcode *c, unsigned id, unsigned rd)
{
	const struct varslot *v = array_slot(c->w->session, id);
	unsigned none;

	if (!v || !find_array(c, id))
		return difcode_refuse(c, WHY(ARRAY));
	emit_call(c->e, BPF_FUNC_map_lookup_elem);
	emit_mov_imm(c->e, BPF_REG_1, 0);
	none = emit_jump(c->e, BPF_JEQ, BPF_REG_0, 0);
	emit_load64(c->e, BPF_REG_1, BPF_REG_0, 0);
	cut(c, v);
	emit_land(c->e, none);
	keep_old(c, id, c->keys, rd);
	return true;
}

/* What the frame has at FRAME_VALUE, by the keys there. */
static bool update(struct difcode *c, unsigned id, int32_t how)
{
	if (!find_array(c, id))
		return false;
	emit_mov(c->e, BPF_REG_3, BPF_REG_10);
	emit_add_imm(c->e, BPF_REG_3, FRAME_VALUE);
	emit_mov_imm(c->e, BPF_REG_4, how);
	emit_call(c->e, BPF_FUNC_map_update_elem);
	return true;
}

/* 0 takes no room. */
static bool replace_element(struct difcode *c, unsigned id)
{
	struct emitter *e = c->e;
	unsigned is_zero, is_stored, done;

	is_zero = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	if (!update(c, id, BPF_ANY))
		return false;
	is_stored = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	emit_count(e, c->w->lost_fd, c->w->lost_index);
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, is_zero);
	if (!find_array(c, id))
		return false;
	emit_call(e, BPF_FUNC_map_delete_elem);
	emit_land(e, is_stored);
	emit_land(e, done);
	return true;
}

/* Others may make it meanwhile. One that has come to 0 stays: somebody may be adding to it. */
static bool add_to_element(struct difcode *c, unsigned id, unsigned rd)
{
	struct emitter *e = c->e;
	unsigned is_there, is_zero, is_made, is_known, done;

	if (!find_array(c, id))
		return false;
	emit_call(e, BPF_FUNC_map_lookup_elem);
	is_there = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	emit_load64(e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
	is_zero = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	update(c, id, BPF_NOEXIST);
	is_made = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	find_array(c, id);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	is_known = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	emit_count(e, c->w->lost_fd, c->w->lost_index);
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, is_there);
	emit_land(e, is_known);
	add_news(c, rd, BPF_REG_0);
	emit_land(e, is_zero);
	emit_land(e, is_made);
	emit_land(e, done);
	return true;
}

bool difvars_store_element(struct difcode *c, unsigned id, unsigned rd)
{
	const struct varslot *v = array_slot(c->w->session, id);

	c->nsets++;
	if (!v)
		return difcode_refuse(c, WHY(ARRAY));
	difcode_load(c, BPF_REG_1, rd);
	cut(c, v);
	emit_store64(c->e, BPF_REG_10, FRAME_VALUE, BPF_REG_1);
	if (c->keys && only_adds(c, id, c->keys, rd))
		return add_to_element(c, id, rd);
	return replace_element(c, id);
}
