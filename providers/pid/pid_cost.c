/*
 * pid_cost.c: how long threads stood still for the breakpoints of pid, and what would take less
 * (-x explain). It is said unasked on a terminal where that was most of the run.
 */
#include <unistd.h>

#include "base/structout.h"
#include "providers/pid/pid_priv.h"

void pid_cost_hit(struct pid_site *site, uint64_t since_ns UNUSED, pid_t tid)
{
	stopcost_add(&site->proc->pw->cost, tid);
}

static void say_cost(struct session *s, const struct stopcost *c, uint64_t held_ns, uint64_t run_ns)
{
	struct structout so;
	struct strbuf line;

	strbuf_init(&line);
	so_init(&so, &line, SO_JSON);
	so_item(&so, "");
	so_string(&so, "explain", "after", strlen("after"), false);
	so_string(&so, "provider", "pid", strlen("pid"), false);
	so_unsigned(&so, "breakpoints", c->nstops, false);
	so_unsigned(&so, "stopped_ns", held_ns, false);
	so_unsigned(&so, "run_ns", run_ns, false);
	so_string(&so, "instead", PID_INSTEAD, strlen(PID_INSTEAD), false);
	so_close(&so, "");
	session_message(s, MSG_BARE, false, "%s", line.s);
	strbuf_release(&line);
}

void pid_cost_tell(struct session *s, const struct pid_world *pw)
{
	const struct stopcost *c = &pw->cost;
	uint64_t run_ns = session_now(s) - pw->begin_ns;
	uint64_t held_ns = MIN(stopcost_ns(c, c->nstops), run_ns);
	int64_t how = opt(&s->options, OPT_EXPLAIN);

	if (!c->nstops || pid_is_oneshot(s))
		return;
	if (how == EXPLAIN_JSON)
		say_cost(s, c, held_ns, run_ns);
	else if (how == EXPLAIN_ON)
		session_message(s, MSG_ERR, false,
				"explain: hits of pid: %lu by breakpoints, for which threads stood "
				"still for about %.3f s in a run of %.3f s; instead: " PID_INSTEAD,
				c->nstops, (double)held_ns / 1e9, (double)run_ns / 1e9);
	else if (isatty(STDERR_FILENO) && 2 * held_ns > run_ns)
		session_message(s, MSG_ERR, false,
				"pid: %lu breakpoints took about %.0f%% of the run: with -x "
				"pidhooks those are hooks with which nothing else comes out",
				c->nstops, 100.0 * (double)held_ns / (double)run_ns);
}
