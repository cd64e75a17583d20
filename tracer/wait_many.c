/*
 * Waiting among many (docs/spec/pid-engine.md §4.5): waitpid(-1) looks at every traced thread, at
 * every stop. From a number on it pays to learn the thread from SIGCHLD, which the kernel then has
 * to send. Signals that come together are one: what they do not name is found by looking at all now
 * and then.
 */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#define MANY	     400
#define FEW	     300
#define BUSY_NS	     100000000ULL
#define BUSY_WAIT_NS 2000000
#define IDLE_WAIT_NS 50000000

static void ask_for_signals(bool on)
{
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = on ? 0 : SA_NOCLDSTOP};

	sigaction(SIGCHLD, &sa, NULL);
}

bool wait_many_active(struct tracer *tr)
{
	bool is_many = tr->threads.n > (tr->is_many ? FEW : MANY);

	if (is_many != tr->is_many) {
		ask_for_signals(is_many);
		tr->is_many = is_many;
		memset(&tr->many, 0, sizeof(tr->many));
	}
	return is_many;
}

static bool collect(struct tracer *tr, pid_t which, pid_t *tid, int *status)
{
	struct wait_many *c = &tr->many;
	pid_t r = waitpid(which, status, __WALL | WNOHANG);

	if (r == 0)
		errno = EAGAIN;
	if (r <= 0)
		return false;
	*tid = r;
	c->last_ns = now_mono();
	for (unsigned i = 0; i < ARRAY_SIZE(c->recent); i++)
		if (c->recent[i] == r)
			return true;
	c->recent[c->next++ % ARRAY_SIZE(c->recent)] = r;
	return true;
}

/* Threads that have just stopped are likely to stop again; whose turn it was is asked last. */
static bool collect_recent(struct tracer *tr, pid_t *tid, int *status)
{
	struct wait_many *c = &tr->many;

	for (unsigned i = 0; i < ARRAY_SIZE(c->recent); i++) {
		pid_t which = c->recent[c->turn++ % ARRAY_SIZE(c->recent)];

		if (which && collect(tr, which, tid, status))
			return true;
	}
	return false;
}

bool wait_many_next(struct tracer *tr, pid_t *tid, int *status)
{
	struct wait_many *c = &tr->many;
	struct timespec ts = {0};
	siginfo_t si;
	sigset_t set;
	int sig;

	if (collect_recent(tr, tid, status))
		return true;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	ts.tv_nsec = now_mono() - c->last_ns < BUSY_NS ? BUSY_WAIT_NS : IDLE_WAIT_NS;
	sig = sigtimedwait(&set, &si, &ts);
	if (sig < 0 && errno == EINTR)
		return false;
	if (sig == SIGCHLD && si.si_pid > 0 && collect(tr, si.si_pid, tid, status))
		return true;
	return collect(tr, -1, tid, status);
}
