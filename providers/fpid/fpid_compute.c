#include "providers/fpid/fpid_compute.h"

#include "dlang/provider.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

#define INSNS_MAX 64 /* of an expression */
#define REGS_MAX  8  /* that native code has */

/* clang-format off */
#define CALC(name, value) [DIF_OP_##name] = {.is_op = true, .op = NATIVE_##name},
#define DIVISION(name) [DIF_OP_##name] = {.is_op = true, .divides = true, .op = NATIVE_##name}
#define BRANCH(name, what) [DIF_OP_##name] = {.cond = NATIVE_##what}
const struct fpid_insn fpid_insns[DIF_NOPS] = {
#include "dlang/difops.def"
	DIVISION(SDIV), DIVISION(UDIV), DIVISION(SREM), DIVISION(UREM),
	BRANCH(BA, ALWAYS), BRANCH(BE, EQUAL), BRANCH(BNE, NOT_EQUAL),
	BRANCH(BG, GREATER), BRANCH(BGE, GREATER_EQUAL), BRANCH(BL, LESS), BRANCH(BLE, LESS_EQUAL),
	BRANCH(BGU, ABOVE), BRANCH(BGEU, ABOVE_EQUAL), BRANCH(BLU, BELOW), BRANCH(BLEU, BELOW_EQUAL),
};
/* clang-format on */

unsigned fpid_ways_to(const struct difo *d, unsigned at)
{
	unsigned n = 0;

	for (unsigned i = 0; i < at; i++)
		n += insn_class[DIF_OP(d->text[i])] & INSN_BRANCH && DIF_GETLABEL(d->text[i]) == at;
	return n;
}

unsigned fpid_reads(uint32_t insn)
{
	unsigned op = DIF_OP(insn);

	if (op == DIF_OP_STTS || op == DIF_OP_STLS || op == DIF_OP_RET)
		return 1U << DIF_RD(insn);
	if (op == DIF_OP_LDGA)
		return 1U << DIF_R2(insn);
	if (fpid_insns[op].is_op || op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP)
		return 1U << DIF_R1(insn) | 1U << DIF_R2(insn);
	return 0;
}

bool fpid_is_integer(const struct session *s, enum dif_scope scope, unsigned id)
{
	return varslot_is_number(vars_slot(s->engine->vars, scope, id));
}

bool fpid_is_text_builtin(unsigned id)
{
	switch (id) {
	case BUILTIN_EXECNAME:
	case BUILTIN_PROBEPROV:
	case BUILTIN_PROBEMOD:
	case BUILTIN_PROBEFUNC:
	case BUILTIN_PROBENAME:
		return true;
	default:
		return false;
	}
}

static bool is_builtin_ok(unsigned id)
{
	if (id - BUILTIN_ARG0 < EVENT_ARGS)
		return true;
	switch (id) {
	case BUILTIN_TID:
	case BUILTIN_PID:
	case BUILTIN_CPU:
	case BUILTIN_TIMESTAMP:
	case BUILTIN_CALLER:
	case BUILTIN_UCALLER:
	case BUILTIN_PPID: /* these are the same for the whole process */
	case BUILTIN_UID:
	case BUILTIN_GID:
		return true;
	default:
		return false;
	}
}

/* Registers that hold one of some texts, and those that do so on some ways only. */
struct choice {
	bool is_reached;
	unsigned texts, mixed;
};

/* What is known of registers while instructions are checked in order. */
struct checking {
	const struct fpid_shares *sh; /* NULL: all variables are kept */
	const struct session *s;
	const struct difo *d;
	bool is_text;	  /* its result */
	unsigned numbers; /* registers that hold a constant */
	uint64_t number[DIF_NREGS];
	unsigned texts; /* registers that hold a text that is known beforehand */
	struct choice now, at[INSNS_MAX];
	bool falls;    /* the instruction before leads to the next one */
	bool compared; /* it compares, or branches by what was compared */
};

static void join(struct choice *c, const struct choice *way)
{
	if (!c->is_reached) {
		*c = *way;
		c->is_reached = true;
		return;
	}
	c->mixed |= way->mixed | (c->texts ^ way->texts);
	c->texts &= way->texts;
}

bool fpid_is_lost(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER >= lost->n || lost->self[id - DIF_VAR_USER];
}

bool fpid_is_kept(const struct fpid_shares *sh, unsigned id)
{
	for (unsigned i = 0; i < sh->nkept; i++)
		if (sh->kept[i] == id)
			return true;
	return false;
}

static bool is_variable_ok(const struct checking *c, unsigned op, unsigned id)
{
	if (op == DIF_OP_LDTS || op == DIF_OP_STTS)
		return fpid_is_integer(c->s, DIF_SCOPE_SELF, id) && !fpid_is_lost(c->sh->lost, id);
	return fpid_is_integer(c->s, DIF_SCOPE_THIS, id) && fpid_is_kept(c->sh, id);
}

/* A division by what is neither 0 nor -1. */
static bool divides_well(const struct checking *c, unsigned by)
{
	return c->numbers >> by & 1 && c->number[by] != 0 && c->number[by] != UINT64_MAX;
}

