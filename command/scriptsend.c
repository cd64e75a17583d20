#include "command/scriptsend.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/procfile.h"
#include "providers/scriptlist.h"
#include "providers/scriptmsg.h"

#define ROOM_WAIT_US 500000

struct telling {
	const struct script_msg *m;
	bool is_listed; /* it is a trace, as the kernel says */
	struct err *err;
	int rc; /* of the last that could not be told */
};

/* A trace of ours, or of root, who sees all: nobody else gets to read it. */
static bool may_hear(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
	       (who.uid == 0 || who.uid == geteuid());
}

/* What others may have filled with connections is waited for, if it is known to be a trace. */
static int open_socket(bool is_listed)
{
	const struct timeval wait = {.tv_usec = ROOM_WAIT_US};
	int fd =
		socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (is_listed ? 0 : SOCK_NONBLOCK), 0);

	if (fd >= 0 && is_listed)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	return fd;
}

/* 0, too, if there is none, or it is not ours. */
static int tell(const struct sockaddr_un *sa, socklen_t len, const struct telling *t,
		struct err *err)
{
	const size_t size = offsetof(struct script_msg, text) + strlen(t->m->text) + 1;
	int fd = open_socket(t->is_listed), rc = 0;

	if (fd < 0)
		return err_set(err, -errno, "--emit: no socket: %s", strerror(errno));
	if (connect(fd, (const struct sockaddr *)sa, len) < 0)
		rc = errno == EAGAIN ? -EAGAIN : 0;
	else if (may_hear(fd) && send(fd, t->m, size, MSG_NOSIGNAL) < 0)
		rc = errno == EPIPE || errno == ECONNRESET ? 0 : -errno;
	close(fd);
	return rc < 0 ? err_set(err, rc, "--emit: a trace was not told: %s",
				rc == -EAGAIN ? "too many events wait there" : strerror(-rc))
		      : 0;
}

/* One that cannot be told keeps nothing from the others. */
static void tell_one(void *arg, const struct sockaddr_un *sa, socklen_t len)
{
	struct telling *t = arg;
	struct err one;

	if (tell(sa, len, t, &one) < 0) {
		*t->err = one;
		t->rc = one.code;
	}
}

static void tell_user(struct telling *t, uid_t uid)
{
	struct sockaddr_un sa;

	for (unsigned i = 0; i < SCRIPT_TRACES; i++) {
		const socklen_t len = script_address(&sa, uid, i);

		tell_one(t, &sa, len);
	}
}

/* Those of this user and of root; by the names that they have as a rule where there is no list. */
static int tell_all(const struct script_msg *m, struct err *err)
{
	struct telling t = {m, true, err, 0};

	if (script_each_listener(geteuid(), tell_one, &t) < 0) {
		t.is_listed = false;
		tell_user(&t, 0);
		if (geteuid() != 0)
			tell_user(&t, geteuid());
	}
	return t.rc;
}

/* What of the process may be gone when the message is read. */
static void add_process(struct script_msg *m)
{
	char buf[512];
	const char *end;

	if (procfile_start(m->pid, "comm", buf, sizeof(buf)) > 0) {
		buf[strcspn(buf, "\n")] = '\0';
		snprintf(m->comm, sizeof(m->comm), "%.15s", buf);
	}
	if (procfile_start(m->pid, "stat", buf, sizeof(buf)) <= 0)
		return;
	end = strrchr(buf, ')'); /* the name may hold any character */
	if (end)
		sscanf(end + 1, " %*c %d", &m->ppid);
}

static int send_text(const char *to, const char *text, struct err *err)
{
	struct script_msg m = {.magic = SCRIPT_MAGIC, .pid = getppid(), .time_ns = now_mono()};
	const bool is_pid = to[0] && strspn(to, "0123456789") == strlen(to);
	const long pid = is_pid ? strtol(to, NULL, 10) : 0;

	if (is_pid ? pid <= 0 || pid > INT32_MAX : !script_is_name(to))
		return err_set(err, -EINVAL,
			       "--emit: '%s' is no process and no name of an event: letters, "
			       "digits, '_', '-' and '.'",
			       to);
	if (strlen(text) >= sizeof(m.text))
		return err_set(err, -E2BIG, "--emit: a text has at most %zu bytes",
			       sizeof(m.text) - 1);
	if (is_pid)
		m.pid = (int32_t)pid;
	snprintf(m.name, sizeof(m.name), "%s", is_pid ? "event" : to);
	snprintf(m.text, sizeof(m.text), "%s", text);
	add_process(&m);
	return tell_all(&m, err);
}

int script_emit(const char *progname, const char *to, char *const *words)
{
	struct err err;

	if (!words[0] || words[1]) {
		fprintf(stderr, "%s: --emit takes a process or a name, and one text: %s\n",
			progname, words[0] ? "put it in quotes" : "there is none");
		return 2;
	}
	if (send_text(to, words[0], &err) == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", progname, err.text);
	return 1;
}
