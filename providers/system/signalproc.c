#include "providers/system/signalproc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/procfile.h"
#include "dlang/session_engine.h"
#include "providers/world/world.h"
#include "tracer/janitor/watchdog.h"

#define START_FIELD 22 /* of /proc/PID/stat: when it began, in ticks since the boot */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

/* On CLOCK_MONOTONIC, rounded down to a tick; UINT64_MAX: it is gone. */
static uint64_t start_of(pid_t pid)
{
	uint64_t slept = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC), start;
	char text[1024];
	const char *at;

	procfile_start(pid, "stat", text, sizeof(text));
	at = procstat_field(text, START_FIELD);
	if (!at)
		return UINT64_MAX;
	start = strtoull(at, NULL, 10) * (1000000000U / (uint64_t)sysconf(_SC_CLK_TCK));
	return start > slept ? start - slept : 0;
}

static bool is_ours(const struct session *s, pid_t pid)
{
	return pid == s->engine_pid || pid == s->front_pid ||
	       (s->watchdog && pid == s->watchdog->pid);
}

/* A number is another's only after its process has ended, so a start behind the event tells them
 * apart; what is held by the descriptor is then who it was while that was read. */
static int send_signal(const struct event *ev, int sig)
{
	int fd = (int)syscall(SYS_pidfd_open, ev->pid, 0), rc;

	if (fd < 0)
		return -errno;
	if (start_of(ev->pid) > ev->time_ns)
		rc = -ESRCH;
	else
		rc = syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static void say(struct session *s, const struct event *ev, const char *why)
{
	struct world *w = world_of(s);

	if (!w->says_unsent)
		session_message(s, MSG_ERR, false,
				"stop() or raise() in %s:%s:%s:%s sends nothing to process %d: %s",
				ev->probe->prov, ev->probe->mod, ev->probe->func, ev->probe->name,
				ev->pid, why);
	w->says_unsent = true;
}

int world_signal_process(struct session *s, const struct event *ev, int sig)
{
	int rc;

	if (ev->pid <= 0 || is_ours(s, ev->pid)) {
		say(s, ev, ev->pid <= 0 ? "it is the idle thread's" : "it is dtrace's own");
		return -EPERM;
	}
	rc = send_signal(ev, sig);
	if (rc == 0)
		world_of(s)->signalled = ev->pid;
	else if (rc == -ESRCH && world_of(s)->signalled == ev->pid)
		return rc; /* by that, perhaps */
	else if (rc == -ESRCH)
		say(s, ev, "it has ended before its event was read");
	else
		say(s, ev, strerror(-rc));
	return rc;
}
