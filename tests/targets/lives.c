/*
 * lives: a program that counts what it does and comes to its end in many ways. `./lives MODE N`
 * calls count_me a number of times that it knows, and prints "calls TOTAL" before it ends.
 *
 *   threads  200 threads at a time, again and again: joined, detached, left by pthread_exit
 *   cancel   threads that are cancelled while they call
 *   fork     children that call, too: not in the total
 *   vfork    children that call in our memory, then run /bin/true: in the total
 *   exec     becomes "plain" after half of the calls
 *   kill exit crash abort  such an end
 *   share    a thread that is made without a control block of its own
 *   many     N threads at once, each calls ten times
 *   headless its first thread has ended; calls when a line comes, having printed "ready PID"
 *   plain    nothing special
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static atomic_long calls;
static atomic_long running;
static const char *self;

NOINLINE long count_me(long x)
{
	return x * 5 + 3;
}

static void call(long n)
{
	long x = 1;

	for (long i = 0; i < n; i++)
		x = count_me(x);
	if (x == 42)
		puts("");
	calls += n;
}

static void say(void)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "calls %ld\n", (long)calls);

	if (write(1, text, (size_t)n) != n)
		_exit(9);
}

static void *thread_main(void *arg)
{
	long i = (long)arg;

	call(100 + i % 7);
	running--;
	if (i % 3 == 0)
		pthread_exit(NULL);
	return NULL;
}

static int threads(long rounds)
{
	for (long r = 0; r < rounds; r++) {
		pthread_t t[200];

		running = 200;
		for (long i = 0; i < 200; i++) {
			if (pthread_create(&t[i], NULL, thread_main, (void *)i))
				return 2;
			if (i % 2)
				pthread_detach(t[i]);
		}
		for (long i = 0; i < 200; i += 2)
			pthread_join(t[i], NULL);
		while (running)
			sched_yield();
	}
	return 0;
}

static void *endless(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		call(10);
		running++;
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		pthread_testcancel();
	}
	return NULL;
}

static int cancel(long rounds)
{
	for (long r = 0; r < rounds; r++) {
		pthread_t t[8];

		running = 0;
		for (int i = 0; i < 8; i++)
			if (pthread_create(&t[i], NULL, endless, NULL))
				return 2;
		while (running < 20)
			sched_yield();
		for (int i = 0; i < 8; i++) {
			pthread_cancel(t[i]);
			pthread_join(t[i], NULL);
		}
	}
	return 0;
}

static int forks(long n)
{
	for (long i = 0; i < n; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			call(1000);
			_exit(0);
		}
		call(10);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 2;
	}
	return 0;
}

static int vforks(long n)
{
	for (long i = 0; i < n; i++) {
		int status;
		pid_t pid = vfork();

		if (pid == 0) {
			call(3);
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		call(10);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 2;
	}
	return 0;
}

static int becomes(long n)
{
	char rest[32];

	call(n);
	say();
	snprintf(rest, sizeof(rest), "%ld", n);
	execl(self, self, "plain", rest, (char *)NULL);
	return 2;
}

static int shared_main(void *arg)
{
	long n = (long)arg;

	for (long i = 0; i < n; i++)
		count_me(i);
	syscall(SYS_exit, 0);
	return 0;
}

static int share(long n)
{
	static char stack[65536] __attribute__((aligned(16)));
	int tid = -1;

	if (clone(shared_main, stack + sizeof(stack),
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID,
		  (void *)n, &tid, NULL, &tid) < 0)
		return 2;
	while (*(volatile int *)&tid)
		sched_yield();
	call(n);
	return 0;
}

static pthread_barrier_t barrier;

static void *one_of_many(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&barrier);
	call(10);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static int many(long n)
{
	pthread_attr_t attr;
	pthread_t *t = calloc((size_t)n, sizeof(*t));

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], &attr, one_of_many, NULL)) {
			puts("no more threads");
			return 3;
		}
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}

static void *rest(void *arg)
{
	char text[32], c;
	int n = snprintf(text, sizeof(text), "ready %d\n", (int)getpid());

	if (write(1, text, (size_t)n) != n || read(0, &c, 1) != 1)
		_exit(9);
	call((long)arg);
	say();
	exit(0);
}

static int headless(long n)
{
	pthread_t t;

	if (pthread_create(&t, NULL, rest, (void *)n))
		return 2;
	pthread_exit(NULL);
}

static int end_by(const char *mode, long n)
{
	call(n);
	say();
	if (!strcmp(mode, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(mode, "exit"))
		_exit(3);
	if (!strcmp(mode, "crash"))
		*(volatile int *)8 = 0;
	abort();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	long n = argc > 2 ? atol(argv[2]) : 1000;
	int r = 0;

	self = argv[0];
	if (!strcmp(mode, "threads"))
		r = threads(n);
	else if (!strcmp(mode, "cancel"))
		r = cancel(n);
	else if (!strcmp(mode, "fork"))
		r = forks(n);
	else if (!strcmp(mode, "vfork"))
		r = vforks(n);
	else if (!strcmp(mode, "exec"))
		r = becomes(n);
	else if (!strcmp(mode, "share"))
		r = share(n);
	else if (!strcmp(mode, "many"))
		r = many(n);
	else if (!strcmp(mode, "headless"))
		r = headless(n);
	else if (!strcmp(mode, "plain"))
		call(n);
	else
		r = end_by(mode, n);
	if (!r)
		say();
	return r;
}
