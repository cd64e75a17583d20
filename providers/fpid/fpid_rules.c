/* fpid_rules.c: which probes are claimed (fpid_claims.h). */
#include <stdlib.h>

#include "dlang/offload/capture.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/group.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"

static const struct pid_probe *fpid_probe(const struct probe *p)
{
	return p->provider == &prov_fpid ? p->arg : NULL;
}

#define REMEMBERED 4 /* probes with the same clauses follow each other, by entry and return */

struct fpid_rules {
	struct fpid_lost lost;
	_Atomic uint64_t **values; /* of counters, by number; NULL: not shared */
	unsigned nvalues;
	bool has_claims;
	bool is_ordered; /* a hit ends the run, or shows or clears what is aggregated */
	struct fpid_shares shares[REMEMBERED];
	unsigned next;
	bool *new_words; /* of lost.words: since the last round */
	unsigned nnew;
	bool changed;	   /* more is lost than was when the last round began */
	uint32_t ndecided; /* ECBs and variables that there were when all that was decided */
};

void fpid_rules_free(struct fpid_rules *rules)
{
	if (!rules)
		return;
	free(rules->lost.self);
	free(rules->lost.globals);
	free(rules->lost.words);
	free(rules->new_words);
	free(rules->lost.keyed);
	free(rules->values);
	free(rules);
}

static struct fpid_rules *rules_of(const struct session *s)
{
	struct pid_world *pw = pid_world_of(world_of(s));

	if (!pw->fpid->rules)
		pw->fpid->rules = xcalloc(1, sizeof(*pw->fpid->rules));
	return pw->fpid->rules;
}

static void forget_shares(struct fpid_rules *rules)
{
	for (unsigned i = 0; i < REMEMBERED; i++)
		rules->shares[i].n = 0;
}

bool fpid_is_lost(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER >= lost->n || lost->self[id - DIF_VAR_USER];
}

bool fpid_is_lost_global(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER >= lost->nglobals || lost->globals[id - DIF_VAR_USER];
}

bool fpid_is_word(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER < lost->nwords && lost->words[id - DIF_VAR_USER];
}

bool fpid_is_keyed(const struct fpid_lost *lost, unsigned id)
{
	return id - DIF_VAR_USER < lost->nkeyed && lost->keyed[id - DIF_VAR_USER];
}

static const struct fpid_shares *shares_of(struct fpid_rules *rules, const struct probe *p)
{
	struct fpid_shares *sh;

	for (unsigned i = 0; i < REMEMBERED; i++)
		if (fpid_is_shared(&rules->shares[i], p))
			return &rules->shares[i];
	sh = &rules->shares[rules->next++ % REMEMBERED];
	fpid_share(sh, p, &rules->lost);
	return sh;
}

static void lose(void *arg, unsigned id)
{
	struct fpid_rules *rules = arg;

	if (fpid_is_lost(&rules->lost, id))
		return;
	rules->lost.self[id - DIF_VAR_USER] = true;
	rules->changed = true;
}

/* What more is done with it than to add to it may be done with a word, unless it is a counter by
 * now: whether it may is known in the next round. */
static void lose_global(struct fpid_rules *rules, unsigned id)
{
	unsigned i = id - DIF_VAR_USER;

	if (fpid_is_lost_global(&rules->lost, id) || rules->new_words[i])
		return;
	rules->lost.globals[i] = rules->lost.words[i] || (i < rules->nvalues && rules->values[i]);
	rules->lost.words[i] = rules->new_words[i] = true;
	rules->changed = true;
}

/* Globals, and of self-> arrays and texts. */
static void lose_shared(void *arg, const struct difo *d)
{
	struct fpid_rules *rules = arg;

	for (unsigned i = 0; i < d->nvars; i++) {
		unsigned id = d->vars[i].id;

		if (d->vars[i].scope == DIF_SCOPE_SELF && id >= DIF_VAR_USER &&
		    (d->vars[i].is_array || type_is_string(d->vars[i].type)))
			lose(rules, id);
		if (d->vars[i].scope == DIF_SCOPE_GLOBAL && id >= DIF_VAR_USER)
			lose_global(rules, id);
	}
}

static void lose_self(void *arg, const struct difo *d)
{
	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].scope == DIF_SCOPE_SELF && d->vars[i].id >= DIF_VAR_USER)
			lose(arg, d->vars[i].id);
}

/* Arrays of all threads that are assigned here, where elements are copies. */
static void lose_assigned(void *arg, const struct difo *d)
{
	struct fpid_rules *rules = arg;

	for (unsigned i = 0; i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_STGAA)
			lose_global(rules, DIF_GETINDEX(d->text[i]));
}

