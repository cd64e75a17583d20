#include "dlang/offload/defer.h"

#include "dlang/offload/group.h"
#include "dlang/program.h"
#include "dlang/provider.h"
#include "dlang/session_engine.h"

static bool is_frequent(const struct probe *p)
{
	return !p->is_timer && !p->provider->is_rare && p->hits != HITS_TEXT &&
	       p->provider != p->session->begin_probe->provider;
}

/* One without probes may get some, of a library that comes later. */
static bool may_be_frequent(const struct clause *c)
{
	bool found = !c->nprobes;

	for (unsigned i = 0; i < c->nprobes; i++)
		found |= is_frequent(c->probes[i]);
	return found;
}

static bool acts(const struct clause *c)
{
	bool found = c->is_destructive;

	for (unsigned i = 0; i < c->nstmts; i++)
		found |= c->stmts[i].kind == STMT_EXIT || c->stmts[i].kind == STMT_LOGDUMP;
	return found;
}

static void note_stores(void *arg, const struct difo *d)
{
	const unsigned stores = INSN_VAR | INSN_STORE;

	for (unsigned i = 0; i < d->ninsns; i++)
		*(bool *)arg |= (insn_class[DIF_OP(d->text[i])] & stores) == stores;
}

static bool may_be_gone_by(const struct clause *c)
{
	bool found = false;

	clause_each_difo(c, note_stores, &found);
	for (unsigned i = 0; i < c->nstmts; i++)
		found |= c->stmts[i].emission != NULL;
	return found;
}

bool session_defer(struct session *s)
{
	bool any = false;

	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (struct clause *c = pg->clauses; c; c = c->next) {
			c->waits = !acts(c);
			any |= !c->waits && may_be_frequent(c);
		}
	for (const struct program *pg = s->programs; any && pg; pg = pg->next)
		for (struct clause *c = pg->clauses; c; c = c->next)
			c->waits = c->waits && !may_be_gone_by(c);
	return any;
}
