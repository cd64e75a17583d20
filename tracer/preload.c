/* A program of -c where ptrace is forbidden: a preloaded library lets us in. */
#include "tracer/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/endreq.h"
#include "tracer/preload/preload_proto.h"
#include "tracer/preload/preloadlib.h"
#include "tracer/execgate.h"
#include "tracer/mem.h"
#include "tracer/preloadable.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"

#define LOW_FDS	       100   /* those below are left to the program, as far as its limit allows */
#define HELLO_MS       20000 /* a program that has not come to its libraries' constructors by then */
#define ANSWER_MS      10000
#define LAST_ANSWER_MS 1000 /* when the run is to end */
#define SLICE_MS       50

struct preload {
	int socket;	/* -1: it has gone on */
	struct err why; /* ptrace is forbidden */
	int32_t word;
	const struct proc_caller *caller; /* a thread that waits; NULL: none */
	void *arg;
};

/* ---- what the program gets ---- */

/* What it inherits, and how it finds it. */
struct preload_env {
	int socket, library;
	char variable[sizeof(PRELOAD_VARIABLE) + 12];
	char *preload;
	char **envp;
};

static bool is_variable(const char *s, const char *name)
{
	return strncmp(s, name, strlen(name)) == 0;
}

/* In its old place, if it has one, so that the program finds all in the order it knows. */
static void make_environment(struct preload_env *g, char *const *envp)
{
	const char *old = NULL;
	size_t n = 0, at = 0;

	for (; envp[n]; n++)
		if (!old && is_variable(envp[n], PRELOAD_LD_PRELOAD))
			old = envp[n] + strlen(PRELOAD_LD_PRELOAD);
	snprintf(g->variable, sizeof(g->variable), PRELOAD_VARIABLE "%d", g->socket);
	g->preload = xasprintf(PRELOAD_LD_PRELOAD PRELOAD_LIBRARY "%d%s%s", g->library,
			       old ? ":" : "", old ? old : "");
	g->envp = xcalloc(n + 3, sizeof(*g->envp));
	g->envp[at++] = g->variable;
	if (!old)
		g->envp[at++] = g->preload;
	for (size_t i = 0; i < n; i++)
		g->envp[at++] = is_variable(envp[i], PRELOAD_LD_PRELOAD) ? g->preload : envp[i];
}

/* Inherited, and out of the way. */
static int keep_high(int fd)
{
	int high = fcntl(fd, F_DUPFD, LOW_FDS);

	if (high < 0)
		high = fcntl(fd, F_DUPFD, 0);
	close(fd);
	return high;
}

static int make_library(void)
{
	int fd = memfd_create("dtrace-preload", MFD_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, preloadlib_bytes, PRELOADLIB_SIZE);
	if (n == (ssize_t)PRELOADLIB_SIZE)
		return keep_high(fd);
	close(fd);
	return -1;
}

static void preload_env_release(struct preload_env *g)
{
	if (g->socket >= 0)
		close(g->socket);
	if (g->library >= 0)
		close(g->library);
	free(g->preload);
	free(g->envp);
}