/* Arrays and words: each process would have its own; and nobody brings elements where a clause has
 * faulted. */
static void lose_common(void *arg, const struct difo *d)
{
	struct fpid_rules *rules = arg;

	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].scope == DIF_SCOPE_GLOBAL && d->vars[i].id >= DIF_VAR_USER &&
		    (d->vars[i].is_array || fpid_is_word(&rules->lost, d->vars[i].id)))
			lose_global(rules, d->vars[i].id);
}

/* The target runs it, and does with globals nothing but add to them. */
static bool runs_there(struct fpid_rules *rules, const struct ecb *e)
{
	const struct fpid_shares *sh = shares_of(rules, e->probe);

	for (unsigned i = 0; i < sh->n; i++)
		if (sh->clauses[i] == e->clause)
			return sh->v[i] == FPID_ALL;
	return false;
}

bool fpid_finds_callers(const struct probe *p)
{
	struct capture c;

	return probe_capture(p, &c) || c.nframes > 1;
}

const char *fpid_may_differ(const struct probe *p, const struct capture *c)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (e->clause->has_exit)
			return "exit() ends the run while the thread stands still";
	if (c->nframes > 2)
		return "stacks are walked while the thread stands still";
	return c->vtime ? "vtimestamp is read while the thread stands still" : NULL;
}

static bool may_differ(const struct probe *p)
{
	struct capture c;

	return probe_capture(p, &c) || fpid_may_differ(p, &c);
}

/* What is counted, and computed, in the target goes on there. */
static bool goes_on(const struct fpid_rules *rules, const struct probe *p)
{
	return fpid_is_of_pid(p->arg) && rules->is_ordered;
}

bool fpid_is_countable(const struct probe *p)
{
	return probe_is_countable(p, CLAIM_ONE_PROCESS) && !goes_on(rules_of(p->session), p);
}

static bool probe_can_run(struct fpid_rules *rules, const struct probe *p)
{
	const struct pid_probe *pr = fpid_probe(p);

	if (!pr || !p->ecbs || (fpid_is_within(pr) && fpid_finds_callers(p)) ||
	    (fpid_is_of_pid(pr) && (rules->is_ordered || may_differ(p))) ||
	    !shares_of(rules, p)->is_native)
		return false;
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (fpid_clause_reads_clock(e->clause) &&
		    fpid_clock_unusable(pid_world_of(world_of(p->session))))
			return false;
	return true;
}

static bool has_more_processes(const struct session *s)
{
	const struct pid_proc *pp = pid_world_of(world_of(s))->procs;

	return pp && pp->next;
}

static void lose_more(struct fpid_rules *rules, struct session *s)
{
	rules->changed = rules->has_claims = false;
	if (rules->nnew)
		memset(rules->new_words, 0, rules->nnew);
	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct ecb *e = session_ecb(s, id);
		bool can_run = probe_can_run(rules, e->probe);

		if (clause_is_of_run(e->clause))
			clause_each_difo(e->clause, lose_assigned, rules);
		else if (!can_run || !runs_there(rules, e))
			clause_each_difo(e->clause, lose_shared, rules);
		if (e->clause->is_error || has_more_processes(s))
			clause_each_difo(e->clause, lose_common, rules);
		if (can_run) {
			rules->has_claims = true;
			fpid_each_unkept(shares_of(rules, e->probe), lose, rules);
		} else {
			clause_each_difo(e->clause, lose_self, rules);
		}
	}
	if (rules->changed)
		forget_shares(rules);
}

/* Of so many variables; nothing is lost yet, if there are more than there were. */
static void make_room(bool **lost, unsigned *n, unsigned nvars)
{
	if (*n == nvars)
		return;
	*n = nvars;
	*lost = xrealloc(*lost, nvars + 1);
	memset(*lost, 0, nvars + 1);
}

/* ---- arrays that are kept by their keys ---- */

struct keying {
	const struct session *session;
	bool *keyed;
};

static void key_element(void *arg, uint16_t id, const struct fpid_key *key)
{
	const struct keying *k = arg;
	const struct varslot *slot = vars_slot(k->session->engine->vars, DIF_SCOPE_SELF, id);

	if (!key->is_known && slot && fpid_can_be_keyed(k->session, slot))
		k->keyed[id - DIF_VAR_USER] = true;
}

static void key_elements(void *arg, const struct difo *d)
{
	const struct keying *k = arg;
	struct fpid_constants known;

	fpid_constants_begin(&known, k->session, d, NULL, NULL);
	fpid_each_element(&known, key_element, arg);
}

