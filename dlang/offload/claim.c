#include "dlang/offload/claim.h"

#include "dlang/offload/group.h"
#include "dlang/offload/places.h"
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

/* ---- what is told ---- */

static const char *why_nothing_is_claimed(const struct session *s)
{
	if (!opt_on(&s->options, OPT_CLAIM))
		return WHY(CLAIM_OFF);
	if (options_ask_cpus(&s->options))
		return WHY(CPUS);
	return s->is_logged ? WHY(LOGGED) : NULL;
}

static bool has_variables(const struct clause *c)
{
	struct clause_group alone = {.clauses = {c}, .n = 1};

	return !clause_group_list(&alone) || clause_group_has_variables(&alone);
}

static const char *why_uncounted(const struct ecb *e, bool is_exact, const char *otherwise)
{
	const char *why = why_nothing_is_claimed(e->probe->session);

	if (why)
		return why;
	if (e->clause->has_record)
		return WHY(RECORDS);
	if (has_variables(e->clause))
		return WHY(KEEPS);
	if (e->clause->pred && !is_exact)
		return WHY(PREDICATE);
	for (const struct ecb *other = e->probe->ecbs; other; other = other->next)
		if (other->clause->has_record)
			return WHY(OTHERS);
	return otherwise;
}

void probe_place_counted(const struct probe *p, bool is_counted, bool is_exact,
			 const char *otherwise)
{
	for (struct ecb *e = p->ecbs; e; e = e->next) {
		const char *why = is_counted ? NULL : why_uncounted(e, is_exact, otherwise);

		ecb_place(e, &(struct placement){is_counted ? RUNS_KERNEL_COUNT : RUNS_RECORDS, why,
						 why ? refusal_instead(why) : NULL,
						 why && why == WHY(OTHERS)});
	}
}
