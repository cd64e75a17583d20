/*
 * pid_args.c: args[] of entry and return probes: what the psABI says of the types in the debug
 * information, where that does not know better. Compilers change how functions are called that
 * nobody else can call: copies with a suffix (f.isra.0), with LLVM any local function.
 */
#include "providers/pid/goabi.h"
#include "providers/pid/pid_priv.h"
#include "providers/pid/sysv.h"

static const char changed[] = "the compiler has changed how this function is called";
static const char rust[] = "Rust does not say how it passes this type";
static const char rust_result[] = "Rust does not say where it has put it";

/* As the program has it: what is pointed to lies in the target. */
static const struct type *shown_type(struct session *s, const struct type *t)
{
	if (!type_is_pointer(t))
		return t;
	return type_userland(&s->engine->types, type_resolve(t));
}

/* args[0] at a return */
static struct probe_arg offset_arg(const struct session *s)
{
	return (struct probe_arg){.type = s->engine->types.t_uint64, .place = ARG_VALUE, .at = 0};
}

static struct probe_arg nowhere(const char *why)
{
	return (struct probe_arg){.place = ARG_NOWHERE, .why = why};
}

/* ---- what the debug information says ---- */

/* The word of args[] in a register by its DWARF number; ARG_WORD_ZERO: none that passes any. */
static unsigned word_of(unsigned reg)
{
	static const unsigned ints[SYSV_INT_REGS] = {5, 4, 1, 2, 8, 9};
	enum { DWARF_XMM0 = 17 };

	for (unsigned i = 0; i < SYSV_INT_REGS; i++)
		if (reg == ints[i])
			return i;
	if (reg >= DWARF_XMM0 && reg < DWARF_XMM0 + SYSV_SSE_REGS)
		return ARG_WORD_XMM + 2 * (reg - DWARF_XMM0);
	return ARG_WORD_ZERO;
}

/* False: nothing that could be used. */
static bool as_said(const struct dwarf_param *p, struct probe_arg *a)
{
	if (p->place == DWARF_ADDRESS && p->nregs) {
		*a = (struct probe_arg){.place = ARG_ADDRESS, .at = word_of(p->regs[0])};
		return a->at < SYSV_INT_REGS;
	}
	*a = (struct probe_arg){.place = ARG_WORDS, .nwords = (uint8_t)p->nregs};
	if (p->place != DWARF_REGS || ROUND_UP(type_size(p->type), 8) != 8ULL * p->nregs)
		return false;
	for (unsigned i = 0; i < p->nregs; i++) {
		a->words[i] = (uint8_t)word_of(p->regs[i]);
		if (a->words[i] == ARG_WORD_ZERO)
			return false;
	}
	return true;
}

static bool same_place(const struct probe_arg *a, const struct probe_arg *b)
{
	return a->place == b->place && a->at == b->at && a->nwords == b->nwords &&
	       !memcmp(a->words, b->words, a->nwords);
}

static bool is_changed(const struct func *func, const struct dwarf_func *f,
		       const struct probe_arg *v)
{
	struct probe_arg said;

	if (strstr(func->name, ".isra") || strstr(func->name, ".constprop") ||
	    strstr(func->name, ".part"))
		return true;
	if (!func->is_local || !f->is_llvm)
		return false;
	for (unsigned i = 0; i < f->nparams; i++)
		if (f->params[i].place == DWARF_CONST ||
		    (as_said(&f->params[i], &said) && !same_place(&v[i], &said)))
			return true;
	return false;
}

/* ---- Rust ---- */

/* The numbers and pointers an object is made of. */
struct scalars {
	unsigned n;
	bool has_unknown, has_float;
	uint64_t first, last; /* offsets */
};

static void find_scalars(const struct type *type, uint64_t at, struct scalars *sc)
{
	const struct type *t = type_resolve(type);

	if (!t->size)
		return;
	if (t->kind == TYPE_STRUCT) {
		sc->has_unknown |= !t->nmembers || t->tag; /* an enum of Rust has one */
		for (unsigned i = 0; i < t->nmembers; i++)
			find_scalars(t->members[i].type, at + t->members[i].bit_offset / 8, sc);
		return;
	}
	sc->has_unknown |= t->kind == TYPE_UNION || t->kind == TYPE_FORWARD;
	sc->has_float |= t->kind == TYPE_FLOAT;
	sc->first = sc->n ? MIN(sc->first, at) : at;
	sc->last = sc->n ? MAX(sc->last, at) : at;
	sc->n += t->kind == TYPE_ARRAY ? 3 : 1; /* an array is never one of two */
}

