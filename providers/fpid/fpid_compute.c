#include "providers/fpid/fpid_compute.h"

#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

#define INSNS_MAX 64 /* of an expression */

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

unsigned fpid_reads(uint32_t insn)
{
	unsigned op = DIF_OP(insn);

	if (op == DIF_OP_STTS || op == DIF_OP_STLS || op == DIF_OP_STGS || op == DIF_OP_STTAA ||
	    op == DIF_OP_RET)
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

bool fpid_is_too_long(const struct difo *d)
{
	return d->ninsns > INSNS_MAX || d->nregs > FPID_REGS;
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

/*
 * What registers hold but numbers, by their bits: one of some texts; a counter, which is a global
 * variable that is only added to: what was added to it, and shifted left by so many bits, as to cut
 * it off; or what must not be read: it is not the same on all ways that lead here, or a counter
 * that was stored since.
 */
struct holding {
	bool is_reached;
	unsigned texts, counters, mixed;
	uint16_t id[FPID_REGS];
	uint8_t shift[FPID_REGS];
};

/* What is known of registers while instructions are checked in order. */
struct checking {
	const struct fpid_shares *sh; /* NULL: all variables are kept */
	const struct session *s;
	const struct difo *d;
	enum fpid_result result;
	struct fpid_constants known;
	struct holding now, at[INSNS_MAX];
	bool falls;    /* the instruction before leads to the next one */
	bool compared; /* it compares, or branches by what was compared */
};

static void join(struct holding *h, const struct holding *way)
{
	if (!h->is_reached) {
		*h = *way;
		h->is_reached = true;
		return;
	}
	h->mixed |= way->mixed | (h->texts ^ way->texts) | (h->counters ^ way->counters);
	h->texts &= way->texts;
	h->counters &= way->counters;
	for (unsigned r = 0; r < FPID_REGS; r++)
		if (h->counters >> r & 1 &&
		    (h->id[r] != way->id[r] || h->shift[r] != way->shift[r]))
			h->mixed |= 1U << r;
}

bool fpid_is_lost(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER >= lost->n || lost->self[id - DIF_VAR_USER];
}

bool fpid_is_lost_global(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER >= lost->nglobals || lost->globals[id - DIF_VAR_USER];
}

bool fpid_is_kept(const struct fpid_shares *sh, unsigned id)
{
	for (unsigned i = 0; i < sh->nkept; i++)
		if (sh->kept[i] == id)
			return true;
	return false;
}

/* A global that is only added to, by clauses that run in targets. */
static bool is_counter(const struct checking *c, unsigned id)
{
	return id >= DIF_VAR_USER && fpid_is_integer(c->s, DIF_SCOPE_GLOBAL, id) &&
	       !fpid_is_lost_global(c->sh->lost, id);
}

/* self->x[keys], an integer, by keys that are known beforehand. */
static bool is_element_ok(const struct checking *c, unsigned id)
{
	const struct varslot *slot = vars_slot(c->s->engine->vars, DIF_SCOPE_SELF, id);

	return c->known.key.is_known && slot && slot->is_array && !slot->is_byref &&
	       slot->size <= sizeof(uint64_t) && !fpid_is_lost(c->sh->lost, id);
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
	return c->known.numbers >> by & 1 && c->known.number[by] != 0 &&
	       c->known.number[by] != UINT64_MAX;
}

static bool loads_argument(const struct checking *c, uint32_t insn)
{
	unsigned index = DIF_R2(insn);

	return DIF_R1(insn) == BUILTIN_ARGS && c->known.numbers >> index & 1 &&
	       c->known.number[index] < EVENT_ARGS;
}

static void set_bit(unsigned *bits, unsigned at, bool is_set)
{
	*bits = (*bits & ~(1U << at)) | (unsigned)is_set << at;
}

/* It gives rd a value. */
static bool check_value(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	bool is_ok = true, is_text, is_chosen, counts = op == DIF_OP_LDGS && is_counter(c, ix);

	switch (op) {
	case DIF_OP_SETX:
	case DIF_OP_SETS:
		break;
	case DIF_OP_LDGS:
		is_ok = counts || fpid_is_text_builtin(ix) || is_builtin_ok(ix);
		break;
	case DIF_OP_LDGA:
		is_ok = loads_argument(c, insn);
		break;
	case DIF_OP_LDTAA:
		is_ok = is_element_ok(c, ix);
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
	set_bit(&c->now.texts, rd, is_chosen);
	set_bit(&c->now.mixed, rd, false);
	set_bit(&c->now.counters, rd, counts);
	c->now.id[rd] = (uint16_t)ix;
	c->now.shift[rd] = 0;
	return is_ok;
}

static bool holds_counter(const struct checking *c, unsigned reg, unsigned shift)
{
	return c->now.counters >> reg & 1 && c->now.shift[reg] == shift;
}

/* Shifted left and right again: the bits that the variable has are as they were. */
static bool check_cut(const struct checking *c, uint32_t insn, unsigned *shift)
{
	unsigned reg = DIF_R1(insn), by = DIF_R2(insn);
	const struct varslot *slot =
		vars_slot(c->s->engine->vars, DIF_SCOPE_GLOBAL, c->now.id[reg]);
	bool is_left = DIF_OP(insn) == DIF_OP_SLL;

	if (!(c->known.numbers >> by & 1) || c->known.number[by] > 64 - 8 * slot->size)
		return false;
	*shift = is_left ? (unsigned)c->known.number[by] : 0;
	return holds_counter(c, reg, is_left ? 0 : (unsigned)c->known.number[by]);
}

/* What was loaded before is of no use then: to store that would take the addition away again. */
static bool check_stored_counter(struct checking *c, unsigned reg, unsigned id)
{
	bool is_ok = holds_counter(c, reg, 0) && c->now.id[reg] == id;

	for (unsigned r = 0; r < FPID_REGS; r++)
		if (c->now.counters >> r & 1 && c->now.id[r] == id)
			c->now.mixed |= 1U << r;
	return is_ok;
}

/* An instruction that reads one: it is added to, or subtracted from, and stored again. */
static bool check_counting(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), from = DIF_R1(insn), shift = 0;
	unsigned both = 1U << DIF_R1(insn) | 1U << DIF_R2(insn);
	bool is_ok;

	if (op == DIF_OP_STGS)
		return check_stored_counter(c, rd, DIF_GETINDEX(insn));
	if (op == DIF_OP_ADD && !(c->now.counters >> from & 1))
		from = DIF_R2(insn);
	if (op == DIF_OP_SLL || op == DIF_OP_SRL || op == DIF_OP_SRA)
		is_ok = (c->now.counters & both) == 1U << from && check_cut(c, insn, &shift);
	else if (op == DIF_OP_ADD || op == DIF_OP_SUB)
		is_ok = (c->now.counters & both) == 1U << from && holds_counter(c, from, 0);
	else
		is_ok = op == DIF_OP_MOV && holds_counter(c, from, 0);
	if (op != DIF_OP_MOV && c->now.texts & both)
		is_ok = false;
	set_bit(&c->now.texts, rd, false);
	set_bit(&c->now.counters, rd, true);
	c->now.id[rd] = c->now.id[from];
	c->now.shift[rd] = (uint8_t)shift;
	return is_ok;
}

static bool check_comparison_of_texts(struct checking *c, uint32_t insn)
{
	unsigned both = 1U << DIF_R1(insn) | 1U << DIF_R2(insn);
	bool is_ok = (c->known.texts & both) == both;

	c->now.texts &= ~both; /* the result takes their place */
	return is_ok;
}

/* Keys of an element: what is known of them decides (is_element_ok()). */
static bool is_push(unsigned op)
{
	return op == DIF_OP_FLUSHTS || op == DIF_OP_PUSHTR || op == DIF_OP_PUSHTV;
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
	if (op == DIF_OP_RET && c->result == FPID_UNUSED)
		return true;
	if (fpid_reads(insn) & c->now.mixed)
		return false;
	if (op == DIF_OP_RET && fpid_reads(insn) & c->now.counters)
		return false;
	if (fpid_reads(insn) & c->now.counters)
		return check_counting(c, insn);
	if (op == DIF_OP_STGS)
		return false;
	if (op == DIF_OP_RET)
		return (c->now.texts >> DIF_RD(insn) & 1) == (c->result == FPID_TEXT);
	if (op != DIF_OP_MOV && fpid_reads(insn) & c->now.texts)
		return false;
	if (op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_NOP || is_push(op))
		return true;
	if (op == DIF_OP_STTAA)
		return is_element_ok(c, DIF_GETINDEX(insn));
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
	c->compared = false;
}

unsigned fpid_computes(const struct fpid_shares *sh, const struct difo *d, enum fpid_result result)
{
	struct checking c = {.sh = sh, .s = sh->session, .d = d, .result = result, .falls = true};
	unsigned i = 0;

	if (fpid_is_too_long(d))
		return 0;
	fpid_constants_begin(&c.known, c.s, d, NULL, NULL);
	for (; i < d->ninsns; i++) {
		if (fpid_ways_to(d, i))
			meet(&c, i);
		fpid_constants_label(&c.known, i);
		if (!check_insn(&c, d->text[i]))
			break;
		fpid_constants_insn(&c.known, d->text[i]);
	}
	return i;
}

bool fpid_can_compute(const struct fpid_shares *sh, const struct difo *d, enum fpid_result result)
{
	return fpid_computes(sh, d, result) == d->ninsns;
}
