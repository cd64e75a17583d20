#include "providers/fpid/fpid_compute.h"

#include "dlang/offload/group.h"
#include "dlang/offload/places.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_memory.h"

#define INSNS_MAX 128 /* of an expression */

/* clang-format off */
#define CALC(name, value) [DIF_OP_##name] = {.is_op = true, .op = NATIVE_##name},
#define DIVISION(name) [DIF_OP_##name] = {.is_op = true, .divides = true, .divop = NATIVE_##name}
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
	    op == DIF_OP_STGAA || op == DIF_OP_RET || op == DIF_OP_PUSHTV || op == DIF_OP_PUSHTR)
		return 1U << DIF_RD(insn);
	if (insn_loads[op].size)
		return 1U << DIF_R1(insn);
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

/* What registers hold but numbers. */
enum held {
	HELD_TEXT,    /* one of some texts; id: enum text_of */
	HELD_COUNTER, /* a global variable that is only added to: what was added to it, and shifted
		       * left by so many bits, as to cut it off */
	HELD_COPY,    /* `id` bytes of memory, that was copied, from byte `off` on */
	HELD_UNREAD,  /* a text, which is made when it is known for what */
	NHELD
};

/* By what number. */
enum text_of {
	TEXT_CHOSEN,  /* that of a constant, or of an entry of the thread's */
	TEXT_VARIABLE /* that of an entry, or NULL */
};

/*
 * By their bits. What is mixed must not be read: it is not the same on all ways that lead here, or
 * a counter that was stored since.
 */
struct holding {
	bool is_reached;
	unsigned is[NHELD], mixed;
	uint16_t id[FPID_REGS], off[FPID_REGS];
};

static unsigned held(const struct holding *h)
{
	unsigned all = 0;

	for (unsigned i = 0; i < NHELD; i++)
		all |= h->is[i];
	return all;
}

/* What is known of registers while instructions are checked in order. */
struct checking {
	const struct fpid_shares *sh; /* NULL: all variables are kept */
	const struct session *s;
	const struct difo *d;
	enum fpid_result result;
	struct fpid_constants known;
	struct holding now, at[INSNS_MAX];
	bool falls;	       /* the instruction before leads to the next one */
	bool compared;	       /* it compares, or branches by what was compared */
	bool stored;	       /* something was assigned: what comes must be there */
	bool sees_others;      /* it reads what others may have changed when a fault is told */
	unsigned unread;       /* texts that were not made yet, by the bits of their pushes */
	unsigned npushed_keys; /* that elements can be found by */
	/* Texts that were not made yet, and are kept in variables: x[copyinstr(arg0)]++. */
	uint16_t kept[HOOK_TUPLE_KEYS];
	unsigned nkept;
	unsigned nwords, ntexts, nsteps; /* of all that are in the making */
	unsigned insn;			 /* the number of the instruction */
};

static void join(struct holding *h, const struct holding *way)
{
	if (!h->is_reached) {
		*h = *way;
		h->is_reached = true;
		return;
	}
	h->mixed |= way->mixed;
	for (unsigned i = 0; i < NHELD; i++) {
		h->mixed |= h->is[i] ^ way->is[i];
		h->is[i] &= way->is[i];
	}
	for (unsigned r = 0; r < FPID_REGS; r++)
		if (held(h) >> r & 1 && (h->id[r] != way->id[r] || h->off[r] != way->off[r]))
			h->mixed |= 1U << r;
}

bool fpid_is_kept(const struct fpid_shares *sh, unsigned id)
{
	for (unsigned i = 0; i < sh->nkept; i++)
		if (sh->kept[i] == id)
			return true;
	return false;
}

/* A global that only clauses use that run in targets. */
static bool is_kept_global(const struct checking *c, unsigned id)
{
	return id >= DIF_VAR_USER && fpid_is_integer(c->s, DIF_SCOPE_GLOBAL, id) &&
	       !fpid_is_lost_global(c->sh->lost, id);
}

/* It is only added to. */
static bool is_counter(const struct checking *c, unsigned id)
{
	return is_kept_global(c, id) && !fpid_is_word(c->sh->lost, id);
}