static bool loads_argument(const struct checking *c, uint32_t insn)
{
	unsigned index = DIF_R2(insn);

	return DIF_R1(insn) == BUILTIN_ARGS && c->numbers >> index & 1 &&
	       c->number[index] < EVENT_ARGS;
}

static void set_bit(unsigned *bits, unsigned at, bool is_set)
{
	*bits = (*bits & ~(1U << at)) | (unsigned)is_set << at;
}

/* It gives rd a value. */
static bool check_value(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	bool is_ok = true, is_text, is_chosen;

	switch (op) {
	case DIF_OP_SETX:
		c->number[rd] = c->d->ints[ix];
		break;
	case DIF_OP_SETS:
		break;
	case DIF_OP_LDGS:
		is_ok = fpid_is_text_builtin(ix) || is_builtin_ok(ix);
		break;
	case DIF_OP_LDGA:
		is_ok = loads_argument(c, insn);
		break;
	case DIF_OP_LDTS:
	case DIF_OP_LDLS:
		is_ok = is_variable_ok(c, op, ix);
		break;
	default:
		is_ok = fpid_insns[op].is_op;
	}
	is_text = op == DIF_OP_SETS || (op == DIF_OP_LDGS && fpid_is_text_builtin(ix));
	is_chosen = is_text || (op == DIF_OP_MOV && c->now.texts >> DIF_R1(insn) & 1);
	set_bit(&c->texts, rd, is_text);
	set_bit(&c->now.texts, rd, is_chosen);
	set_bit(&c->now.mixed, rd, false);
	set_bit(&c->numbers, rd, op == DIF_OP_SETX);
	return is_ok;
}

static bool check_comparison_of_texts(struct checking *c, uint32_t insn)
{
	unsigned both = 1U << DIF_R1(insn) | 1U << DIF_R2(insn);
	bool is_ok = (c->texts & both) == both;

	c->texts &= ~both; /* the result takes their place */
	c->now.texts &= ~both;
	c->numbers &= ~both;
	return is_ok;
}

static bool check_insn(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn);
	const struct fpid_insn *how = &fpid_insns[op];
	bool compared = c->compared, is_branch = insn_class[op] & INSN_BRANCH;

	c->compared = op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP ||
		      (is_branch && compared);
	c->falls = op != DIF_OP_BA && op != DIF_OP_RET;
	if (is_branch) {
		join(&c->at[DIF_GETLABEL(insn)], &c->now);
		return op == DIF_OP_BA || compared;
	}
	if (op == DIF_OP_SCMP)
		return check_comparison_of_texts(c, insn);
	if (fpid_reads(insn) & c->now.mixed)
		return false;
	if (op == DIF_OP_RET)
		return (c->now.texts >> DIF_RD(insn) & 1) == c->is_text;
	if (op != DIF_OP_MOV && fpid_reads(insn) & c->now.texts)
		return false;
	if (op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_NOP)
		return true;
	if (how->divides && !divides_well(c, DIF_R2(insn)))
		return false;
	if (op == DIF_OP_STTS || op == DIF_OP_STLS)
		return is_variable_ok(c, op, DIF_GETINDEX(insn));
	return check_value(c, insn);
}

/* Ways meet: what is known of constants is known on all of them or forgotten. */
static void meet(struct checking *c, unsigned insn)
{
	if (c->falls)
		join(&c->at[insn], &c->now);
	c->now = c->at[insn];
	c->texts = c->numbers = 0;
	c->compared = false;
}

static bool can_compute(const struct fpid_shares *sh, const struct difo *d, bool is_text)
{
	struct checking c = {.sh = sh, .s = sh->session, .d = d, .is_text = is_text, .falls = true};

	if (d->ninsns > INSNS_MAX || d->nregs > REGS_MAX)
		return false;
	for (unsigned i = 0; i < d->ninsns; i++) {
		if (fpid_ways_to(d, i))
			meet(&c, i);
		if (!check_insn(&c, d->text[i]))
			return false;
	}
	return true;
}

bool fpid_can_compute(const struct fpid_shares *sh, const struct difo *d)
{
	return can_compute(sh, d, false);
}

bool fpid_can_choose(const struct fpid_shares *sh, const struct difo *d)
{
	return can_compute(sh, d, true);
}

static const char *text_of(unsigned id, const struct probe *p, const struct taskinfo *task)
{
	switch (id) {
	case BUILTIN_EXECNAME:
		return task->comm;
	case BUILTIN_PROBEPROV:
		return p->prov;
	case BUILTIN_PROBEMOD:
		return p->mod;
	case BUILTIN_PROBEFUNC:
		return p->func;
	case BUILTIN_PROBENAME:
		return p->name;
	default:
		return NULL;
	}
}

const char *fpid_chosen_text(const struct difo *d, uint64_t chosen, const struct probe *p,
			     const struct taskinfo *task)
{
	if (d && chosen < d->strslen)
		return d->strs + chosen;
	return chosen > UINT32_MAX ? NULL : text_of((unsigned)(UINT32_MAX - chosen), p, task);
}
