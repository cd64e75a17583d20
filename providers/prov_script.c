/*
 * prov_script.c: script:::NAME, events that `dtrace --emit` of a shell tells. What comes over the
 * socket is another process's word: who sent it is what the kernel says, the rest is checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "dlang/session_engine.h"
#include "providers/providers.h"
#include "providers/scriptmsg.h"
#include "providers/world/world.h"

#define WAITING_MAX 64
#define QUEUE_MAX   1024
#define BACKLOG	    256
#define TALK_NS	    1000000000U /* a connection that says nothing for so long is closed */
#define OLD_NS	    10000000000U

struct told {
	struct told *next;
	struct probe *probe;
	uint64_t time_ns;
	pid_t pid;
	struct taskinfo task;
	size_t size; /* of text, with the NUL */
	char text[];
};

struct connection {
	int fd;
	uint64_t since_ns;
	struct ucred who;
};

struct script_socket {
	struct session *session;
	int fd;
	struct connection waiting[WAITING_MAX]; /* that have said nothing yet; the oldest first */
	unsigned nwaiting;
	struct told *queue; /* the oldest first */
	unsigned nqueued;
};

static bool script_on_demand(const char *prov)
{
	return strcmp(prov, "script") == 0;
}

static int script_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			  struct err *err UNUSED)
{
	const char *name = d->name[0] && !glob_is_pattern(d->name) ? d->name : "event";

	if (world_of(s)->recording)
		return 0; /* hits that it has are there */
	if (!d->mod[0] && !d->func[0] && script_is_name(name))
		probe_create(s, &prov_script, "script", "", "", name, NULL);
	return 0;
}

static void script_argtypes(struct probe *p, struct probe_args *args)
{
	struct probe_arg *v = ARENA_NEW(p->session->arena, struct probe_arg);

	*v = (struct probe_arg){.type = p->session->engine->types.t_string,
				.name = "text",
				.place = ARG_ADDRESS,
				.at = 0,
				.is_ours = true};
	args->v = v;
	args->n = 1;
}

/* ---- messages ---- */

static bool is_foreign(const struct ucred *who)
{
	return who->uid != geteuid() && who->uid != 0;
}

static bool may_tell(const struct ucred *who)
{
	return geteuid() == 0 || !is_foreign(who);
}

/* Whether the process that it says it speaks for is of the same user, or gone. */
static bool may_speak_for(const struct ucred *who, pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return pid > 0 && (who->uid == 0 || stat(path, &st) < 0 || st.st_uid == who->uid);
}

/* Else the event is of who spoke, of whom no more is known. */
static void set_process(struct told *t, const struct script_msg *m, const struct ucred *who)
{
	const bool is_its = may_speak_for(who, m->pid);

	t->pid = is_its ? m->pid : who->pid;
	t->task = (struct taskinfo){.ppid = is_its ? m->ppid : 0, .uid = who->uid, .gid = who->gid};
	if (is_its)
		memcpy(t->task.comm, m->comm, sizeof(t->task.comm) - 1);
}

static void enqueue(struct script_socket *k, struct told *t)
{
	struct told **at = &k->queue;

	while (*at && (*at)->time_ns <= t->time_ns)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
	k->nqueued++;
}

static void take(struct script_socket *k, const struct script_msg *m, size_t size,
		 const struct ucred *who)
{
	const size_t head = offsetof(struct script_msg, text);
	const uint64_t now = session_now(k->session);
	struct probe *p;
	struct told *t;

	if (size <= head || m->magic != SCRIPT_MAGIC || m->text[size - head - 1] != '\0' ||
	    !memchr(m->name, '\0', sizeof(m->name)))
		return;
	p = probe_find(k->session, "script", "", "", m->name);
	if (!p || !p->enabled)
		return;
	t = xmalloc(sizeof(*t) + size - head);
	t->probe = p;
	t->time_ns = m->time_ns <= now && now - m->time_ns < OLD_NS ? m->time_ns : now;
	set_process(t, m, who);
	t->size = size - head;
	memcpy(t->text, m->text, size - head);
	enqueue(k, t);
}

/* False: it has nothing to say yet. */
static bool listen_to(struct script_socket *k, const struct connection *c)
{
	struct script_msg m;
	ssize_t got = recv(c->fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got > 0 && (size_t)got <= sizeof(m) && may_tell(&c->who))
		take(k, &m, (size_t)got, &c->who);
	return true;
}

