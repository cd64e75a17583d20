#include "dlang/offload/group.h"

#include "dlang/program.h"

void clause_each_difo(const struct clause *c, clause_difo_fn *fn, void *arg)
{
	if (c->pred)
		fn(arg, c->pred);
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			const struct action *act = &c->stmts[i].acts[j];

			if (act->difo)
				fn(arg, act->difo);
			if (act->incr)
				fn(arg, act->incr);
		}
}

struct using
{
	enum dif_scope scope;
	unsigned id;
	bool found;
};

static void look_for_variable(void *arg, const struct difo *d)
{
	struct using *u = arg;

	for (unsigned i = 0; i < d->nvars; i++)
		u->found |= d->vars[i].scope == u->scope && d->vars[i].id == u->id;
}

bool clause_uses(const struct clause *c, enum dif_scope scope, unsigned id)
{
	struct using u = {.scope = scope, .id = id};

	clause_each_difo(c, look_for_variable, &u);
	return u.found;
}

bool probe_uses(const struct probe *p, enum dif_scope scope, unsigned id)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (clause_uses(e->clause, scope, id))
			return true;
	return false;
}

bool clause_group_has(const struct clause_group *g, const struct clause *c)
{
	for (unsigned i = 0; i < g->n; i++)
		if (g->clauses[i] == c)
			return true;
	return false;
}

bool clause_group_has_probe(const struct clause_group *g, const struct probe *p)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (!clause_group_has(g, e->clause))
			return false;
	return p->ecbs;
}

/* ---- variables ---- */

struct uses {
	struct clause_group *group;
	bool has_room;
	/* or: only whether one of these is used */
	bool looks, found;
	bool may_share; /* globals, which are fetched for it (vars_share()) */
};

static bool has_id(const uint16_t *ids, unsigned n, uint16_t id)
{
	for (unsigned i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static void use(struct uses *u, uint16_t *ids, unsigned *n, unsigned room, uint16_t id)
{
	bool is_there = has_id(ids, *n, id);

	if (u->looks)
		u->found |= is_there;
	else if (!is_there && *n == room)
		u->has_room = false;
	else if (!is_there)
		ids[(*n)++] = id;
}

static void see_variables(void *arg, const struct difo *d)
{
	struct uses *u = arg;
	struct clause_group *g = u->group;

	for (unsigned i = 0; i < d->nvars; i++) {
		const struct dif_var *v = &d->vars[i];

		if (v->id < DIF_VAR_USER)
			continue;
		if (v->scope == DIF_SCOPE_SELF && v->is_array)
			use(u, g->arrays, &g->narrays, GROUP_ARRAYS, v->id | GROUP_OF_SELF);
		else if (v->scope == DIF_SCOPE_SELF)
			use(u, g->self, &g->nself, GROUP_SELF, v->id);
		else if (v->scope == DIF_SCOPE_THIS)
			use(u, g->this, &g->nthis, GROUP_THIS, v->id);
		else if (v->is_array)
			use(u, g->arrays, &g->narrays, GROUP_ARRAYS, v->id);
		else if (!u->looks || !u->may_share)
			use(u, g->globals, &g->nglobals, GROUP_GLOBALS, v->id);
	}
}

bool clause_group_list(struct clause_group *g)
{
	struct uses u = {.group = g, .has_room = true};

	g->nself = g->nthis = g->narrays = g->nglobals = 0;
	for (unsigned i = 0; i < g->n; i++)
		clause_each_difo(g->clauses[i], see_variables, &u);
	return u.has_room;
}

bool clause_group_has_variables(const struct clause_group *g)
{
	return g->nself + g->nthis + g->narrays + g->nglobals;
}

bool clause_is_of_run(const struct clause *c)
{
	for (unsigned i = 0; i < c->nprobes; i++) {
		const struct probe *p = c->probes[i];

		if (strcmp(p->prov, "dtrace") != 0 &&
		    (strcmp(p->prov, "profile") != 0 || strncmp(p->name, "tick-", 5) != 0))
			return false;
	}
	return true;
}

static bool uses_variables(struct clause_group *g, const struct clause *c)
{
	struct uses u = {.group = g, .looks = true, .may_share = clause_is_of_run(c)};

	clause_each_difo(c, see_variables, &u);
	return u.found;
}

/* ---- who stays ---- */

static void drop(struct clause_group *g, unsigned at)
{
	for (unsigned i = at; i + 1 < g->n; i++)
		g->clauses[i] = g->clauses[i + 1];
	g->n--;
}

/* Each of its probes belongs to the group as well. */
static bool has_probes(const struct clause_group *g, const struct clause *c)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		if (!clause_group_has_probe(g, c->probes[i]))
			return false;
	return c->nprobes;
}

/* True: somebody had to go. */
static bool drop_mixed(struct clause_group *g)
{
	const unsigned before = g->n;

	for (unsigned i = g->n; i-- > 0;)
		if (!has_probes(g, g->clauses[i]))
			drop(g, i);
	return g->n < before;
}

/* Those that share a variable with this clause, which is no member. */
static bool drop_sharers(struct clause_group *g, const struct clause *other)
{
	struct clause_group of_one;
	const unsigned before = g->n;

	for (unsigned i = g->n; i-- > 0;) {
		of_one.clauses[0] = g->clauses[i];
		of_one.n = 1;
		if (!clause_group_list(&of_one) || uses_variables(&of_one, other))
			drop(g, i);
	}
	return g->n < before;
}

static bool drop_shared(struct clause_group *g, const struct session *s)
{
	bool has_dropped = false;

	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			if (!clause_group_has(g, c))
				has_dropped |= drop_sharers(g, c);
	return has_dropped;
}

void clause_group_find(struct clause_group *g, const struct session *s, group_fits_fn *fits,
		       void *arg)
{
	*g = (struct clause_group){0};
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			if (g->n < GROUP_CLAUSES && fits(arg, c))
				g->clauses[g->n++] = c;
	while (drop_mixed(g) || drop_shared(g, s))
		;
	if (!clause_group_list(g))
		g->n = 0;
}
