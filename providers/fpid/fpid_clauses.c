#include "providers/fpid/fpid_clauses.h"

#include "dlang/offload/capture.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/group.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vm.h"
#include "providers/fpid/fpid_compute.h"
#include "providers/fpid/fpid_memory.h"
#include "symbols/dwarf/types.h"

/* ---- what a clause does ---- */

static bool has_op(const struct difo *d, unsigned op, unsigned id)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == op && DIF_GETINDEX(d->text[i]) == id)
			return true;
	return false;
}

static bool reads_builtin(const struct difo *d, unsigned id)
{
	return has_op(d, DIF_OP_LDGS, id);
}

bool fpid_reads_clock(const struct difo *d)
{
	return reads_builtin(d, BUILTIN_TIMESTAMP) || reads_builtin(d, BUILTIN_WALLTIMESTAMP) ||
	       reads_builtin(d, BUILTIN_VTIMESTAMP);
}

struct using
{
	unsigned id;
	bool found;
};

static void look_for_builtin(void *arg, const struct difo *d)
{
	struct using *u = arg;

	u->found |= reads_builtin(d, u->id);
}

bool fpid_clause_reads_builtin(const struct clause *c, unsigned id)
{
	struct using u = {.id = id};

	clause_each_difo(c, look_for_builtin, &u);
	return u.found;
}

bool fpid_clause_reads_time(const struct clause *c)
{
	return fpid_clause_reads_builtin(c, BUILTIN_TIMESTAMP) ||
	       fpid_clause_reads_builtin(c, BUILTIN_WALLTIMESTAMP);
}

bool fpid_clause_reads_clock(const struct clause *c)
{
	return fpid_clause_reads_time(c) || fpid_clause_reads_builtin(c, BUILTIN_VTIMESTAMP);
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

/* A number, or an address whose name is looked up when it is printed. */
static bool is_word_key(const struct action *act)
{
	switch (act->rec.kind) {
	case REC_INT:
	case REC_SYM:
	case REC_MOD:
	case REC_USYM:
	case REC_UMOD:
	case REC_UADDR:
		return true;
	default:
		return false;
	}
}

/* The address of a text: it is read when all else has been computed. */
bool fpid_is_text_there(const struct fpid_shares *sh, const struct action *act)
{
	return act->rec.kind == REC_STRING && fpid_reads_memory(act->difo) &&
	       act->rec.size - 1 <= FPID_TEXT_MAX &&
	       fpid_can_compute(sh, act->difo,
				fpid_returns_copy(act->difo) ? FPID_COPY : FPID_NUMBER);
}

static bool key_can_run(const struct fpid_shares *sh, const struct action *act)
{
	if (act->rec.kind == REC_USTACK && act->difo)
		return false; /* the stack of a number is the engine's */
	if (act->rec.kind == REC_USTACK)
		return act->rec.arg - 2 <= FPID_FRAMES_MAX - 2;
	if (act->rec.kind == REC_STRING)
		return fpid_can_compute(sh, act->difo, FPID_TEXT) || fpid_is_text_there(sh, act);
	return is_word_key(act) && fpid_can_compute(sh, act->difo, FPID_NUMBER);
}

bool fpid_statement_can_run(const struct fpid_shares *sh, const struct stmt *st)
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
			if (nkeys++ == HOOK_KEYS_MAX || !key_can_run(sh, act))
				return false;
			continue;
		case ACT_AGG:
			if (act->incr || !fpid_agg_func(st->aggs[0]->func, &func))
				return false;
			break;
		default:
			return false;
		}
		if (act->difo &&
		    !fpid_can_compute(sh, act->difo,
				      act->kind == ACT_EXPR ? FPID_UNUSED : FPID_NUMBER))
			return false;
	}
	return true;
}

