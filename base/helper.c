#include "base/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define ROOM	  262144U
#define SLICE_MS  50U  /* how often a waiting caller asks whether to give up */
#define HURRY_MS  100U /* what a call is given then */
#define DEATH_MS  10   /* what is killed is gone by then, unless it sleeps too deep for that */
#define MAX_LOST  8U   /* helpers that could not even be killed */
#define NS_PER_MS 1000000U

enum op { OP_READ, OP_WRITE, OP_PREAD, OP_FILE };

/* In memory that both share. The caller fills in a request and moves `asked`; the helper answers
 * and moves `done`. */
struct call {
	_Atomic uint32_t asked, done;
	enum op op;
	pid_t pid;
	int fd;
	taddr_t addr;
	size_t n;
	ssize_t result;
	char path[256];
	char bytes[ROOM];
};

/* One per process by nature: it is a process that belongs to this one. */
static struct {
	bool is_prepared;
	bool (*give_up)(void *);
	void *arg;
	struct call *call; /* NULL: there is none */
	int pidfd, event_fd, owner;
	unsigned nlost;
} helper;

/* ---- what it does ---- */

static ssize_t read_file(const char *path, void *buf, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, buf, n);
		close(fd);
	}
	return got;
}

/* -1: errno says why. */
static ssize_t make_call(enum op op, pid_t pid, int fd, taddr_t addr, void *buf, size_t n,
			 const char *path)
{
	struct iovec here = {.iov_base = buf, .iov_len = n};
	struct iovec there = {.iov_base = (void *)(uintptr_t)addr, .iov_len = n};

	switch (op) {
	case OP_READ:
		return process_vm_readv(pid, &here, 1, &there, 1, 0);
	case OP_WRITE:
		return process_vm_writev(pid, &here, 1, &there, 1, 0);
	case OP_PREAD:
		return pread(fd, buf, n, (off_t)addr);
	case OP_FILE:
		return read_file(path, buf, n);
	}
	return -1;
}

