/*
 * sysv.c: the classes of the x86-64 psABI and the registers they take.
 */
#include "providers/pid/sysv.h"

#include <string.h>

#define HALVES 2 /* an object in registers has at most two eightbytes */

/* Of an eightbyte, in the words of the psABI. */
enum argclass {
	CLASS_EMPTY, /* NO_CLASS */
	CLASS_INT,
	CLASS_SSE,
	CLASS_SSEUP,
	CLASS_X87,
	CLASS_X87UP,
	CLASS_MEMORY
};

static const char is_empty[] = "it is empty";
static const char no_size[] = "its size is not known";
static const char wide_vector[] = "vectors of more than 16 bytes are not recorded";

static enum argclass merge(enum argclass a, enum argclass b)
{
	if (a == b || b == CLASS_EMPTY)
		return a;
	if (a == CLASS_EMPTY)
		return b;
	if (a == CLASS_MEMORY || b == CLASS_MEMORY)
		return CLASS_MEMORY;
	if (a == CLASS_INT || b == CLASS_INT)
		return CLASS_INT;
	if (a == CLASS_X87 || a == CLASS_X87UP || b == CLASS_X87 || b == CLASS_X87UP)
		return CLASS_MEMORY;
	return CLASS_SSE;
}

static void classify(const struct type *type, uint64_t at, enum argclass *halves);

static void classify_members(const struct type *t, uint64_t at, enum argclass *halves)
{
	for (unsigned i = 0; i < t->nmembers; i++) {
		const struct type_member *m = &t->members[i];
		uint64_t bit = at * 8 + m->bit_offset;

		if (!m->bits)
			classify(m->type, bit / 8, halves);
		else if (*m->name)
			for (uint64_t half = bit / 64; half <= (bit + m->bits - 1) / 64; half++)
				halves[half] = merge(halves[half], CLASS_INT);
	}
}

/* Both halves of a 16-byte object that has one class for each. */
static void classify_pair(enum argclass *halves, enum argclass low, enum argclass high)
{
	halves[0] = merge(halves[0], low);
	halves[1] = merge(halves[1], high);
}

static void classify_array(const struct type *t, uint64_t at, enum argclass *halves)
{
	if (t->is_vector && t->size == 16)
		classify_pair(halves, CLASS_SSE, CLASS_SSEUP);
	else if (t->is_vector)
		halves[at / 8] = merge(halves[at / 8], CLASS_SSE);
	else
		for (uint64_t i = 0; i < t->nelems && type_size(t->ref); i++)
			classify(t->ref, at + i * type_size(t->ref), halves);
}

static void classify_float(const struct type *t, uint64_t at, enum argclass *halves)
{
	if (t->size == 16 && !t->is_complex)
		classify_pair(halves, CLASS_X87, CLASS_X87UP);
	else if (t->size == 16)
		classify_pair(halves, CLASS_SSE, CLASS_SSE);
	else
		for (uint64_t half = at / 8; half < HALVES && 8 * half < at + t->size; half++)
			halves[half] = merge(halves[half], CLASS_SSE);
}

/* Adds what lies at an offset of an object of at most 16 bytes to the classes of its two halves. */
static void classify(const struct type *type, uint64_t at, enum argclass *halves)
{
	const struct type *t = type_resolve(type);

	if (at > 16 || t->size > 16 - at || at % type_align(t) || t->kind == TYPE_FORWARD) {
		halves[0] = CLASS_MEMORY;
		return;
	}
	if (!t->size)
		return;
	switch (t->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		classify_members(t, at, halves);
		break;
	case TYPE_ARRAY:
		classify_array(t, at, halves);
		break;
	case TYPE_FLOAT:
		classify_float(t, at, halves);
		break;
	default:
		halves[at / 8] = merge(halves[at / 8], CLASS_INT);
		break;
	}
}

/* The classes of an object. False: it is in memory. */
static bool classes_of(const struct type *t, enum argclass *halves)
{
	for (unsigned i = 0; i < HALVES; i++)
		halves[i] = CLASS_EMPTY;
	if (t->size > 8ULL * HALVES)
		return false;
	classify(t, 0, halves);
	/* cleaning up after the merger, rules (a), (b) and (d) */
	if (halves[0] == CLASS_MEMORY || halves[1] == CLASS_MEMORY ||
	    (halves[1] == CLASS_X87UP && halves[0] != CLASS_X87))
		return false;
	if (halves[1] == CLASS_SSEUP && halves[0] != CLASS_SSE)
		halves[1] = CLASS_SSE;
	return true;
}

static struct probe_arg nowhere(const char *why)
{
	return (struct probe_arg){.place = ARG_NOWHERE, .why = why};
}

