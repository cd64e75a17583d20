/*
 * strange: programs that stop, share, debug and hide. `./strange WHAT N` prints "touch N", the
 *calls of touch in its own memory, and "bad N", what went wrong. Ends with 0.
 *
 *	jobs      a child stops and continues us N times, 100 times a second, while two threads call
 *	debugger  it debugs a child of its own by steps and a breakpoint in touch; then N calls
 *	shares    N children by clone(CLONE_VM) that are no threads call in our memory
 *	hides     it leaves for a root and namespaces of its own, and calls N times
 *	churn     N threads, each for one call
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#define STACK	 65536

#define SHORT_OF_TOUCH 30 /* steps from raise() on */

static unsigned long touched, bad;
static volatile int over;
static long rounds;

NOINLINE long touch(long x)
{
	__atomic_fetch_add(&touched, 1, __ATOMIC_RELAXED);
	return x + 1;
}

static void touch_many(long n)
{
	for (long i = 0; i < n; i++)
		bad += touch(i) != i + 1;
}

/* ---- jobs ---- */

static void *touching(void *arg)
{
	while (!over)
		touch_many(1);
	return arg;
}

static void pause_ms(long ms)
{
	const struct timespec ts = {0, ms * 1000000};

	nanosleep(&ts, NULL);
}

static void do_jobs(void)
{
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN};
	pid_t us = getpid(), child = fork();
	pthread_t t[2];
	int status;

	if (child == 0) {
		for (long i = 0; i < rounds; i++) {
			kill(us, stops[i % 3]);
			pause_ms(5);
			kill(us, SIGCONT);
			pause_ms(5);
		}
		_exit(0);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, touching, NULL);
	bad += waitpid(child, &status, 0) != child || status != 0;
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* ---- debugger ---- */

static bool stops_at(pid_t child, int sig)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == sig;
}

static void debug(pid_t child)
{
	struct user_regs_struct r;
	long word;
	int status;

	bad += !stops_at(child, SIGSTOP);
	for (long i = 0; i < rounds && i < SHORT_OF_TOUCH; i++) {
		bad += ptrace(PTRACE_SINGLESTEP, child, 0, 0) < 0;
		bad += !stops_at(child, SIGTRAP);
	}
	word = ptrace(PTRACE_PEEKTEXT, child, touch, 0);
	bad += (word & 0xff) == 0xcc; /* somebody else's */
	ptrace(PTRACE_POKETEXT, child, touch, (word & ~0xffL) | 0xcc);
	ptrace(PTRACE_CONT, child, 0, 0);
	bad += !stops_at(child, SIGTRAP);
	ptrace(PTRACE_GETREGS, child, 0, &r);
	bad += r.rip != (unsigned long)touch + 1;
	r.rip--;
	ptrace(PTRACE_SETREGS, child, 0, &r);
	ptrace(PTRACE_POKETEXT, child, touch, word);
	ptrace(PTRACE_CONT, child, 0, 0);
	bad += waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	       WEXITSTATUS(status) != 3;
}

static void do_debugger(void)
{
	pid_t child = fork();

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(4);
		raise(SIGSTOP);
		touch_many(3);
		_exit((int)touched);
	}
	debug(child);
	touch_many(rounds);
}

/* ---- shares ---- */

static int share(void *arg)
{
	(void)arg;
	touch(1);
	return 5;
}

static void do_shares(void)
{
	char *stack = malloc(STACK);
	int status;

	for (long i = 0; i < rounds; i++) {
		pid_t child = clone(share, stack + STACK, CLONE_VM | SIGCHLD, NULL);

		touch(2);
		bad += waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		       WEXITSTATUS(status) != 5;
	}
	free(stack);
}

/* ---- hides ---- */

static void do_hides(void)
{
	touch_many(rounds);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
	    mount("none", "/tmp", "tmpfs", 0, NULL) < 0 || chdir("/tmp") < 0)
		exit(77);
	bad += syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0;
	bad += access("/proc", F_OK) == 0;
	touch_many(rounds);
}

/* ---- churn ---- */

static void *once(void *arg)
{
	touch(1);
	return arg;
}

static void do_churn(void)
{
	pthread_t t[20];

	for (long i = 0; i < rounds; i += 20) {
		for (int k = 0; k < 20; k++)
			if (pthread_create(&t[k], NULL, once, NULL))
				exit(3);
		for (int k = 0; k < 20; k++)
			pthread_join(t[k], NULL);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} modes[] = {{"jobs", do_jobs},
		     {"debugger", do_debugger},
		     {"shares", do_shares},
		     {"hides", do_hides},
		     {"churn", do_churn}};

	if (argc < 3)
		return 2;
	rounds = atol(argv[2]);
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].fn();
			printf("touch %lu\nbad %lu\n", touched, bad);
			return 0;
		}
	return 2;
}