static bool is_word(const struct checking *c, unsigned id)
{
	return is_kept_global(c, id) && fpid_is_word(c->sh->lost, id);
}

/* Are all keys that have been pushed numbers, texts that are known, or read now? had_stored: before
 * this instruction. */
static bool are_keys(const struct checking *c, const struct varslot *slot, bool had_stored)
{
	return c->npushed_keys == slot->nkeys && c->known.npushed == slot->nkeys &&
	       !(c->unread && had_stored);
}

/* self->x[keys], an integer, by keys that are known beforehand, or by such as are found by them. */
static bool is_element_ok(const struct checking *c, unsigned id, bool had_stored)
{
	const struct varslot *slot = vars_slot(c->s->engine->vars, DIF_SCOPE_SELF, id);
	bool is_keyed = fpid_is_keyed(c->sh->lost, id);

	return slot && slot->is_array && !slot->is_byref && slot->size <= sizeof(uint64_t) &&
	       !fpid_is_lost(c->sh->lost, id) &&
	       (is_keyed ? are_keys(c, slot, had_stored) : c->known.key.is_known);
}

/* x[keys] of all threads, an integer. */
static bool is_global_element_ok(const struct checking *c, unsigned id, bool had_stored)
{
	return fpid_is_global_array(c->sh->lost, c->s, id) &&
	       are_keys(c, vars_slot(c->s->engine->vars, DIF_SCOPE_GLOBAL, id), had_stored);
}

static bool is_text_variable(const struct checking *c, uint32_t insn)
{
	return fpid_is_text_variable(c->d, insn) &&
	       !fpid_is_lost(c->sh->lost, DIF_GETINDEX(insn)) &&
	       fpid_text_chars(c->s, NULL) <= FPID_TEXT_MAX;
}

static bool is_variable_ok(const struct checking *c, unsigned op, unsigned id)
{
	if (op == DIF_OP_LDTS || op == DIF_OP_STTS)
		return fpid_is_integer(c->s, DIF_SCOPE_SELF, id) && !fpid_is_lost(c->sh->lost, id);
	return fpid_is_integer(c->s, DIF_SCOPE_THIS, id) && fpid_is_kept(c->sh, id);
}

static bool is_general(uint64_t index)
{
	return index <= VM_UREG_RDI;
}

struct looking {
	const struct session *session;
	bool found;
};

static void look_for_others(void *arg, const struct difo *d)
{
	struct looking *l = arg;
	struct fpid_constants known;

	l->found |= d->nregs > FPID_REGS;
	fpid_constants_begin(&known, l->session, d, NULL, NULL);
	for (unsigned i = 0; i < d->ninsns && !l->found; i++) {
		uint32_t insn = d->text[i];
		unsigned index = DIF_R2(insn);

		fpid_constants_label(&known, i);
		if (DIF_OP(insn) == DIF_OP_LDGA && DIF_R1(insn) == BUILTIN_UREGS)
			l->found =
				!(known.numbers >> index & 1) || !is_general(known.number[index]);
		fpid_constants_insn(&known, insn);
	}
}

bool fpid_reads_general(const struct probe *p)
{
	struct looking others = {.session = p->session};

	for (const struct ecb *e = p->ecbs; e; e = e->next)
		clause_each_difo(e->clause, look_for_others, &others);
	return !others.found;
}

/* Of args[], or of uregs[], by a number that is known. */
static bool loads_known(const struct checking *c, uint32_t insn)
{
	uint64_t index = c->known.number[DIF_R2(insn)];

	if (!(c->known.numbers >> DIF_R2(insn) & 1))
		return false;
	if (DIF_R1(insn) == BUILTIN_ARGS)
		return index < EVENT_ARGS;
	return DIF_R1(insn) == BUILTIN_UREGS &&
	       (is_general(index) ||
		(!c->sh->is_return && (index == VM_UREG_PC || index == VM_UREG_SP)));
}

