/*
 * goabi.c: each number and pointer of a value has a register of its own, also where several share
 * a word of memory; what does not fit into registers as a whole is on the stack.
 */
#include "providers/pid/goabi.h"

#include "symbols/dwarf/types.h"

#define INTS   9
#define FLOATS 15

/* R_RAX, R_RBX, R_RCX, R_RDI, R_RSI, R_R8 to R_R11 as uregs[] counts them */
static const uint8_t int_regs[INTS] = {10, 5, 11, 14, 13, 9, 8, 7, 6};

struct split {
	struct arg_piece pieces[INTS + FLOATS];
	unsigned n, ints, floats;
	bool is_unknown; /* what Go has no such types for */
};

static struct probe_arg nowhere(const char *why)
{
	return (struct probe_arg){.place = ARG_NOWHERE, .why = why};
}

static bool add_piece(struct split *s, bool is_float, uint64_t at, uint64_t size)
{
	unsigned word;

	s->is_unknown |= size != 1 && size != 2 && size != 4 && size != 8;
	if (s->is_unknown || (is_float ? s->floats == FLOATS : s->ints == INTS))
		return false;
	if (is_float)
		word = ARG_WORD_XMM + 2 * s->floats++;
	else
		word = ARG_WORD_UREG + (unsigned)int_regs[s->ints++];
	s->pieces[s->n++] = (struct arg_piece){
		.word = (uint8_t)word, .size = (uint8_t)size, .at = (uint32_t)at};
	return true;
}

/* False: not all of it is in registers. */
static bool split_value(struct split *s, const struct type *type, uint64_t at)
{
	const struct type *t = type_resolve(type);

	switch (t->kind) {
	case TYPE_STRUCT:
		for (unsigned i = 0; i < t->nmembers; i++)
			if (!split_value(s, t->members[i].type, at + t->members[i].bit_offset / 8))
				return false;
		return true;
	case TYPE_ARRAY:
		return !t->nelems || (t->nelems == 1 && split_value(s, t->ref, at));
	case TYPE_UNION:
	case TYPE_FORWARD:
		s->is_unknown = true;
		return false;
	case TYPE_FLOAT:
		if (t->is_complex)
			return add_piece(s, true, at, t->size / 2) &&
			       add_piece(s, true, at + t->size / 2, t->size / 2);
		return add_piece(s, true, at, t->size);
	default:
		return add_piece(s, false, at, t->size);
	}
}

static struct probe_arg on_stack(struct goabi_layout *l, const struct type *t)
{
	uint64_t at = ROUND_UP(l->stack, type_align(t));

	if (t->size > INT32_MAX || at > INT32_MAX)
		return nowhere("it is too large");
	l->stack = at + t->size;
	return (struct probe_arg){.place = ARG_STACK, .at = (unsigned)at};
}

static struct probe_arg in_registers(struct goabi_layout *l, const struct type *t,
				     const struct split *s)
{
	struct probe_arg a = {.place = ARG_PIECES, .npieces = (uint8_t)s->n};

	l->ints = s->ints;
	l->floats = s->floats;
	if (!type_is_byref(t))
		return (struct probe_arg){
			.place = ARG_WORDS, .nwords = 1, .words = {s->pieces[0].word}};
	a.pieces = arena_memdup(l->arena, s->pieces, s->n * sizeof(*s->pieces));
	return a;
}

void goabi_layout_init(struct goabi_layout *l, struct arena *arena, bool is_new)
{
	*l = (struct goabi_layout){.arena = arena, .in_registers = is_new, .stack = 8};
}

void goabi_results(struct goabi_layout *l)
{
	l->ints = l->floats = 0;
	l->stack = ROUND_UP(l->stack, 8);
}

struct probe_arg goabi_next(struct goabi_layout *l, const struct type *type)
{
	struct split s = {.ints = l->ints, .floats = l->floats};
	const struct type *t = type_resolve(type);
	bool fits;

	if (l->is_unknown)
		return nowhere("it is not known how one before it is passed");
	fits = l->in_registers && split_value(&s, t, 0);
	if (s.is_unknown) {
		l->is_unknown = true;
		return nowhere("its parts are not known");
	}
	if (!t->size)
		return nowhere("it is empty");
	return fits ? in_registers(l, t, &s) : on_stack(l, t);
}
