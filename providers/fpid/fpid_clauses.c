#include "providers/fpid/fpid_clauses.h"

#include "dlang/offload/capture.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/group.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "symbols/dwarf/types.h"

#define INSNS_MAX 64 /* of an expression */
#define REGS_MAX  8  /* that native code has */

/* ---- instructions ---- */

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

static bool is_integer(const struct session *s, enum dif_scope scope, unsigned id)
{
	return varslot_is_number(vars_slot(s->engine->vars, scope, id));
}

static bool is_builtin_ok(unsigned id)
{
	if (id - BUILTIN_ARG0 < EVENT_ARGS)
		return true;
	switch (id) {
	case BUILTIN_TID:
	case BUILTIN_PID:
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

/* What is known of registers while instructions are checked in order. */
struct checking {
	const struct fpid_shares *sh; /* NULL: all variables are kept */
	const struct session *s;
	const struct difo *d;
	unsigned texts;	  /* registers that hold a text that is known beforehand */
	unsigned numbers; /* and those with a constant */
	uint64_t number[DIF_NREGS];
	bool compared; /* the instruction before compares, or branches by it */
};

bool fpid_is_lost(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER >= lost->n || lost->self[id - DIF_VAR_USER];
}

static bool is_kept(const struct fpid_shares *sh, unsigned id)
{
	for (unsigned i = 0; i < sh->nkept; i++)
		if (sh->kept[i] == id)
			return true;
	return false;
}

static bool is_variable_ok(const struct checking *c, unsigned op, unsigned id)
{
	if (op == DIF_OP_LDTS || op == DIF_OP_STTS)
		return is_integer(c->s, DIF_SCOPE_SELF, id) && !fpid_is_lost(c->sh->lost, id);
	return is_integer(c->s, DIF_SCOPE_THIS, id) && is_kept(c->sh, id);
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

/* It gives rd a value. */
static bool check_value(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);
	bool is_ok = true;

	switch (op) {
	case DIF_OP_SETX:
		c->number[rd] = c->d->ints[ix];
		break;
	case DIF_OP_SETS:
		break;
	case DIF_OP_LDGS:
		is_ok = ix == BUILTIN_EXECNAME || is_builtin_ok(ix);
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
	c->texts &= ~(1U << rd);
	c->numbers &= ~(1U << rd);
	c->numbers |= op == DIF_OP_SETX ? 1U << rd : 0;
	if (op == DIF_OP_SETS || (op == DIF_OP_LDGS && ix == BUILTIN_EXECNAME))
		c->texts |= 1U << rd;
	return is_ok;
}

static bool check_insn(struct checking *c, uint32_t insn)
{
	unsigned op = DIF_OP(insn);
	const struct fpid_insn *how = &fpid_insns[op];
	bool compared = c->compared, is_branch = insn_class[op] & INSN_BRANCH;

	c->compared = op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP ||
		      (is_branch && compared);
	if (is_branch)
		return op == DIF_OP_BA || compared;
	if (op == DIF_OP_SCMP) {
		unsigned both = 1U << DIF_R1(insn) | 1U << DIF_R2(insn);
		bool is_ok = (c->texts & both) == both;

		c->texts &= ~both; /* the result takes their place */
		c->numbers &= ~both;
		return is_ok;
	}
	if (fpid_reads(insn) & c->texts)
		return false;
	if (op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_NOP || op == DIF_OP_RET)
		return true;
	if (how->divides && !divides_well(c, DIF_R2(insn)))
		return false;
	if (op == DIF_OP_STTS || op == DIF_OP_STLS)
		return is_variable_ok(c, op, DIF_GETINDEX(insn));
	return check_value(c, insn);
}

static bool can_run(const struct fpid_shares *sh, const struct difo *d)
{
	struct checking c = {.sh = sh, .s = sh->session, .d = d};

	if (d->ninsns > INSNS_MAX || d->nregs > REGS_MAX)
		return false;
	for (unsigned i = 0; i < d->ninsns; i++) {
		if (fpid_ways_to(d, i)) {
			c.texts = c.numbers = 0;
			c.compared = false;
		}
		if (!check_insn(&c, d->text[i]))
			return false;
	}
	return true;
}

/* ---- what a clause does ---- */

static bool has_op(const struct difo *d, unsigned op, unsigned id)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == op && DIF_GETINDEX(d->text[i]) == id)
			return true;
	return false;
}

bool fpid_reads_clock(const struct difo *d)
{
	return has_op(d, DIF_OP_LDGS, BUILTIN_TIMESTAMP);
}

static void look_for_clock(void *arg, const struct difo *d)
{
	*(bool *)arg |= fpid_reads_clock(d);
}

bool fpid_clause_reads_clock(const struct clause *c)
{
	bool found = false;

	clause_each_difo(c, look_for_clock, &found);
	return found;
}

bool fpid_agg_func(const struct aggfunc *f, enum hook_aggfunc *out)
{
	static const struct {
		bool is_there;
		enum hook_aggfunc ours;
	} rows[AGG_NFUNCS] = {
		[AGG_COUNT] = {true, HOOK_AGG_COUNT},
		[AGG_SUM] = {true, HOOK_AGG_SUM},
		[AGG_MIN] = {true, HOOK_AGG_MIN},
		[AGG_MAX] = {true, HOOK_AGG_MAX},
		[AGG_AVG] = {true, HOOK_AGG_AVG},
		[AGG_STDDEV] = {true, HOOK_AGG_STDDEV},
		[AGG_QUANTIZE] = {true, HOOK_AGG_QUANTIZE},
		[AGG_LQUANTIZE] = {true, HOOK_AGG_LQUANTIZE},
		[AGG_LLQUANTIZE] = {true, HOOK_AGG_LLQUANTIZE},
	};

	*out = rows[f->id].ours;
	return rows[f->id].is_there;
}

static bool statement_can_run(const struct fpid_shares *sh, const struct stmt *st)
{
	enum hook_aggfunc func;
	unsigned nkeys = 0;

	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];

		switch (act->kind) {
		case ACT_EXPR:
			break;
		case ACT_AGGKEY:
			if (aggkey_is_fixed(act, CLAIM_ONE_PROCESS))
				continue;
			if (act->rec.kind != REC_INT || nkeys++ == HOOK_KEYS_MAX)
				return false;
			break;
		case ACT_AGG:
			if (act->incr || !fpid_agg_func(st->aggs[0]->func, &func))
				return false;
			break;
		default:
			return false;
		}
		if (act->difo && !can_run(sh, act->difo))
			return false;
	}
	return true;
}