/* A register has a value. kind: NHELD: it is a number. */
static void hold(struct checking *c, unsigned reg, enum held kind, unsigned id, unsigned off)
{
	for (unsigned i = 0; i < NHELD; i++)
		c->now.is[i] &= ~(1U << reg);
	c->now.mixed &= ~(1U << reg);
	if (kind < NHELD)
		c->now.is[kind] |= 1U << reg;
	c->now.id[reg] = (uint16_t)id;
	c->now.off[reg] = (uint16_t)off;
}

/* It gives rd a value. */
static bool check_value(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	bool is_ok = true, is_text, is_chosen, counts = op == DIF_OP_LDGS && is_counter(c, ix);
	unsigned id = counts ? ix : 0;

	if (op == DIF_OP_LDTS && is_text_variable(c, insn)) {
		hold(c, rd, HELD_TEXT, TEXT_VARIABLE, 0);
		return true;
	}
	is_text = op == DIF_OP_SETS || (op == DIF_OP_LDGS && fpid_is_text_builtin(ix));
	is_chosen = is_text || (op == DIF_OP_MOV && c->now.is[HELD_TEXT] >> DIF_R1(insn) & 1);

	switch (op) {
	case DIF_OP_SETX:
	case DIF_OP_SETS:
		break;
	case DIF_OP_LDGS:
		is_ok = counts || is_word(c, ix) || fpid_is_text_builtin(ix) ||
			place_has_builtin(PLACE_TARGET, ix);
		break;
	case DIF_OP_LDGA:
		is_ok = loads_known(c, insn);
		break;
	case DIF_OP_LDTAA:
		is_ok = is_element_ok(c, ix, c->stored);
		break;
	case DIF_OP_LDGAA:
		is_ok = is_global_element_ok(c, ix, c->stored);
		break;
	case DIF_OP_LDTS:
	case DIF_OP_LDLS:
		is_ok = is_variable_ok(c, op, ix);
		break;
	default:
		is_ok = fpid_insns[op].is_op;
	}
	if (op == DIF_OP_MOV && is_chosen)
		id = c->now.id[DIF_R1(insn)];
	hold(c, rd, is_chosen ? HELD_TEXT : counts ? HELD_COUNTER : NHELD, id, 0);
	return is_ok;
}

static bool holds_counter(const struct checking *c, unsigned reg, unsigned shift)
{
	return c->now.is[HELD_COUNTER] >> reg & 1 && c->now.off[reg] == shift;
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
		if (c->now.is[HELD_COUNTER] >> r & 1 && c->now.id[r] == id)
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
	if (op == DIF_OP_ADD && !(c->now.is[HELD_COUNTER] >> from & 1))
		from = DIF_R2(insn);
	if (op == DIF_OP_SLL || op == DIF_OP_SRL || op == DIF_OP_SRA)
		is_ok = (held(&c->now) & both) == 1U << from && check_cut(c, insn, &shift);
	else if (op == DIF_OP_ADD || op == DIF_OP_SUB)
		is_ok = (held(&c->now) & both) == 1U << from && holds_counter(c, from, 0);
	else
		is_ok = op == DIF_OP_MOV && holds_counter(c, from, 0);
	hold(c, rd, HELD_COUNTER, c->now.id[from], shift);
	return is_ok;
}

/* ---- memory ---- */

/* A text that lies at an address. */
static bool is_memory(const struct checking *c, unsigned reg)
{
	unsigned is = 1U << reg;

	if (!reg || c->now.mixed & is || c->stored)
		return false;
	return c->now.is[HELD_UNREAD] & is ||
	       (!(held(&c->now) & is) && fpid_text_chars(c->s, NULL) <= FPID_TEXT_MAX);
}

/* One more step: for a text that is put on the stack (struct hook_step), made of a word. */
static bool add_step(struct checking *c, bool is_text, bool is_word)
{
	c->nsteps++;
	c->ntexts += is_text;
	c->nwords += is_word;
	return c->nsteps <= HOOK_STEPS && c->ntexts <= HOOK_TEXTS && c->nwords <= FPID_TEXT_WORDS;
}

/* As settle() of fpid_codetext.c. */
static void settle(struct checking *c)
{
	if (!c->now.is[HELD_UNREAD] && !c->unread && !c->nkept)
		c->nwords = c->ntexts = c->nsteps = 0;
}