/*
 * Rust promises nothing about how structures are passed. What it does today is as the psABI where
 * two registers hold two scalars, or one holds small integers.
 */
static bool is_as_in_c(const struct type *type)
{
	const struct type *t = type_resolve(type);
	struct scalars sc = {0};

	if (!type_is_sou(t) || t->size == 0)
		return true;
	find_scalars(t, 0, &sc);
	if (sc.has_unknown || t->size > 16)
		return false;
	if (sc.n == 2)
		return sc.first < 8 && sc.last >= 8;
	return sc.n == 1 || (t->size <= 8 && !sc.has_float);
}

/* ---- Go ---- */

static bool is_shown(const struct dwarf_func *f, unsigned i, bool at_return)
{
	return f->params[i].is_result == at_return;
}

/*
 * At its entry the arguments, at its return each of the results behind args[0]. Which of them are
 * in registers follows from the order in which the function has them, not from where the compiler
 * keeps them.
 */
static void go_args(struct session *s, const struct dwarf_func *f, bool at_return,
		    struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, (f->nparams + 1) * sizeof(*v)), a;
	struct goabi_layout l;

	goabi_layout_init(&l, s->arena, f->is_go_regabi);
	if (at_return)
		v[args->n++] = offset_arg(s);
	for (unsigned results = 0; results < 2; results++) {
		for (unsigned i = 0; i < f->nparams; i++) {
			if (!is_shown(f, i, results))
				continue;
			a = goabi_next(&l, f->params[i].type);
			if (at_return && a.place == ARG_STACK)
				a.at -= 8; /* `ret` has taken its word */
			a.type = shown_type(s, f->params[i].type);
			a.name = f->params[i].name;
			if (results == at_return)
				v[args->n++] = a;
		}
		goabi_results(&l);
	}
	args->v = v;
}

/* ---- args[] ---- */

static struct probe_arg place_arg(struct sysv_layout *l, const struct dwarf_types *dt,
				  const struct dwarf_func *f, const struct dwarf_param *p)
{
	bool by_address = p->place == DWARF_ADDRESS || dwarf_is_by_address(dt, p->type);

	if (f->is_rust && !by_address && !is_as_in_c(p->type)) {
		l->is_unknown = true;
		return nowhere(rust);
	}
	return sysv_next(l, p->type, by_address);
}

void pid_entry_args(struct session *s, const struct dwarf_types *dt, const struct func *func,
		    const struct dwarf_func *f, struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, (f->nparams + 1) * sizeof(*v));
	uint64_t result_size = type_size(f->result);
	struct sysv_layout l;
	bool use_said;

	if (f->is_go) {
		go_args(s, f, false, args);
		return;
	}
	sysv_layout_init(&l, dwarf_is_by_address(dt, f->result) || sysv_in_memory(f->result));
	if (f->is_rust && result_size > 8 && result_size <= 16 && !is_as_in_c(f->result))
		l.is_unknown = true; /* its address may be the first argument */
	for (unsigned i = 0; i < f->nparams; i++)
		v[i] = place_arg(&l, dt, f, &f->params[i]);
	use_said = is_changed(func, f, v);
	for (unsigned i = 0; i < f->nparams; i++) {
		struct probe_arg said;

		if ((use_said || (f->is_rust && v[i].place == ARG_NOWHERE)) &&
		    as_said(&f->params[i], &said))
			v[i] = said;
		else if (use_said)
			v[i] = nowhere(changed);
		v[i].type = shown_type(s, f->params[i].type);
		v[i].name = f->params[i].name;
	}
	args->v = v;
	args->n = f->nparams;
}

/* args[0] is the offset of the instruction that returns, args[1] what is returned. */
void pid_return_args(struct session *s, const struct dwarf_types *dt, const struct dwarf_func *f,
		     struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(s->arena, 2 * sizeof(*v));
	bool in_memory = dwarf_is_by_address(dt, f->result) || sysv_in_memory(f->result);

	if (f->is_go) {
		go_args(s, f, true, args);
		return;
	}
	v[0] = offset_arg(s);
	args->v = v;
	args->n = 1;
	if (type_resolve(f->result)->kind == TYPE_VOID)
		return;
	args->n = 2;
	if (in_memory && f->is_rust)
		v[1] = nowhere(rust_result);
	else if (in_memory)
		v[1] = (struct probe_arg){.place = ARG_ADDRESS, .at = 1};
	else if (f->is_rust && !is_as_in_c(f->result))
		v[1] = nowhere(rust);
	else
		v[1] = sysv_result(f->result);
	v[1].type = shown_type(s, f->result);
}