static bool is_all(const struct fpid_shares *sh, const struct clause *c)
{
	if (c->has_record || c->is_error)
		return false;
	if (c->pred && !can_run(sh, c->pred))
		return false;
	for (unsigned i = 0; i < c->nstmts; i++)
		if (!statement_can_run(sh, &c->stmts[i]))
			return false;
	return true;
}

/* ---- this-> variables ---- */

struct looking {
	struct fpid_shares *sh;
	bool changed;
};

/* Those that are integers, at first. */
static void keep_this(void *arg, const struct difo *d)
{
	struct fpid_shares *sh = arg;

	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned op = DIF_OP(d->text[i]), id = DIF_GETINDEX(d->text[i]);

		if ((op == DIF_OP_LDLS || op == DIF_OP_STLS) && !is_kept(sh, id) &&
		    is_integer(sh->session, DIF_SCOPE_THIS, id) && sh->nkept < ARRAY_SIZE(sh->kept))
			sh->kept[sh->nkept++] = (uint16_t)id;
	}
}

static void leave_this(struct looking *l, unsigned id)
{
	struct fpid_shares *sh = l->sh;

	for (unsigned i = 0; i < sh->nkept; i++)
		if (sh->kept[i] == id) {
			sh->kept[i] = sh->kept[--sh->nkept];
			l->changed = true;
			return;
		}
}

/* What is assigned a value that only we can compute is not kept there. */
static void leave_unknown(void *arg, const struct difo *d)
{
	struct looking *l = arg;

	if (can_run(l->sh, d))
		return;
	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STLS)
			leave_this(l, DIF_GETINDEX(d->text[i]));
}

static void find_kept(struct fpid_shares *sh)
{
	struct looking l = {.sh = sh};

	sh->nkept = 0;
	for (unsigned i = 0; i < sh->n; i++)
		clause_each_difo(sh->clauses[i], keep_this, sh);
	do {
		l.changed = false;
		for (unsigned i = 0; i < sh->n; i++)
			clause_each_difo(sh->clauses[i], leave_unknown, &l);
	} while (l.changed);
}

