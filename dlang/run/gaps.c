#include "dlang/run/gaps.h"

#include <stdlib.h>

#include "dlang/run/buffer.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"

/* Variables that clauses of providers with such losses assign. */
struct gaps {
	uint32_t necbs; /* enablings that have been looked at */
	const struct clause *last;
	unsigned n, room;
	uint16_t *ids;
};

static void add(struct gaps *g, uint16_t id)
{
	for (unsigned i = 0; i < g->n; i++)
		if (g->ids[i] == id)
			return;
	if (g->n == g->room) {
		g->room = 2 * g->room + 8;
		g->ids = xrealloc(g->ids, g->room * sizeof(*g->ids));
	}
	g->ids[g->n++] = id;
}

static void add_difo(struct gaps *g, const struct difo *d)
{
	const unsigned stores_self = INSN_VAR | INSN_STORE | INSN_SELF;

	for (unsigned i = 0; d && i < d->ninsns; i++)
		if ((insn_class[DIF_OP(d->text[i])] & stores_self) == stores_self)
			add(g, (uint16_t)DIF_GETINDEX(d->text[i]));
}

static void add_clause(struct gaps *g, const struct clause *c)
{
	add_difo(g, c->pred);
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			add_difo(g, c->stmts[i].acts[j].difo);
			add_difo(g, c->stmts[i].acts[j].incr);
		}
}

static const struct gaps *gaps_of(struct session *s, enum loss kind)
{
	struct gaps *g = s->engine->gaps[kind];

	if (!g)
		g = s->engine->gaps[kind] = xcalloc(1, sizeof(*g));
	while (g->necbs < s->necbs) {
		const struct ecb *e = session_ecb(s, ++g->necbs);

		if (probe_loss(e->probe) != kind || e->clause == g->last)
			continue;
		g->last = e->clause;
		add_clause(g, e->clause);
	}
	return g;
}

void gaps_free(struct session *s)
{
	for (unsigned i = 0; i < LOSS_KINDS; i++) {
		if (s->engine->gaps[i])
			free(s->engine->gaps[i]->ids);
		free(s->engine->gaps[i]);
	}
}

void session_gap(struct session *s, pid_t tid, enum loss kind)
{
	const struct gaps *g = gaps_of(s, kind);

	for (unsigned i = 0; i < g->n; i++)
		vars_forget(s->engine->vars, g->ids[i], tid);
}

void session_lose_events(struct session *s, unsigned cpu, uint64_t n)
{
	atomic_fetch_add_explicit(&s->buffer_drops[cpu % SESSION_MAX_CPUS], n,
				  memory_order_relaxed);
	atomic_fetch_add_explicit(&s->nlost_events, n, memory_order_relaxed);
	if (n)
		session_gap(s, 0, LOSS_KERNEL);
}

void session_lose_hits(struct probe *p, const struct ecb *only, uint64_t n)
{
	for (const struct ecb *e = p->ecbs; e && n; e = e->next)
		if (!only || e == only)
			atomic_fetch_add_explicit(
				&session_ecb(p->session, e->epid)->nlost[ECB_LOST_HIT], n,
				memory_order_relaxed);
	if (n && p->session->engine->log && probe_is_logged(p))
		p->session->engine->log->lost(p->session->engine->log->arg, p, n);
}