/* What a register stands for, when it is read. */
static bool add_reg(struct checking *c, unsigned reg)
{
	return c->now.is[HELD_UNREAD] >> reg & 1 || add_step(c, true, !(c->known.texts >> reg & 1));
}

/* Two texts, each of which is known or lies at an address. */
static bool compares_texts(const struct checking *c, unsigned a, unsigned b)
{
	return (c->known.texts >> a & 1 || is_memory(c, a)) &&
	       (c->known.texts >> b & 1 || is_memory(c, b));
}

static bool is_null(const struct checking *c, unsigned reg)
{
	return c->known.numbers >> reg & 1 && !c->known.number[reg];
}

static bool holds_variable(const struct checking *c, unsigned reg)
{
	return c->now.is[HELD_TEXT] & ~c->now.mixed & 1U << reg && c->now.id[reg] == TEXT_VARIABLE;
}

/* The result takes their places. */
static bool check_comparison_of_texts(struct checking *c, uint32_t insn)
{
	unsigned a = DIF_R1(insn), b = DIF_R2(insn);
	bool is_ok = (is_null(c, a) && holds_variable(c, b)) ||
		     (is_null(c, b) && holds_variable(c, a)) ||
		     (compares_texts(c, a, b) && add_reg(c, a) && add_reg(c, b));

	hold(c, a, NHELD, 0, 0);
	hold(c, b, NHELD, 0, 0);
	settle(c);
	return is_ok;
}

/* From an address, or from what was copied, within it. */
static bool check_load(struct checking *c, uint32_t insn)
{
	unsigned from = DIF_R1(insn), is = 1U << from, size = insn_loads[DIF_OP(insn)].size;
	bool is_ok = c->now.is[HELD_COPY] & is ? c->now.off[from] + size <= c->now.id[from]
					       : !(held(&c->now) & is);

	hold(c, DIF_RD(insn), NHELD, 0, 0);
	return is_ok && !c->stored;
}

/* What was copied is at another place of it, by a number that is known. */
static bool check_copied(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), from = DIF_R1(insn), by = DIF_R2(insn);
	uint64_t off;

	if (op == DIF_OP_MOV) {
		hold(c, DIF_RD(insn), HELD_COPY, c->now.id[from], c->now.off[from]);
		return true;
	}
	if (op == DIF_OP_ADD && c->known.numbers >> from & 1) {
		by = from;
		from = DIF_R2(insn);
	}
	if (op != DIF_OP_ADD || !(c->known.numbers >> by & 1) || held(&c->now) >> by & 1)
		return false;
	off = c->now.off[from] + c->known.number[by];
	hold(c, DIF_RD(insn), HELD_COPY, c->now.id[from], (unsigned)off);
	return c->known.number[by] <= FPID_COPY_MAX && off <= c->now.id[from];
}

static bool check_copyin(struct checking *c, unsigned rd)
{
	uint64_t size = c->known.pushed[1];

	hold(c, rd, HELD_COPY, (unsigned)size, 0);
	return c->known.npushed == 2 && c->known.pushed_number[1] && size && size <= FPID_COPY_MAX;
}

/* A text that is read at once becomes a number; which is what is wanted, or it is not. */
static bool hold_text(struct checking *c, unsigned rd)
{
	bool is_read = fpid_text_is_read(c->d, c->insn);

	hold(c, rd, is_read ? HELD_UNREAD : HELD_TEXT, 0, 0);
	return is_read || c->result == FPID_TEXT;
}

/* One that has a number, is known, or NULL. */
static bool check_assigned_text(const struct checking *c, uint32_t insn, bool had_stored)
{
	unsigned reg = DIF_RD(insn), is = 1U << reg;
	bool is_known = c->known.texts & is, is_there = c->now.is[HELD_TEXT] & is;

	if (c->now.mixed & is || c->result != FPID_UNUSED || !is_text_variable(c, insn))
		return false;
	if (is_known)
		return !had_stored; /* there may be no room for it */
	return is_null(c, reg) || (is_there && c->now.id[reg] != TEXT_CHOSEN);
}

