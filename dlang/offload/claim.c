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

bool probe_actions_are_countable(const struct probe *p, enum claim_reach reach)
{
	/* a number does not say on which CPU it was counted */
	if (!opt_on(&p->session->options, OPT_CLAIM) || opt_on(&p->session->options, OPT_CPU))
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