static bool is_all(const struct fpid_shares *sh, const struct clause *c)
{
	if (c->has_record || c->is_error)
		return false;
	if (c->pred && !fpid_can_compute(sh, c->pred, FPID_NUMBER))
		return false;
	for (unsigned i = 0; i < c->nstmts; i++)
		if (!fpid_statement_can_run(sh, &c->stmts[i]))
			return false;
	return fpid_may_stop(c);
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

		if ((op == DIF_OP_LDLS || op == DIF_OP_STLS) && !fpid_is_kept(sh, id) &&
		    fpid_is_integer(sh->session, DIF_SCOPE_THIS, id) &&
		    sh->nkept < ARRAY_SIZE(sh->kept))
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

	if (fpid_can_compute(l->sh, d, FPID_UNUSED))
		return;
	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STLS)
			leave_this(l, DIF_GETINDEX(d->text[i]));
}

static void drop_unknown(struct fpid_shares *sh)
{
	struct looking l = {.sh = sh};

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
	return assigns(d) && !fpid_can_stop(d) && fpid_can_compute(sh, d, FPID_NUMBER);
}

struct carrying {
	const struct fpid_shares *sh;
	struct fpid_carried *carried;
	const struct clause *clause;
	bool is_full;
	bool is_shared; /* it uses a this-> variable that others use, too, and that is not kept */
	bool assigns_self;
	bool may_fault; /* here */
	bool is_random; /* what it does, but for its predicate */
};

static void carry(struct carrying *ca, enum dif_scope scope, unsigned id)
{
	struct fpid_carried *c = ca->carried;

	for (unsigned i = 0; i < c->n; i++)
		if (c->vars[i].scope == scope && c->vars[i].id == id)
			return;
	ca->is_full |= c->n + fpid_carried_clocks(c) == FPID_CARRIED_MAX;
	if (ca->is_full)
		return;
	c->vars[c->n].scope = scope;
	c->vars[c->n++].id = (uint16_t)id;
}

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

static void carry_insn(struct carrying *ca, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn), id = DIF_GETINDEX(insn);

	if (fpid_is_text_variable(d, insn))
		return;
	if (op == DIF_OP_LDTS || op == DIF_OP_STTS) {
		if (!fpid_is_lost(ca->sh->lost, id))
			carry(ca, DIF_SCOPE_SELF, id); /* or else it stays here */
		ca->assigns_self |= op == DIF_OP_STTS && !fpid_is_lost(ca->sh->lost, id);
	} else if (op == DIF_OP_LDLS || op == DIF_OP_STLS) {
		if (!fpid_is_kept(ca->sh, id))
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
		return !fpid_is_integer(s, DIF_SCOPE_SELF, id);
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return !fpid_is_integer(s, DIF_SCOPE_THIS, id);
	default:
		return true;
	}
}