static bool check_copyinstr(struct checking *c, unsigned rd)
{
	return hold_text(c, rd) && fpid_text_chars(c->s, &c->known) <= FPID_TEXT_MAX &&
	       add_step(c, true, true);
}

/* Texts that are there, and numbers that are known behind them: the last one may be a base. */
static bool are_arguments(const struct checking *c, const struct fpid_textop *how)
{
	const struct fpid_constants *k = &c->known;
	unsigned first = how->ntexts + how->nwords;

	for (unsigned i = 0; i < how->ntexts; i++)
		if (!(c->unread >> i & 1) && !k->pushed_text[i])
			return false;
	for (unsigned i = first; i < k->npushed; i++)
		if (i >= FPID_PUSHED || !k->pushed_number[i])
			return false;
	return !how->has_base || k->npushed == first ||
	       ((int32_t)k->pushed[first] >= 2 && (int32_t)k->pushed[first] <= 36);
}

static bool check_text_call(struct checking *c, const struct fpid_textop *how, unsigned rd)
{
	bool is_ok = are_arguments(c, how);

	if (how->is_number) {
		hold(c, rd, NHELD, 0, 0);
		return is_ok;
	}
	if (how->op == HOOK_TEXT_STRJOIN || how->op == HOOK_TEXT_NUMBER)
		is_ok &= fpid_text_chars(c->s, NULL) <= FPID_TEXT_MAX;
	return hold_text(c, rd) && is_ok && add_step(c, how->nwords, how->nwords);
}

static bool check_call(struct checking *c, uint32_t insn)
{
	const struct fpid_textop *how = fpid_textop(insn);
	unsigned rd = DIF_RD(insn);

	if (fpid_numop(insn)) {
		hold(c, rd, NHELD, 0, 0);
		return true;
	}
	if (c->stored)
		return false;
	if (how)
		return check_text_call(c, how, rd);
	if (DIF_GETINDEX(insn) == SUBR_COPYIN)
		return check_copyin(c, rd);
	return DIF_GETINDEX(insn) == SUBR_COPYINSTR && check_copyinstr(c, rd);
}

/* It is read when what it is pushed for is; its register is not any more. */
static bool push_text(struct checking *c, unsigned reg, unsigned nth)
{
	bool is_unread = c->now.is[HELD_UNREAD] & ~c->now.mixed & 1U << reg;

	if (c->known.texts >> reg & 1)
		return add_step(c, true, false);
	if (!is_memory(c, reg))
		return true; /* who reads it will say no */
	c->unread |= 1U << nth;
	c->npushed_keys += is_unread;
	c->now.is[HELD_UNREAD] &= ~(1U << reg);
	c->now.mixed |= (unsigned)is_unread << reg;
	return is_unread || add_step(c, true, true);
}

/* Keys of an element: what is known of them decides (is_element_ok()). */
static bool check_push(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), reg = DIF_RD(insn), is = 1U << reg, nth = c->known.npushed;
	bool is_number = !((held(&c->now) | c->now.mixed) & is);

	if (op == DIF_OP_FLUSHTS) {
		c->unread = c->npushed_keys = 0;
		settle(c);
		return true;
	}
	if (fpid_pushes_word(c->d, c->insn))
		return is_number;
	c->npushed_keys += op == DIF_OP_PUSHTV
				   ? is_number
				   : DIF_R1(insn) == DIF_PUSH_STRING && (c->known.texts & is) != 0;
	return nth >= HOOK_TUPLE_KEYS || !fpid_push_is_read(c->d, c->insn) ||
	       push_text(c, reg, nth);
}

/* In a variable of the compiler's own. */
static bool keep_text(struct checking *c, uint32_t insn)
{
	unsigned reg = DIF_RD(insn), id = DIF_GETINDEX(insn);

	if (!fpid_is_hidden(c->d, insn) || !is_variable_ok(c, DIF_OP_STLS, id) ||
	    c->nkept == ARRAY_SIZE(c->kept) || c->now.mixed >> reg & 1)
		return false;
	c->kept[c->nkept++] = (uint16_t)id;
	return true;
}

