#include "dlang/offload/claim.h"

#include "dlang/run/aggtable.h"
#include "dlang/run/vm.h"

static bool action_only_counts(const struct stmt *st, const struct action *act,
			       enum claim_reach reach)
{
	switch (act->kind) {
	case ACT_AGGKEY:
		return aggkey_is_fixed(act, reach);
	case ACT_AGG:
		return st->aggs[0]->func->counts_calls && !act->difo && !act->incr;
	default:
		return false;
	}
}

static bool clause_only_counts(const struct clause *c, enum claim_reach reach)
{
	if (c->has_record || c->split)
		return false;
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			if (!action_only_counts(&c->stmts[i], &c->stmts[i].acts[j], reach))
				return false;
	return true;
}

/* A number does not say on which CPU it was counted, and is no event of a file. */
bool claims_are_allowed(const struct session *s)
{
	return opt_on(&s->options, OPT_CLAIM) && !options_ask_cpus(&s->options) && !s->is_logged;
}

bool probe_actions_are_countable(const struct probe *p, enum claim_reach reach)
{
	if (!claims_are_allowed(p->session))
		return false;
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (!clause_only_counts(e->clause, reach))
			return false;
	return true;
}

bool probe_is_countable(const struct probe *p, enum claim_reach reach)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (e->clause->pred)
			return false;
	return probe_actions_are_countable(p, reach);
}

/* ---- aggregations by keys ---- */

/* A name is known by the process it is of; other texts are not at hand. */
static bool key_is_operand(const struct probe *p, const struct action *act, struct operand *o)
{
	if (act->rec.kind != REC_STRING && act->rec.kind != REC_INT)
		return false;
	return operand_of(p, act->difo, o) &&
	       (act->rec.kind == REC_INT) !=
		       (o->of == OPERAND_BUILTIN && o->id == BUILTIN_EXECNAME);
}

static bool key_is_derived(const struct probe *p, const struct action *act, struct keyed *k)
{
	if (act->rec.kind != REC_STRING || k->ntexts == KEYED_MAX ||
	    !derived_of(p, act->difo, &k->texts[k->ntexts]))
		return false;
	k->ntexts++;
	return true;
}

static bool read_action(const struct probe *p, const struct action *act, struct keyed *k)
{
	switch (act->kind) {
	case ACT_AGGKEY:
		if (aggkey_is_fixed(act, CLAIM_ALL_PROCESSES) || key_is_derived(p, act, k))
			return true;
		return k->nkeys < KEYED_MAX && key_is_operand(p, act, &k->keys[k->nkeys++]);
	case ACT_AGG:
		return !act->incr && (!act->difo || operand_of(p, act->difo, &k->value));
	default:
		return false;
	}
}

static bool read_stmt(const struct ecb *e, const struct stmt *st, struct keyed *k)
{
	if (st->naggs != 1)
		return false;
	*k = (struct keyed){.ecb = e, .stmt = st, .var = st->aggs[0]};
	for (unsigned i = 0; i < st->nacts; i++)
		if (!read_action(e->probe, &st->acts[i], k))
			return false;
	return true;
}

unsigned probe_keyed(const struct probe *p, struct keyed *out, unsigned max)
{
	unsigned n = 0;

	if (!claims_are_allowed(p->session))
		return 0;
	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		if (e->clause->has_record || e->clause->split || e->clause->is_error)
			return 0;
		for (unsigned i = 0; i < e->clause->nstmts; i++)
			if (n == max || !read_stmt(e, &e->clause->stmts[i], &out[n++]))
				return 0;
	}
	return n;
}