static bool may_fault(const struct fpid_shares *sh, const struct difo *d)
{
	if (!d->can_fault || (!fpid_can_stop(d) && fpid_can_compute(sh, d, FPID_NUMBER)))
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
	ca->is_random |= d != ca->clause->pred && fpid_is_random(d);
	for (unsigned i = 0; i < d->ninsns; i++)
		carry_insn(ca, d, d->text[i]);
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

static struct fpid_carried clocks_of(const struct clause *c)
{
	return (struct fpid_carried){.has_time = fpid_clause_reads_time(c),
				     .has_vtime = fpid_clause_reads_builtin(c, BUILTIN_VTIMESTAMP)};
}

static void look_for_strtok(void *arg, const struct difo *d)
{
	*(bool *)arg |= has_op(d, DIF_OP_CALL, SUBR_STRTOK);
}

/* Where strtok() is in a text is what clauses of a firing share: they are one record. */
static bool goes_on_in_a_text(const struct fpid_shares *sh, const struct clause *c)
{
	unsigned n = 0;
	bool here = false;

	clause_each_difo(c, look_for_strtok, &here);
	for (unsigned i = 0; i < sh->n && here; i++) {
		bool found = false;

		clause_each_difo(sh->clauses[i], look_for_strtok, &found);
		n += found;
	}
	return n > 1;
}

/* A fault would end it before what comes later is assigned; the target would assign it. */
static bool decides(const struct fpid_shares *sh, const struct clause *c,
		    struct fpid_carried *carried)
{
	struct carrying ca = {.sh = sh, .carried = carried, .clause = c};

	*carried = clocks_of(c);
	if (c->is_error || goes_on_in_a_text(sh, c) ||
	    (c->pred && !fpid_can_compute(sh, c->pred, FPID_NUMBER)))
		return false;
	clause_each_difo(c, carry_difo, &ca);
	ca.may_fault |= acts_on_the_thread(c);
	if (fpid_can_stop(c->pred) &&
	    (c->split || fpid_assigns(c->pred) || fpid_is_random(c->pred)))
		return false;
	return !ca.is_full && !ca.is_shared && !ca.is_random &&
	       !(ca.may_fault && (c->split || ca.assigns_self));
}

struct unkept {
	const struct fpid_shares *sh;
	fpid_lose_fn *lose;
	void *arg;
};

static void lose_unkept(void *arg, const struct difo *d)
{
	const struct unkept *u = arg;

	if (!fpid_can_stop(d) && fpid_can_compute(u->sh, d, FPID_UNUSED))
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

static bool is_return(const struct probe *p)
{
	const struct pid_probe *pr = p->arg;

	return pr->kind == PID_RETURN;
}

bool fpid_is_shared(const struct fpid_shares *sh, const struct probe *p)
{
	unsigned i = 0;

	if (sh->session != p->session || sh->is_return != is_return(p))
		return false;

	for (const struct ecb *e = p->ecbs; e; e = e->next, i++)
		if (i >= sh->n || sh->clauses[i] != e->clause)
			return false;
	return i && i == sh->n;
}

static bool clause_can_stop(const struct clause *c)
{
	bool stops = fpid_can_stop(c->pred);

	for (unsigned i = 0; i < c->nstmts; i++)
		stops |= fpid_statement_can_stop(&c->stmts[i]);
	return stops;
}

/* What the rest of a clause needs that is left is carried as by those that decide there. */
static bool can_stop(struct fpid_shares *sh, unsigned nth, const struct capture *c)
{
	struct carrying ca = {.sh = sh, .carried = &sh->carried[nth], .clause = sh->clauses[nth]};

	if (!c)
		return false;
	*ca.carried = clocks_of(ca.clause);
	clause_each_difo(ca.clause, carry_difo, &ca);
	return !ca.is_full && !ca.is_shared;
}

/* capture: of the probe; NULL: there are no records of it. */
static void share_clause(struct fpid_shares *sh, unsigned nth, const struct capture *capture)
{
	const struct clause *c = sh->clauses[nth];
	bool all = is_all(sh, c);

	sh->stops[nth] = all && clause_can_stop(c);
	if (sh->stops[nth] && !can_stop(sh, nth, capture))
		all = sh->stops[nth] = false;
	sh->v[nth] = all				 ? FPID_ALL
		     : decides(sh, c, &sh->carried[nth]) ? FPID_DECIDES
							 : FPID_NOTHING;
}

/* What is read where nobody assigns it. */
static void leave_read(void *arg, const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns && fpid_can_stop(d); i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STLS)
			leave_this(arg, DIF_GETINDEX(d->text[i]));
}

static void share_all(struct fpid_shares *sh, const struct capture *capture)
{
	struct looking l = {.sh = sh};

	sh->nkept = 0;
	for (unsigned i = 0; i < sh->n; i++)
		clause_each_difo(sh->clauses[i], keep_this, sh);
	do {
		l.changed = false;
		drop_unknown(sh);
		for (unsigned i = 0; i < sh->n; i++)
			share_clause(sh, i, capture);
		for (unsigned i = 0; i < sh->n; i++)
			if (sh->v[i] != FPID_ALL)
				clause_each_difo(sh->clauses[i], leave_read, &l);
	} while (l.changed);
}

static void decide(struct fpid_shares *sh, const struct probe *p)
{
	struct capture c;
	bool has_capture = !probe_capture(p, &c);

	sh->is_native = false;
	share_all(sh, has_capture ? &c : NULL);
	if (has_capture)
		sh->is_native = is_worth_it(sh, &c);
	for (unsigned i = 0; i < sh->n && !sh->is_native; i++)
		if (sh->v[i] != FPID_ALL)
			return;
	sh->is_native = true;
}

void fpid_share(struct fpid_shares *sh, const struct probe *p, const struct fpid_lost *lost)
{
	*sh = (struct fpid_shares){.session = p->session, .lost = lost, .is_return = is_return(p)};
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
