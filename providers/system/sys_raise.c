/*
 * sys_raise.c: raise() in system calls that are told of by records: which signals the kernel can
 * send by itself, before the thread goes on.
 */
#include <signal.h>

#include "dlang/offload/pushdown.h"
#include "providers/providers.h"
#include "providers/system/sysprobe.h"

static const struct action *find_raise(const struct clause *c)
{
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			if (c->stmts[i].acts[j].kind == ACT_RAISE)
				return &c->stmts[i].acts[j];
	return NULL;
}

static bool raises(const struct probe *p)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (find_raise(e->clause))
			return true;
	return false;
}

static bool may_end(const struct action *a)
{
	return (a->difo && a->difo->can_fault) || (a->incr && a->incr->can_fault) ||
	       a->kind == ACT_SPECULATE || a->kind == ACT_RAISE;
}

/* Nothing but this one is sent, and nothing that comes before it ends the clause. */
static bool is_reached(const struct clause *c, const struct action *raise)
{
	bool is_before = true;

	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			const struct action *a = &c->stmts[i].acts[j];

			if (a == raise)
				is_before = false;
			else if (is_before ? may_end(a) : a->kind == ACT_RAISE)
				return false;
		}
	return true;
}

/* NULL: it is *sig wherever the filter lets an event pass. Or what forbids that. */
static const char *find_signal(const struct probe *p, bool is_exact, uint8_t *sig)
{
	const struct clause *c = p->ecbs->clause;
	const struct action *raise = find_raise(c);
	struct operand o;

	if (p->ecbs->next || !raise)
		return "several clauses are enabled";
	if (c->has_exit || c->split)
		return "there is an exit() or an if in its clause";
	if (!is_exact || opt_on(&p->session->options, OPT_CPU))
		return "the kernel cannot ask the predicate";
	if (!operand_of(p, raise->difo, &o) || o.of != OPERAND_CONST || o.value >= _NSIG)
		return "the signal is no constant";
	if (!is_reached(c, raise))
		return "what else its clause does may fail";
	*sig = (uint8_t)o.value;
	return NULL;
}

void sys_raise_is_late(struct sys_world *sw, const struct probe *p, const char *why)
{
	if (!raises(p) || sw->says_late)
		return;
	sw->says_late = true;
	session_message(sw->session, MSG_ERR, false,
			"raise() in %s:%s:%s:%s takes effect some time after the call: %s", p->prov,
			p->mod, p->func, p->name, why);
}

uint8_t sys_raise_of(struct sys_world *sw, const struct probe *p, bool is_exact)
{
	const char *why;
	uint8_t sig = 0;

	if (!raises(p))
		return 0;
	why = find_signal(p, is_exact, &sig);
	if (why)
		sys_raise_is_late(sw, p, why);
	return sig;
}