/* Our end of the socket; -1: there are no descriptors left, or no memory. */
static int preload_env_make(struct preload_env *g, char *const *envp)
{
	int ends[2];

	*g = (struct preload_env){.socket = -1, .library = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	g->socket = keep_high(ends[1]);
	g->library = make_library();
	if (g->socket < 0 || g->library < 0) {
		close(ends[0]);
		preload_env_release(g);
		return -1;
	}
	make_environment(g, envp);
	return ends[0];
}

/* ---- what it says ---- */

/* 1: something can be read, 0: it is late, a negative error: the other end is closed. */
static int wait_for_word(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int r = poll(&p, 1, ms);

	if (r <= 0)
		return r == 0 || errno == EINTR ? 0 : -errno;
	return p.revents & POLLIN ? 1 : -ESRCH;
}

static int receive_hello(int fd, struct preload_hello *hello, int *mem_fd)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {hello, sizeof(*hello)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = n == sizeof(*hello) ? CMSG_FIRSTHDR(&msg) : NULL;

	*mem_fd = -1;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(mem_fd, CMSG_DATA(c), sizeof(int));
	return n == sizeof(*hello) ? 0 : -ESRCH;
}

/* The program could send any file that it has open. */
static bool is_memory_of(pid_t pid, int fd)
{
	char link[64], want[64], got[64] = "";
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(want, sizeof(want), "/proc/%d/mem", pid);
	n = readlink(link, got, sizeof(got) - 1);
	return n > 0 && !strcmp(got, want);
}

/* It has executed: 0 once it waits in the library. */
static int await_hello(const struct tracer *tr, const struct launch *l, pid_t pid, int fd,
		       struct err *err)
{
	uint64_t end = now_mono() + HELLO_MS * 1000000ULL;
	int r;

	while ((r = wait_for_word(fd, SLICE_MS)) == 0) {
		if (tr->ops->give_up && tr->ops->give_up(tr->arg))
			return err_set(err, -EINTR, "%s was ended before it could be traced",
				       l->argv[0]);
		if (now_mono() > end)
			return err_set(err, -ETIMEDOUT,
				       "%s has not loaded the hook library within %d s", l->argv[0],
				       HELLO_MS / 1000);
		if (!procfs_is_alive(pid))
			break;
	}
	return r > 0 ? 0
		     : err_set(err, -ECHILD,
			       "%s has ended, or was replaced by another program, "
			       "before it could be hooked",
			       l->argv[0]);
}

/* A timer's signal may come first. */
static int wait_for_answer(int fd)
{
	uint64_t start = now_mono(), ms;
	int r;

	do {
		r = wait_for_word(fd, SLICE_MS);
		ms = endreq_asked() ? LAST_ANSWER_MS : ANSWER_MS;
	} while (r == 0 && now_mono() - start < ms * 1000000ULL);
	return r;
}

int preload_syscall(const struct proc *p, long nr, const uint64_t args[6], int64_t *result)
{
	struct preload_request rq = {.nr = (uint64_t)nr};
	struct preload_reply reply;
	int fd = p->preload->socket, r;

	if (p->preload->caller)
		return p->preload->caller->call(p->preload->arg, nr, args, result);
	memcpy(rq.args, args, sizeof(rq.args));
	if (fd < 0 || send(fd, &rq, sizeof(rq), MSG_NOSIGNAL) != sizeof(rq))
		return -ESRCH;
	r = wait_for_answer(fd);
	if (r != 1 || recv(fd, &reply, sizeof(reply), 0) != sizeof(reply))
		return -ESRCH;
	*result = reply.result;
	return 0;
}

bool preload_is_held(const struct proc *p)
{
	const uint64_t none[6] = {0};
	const struct preload *d = p->preload;
	int64_t got;

	if (d->caller)
		return d->caller->is_held(d->arg);
	/* it gives up when it has heard nothing for long: ask */
	return p->preload->socket >= 0 && preload_syscall(p, SYS_getpid, none, &got) == 0;
}

void preload_go_on(struct proc *p)
{
	const struct preload_request rq = {.nr = PRELOAD_GO};

	if (p->preload->socket < 0)
		return;
	/* where it is not there any more, its end tells */
	(void)!send(p->preload->socket, &rq, sizeof(rq), MSG_NOSIGNAL);
	close(p->preload->socket);
	p->preload->socket = -1;
}

void preload_free(struct preload *d)
{
	if (!d)
		return;
	if (d->socket >= 0)
		close(d->socket);
	free(d);
}

int preload_refuses(const struct proc *p, struct err *err)
{
	return err_set(err, -EPERM, "%s", p->preload->why.text);
}

bool proc_is_preloaded(const struct proc *p, int32_t *word)
{
	if (p->preload && word)
		*word = p->preload->word;
	return p->preload != NULL;
}

void proc_set_caller(struct proc *p, const struct proc_caller *caller, void *arg)
{
	p->preload->caller = caller;
	p->preload->arg = arg;
	for (struct thread *t = p->threads; t; t = t->next) {
		regs_forget(&t->regs);
		t->state = caller ? THREAD_STOPPED : THREAD_RUNNING;
		t->stop.kind = STOP_INTERRUPT;
	}
}

bool proc_has_left(const struct proc *p)
{
	char path[64], byte;

	if (!p->preload || !mem_is_gone(p->mem_fd))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", p->pid); /* one that ends has none any more */
	return readlink(path, &byte, 1) == 1;
}

/* ---- the launch ---- */

/* Its thread looks like one that has been stopped. */
static int let_in(struct tracer *tr, pid_t pid, const struct preload *d, struct proc **out,
		  struct err *err)
{
	struct preload_hello hello;
	struct thread *t;
	struct proc *p;
	uint64_t n;
	int mem_fd, r = receive_hello(d->socket, &hello, &mem_fd);

	if (r || mem_fd < 0)
		return err_set(err, -EIO, "its memory cannot be opened: %s",
			       r ? "it has ended" : strerror((int)hello.error));
	if (!is_memory_of(pid, mem_fd)) {
		close(mem_fd);
		return err_set(err, -EBADF, "it has handed over another file than its memory");
	}
	if (!procfs_status(pid, "Threads", 10, &n) || n != 1) {
		close(mem_fd);
		return err_set(err, -EBUSY, "its libraries have started threads");
	}
	p = proc_new(tr, pid);
	p->preload = xcalloc(1, sizeof(*d));
	*p->preload = *d;
	p->preload->word = (int32_t)(hello.word - hello.tcb);
	p->mem_fd = mem_fd;
	p->stage = STAGE_LIVE;
	t = thread_begin(p, pid, pid);
	t->state = THREAD_STOPPED;
	t->stop.kind = STOP_INTERRUPT;
	t->hold = true;
	t->regs.now.r.rsp = hello.sp;
	t->regs.now.r.fs_base = hello.tcb;
	t->regs.have = REGS_ALL;
	*out = p;
	return 0;
}

/* Behind the gate: it executes and comes to wait in the library. */
static int await(struct tracer *tr, const struct launch *l, const struct gate *g, struct preload *d,
		 struct proc **out, struct err *err)
{
	int e = 0, r;

	gate_report(tr, g, &e);
	gate_open(g);
	while (!e && gate_report(tr, g, &e))
		;
	if (e)
		return gate_failed(l->argv[0], e, err);
	r = await_hello(tr, l, g->pid, d->socket, err);
	return r ? r : let_in(tr, g->pid, d, out, err);
}

int tracer_launch_preloaded(struct tracer *tr, const struct launch *l, struct proc **out,
			    struct err *err)
{
	struct launch mine = *l;
	struct preload d = {.why = *err};
	struct preload_env env;
	struct gate g;
	int r = preloadable(l->argv[0], err);

	if (r)
		return r;
	d.socket = preload_env_make(&env, l->envp);
	if (d.socket < 0)
		return err_set(err, -EMFILE, "no descriptors are left for the hook library");
	mine.envp = env.envp;
	r = gate_fork(tr, &mine, &g, err);
	preload_env_release(&env);
	if (!r) {
		r = await(tr, l, &g, &d, out, err);
		gate_close(&g);
		if (r) {
			kill(g.pid, SIGKILL);
			while (waitpid(g.pid, NULL, 0) < 0 && errno == EINTR)
				;
		}
	}
	if (r)
		close(d.socket);
	return r;
}
