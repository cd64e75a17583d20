/*
 * sysv.c: where the arguments and the result of a function are, by the rules of the x86-64 psABI
 * (section 3.2.3): args[] of entry and return probes. What is in floating-point registers is not
 * recorded at a hit, and says so; it still counts, since the others move up.
 */
#include "providers/pid.h"

#define INT_REGS EVENT_REG_ARGS
#define SSE_REGS 8

enum class { CLASS_EMPTY, CLASS_INT, CLASS_SSE, CLASS_MEMORY };

static const char no_floats[] = "floating-point registers are not recorded";
static const char mixed[] = "part of it is in floating-point registers, which are not recorded";

struct layout {
	unsigned ints, sses; /* taken */
	uint64_t stack;	     /* offset from the stack pointer at entry */
};

static enum class merge(enum class a, enum class b) {
	return MAX(a, b) == CLASS_MEMORY	  ? CLASS_MEMORY
	       : a == CLASS_INT || b == CLASS_INT ? CLASS_INT
						  : MAX(a, b);
}

static bool is_long_double(const struct type *t)
{
	return t->kind == TYPE_FLOAT && t->size == 16 && !strstr(t->name, "complex");
}

static void classify(const struct type *type, uint64_t at, enum class *halves);

static void classify_members(const struct type *t, uint64_t at, enum class *halves)
{
	for (unsigned i = 0; i < t->nmembers; i++) {
		const struct type_member *m = &t->members[i];
		uint64_t bit = at * 8 + m->bit_offset;

		if (!m->bits) {
			classify(m->type, bit / 8, halves);
			continue;
		}
		if (*m->name && bit / 64 < 2)
			halves[bit / 64] = merge(halves[bit / 64], CLASS_INT);
	}
}

/* Adds what lies at an offset of an object of at most 16 bytes to the classes of its two halves. */
static void classify(const struct type *type, uint64_t at, enum class *halves)
{
	const struct type *t = type_resolve(type);
	enum class c = CLASS_INT;

	if (at > 16 || t->size > 16 - at || at % type_align(t)) {
		halves[0] = CLASS_MEMORY;
		return;
	}
	switch (t->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		classify_members(t, at, halves);
		return;
	case TYPE_ARRAY:
		for (uint64_t i = 0; i < t->nelems && type_size(t->ref); i++)
			classify(t->ref, at + i * type_size(t->ref), halves);
		return;
	case TYPE_FLOAT:
		c = is_long_double(t) ? CLASS_MEMORY : CLASS_SSE;
		break;
	case TYPE_FORWARD:
		c = CLASS_MEMORY;
		break;
	default:
		break;
	}
	if (!t->size)
		return;
	halves[at / 8] = merge(halves[at / 8], c);
	if (t->size > 8)
		halves[1] = merge(halves[1], c);
}

/* How many registers of each kind an object takes. False: it is in memory. */
static bool registers_of(const struct type *t, unsigned *ints, unsigned *sses)
{
	enum class halves[2] = {CLASS_EMPTY, CLASS_EMPTY};

	*ints = *sses = 0;
	if (t->size > 16)
		return false;
	classify(t, 0, halves);
	if (halves[0] == CLASS_MEMORY || halves[1] == CLASS_MEMORY)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		*ints += halves[i] == CLASS_INT;
		*sses += halves[i] == CLASS_SSE;
	}
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
	if (!type_is_sou(t) && word < EVENT_ARGS)
		return (struct probe_arg){.place = ARG_VALUE, .at = (unsigned)word};
	return (struct probe_arg){.place = ARG_STACK, .at = (unsigned)at};
}

static struct probe_arg place_arg(struct layout *l, const struct type *t, bool by_address)
{
	unsigned ints, sses, at = l->ints;