static struct probe_arg on_stack(struct sysv_layout *l, const struct type *t)
{
	uint64_t at = ROUND_UP(l->stack, MAX(8, type_align(t)));
	uint64_t word = SYSV_INT_REGS + (at - 8) / 8;

	/* the first one is above the return address, at a multiple of 16 less 8 */
	if (type_align(t) > 8)
		at = ROUND_UP(l->stack - 8, type_align(t)) + 8;
	if (t->size > UINT32_MAX || at > UINT32_MAX / 2)
		return nowhere("it is too large");
	l->stack = at + ROUND_UP(t->size, 8);
	if (!type_is_byref(t) && word < EVENT_ARGS)
		return (struct probe_arg){.place = ARG_VALUE, .at = (unsigned)word};
	return (struct probe_arg){.place = ARG_STACK, .at = (unsigned)at};
}

/* Takes the next registers of each class; what `ints` counts are indexes of event.args. */
static struct probe_arg in_registers(const struct type *t, const enum argclass *halves,
				     unsigned *ints, unsigned *sses)
{
	struct probe_arg a = {.place = ARG_WORDS};
	unsigned word = ARG_WORD_ZERO;

	for (unsigned i = 0; i < HALVES && 8ULL * i < t->size; i++) {
		if (halves[i] == CLASS_INT)
			word = (*ints)++;
		else if (halves[i] == CLASS_SSE)
			word = ARG_WORD_XMM + 2 * (*sses)++;
		else if (halves[i] == CLASS_X87)
			word = ARG_WORD_ST;
		else if (halves[i] == CLASS_EMPTY)
			word = ARG_WORD_ZERO;
		else /* the other half of the same register */
			word++;
		a.words[a.nwords++] = (uint8_t)word;
	}
	return a;
}

static unsigned count(const enum argclass *halves, enum argclass c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HALVES; i++)
		n += halves[i] == c;
	return n;
}

/* The address of a copy: in a register, or a word of the stack. */
static struct probe_arg place_address(struct sysv_layout *l)
{
	uint64_t word = SYSV_INT_REGS + (l->stack - 8) / 8;

	if (l->ints < SYSV_INT_REGS)
		return (struct probe_arg){.place = ARG_ADDRESS, .at = l->ints++};
	l->stack += 8;
	return word < EVENT_ARGS ? (struct probe_arg){.place = ARG_ADDRESS, .at = (unsigned)word}
				 : nowhere("there are too many arguments");
}

struct probe_arg sysv_next(struct sysv_layout *l, const struct type *type, bool by_address)
{
	const struct type *t = type_resolve(type);
	enum argclass halves[HALVES];

	if (l->is_unknown)
		return nowhere("it is not known how one before it is passed");
	if (by_address)
		return place_address(l);
	if (!t->size && (type_is_sou(t) || t->kind == TYPE_ARRAY))
		return nowhere(is_empty);
	if (!t->size) {
		l->is_unknown = true;
		return nowhere(no_size);
	}
	if (t->is_vector && t->size > 16) {
		l->sses++;
		return nowhere(wide_vector);
	}
	if (!classes_of(t, halves) || halves[0] == CLASS_X87 ||
	    l->ints + count(halves, CLASS_INT) > SYSV_INT_REGS ||
	    l->sses + count(halves, CLASS_SSE) > SYSV_SSE_REGS)
		return on_stack(l, t);
	return in_registers(t, halves, &l->ints, &l->sses);
}

void sysv_layout_init(struct sysv_layout *l, bool in_memory)
{
	*l = (struct sysv_layout){.ints = in_memory, .stack = 8};
}

static bool is_x87_complex(const struct type *t)
{
	return t->kind == TYPE_FLOAT && t->is_complex && t->size == 32;
}

bool sysv_in_memory(const struct type *result)
{
	const struct type *t = type_resolve(result);
	enum argclass halves[HALVES];

	return t->size && !t->is_vector && !is_x87_complex(t) && !classes_of(t, halves);
}

struct probe_arg sysv_result(const struct type *type)
{
	const struct type *t = type_resolve(type);
	unsigned ints = 1, sses = 0;
	enum argclass halves[HALVES];

	if (is_x87_complex(t))
		return (struct probe_arg){
			.place = ARG_WORDS,
			.nwords = 4,
			.words = {ARG_WORD_ST, ARG_WORD_ST + 1, ARG_WORD_ST + 2, ARG_WORD_ST + 3}};
	if (!t->size)
		return nowhere(type_is_sou(t) ? is_empty : no_size);
	if (!classes_of(t, halves))
		return nowhere(wide_vector);
	return in_registers(t, halves, &ints, &sses);
}
