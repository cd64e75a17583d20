#include "command/enginegone.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "tracer/janitor/watchdog.h"
#include "tracer/journal/journal.h"

/* What became of the programs that had something of ours. */
static void say_targets(const struct watchdog *w)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		fprintf(stderr,
			w->procs[i].lives ? "; pid %d runs on without breakpoints"
					  : "; pid %d stood at a breakpoint and died",
			w->procs[i].pid);
}

int enginegone_dead(const struct session *s, int status)
{
	const struct watchdog *w = s->watchdog;
	bool guarded = w && w->state == WATCHDOG_ACTED;

	if (s->journal && !guarded)
		journal_restore(s->journal, false);
	if (!WIFSIGNALED(status))
		return 1; /* die() has said why */
	fprintf(stderr, "%s: ", s->progname);
	if (w && w->is_hung)
		fprintf(stderr, "the tracing engine did not come back%s%s%s and was ended",
			*w->where ? " (in the kernel: " : "", w->where, *w->where ? ")" : "");
	else
		fprintf(stderr, "the tracing engine was ended by SIG%s",
			sigabbrev_np(WTERMSIG(status)));
	fprintf(stderr, "; the run is incomplete");
	if (guarded)
		say_targets(w);
	fputc('\n', stderr);
	return 1;
}

int enginegone_stuck(const struct session *s, pid_t engine)
{
	const struct watchdog *w = s->watchdog;

	fprintf(stderr,
		"%s: the tracing engine (pid %d) hangs in the kernel%s%s and cannot be ended now; "
		"the run is incomplete",
		s->progname, engine, *w->where ? ": " : "", w->where);
	for (unsigned i = 0; i < w->nprocs; i++)
		fprintf(stderr, "; pid %d has no breakpoints any more", w->procs[i].pid);
	fprintf(stderr, "; threads that it has stopped stay so until it is let go\n");
	return 1;
}

int enginegone_busy(const struct session *s, pid_t engine)
{
	fprintf(stderr,
		"%s: the tracing engine (pid %d) has not come to its end yet and is left to "
		"itself; the "
		"run is incomplete\n",
		s->progname, engine);
	return 1;
}

#define AWAIT_NS 1000000000U
#define NAP_NS	 10000000

void enginegone_await(pid_t engine, bool (*is_impatient)(void *))
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	const uint64_t until_ns = now_mono() + AWAIT_NS;

	while (waitpid(engine, NULL, WNOHANG) == 0 && !is_impatient(NULL) && now_mono() < until_ns)
		nanosleep(&nap, NULL);
}
