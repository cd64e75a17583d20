/*
 * rewriting.c: a run whose events come from a file that is written anew (-E IN -o OUT.data).
 */
#include <stdlib.h>

#include "command/engine_priv.h"
#include "command/recording/recwrite.h"
#include "providers/hits/hitemit.h"
#include "providers/kernel/perf.h"
#include "providers/rewrite/recrewrite.h"

void engine_open_rewriting(struct engine *e)
{
	e->world.rewrite = recrewrite_new(&e->world, &hit_emit_form);
	e->s->engine->rewriter = recrewrite_ops(e->world.rewrite);
}

/* Does a clause add events, or make them others? */
static bool adds_events(const struct session *s)
{
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			for (unsigned i = 0; i < c->nstmts; i++) {
				const struct stmt *st = &c->stmts[i];

				if (st->emission || st->kind == STMT_REPARENT)
					return true;
			}
	return false;
}

/* What END has emitted is in it. */
static void end_rewriting(struct session *s)
{
	const struct engine *e = world_of(s)->engine;
	const struct recrewrite *rw = e->world.rewrite;
	struct err err;
	char *summary;

	if (recrewrite_nunchanged(rw)) {
		session_message(s, MSG_ERR, false,
				"%llu records are as they were, or are not there: with what was "
				"assigned or emitted they are longer than 64 KiB",
				(unsigned long long)recrewrite_nunchanged(rw));
		s->incomplete = 1;
	}
	if (recwrite_end(e->copy, &summary, &err) < 0) {
		session_message(s, MSG_ERR, false, "%s", err.text);
		s->incomplete = 1;
		return;
	}
	session_message(s, MSG_ERR, true, "%s, %llu records have been dropped", summary,
			(unsigned long long)recrewrite_ndropped(rw));
	free(summary);
}

int engine_begin_rewriting(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	int rc;

	if (!e->world.rewrite)
		return 0;
	rc = recwrite_open(cmd, &e->s->options, e->world.recording, adds_events(e->s), &e->copy,
			   err);
	if (rc < 0)
		return rc;
	recrewrite_to(e->world.rewrite, e->copy, perf_procs(e->world.perf));
	e->s->engine->at_end = end_rewriting;
	return 0;
}

void engine_free_rewriting(struct engine *e)
{
	perfcopy_free(e->copy);
	recrewrite_free(e->world.rewrite);
}
