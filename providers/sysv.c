/*
 * sysv.c: where the arguments and the result of a function are, by the rules of the x86-64 psABI
 * (section 3.2.3): args[] of entry and return probes.
 */
#include "providers/pid.h"

#define INT_REGS EVENT_REG_ARGS
#define SSE_REGS 8
#define HALVES	 2 /* an object in registers has at most two eightbytes */

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

static const char wide_vector[] = "vectors of more than 16 bytes are not recorded";

struct layout {
	unsigned ints, sses; /* taken */
	uint64_t stack;	     /* offset from the stack pointer at entry */
};

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
		for (uint64_t half = at / 8; half <= (at + t->size - 1) / 8; half++)
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
	if (t->size > 8 * HALVES)
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

static struct probe_arg on_stack(struct layout *l, const struct type *t)
{
	uint64_t at = ROUND_UP(l->stack, MAX(8, type_align(t)));
	uint64_t word = INT_REGS + (at - 8) / 8;

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

	for (unsigned i = 0; i < HALVES && 8 * i < t->size; i++) {
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

static struct probe_arg place_arg(struct layout *l, const struct type *t, bool by_address)
{
	enum argclass halves[HALVES];

	if (by_address && l->ints < INT_REGS)
		return (struct probe_arg){.place = ARG_ADDRESS, .at = l->ints++};
	if (by_address) { /* its address is a word of the stack */
		uint64_t word = INT_REGS + (l->stack - 8) / 8;

		l->stack += 8;
		return word < EVENT_ARGS
			       ? (struct probe_arg){.place = ARG_ADDRESS, .at = (unsigned)word}
			       : nowhere("there are too many arguments");
	}
	if (!t->size)
		return nowhere("its size is not known");
	if (t->is_vector && t->size > 16) {
		l->sses++;
		return nowhere(wide_vector);
	}
	if (!classes_of(t, halves) || halves[0] == CLASS_X87 ||
	    l->ints + count(halves, CLASS_INT) > INT_REGS ||
	    l->sses + count(halves, CLASS_SSE) > SSE_REGS)
		return on_stack(l, t);
	return in_registers(t, halves, &l->ints, &l->sses);
}

/* As the program has it: what is pointed to lies in the target. */
static const struct type *shown_type(struct session *s, const struct type *t)
{
	if (!type_is_pointer(t))
		return t;
	return type_userland(&s->types, type_resolve(t));
}

static bool is_x87_complex(const struct type *t)
{
	return t->kind == TYPE_FLOAT && t->is_complex && t->size == 32;
}

static bool result_in_memory(const struct dwarf_types *dt, const struct type *result)
{
	const struct type *t = type_resolve(result);
	enum argclass halves[HALVES];

	return dwarf_is_by_address(dt, result) ||
	       (t->size && !t->is_vector && !is_x87_complex(t) && !classes_of(t, halves));
}

/* ---- functions whose parameters the compiler has changed ---- */

/*
 * What the debug information puts into a register at entry, if a value in one register.
 * ARG_WORD_ZERO: nothing, or one that holds no argument.
 */
static unsigned register_word(const struct dwarf_param *p)
{
	/* DWARF numbers (psABI figure 3.36): rdi rsi rdx rcx r8 r9; xmm0 to xmm7 */
	static const int ints[INT_REGS] = {5, 4, 1, 2, 8, 9};
	enum { DWARF_XMM0 = 17 };

	if (type_is_byref(p->type))
		return ARG_WORD_ZERO;
	for (unsigned i = 0; i < INT_REGS; i++)
		if (p->reg == ints[i])
			return i;
	if (p->reg >= DWARF_XMM0 && p->reg < DWARF_XMM0 + SSE_REGS)
		return ARG_WORD_XMM + 2 * (unsigned)(p->reg - DWARF_XMM0);
	return ARG_WORD_ZERO;
}

static struct probe_arg by_register(const struct dwarf_param *p)
{
	unsigned word = register_word(p);

	if (word == ARG_WORD_ZERO)
		return nowhere("the compiler has changed how this function is called");
	return (struct probe_arg){.place = ARG_WORDS, .nwords = 1, .words = {(uint8_t)word}};
}

/* A copy of a function (f.isra.0), or one whose parameters are not where the psABI puts them. */
static bool is_changed(const char *name, const struct dwarf_func *f, const struct probe_arg *v)
{
	if (strstr(name, ".isra") || strstr(name, ".constprop") || strstr(name, ".part"))
		return true;
	for (unsigned i = 0; i < f->nparams; i++) {
		unsigned word = register_word(&f->params[i]);

		if (word != ARG_WORD_ZERO && (v[i].place != ARG_WORDS || v[i].words[0] != word))
			return true;
	}
	return false;
}

void sysv_entry_args(struct session *s, const struct dwarf_types *dt, const char *name,
		     const struct dwarf_func *f, struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, (f->nparams + 1) * sizeof(*v));
	struct layout l = {.stack = 8};

	l.ints = result_in_memory(dt, f->result);
	for (unsigned i = 0; i < f->nparams; i++) {
		const struct type *t = f->params[i].type;

		v[i] = place_arg(&l, type_resolve(t), dwarf_is_by_address(dt, t));
	}
	if (is_changed(name, f, v))
		for (unsigned i = 0; i < f->nparams; i++)
			v[i] = by_register(&f->params[i]);
	for (unsigned i = 0; i < f->nparams; i++)
		v[i].type = shown_type(s, f->params[i].type);
	args->v = v;
	args->n = f->nparams;
}

static struct probe_arg place_result(const struct type *t)
{
	unsigned ints = 1, sses = 0; /* event.args[1] is rax */
	enum argclass halves[HALVES];

	if (is_x87_complex(t))
		return (struct probe_arg){
			.place = ARG_WORDS,
			.nwords = 4,
			.words = {ARG_WORD_ST, ARG_WORD_ST + 1, ARG_WORD_ST + 2, ARG_WORD_ST + 3}};
	if (!t->size)
		return nowhere("its size is not known");
	if (!classes_of(t, halves))
		return nowhere(wide_vector);
	return in_registers(t, halves, &ints, &sses);
}

/* args[0] is the offset of the instruction that returns, args[1] what is returned. */
void sysv_return_args(struct session *s, const struct dwarf_types *dt, const struct dwarf_func *f,
		      struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, 2 * sizeof(*v));
	const struct type *t = type_resolve(f->result);

	v[0] = (struct probe_arg){.type = s->types.t_uint64, .place = ARG_VALUE, .at = 0};
	args->v = v;
	args->n = 1;
	if (t->kind == TYPE_VOID)
		return;
	args->n = 2;
	if (result_in_memory(dt, f->result))
		v[1] = (struct probe_arg){.place = ARG_ADDRESS, .at = 1};
	else
		v[1] = place_result(t);
	v[1].type = shown_type(s, f->result);
}
