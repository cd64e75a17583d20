/*
 * preloadlib.c: what lets the engine in where ptrace is forbidden (preload_proto.h): a library that
 * is preloaded into a program of -c. Its constructor runs after those of the program's libraries,
 * when the program has one thread. It needs no library, not even libc, so that any will do, and
 * leaves nothing in the program's environment, which shells hand on to their children.
 */
#include <stddef.h>

#include "hook/rawcall.h"
#include "tracer/preload/preload_proto.h"

enum {
	NR_CLOSE = 3,
	NR_POLL = 7,
	NR_SENDMSG = 46,
	NR_RECVFROM = 45,
	NR_OPEN = 2,
	EINTR = 4,
	O_RDWR_CLOEXEC = 02000002,
	SOL_SOCKET = 1,
	SCM_RIGHTS = 1,
	POLLIN = 1,
	MSG_NOSIGNAL = 0x4000,
};

/* As the kernel has them (uapi/linux/socket.h, poll.h). */
struct iovec {
	void *base;
	size_t len;
};

struct cmsg_fd {
	size_t len;
	int level, type;
	int fd, padding;
};

struct msghdr {
	void *name;
	uint64_t namelen;
	struct iovec *iov;
	size_t iovlen;
	void *control;
	size_t controllen;
	uint64_t flags;
};

struct pollfd {
	int fd;
	short events, revents;
};

extern char **environ __attribute__((weak));

static const uint64_t nothing;
/* Among those that are there from the start (ELF TLS, initial exec): no allocation, no call. */
static __thread const uint64_t *volatile of_thread __attribute__((tls_model("initial-exec"))) =
	&nothing;

#define CALL(nr, ...) raw_call(nr, (const uint64_t[6]){__VA_ARGS__})
#define ADDRESS(p)    ((uint64_t)(uintptr_t)(p))

static void close_fd(int fd)
{
	CALL(NR_CLOSE, (uint64_t)fd);
}

/* ---- the environment ---- */

/* What follows the prefix; NULL: it has another one. */
static char *behind(char *s, const char *prefix)
{
	while (*prefix && *s == *prefix) {
		s++;
		prefix++;
	}
	return *prefix ? NULL : s;
}

/* -1: there is none. */
static int number(char **s)
{
	int n = -1;

	for (; **s >= '0' && **s <= '9'; ++*s)
		n = (n < 0 ? 0 : n * 10) + (**s - '0');
	return n;
}

static void wipe(char *s)
{
	while (*s)
		*(volatile char *)s++ = 0;
}

static void remove_variable(char **at)
{
	wipe(*at);
	do
		at[0] = at[1];
	while (*at++);
}

/* What stood there before follows a colon; if nothing does, the variable was not there. */
static void restore_preload(char **at, char *value, char *rest)
{
	if (!*rest) {
		remove_variable(at);
		return;
	}
	for (rest++; *rest; rest++)
		*value++ = *rest;
	wipe(value);
}

/* Returns the socket, -1: nobody waits for us. */
static int take_traces_away(void)
{
	char **at = &environ ? environ : NULL, *value, *rest;
	int fd = -1;

	while (at && *at)
		if ((value = behind(*at, PRELOAD_VARIABLE))) {
			fd = number(&value);
			remove_variable(at);
		} else if ((value = behind(*at, PRELOAD_LD_PRELOAD)) &&
			   (rest = behind(value, PRELOAD_LIBRARY))) {
			close_fd(number(&rest));
			restore_preload(at, value, rest);
			break;
		} else {
			at++;
		}
	return fd;
}

/* ---- the engine ---- */

static int64_t retry(uint64_t nr, const uint64_t args[6])
{
	int64_t r;

	do
		r = raw_call(nr, args);
	while (r == -EINTR);
	return r;
}

static int64_t send_bytes(int fd, void *bytes, size_t len, struct cmsg_fd *control)
{
	struct iovec iov = {bytes, len};
	struct msghdr msg = {.iov = &iov, .iovlen = 1};

	if (control) {
		msg.control = control;
		msg.controllen = sizeof(*control);
	}
	return retry(NR_SENDMSG, (const uint64_t[6]){(uint64_t)fd, ADDRESS(&msg), MSG_NOSIGNAL});
}

static int say_hello(int fd)
{
	static const char path[] = "/proc/self/mem";
	struct preload_hello hello = {.sp = ADDRESS(__builtin_frame_address(0)),
				      .word = ADDRESS(&of_thread)};
	struct cmsg_fd control = {
		.len = offsetof(struct cmsg_fd, padding), .level = SOL_SOCKET, .type = SCM_RIGHTS};
	int64_t mem = CALL(NR_OPEN, ADDRESS(path), O_RDWR_CLOEXEC), r;

	__asm__("mov %%fs:0, %0" : "=r"(hello.tcb));
	hello.error = mem < 0 ? -mem : 0;
	control.fd = (int)mem;
	r = send_bytes(fd, &hello, sizeof(hello), mem < 0 ? NULL : &control);
	if (mem >= 0)
		close_fd((int)mem);
	return r == sizeof(hello) ? 0 : -1;
}

/* False: there will be no more. */
static int next_request(int fd, struct preload_request *rq)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (retry(NR_POLL, (const uint64_t[6]){ADDRESS(&p), 1, PRELOAD_TIMEOUT_MS}) != 1)
		return 0;
	return retry(NR_RECVFROM, (const uint64_t[6]){(uint64_t)fd, ADDRESS(rq), sizeof(*rq)}) ==
	       sizeof(*rq);
}

static void __attribute__((constructor)) enter(void)
{
	struct preload_request rq = {0};
	struct preload_reply reply;
	int fd = take_traces_away();

	if (fd < 0)
		return;
	if (say_hello(fd) == 0)
		while (next_request(fd, &rq) && rq.nr != PRELOAD_GO) {
			reply.result = raw_call(rq.nr, rq.args);
			if (send_bytes(fd, &reply, sizeof(reply), NULL) != sizeof(reply))
				break;
		}
	close_fd(fd);
}