/* ---- clauses that decide there, and do the rest here ---- */

static bool assigns(const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STTS || DIF_OP(d->text[i]) == DIF_OP_STLS)
			return true;
	return false;
}

bool fpid_keeps(const struct fpid_shares *sh, const struct difo *d)
{
	return assigns(d) && can_run(sh, d);
}

struct carrying {
	const struct fpid_shares *sh;
	struct fpid_carried *carried;
	const struct clause *clause;
	bool is_full;
	bool is_shared; /* it uses a this-> variable that others use, too, and that is not kept */
	bool assigns_self;
	bool may_fault; /* here */
};

static void carry(struct carrying *ca, enum dif_scope scope, unsigned id)
{
	struct fpid_carried *c = ca->carried;

	for (unsigned i = 0; i < c->n; i++)
		if (c->vars[i].scope == scope && c->vars[i].id == id)
			return;
	ca->is_full |= c->n + c->has_time == FPID_CARRIED_MAX;
	if (ca->is_full)
		return;
	c->vars[c->n].scope = scope;
	c->vars[c->n++].id = (uint16_t)id;
}

struct using
{
	unsigned id;
	bool found;
};

static void look_for_this(void *arg, const struct difo *d)
{
	struct using *u = arg;

	u->found |= has_op(d, DIF_OP_LDLS, u->id) || has_op(d, DIF_OP_STLS, u->id);
}

static bool is_used_elsewhere(const struct carrying *ca, unsigned id)
{
	struct using u = {.id = id};

	for (unsigned i = 0; i < ca->sh->n; i++)
		if (ca->sh->clauses[i] != ca->clause)
			clause_each_difo(ca->sh->clauses[i], look_for_this, &u);
	return u.found;
}

static void carry_insn(struct carrying *ca, unsigned op, unsigned id)
{
	if (op == DIF_OP_LDTS || op == DIF_OP_STTS) {
		if (!fpid_is_lost(ca->sh->lost, id))
			carry(ca, DIF_SCOPE_SELF, id); /* or else it stays here */
		ca->assigns_self |= op == DIF_OP_STTS && !fpid_is_lost(ca->sh->lost, id);
	} else if (op == DIF_OP_LDLS || op == DIF_OP_STLS) {
		if (!is_kept(ca->sh, id))
			ca->is_shared |= is_used_elsewhere(ca, id);
		else if (op == DIF_OP_LDLS)
			carry(ca, DIF_SCOPE_THIS, id);
	}
}

/* A text of ours, or of the program that we know, can be copied. */
static bool insn_may_fault(const struct session *s, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn), id = DIF_GETINDEX(insn);

	if (fpid_insns[op].is_op || insn_class[op] & INSN_BRANCH)
		return fpid_insns[op].divides;
	switch (op) {
	case DIF_OP_CMP:
	case DIF_OP_TST:
	case DIF_OP_NOP:
	case DIF_OP_RET:
	case DIF_OP_SETX:
	case DIF_OP_SETS:
		return false;
	case DIF_OP_LDGS:
		return id >= DIF_VAR_USER && type_is_byref(d->type);
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
		return !is_integer(s, DIF_SCOPE_SELF, id);
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return !is_integer(s, DIF_SCOPE_THIS, id);
	default:
		return true;
	}
}

static bool may_fault(const struct fpid_shares *sh, const struct difo *d)
{
	if (!d->can_fault || can_run(sh, d))
		return false;
	for (unsigned i = 0; i < d->ninsns; i++)
		if (insn_may_fault(sh->session, d, d->text[i]))
			return true;
	return d->is_userland;
}

static void carry_difo(void *arg, const struct difo *d)
{
	struct carrying *ca = arg;

	ca->may_fault |= may_fault(ca->sh, d);
	for (unsigned i = 0; i < d->ninsns; i++)
		carry_insn(ca, DIF_OP(d->text[i]), DIF_GETINDEX(d->text[i]));
}

static bool acts_on_the_thread(const struct clause *c)
{
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			if (c->stmts[i].acts[j].kind == ACT_PANIC ||
			    c->stmts[i].acts[j].kind == ACT_CHILL ||
			    c->stmts[i].acts[j].kind == ACT_RAISE ||
			    c->stmts[i].acts[j].kind == ACT_SPECULATE)
				return true;
	return false;
}