/* For another that says nothing yet: those of other users give way. */
static bool make_room(struct script_socket *k)
{
	struct connection *c = k->waiting, *end = c + k->nwaiting;

	if (k->nwaiting < WAITING_MAX)
		return true;
	while (c < end && !is_foreign(&c->who))
		c++;
	if (c == end)
		return false;
	close(c->fd);
	memmove(c, c + 1, (size_t)(end - c - 1) * sizeof(*c));
	k->nwaiting--;
	return true;
}

/* False: there is none. */
static bool accept_one(struct script_socket *k)
{
	struct connection c = {.since_ns = session_now(k->session)};
	socklen_t len = sizeof(c.who);

	c.fd = accept4(k->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (c.fd < 0)
		return false;
	if (getsockopt(c.fd, SOL_SOCKET, SO_PEERCRED, &c.who, &len) < 0 || listen_to(k, &c))
		close(c.fd);
	else
		k->waiting[k->nwaiting++] = c;
	return true;
}

static void script_gather(void *arg)
{
	struct script_socket *k = arg;
	const uint64_t now = session_now(k->session);
	unsigned n = 0;

	/* who connects without end does not keep us here */
	for (unsigned i = 0; i < BACKLOG && k->nqueued < QUEUE_MAX && make_room(k); i++)
		if (!accept_one(k))
			break;
	for (unsigned i = 0; i < k->nwaiting; i++) {
		const struct connection c = k->waiting[i];

		if (listen_to(k, &c) || (now > c.since_ns && now - c.since_ns > TALK_NS))
			close(c.fd);
		else
			k->waiting[n++] = c;
	}
	k->nwaiting = n;
}

static uint64_t script_peek(void *arg)
{
	const struct script_socket *k = arg;

	return k->queue ? k->queue->time_ns : UINT64_MAX;
}

static void script_fire(void *arg)
{
	struct script_socket *k = arg;
	struct told *t = k->queue;
	const struct event ev = {
		.probe = t->probe,
		.pid = t->pid,
		.tid = t->pid,
		.cpu = session_cpu(k->session),
		.time_ns = t->time_ns,
		.task = &t->task,
		.is_late = true,
		.raw = t->text,
		.rawlen = t->size,
		.args = {(uintptr_t)t->text},
	};

	k->queue = t->next;
	k->nqueued--;
	event_fire(k->session, &ev);
	free(t);
}

static void script_free(void *arg)
{
	struct script_socket *k = arg;

	for (unsigned i = 0; i < k->nwaiting; i++)
		close(k->waiting[i].fd);
	while (k->queue) {
		struct told *t = k->queue;

		k->queue = t->next;
		free(t);
	}
	close(k->fd);
	free(k);
}

/* ---- enabling ---- */

static const struct event_source source = {
	.gather = script_gather,
	.peek = script_peek,
	.fire = script_fire,
	.free = script_free,
};

/* Others may have taken the first names, but not those that nobody knows before. */
static int take_name(int fd)
{
	int rc = -1;

	for (unsigned i = 0; rc < 0 && i < 2 * SCRIPT_TRACES; i++) {
		uint32_t number = i;
		struct sockaddr_un sa;
		socklen_t len;

		if (i >= SCRIPT_TRACES && getrandom(&number, sizeof(number), 0) < 0)
			break;
		len = script_address(&sa, geteuid(), number);
		rc = bind(fd, (const struct sockaddr *)&sa, len);
	}
	return rc;
}

static int open_socket(struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && take_name(fd) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	err_set(err, -errno, "script: no socket to hear of dtrace --emit by: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return err->code;
}

static int script_enable(struct probe *p, struct err *err)
{
	struct world *w = world_of(p->session);
	struct script_socket *k;
	int fd;

	if (w->script)
		return 0;
	fd = open_socket(err);
	if (fd < 0)
		return fd;
	w->script = k = xcalloc(1, sizeof(*k));
	k->session = p->session;
	k->fd = fd;
	session_add_source(p->session, &source, k);
	return 0;
}

const struct provider prov_script = {
	.name = "script",
	.on_demand = script_on_demand,
	.provide = script_provide,
	.enable = script_enable,
	.hits = HITS_TEXT,
	.argtypes = script_argtypes,
};