static NORETURN void helper_main(struct call *c, int event_fd, int owner, pid_t owner_pid)
{
	struct pollfd fds[2] = {{.fd = event_fd, .events = POLLIN},
				{.fd = owner, .events = POLLIN}};
	sigset_t all;
	uint64_t n;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "dtrace-helper");
	for (;;) {
		/* an owner that cannot be watched is looked at now and then */
		poll(fds, 2, owner < 0 ? 1000 : -1);
		if (owner < 0 ? kill(owner_pid, 0) < 0 : fds[1].revents != 0)
			_exit(0);
		if (!(fds[0].revents & POLLIN) || read(event_fd, &n, sizeof(n)) != sizeof(n))
			continue;
		c->result = make_call(c->op, c->pid, c->fd, c->addr, c->bytes, c->n, c->path);
		if (c->result < 0)
			c->result = -errno;
		c->done = c->asked;
		syscall(SYS_futex, &c->done, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

/* ---- its life ---- */

void helper_prepare(bool (*give_up)(void *), void *arg)
{
	helper.is_prepared = true;
	helper.give_up = give_up;
	helper.arg = arg;
}

/*
 * Not a child of ours: waits for children would meet it. Its number stays its own all the same, as
 * long as our parent does not wait for it; after that there is the pidfd.
 */
static bool make_helper(void)
{
	struct call *c =
		mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int event_fd = eventfd(0, EFD_CLOEXEC);
	pid_t self = getpid();
	int owner = (int)syscall(SYS_pidfd_open, self, 0);
	long pid = -1;

	if (c != MAP_FAILED && event_fd >= 0)
		pid = syscall(SYS_clone, CLONE_FILES | CLONE_PARENT | CLONE_PIDFD | SIGCHLD, NULL,
			      &helper.pidfd, NULL, 0);
	if (pid == 0)
		helper_main(c, event_fd, owner, self);
	if (pid > 0) {
		helper.call = c;
		helper.event_fd = event_fd;
		helper.owner = owner;
		return true;
	}
	if (c != MAP_FAILED)
		munmap(c, sizeof(*c));
	if (event_fd >= 0)
		close(event_fd);
	if (owner >= 0)
		close(owner);
	return false;
}

void helper_end(void)
{
	struct pollfd fd = {.fd = helper.pidfd, .events = POLLIN};

	if (!helper.call)
		return;
	syscall(SYS_pidfd_send_signal, helper.pidfd, SIGKILL, NULL, 0);
	helper.nlost += poll(&fd, 1, DEATH_MS) == 0;
	close(helper.pidfd);
	close(helper.event_fd);
	if (helper.owner >= 0)
		close(helper.owner);
	munmap(helper.call, sizeof(*helper.call));
	helper.call = NULL;
}

/* ---- a call ---- */

static bool await(struct call *c, uint32_t asked, unsigned limit_ms)
{
	const struct timespec slice = {.tv_nsec = (long)SLICE_MS * NS_PER_MS};
	uint64_t begin_ns = now_mono();
	uint32_t seen;

	while ((seen = c->done) != asked) {
		if (helper.give_up && helper.give_up(helper.arg))
			limit_ms = MIN(limit_ms, HURRY_MS);
		if (now_mono() - begin_ns >= (uint64_t)limit_ms * NS_PER_MS)
			return false;
		syscall(SYS_futex, &c->done, FUTEX_WAIT, seen, &slice, NULL, 0);
	}
	return true;
}

static ssize_t call_helper(enum op op, pid_t pid, int fd, taddr_t addr, void *buf, size_t n,
			   const char *path, unsigned limit_ms)
{
	const uint64_t one = 1;
	struct call *c = helper.call;
	uint32_t asked;
	ssize_t r;

	if (helper.nlost >= MAX_LOST)
		return -ETIMEDOUT;
	if (!c && !make_helper()) { /* no process or file to be had: better unbounded than wrong */
		r = make_call(op, pid, fd, addr, buf, n, path);
		return r < 0 ? -errno : r;
	}
	c = helper.call;
	c->op = op;
	c->pid = pid;
	c->fd = fd;
	c->addr = addr;
	c->n = n;
	if (path)
		snprintf(c->path, sizeof(c->path), "%s", path);
	if (op == OP_WRITE)
		memcpy(c->bytes, buf, n);
	asked = ++c->asked;
	if (write(helper.event_fd, &one, sizeof(one)) != sizeof(one) ||
	    !await(c, asked, limit_ms)) {
		helper_end();
		return -ETIMEDOUT;
	}
	if (op != OP_WRITE && c->result > 0)
		memcpy(buf, c->bytes, MIN((size_t)c->result, n));
	return c->result;
}

/* In pieces that have room. */
static ssize_t bounded(enum op op, pid_t pid, int fd, taddr_t addr, void *buf, size_t n,
		       const char *path, unsigned limit_ms)
{
	size_t got = 0;
	ssize_t r = 0;

	if (!helper.is_prepared) {
		r = make_call(op, pid, fd, addr, buf, n, path);
		return r < 0 ? -errno : r;
	}
	do {
		size_t part = MIN(n - got, ROOM);

		r = call_helper(op, pid, fd, addr + got, (char *)buf + got, part, path, limit_ms);
		got += r > 0 ? (size_t)r : 0;
		if (r != (ssize_t)part)
			break;
	} while (got < n && op != OP_FILE);
	return got ? (ssize_t)got : r;
}

ssize_t helper_read(pid_t pid, taddr_t addr, void *buf, size_t n, unsigned limit_ms)
{
	return bounded(OP_READ, pid, -1, addr, buf, n, NULL, limit_ms);
}

ssize_t helper_write(pid_t pid, taddr_t addr, const void *buf, size_t n, unsigned limit_ms)
{
	return bounded(OP_WRITE, pid, -1, addr, (void *)(uintptr_t)buf, n, NULL, limit_ms);
}

ssize_t helper_pread(int mem_fd, taddr_t addr, void *buf, size_t n, unsigned limit_ms)
{
	return bounded(OP_PREAD, 0, mem_fd, addr, buf, n, NULL, limit_ms);
}

ssize_t helper_file(const char *path, void *buf, size_t n, unsigned limit_ms)
{
	return bounded(OP_FILE, 0, -1, 0, buf, n, path, limit_ms);
}