/* A fault would end it before what comes later is assigned; the target would assign it. */
static bool decides(const struct fpid_shares *sh, const struct clause *c,
		    struct fpid_carried *carried)
{
	struct carrying ca = {.sh = sh, .carried = carried, .clause = c};

	*carried = (struct fpid_carried){.has_time = fpid_clause_reads_clock(c)};
	if (c->is_error || (c->pred && !can_run(sh, c->pred)))
		return false;
	clause_each_difo(c, carry_difo, &ca);
	ca.may_fault |= acts_on_the_thread(c);
	return !ca.is_full && !ca.is_shared && !(ca.may_fault && (c->split || ca.assigns_self));
}

struct unkept {
	const struct fpid_shares *sh;
	fpid_lose_fn *lose;
	void *arg;
};

static void lose_unkept(void *arg, const struct difo *d)
{
	const struct unkept *u = arg;

	if (can_run(u->sh, d))
		return;
	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STTS)
			u->lose(u->arg, DIF_GETINDEX(d->text[i]));
}

void fpid_each_unkept(const struct fpid_shares *sh, fpid_lose_fn *lose, void *arg)
{
	struct unkept u = {sh, lose, arg};

	for (unsigned i = 0; i < sh->n; i++)
		if (sh->v[i] == FPID_DECIDES)
			clause_each_difo(sh->clauses[i], lose_unkept, &u);
}

/* ---- all of a probe ---- */

static bool aggregates(const struct clause *c)
{
	for (unsigned i = 0; i < c->nstmts; i++)
		if (c->stmts[i].naggs)
			return true;
	return false;
}

static void count_self(void *arg, const struct difo *d)
{
	struct looking *l = arg;

	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned op = DIF_OP(d->text[i]);

		l->changed |= (op == DIF_OP_LDTS || op == DIF_OP_STTS) &&
			      !fpid_is_lost(l->sh->lost, DIF_GETINDEX(d->text[i]));
	}
}

/*
 * Clauses that decide nothing, and share no variables, are one record for all of them. What clauses
 * aggregate there goes on when another one ends tracing, or shows an aggregation.
 */
static bool is_worth_it(struct fpid_shares *sh, const struct capture *c)
{
	struct looking self = {.sh = sh};
	unsigned ndeciding = 0, nasking = 0;
	bool there = false, shows = false;

	for (unsigned i = 0; i < sh->n; i++) {
		const struct clause *cl = sh->clauses[i];

		if (sh->v[i] == FPID_NOTHING)
			return false;
		there |= sh->v[i] == FPID_ALL && aggregates(cl);
		shows |= cl->has_exit || cl->acts_on_aggs;
		ndeciding += sh->v[i] == FPID_DECIDES;
		nasking += sh->v[i] == FPID_DECIDES && cl->pred;
		clause_each_difo(cl, count_self, &self);
	}
	return !ndeciding || (!c->regs && (nasking || self.changed) && !(there && shows));
}

bool fpid_is_shared(const struct fpid_shares *sh, const struct probe *p)
{
	unsigned i = 0;

	if (sh->session != p->session)
		return false;

	for (const struct ecb *e = p->ecbs; e; e = e->next, i++)
		if (i >= sh->n || sh->clauses[i] != e->clause)
			return false;
	return i && i == sh->n;
}

static void decide(struct fpid_shares *sh, const struct probe *p)
{
	struct capture c;

	sh->is_native = false;
	find_kept(sh);
	for (unsigned i = 0; i < sh->n; i++)
		sh->v[i] = is_all(sh, sh->clauses[i])			  ? FPID_ALL
			   : decides(sh, sh->clauses[i], &sh->carried[i]) ? FPID_DECIDES
									  : FPID_NOTHING;
	if (!probe_capture(p, &c))
		sh->is_native = is_worth_it(sh, &c);
	for (unsigned i = 0; i < sh->n && !sh->is_native; i++)
		if (sh->v[i] != FPID_ALL)
			return;
	sh->is_native = true;
}

void fpid_share(struct fpid_shares *sh, const struct probe *p, const struct fpid_lost *lost)
{
	*sh = (struct fpid_shares){.session = p->session, .lost = lost};
	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		if (sh->n == FPID_CLAUSES_MAX) {
			sh->n = 0; /* nothing is known of the next one either */
			return;
		}
		sh->clauses[sh->n++] = e->clause;
	}
	if (sh->n)
		decide(sh, p);
}