/* False: what is loaded is no such text. */
static bool load_kept(struct checking *c, uint32_t insn)
{
	for (unsigned i = 0; i < c->nkept; i++)
		if (c->kept[i] == DIF_GETINDEX(insn)) {
			hold(c, DIF_RD(insn), HELD_UNREAD, 0, 0);
			return true;
		}
	return false;
}

static bool is_push(unsigned op)
{
	return op == DIF_OP_FLUSHTS || op == DIF_OP_PUSHTR || op == DIF_OP_PUSHTV;
}

static bool check_insn(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn);
	const struct fpid_insn *how = &fpid_insns[op];
	bool compared = c->compared, is_branch = insn_class[op] & INSN_BRANCH, had_stored;

	c->compared = op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP ||
		      (is_branch && compared);
	c->falls = op != DIF_OP_BA && op != DIF_OP_RET;
	if (is_branch) {
		join(&c->at[DIF_GETLABEL(insn)], &c->now);
		return op == DIF_OP_BA || compared;
	}
	if (op == DIF_OP_SCMP)
		return check_comparison_of_texts(c, insn);
	if (is_push(op))
		return check_push(c, insn);
	if (op == DIF_OP_CALL)
		return check_call(c, insn);
	if (op == DIF_OP_RET && c->result == FPID_UNUSED)
		return true;
	if (op == DIF_OP_STLS && c->now.is[HELD_UNREAD] >> DIF_RD(insn) & 1)
		return keep_text(c, insn);
	if (op == DIF_OP_LDLS && load_kept(c, insn))
		return true;
	if (fpid_reads(insn) & c->now.mixed)
		return false;
	if (op == DIF_OP_RET && c->result == FPID_COPY)
		return c->now.is[HELD_COPY] >> DIF_RD(insn) & 1 && !c->now.off[DIF_RD(insn)] &&
		       c->now.id[DIF_RD(insn)] <= fpid_text_chars(c->s, NULL);
	if (op == DIF_OP_RET)
		return (held(&c->now) & fpid_reads(insn)) ==
			       (c->result == FPID_TEXT ? c->now.is[HELD_TEXT] & fpid_reads(insn)
						       : 0) &&
		       (c->now.is[HELD_TEXT] >> DIF_RD(insn) & 1) == (c->result == FPID_TEXT);
	if (op == DIF_OP_STTS && fpid_is_text_variable(c->d, insn)) {
		had_stored = c->stored;
		c->stored = true;
		return check_assigned_text(c, insn, had_stored);
	}
	had_stored = c->stored;
	c->stored |= (insn_class[op] & INSN_STORE) != 0;
	if (fpid_reads(insn) & c->now.is[HELD_COUNTER])
		return check_counting(c, insn);
	if (insn_loads[op].size)
		return check_load(c, insn);
	if (fpid_reads(insn) & c->now.is[HELD_COPY])
		return check_copied(c, insn);
	if (fpid_reads(insn) & held(&c->now) &&
	    (op != DIF_OP_MOV || !(fpid_reads(insn) & c->now.is[HELD_TEXT])))
		return false;
	if (op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_NOP)
		return true;
	if (op == DIF_OP_STGS)
		return is_word(c, DIF_GETINDEX(insn));
	if (op == DIF_OP_STTAA)
		return is_element_ok(c, DIF_GETINDEX(insn), had_stored);
	if (op == DIF_OP_STGAA)
		return is_global_element_ok(c, DIF_GETINDEX(insn), had_stored);
	if (how->divides && fpid_may_be_0(&c->known, DIF_R2(insn)) && (c->stored || c->sees_others))
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
	c->npushed_keys = 0;
}

unsigned fpid_computes(const struct fpid_shares *sh, const struct difo *d, enum fpid_result result)
{
	struct checking c = {.sh = sh, .s = sh->session, .d = d, .result = result, .falls = true};
	unsigned i = 0;

	if (fpid_is_too_long(d))
		return 0;
	c.sees_others = fpid_sees_others(d);
	fpid_constants_begin(&c.known, c.s, d, NULL, NULL);
	for (; i < d->ninsns; i++) {
		if (fpid_ways_to(d, i))
			meet(&c, i);
		fpid_constants_label(&c.known, i);
		c.insn = i;
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