	if (by_address && l->ints < INT_REGS)
		return (struct probe_arg){.place = ARG_ADDRESS, .at = l->ints++};
	if (by_address) { /* its address is a word of the stack */
		uint64_t word = INT_REGS + (l->stack - 8) / 8;

		l->stack += 8;
		return word < EVENT_ARGS
			       ? (struct probe_arg){.place = ARG_ADDRESS, .at = (unsigned)word}
			       : nowhere("there are too many arguments");
	}
	if (t->kind == TYPE_ARRAY) { /* C has no such argument: it is a vector */
		l->sses++;
		return nowhere("vector registers are not recorded");
	}
	if (!t->size)
		return nowhere("its size is not known");
	if (!registers_of(t, &ints, &sses) || l->ints + ints > INT_REGS ||
	    l->sses + sses > SSE_REGS) {
		struct probe_arg a = on_stack(l, t);

		return type_is_float(t) ? nowhere("D has no floating-point values") : a;
	}
	l->ints += ints;
	l->sses += sses;
	if (sses)
		return nowhere(ints ? mixed : no_floats);
	return (struct probe_arg){.place = ARG_VALUE, .at = at};
}

/* As the program has it: what is pointed to lies in the target. */
static const struct type *shown_type(struct session *s, const struct type *t)
{
	if (!type_is_pointer(t))
		return t;
	return type_userland(&s->types, type_resolve(t));
}

static bool result_in_memory(const struct dwarf_types *dt, const struct type *result)
{
	const struct type *t = type_resolve(result);
	unsigned ints, sses;

	return type_is_sou(t) &&
	       (dwarf_is_by_address(dt, result) || !registers_of(t, &ints, &sses));
}

/*
 * The compiler gave a copy of a function (f.isra.0) parameters of its own: only what the debug
 * information puts into a register counts.
 */
static struct probe_arg by_register(const struct dwarf_param *p)
{
	static const int regs[INT_REGS] = {5, 4, 1, 2, 8, 9}; /* rdi rsi rdx rcx r8 r9 */

	for (unsigned i = 0; i < INT_REGS && type_is_scalar(p->type); i++)
		if (p->reg == regs[i])
			return (struct probe_arg){.place = ARG_VALUE, .at = i};
	return nowhere("the compiler has changed how this function is called");
}

static bool is_changed_copy(const char *name)
{
	return strstr(name, ".isra") || strstr(name, ".constprop") || strstr(name, ".part");
}

void sysv_entry_args(struct session *s, const struct dwarf_types *dt, const char *name,
		     const struct dwarf_func *f, struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, (f->nparams + 1) * sizeof(*v));
	struct layout l = {.stack = 8};

	l.ints = result_in_memory(dt, f->result);
	for (unsigned i = 0; i < f->nparams; i++) {
		const struct type *t = f->params[i].type;

		if (is_changed_copy(name))
			v[i] = by_register(&f->params[i]);
		else
			v[i] = place_arg(&l, type_resolve(t), dwarf_is_by_address(dt, t));
		v[i].type = shown_type(s, t);
	}
	args->v = v;
	args->n = f->nparams;
}

/* args[0] is the offset of the instruction that returns, args[1] what is returned. */
void sysv_return_args(struct session *s, const struct dwarf_types *dt, const struct dwarf_func *f,
		      struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, 2 * sizeof(*v));
	const struct type *t = type_resolve(f->result);
	unsigned ints, sses;

	v[0] = (struct probe_arg){.type = s->types.t_uint64, .place = ARG_VALUE, .at = 0};
	args->v = v;
	args->n = 1;
	if (t->kind == TYPE_VOID)
		return;
	args->n = 2;
	if (result_in_memory(dt, f->result))
		v[1] = (struct probe_arg){.place = ARG_ADDRESS, .at = 1};
	else if (t->kind == TYPE_ARRAY)
		v[1] = nowhere("vector registers are not recorded");
	else if (!t->size)
		v[1] = nowhere("its size is not known");
	else if (is_long_double(t) || !registers_of(t, &ints, &sses) || sses)
		v[1] = nowhere(no_floats);
	else
		v[1] = (struct probe_arg){.place = ARG_VALUE, .at = 1};
	v[1].type = shown_type(s, f->result);
}