/* By all clauses, whether they have probes yet or not: it must not change when code is there. */
static void decide_keyed(struct fpid_rules *rules, const struct session *s)
{
	unsigned n = s->engine->vars->nslots[DIF_SCOPE_SELF];
	struct keying k = {.session = s};

	if (rules->lost.nkeyed == n)
		return;
	rules->lost.keyed = k.keyed = xrealloc(rules->lost.keyed, n);
	memset(k.keyed, 0, n);
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			clause_each_difo(c, key_elements, &k);
	rules->lost.nkeyed = n;
}

bool fpid_is_global_array(const struct fpid_lost *lost, const struct session *s, unsigned id)
{
	const struct varslot *slot = vars_slot(s->engine->vars, DIF_SCOPE_GLOBAL, id);

	return slot && slot->is_array && !slot->is_byref && slot->size <= sizeof(uint64_t) &&
	       !fpid_is_lost_global(lost, id) && fpid_can_be_keyed(s, slot);
}

bool fpid_keeps_global_array(const struct session *s, unsigned id)
{
	return fpid_is_global_array(&rules_of(s)->lost, s, id);
}

bool fpid_keeps_word(const struct session *s, unsigned id)
{
	const struct fpid_lost *lost = &rules_of(s)->lost;

	return fpid_is_word(lost, id) && !fpid_is_lost_global(lost, id) &&
	       fpid_is_integer(s, DIF_SCOPE_GLOBAL, id);
}

bool fpid_is_keyed_array(const struct session *s, unsigned id)
{
	return fpid_is_keyed(&rules_of(s)->lost, id);
}

/* A hit of some probe ends the run, or shows or clears what is aggregated. */
static bool is_ordered(struct session *s)
{
	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct clause *c = session_ecb(s, id)->clause;

		if ((c->has_exit || c->acts_on_aggs) && !clause_is_of_run(c))
			return true;
	}
	return false;
}

void fpid_claims_decide(struct session *s)
{
	struct fpid_rules *rules = rules_of(s);
	const unsigned *nvars = s->engine->vars->nslots;
	uint32_t n = s->necbs + nvars[DIF_SCOPE_SELF] + nvars[DIF_SCOPE_GLOBAL]; /* each grows */

	if (rules->ndecided == n)
		return;
	rules->ndecided = n;
	rules->is_ordered = is_ordered(s);
	forget_shares(rules);
	make_room(&rules->lost.self, &rules->lost.n, nvars[DIF_SCOPE_SELF]);
	make_room(&rules->lost.globals, &rules->lost.nglobals, nvars[DIF_SCOPE_GLOBAL]);
	make_room(&rules->lost.words, &rules->lost.nwords, nvars[DIF_SCOPE_GLOBAL]);
	make_room(&rules->new_words, &rules->nnew, nvars[DIF_SCOPE_GLOBAL]);
	decide_keyed(rules, s);
	do
		lose_more(rules, s);
	while (rules->changed);
}

bool fpid_is_claimed(const struct probe *p)
{
	return claims_are_allowed(p->session) && probe_can_run(rules_of(p->session), p);
}

const struct fpid_shares *fpid_shares_of(const struct probe *p)
{
	return shares_of(rules_of(p->session), p);
}

bool fpid_leaves_records(const struct probe *p)
{
	const struct fpid_shares *sh = fpid_shares_of(p);

	for (unsigned i = 0; i < sh->n; i++)
		if (sh->v[i] == FPID_DECIDES || sh->stops[i])
			return true;
	return false;
}

bool fpid_runs_there(const struct probe *p)
{
	const struct fpid_shares *sh = fpid_shares_of(p);

	for (unsigned i = 0; i < sh->n; i++)
		if (sh->v[i] != FPID_ALL)
			return false;
	return true;
}

bool fpid_wants_claims(struct session *s)
{
	return claims_are_allowed(s) && rules_of(s)->has_claims;
}

static void fetch_shared(struct session *s)
{
	for (struct pid_proc *pp = pid_world_of(world_of(s))->procs; pp; pp = pp->next)
		fpid_claims_fetch(pp);
}

void fpid_fetches_shared(struct session *s)
{
	s->engine->fetch_shared = fetch_shared;
}

_Atomic uint64_t *fpid_counter_value(struct session *s, uint16_t id)
{
	struct fpid_rules *rules = rules_of(s);
	_Atomic uint64_t **value;

	if (!rules->values) {
		rules->nvalues = s->engine->vars->nslots[DIF_SCOPE_GLOBAL];
		rules->values = xcalloc(rules->nvalues, sizeof(*rules->values));
	}
	value = &rules->values[id - DIF_VAR_USER];
	if (*value)
		return *value;
	*value = arena_alloc(s->arena, sizeof(**value));
	if (!vars_share(s->engine->vars, id, *value))
		*value = NULL;
	fpid_fetches_shared(s);
	return *value;
}
