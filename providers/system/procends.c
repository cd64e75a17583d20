#include "providers/system/procends.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/hash.h"
#include "providers/system/call_tracepoints.h"
#include "providers/system/tracepoints/proc_sideband.h"
#include "providers/world/proctab.h"

/* What says how a process ends; a later one is believed rather than those before it. */
enum witness {
	NOBODY,
	LEADER, /* its first thread has ended by exit() */
	SIGNAL,
	ALL, /* exit_group(), or wait() */
};

struct ending {
	enum witness by;
	int status;
	int sent; /* the signal that was sent last, of those that end processes; 0: none */
};

struct procends {
	struct hash pids; /* struct ending */
	struct world *world;
	bool has_calls, has_delivered;
};

struct procends *procends_new(void)
{
	struct procends *e = xcalloc(1, sizeof(*e));

	hash_init(&e->pids);
	return e;
}

void procends_free(struct procends *e)
{
	struct ending *end;

	if (!e)
		return;
	for (size_t i = 0; (end = hash_each(&e->pids, &i, NULL));)
		free(end);
	hash_release(&e->pids);
	free(e);
}

static struct ending *ending_of(struct procends *e, pid_t pid)
{
	struct ending *end = hash_get(&e->pids, (uint64_t)pid);

	if (!end) {
		end = xcalloc(1, sizeof(*end));
		hash_put(&e->pids, (uint64_t)pid, end);
	}
	return end;
}

static void tell(struct procends *e, pid_t pid, enum witness by, int status)
{
	struct ending *end = ending_of(e, pid);

	if (by < end->by)
		return;
	end->by = by;
	end->status = status;
}

void procends_put(struct procends *e, pid_t pid, int status)
{
	tell(e, pid, ALL, status);
}

/* Where what signals do is not told the last one sent has ended a process that has not said that it
 * ends. */
bool procends_take(struct procends *e, pid_t pid, int *status)
{
	struct ending *end = hash_del(&e->pids, (uint64_t)pid);
	bool is_known = false;

	if (end && end->by) {
		*status = end->status;
		is_known = true;
	} else if (end && end->sent && e->has_calls && !e->has_delivered) {
		*status = end->sent;
		is_known = true;
	}
	free(end);
	return is_known;
}

/* ---- recordings ---- */

static void on_exit_call(void *arg, struct recorded_call *c)
{
	const int status = (int)(c->args[0] & 0xff) << 8;

	if (c->nr == SYS_exit_group)
		tell(arg, c->ev.pid, ALL, status);
	else if (c->ev.tid == c->ev.pid)
		tell(arg, c->ev.pid, LEADER, status);
}

/* man 7 signal: those whose default is not to be ignored, to stop or to go on. */
static bool ends_processes(int sig)
{
	switch (sig) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return sig > 0 && sig <= 64;
	}
}

static void on_sent(void *arg, const struct procsignal *s, struct event *ev UNUSED)
{
	struct procends *e = arg;

	if (ends_processes(s->number))
		ending_of(e, proctab_process_of(perf_procs(e->world->perf), s->to))->sent =
			s->number;
}

/* One that ends a process is SIGKILL to its threads, whichever was sent; they get that, too, where
 * none was: at exit_group(), and when one of them executes a program. */
static void on_delivered(void *arg, const struct procsignal *s, struct event *ev)
{
	struct procends *e = arg;
	struct ending *end = ending_of(e, ev->pid);

	if (s->handler) {
		if (end->sent == s->number)
			end->sent = 0;
	} else if (s->number != SIGKILL && ends_processes(s->number)) {
		tell(e, ev->pid, SIGNAL, s->number);
	} else if (s->number == SIGKILL && end->sent) {
		tell(e, ev->pid, SIGNAL, end->sent);
	}
}

const char *procends_listen(struct procends *e, struct world *w)
{
	static const unsigned numbers[] = {SYS_exit_group, SYS_exit};
	const struct call_listener l = {
		.is_entry = true,
		.numbers = numbers,
		.n = ARRAY_SIZE(numbers),
		.flags = PERF_RARE,
		.fn = on_exit_call,
		.arg = e,
	};
	bool has_sent;
	struct err why;

	e->world = w;
	e->has_calls = call_tracepoints_listen(w, &l, &why) == 0;
	has_sent = proc_signals_listen(w, PROC_SIGNAL_SEND, 0, on_sent, e, &why) == 0;
	e->has_delivered =
		proc_signals_listen(w, PROC_SIGNAL_HANDLE, 0, on_delivered, e, &why) == 0;
	if (!e->has_calls)
		return "[0] (reason), arg1 (status)";
	return has_sent ? NULL
			: "[0] (reason), arg1 (status) of processes that a signal ends "
			  "(signal:signal_generate, signal_deliver)";
}
