/*
 * turmoil: a program in which everything happens at once, and which checks all that it does.
 * `./turmoil [ROUNDS]` prints "ready PID", then runs until standard input ends (ROUNDS: that many
 * rounds of each thread). Prints "count_me N", its calls in this process' memory, "bad N", what
 * went wrong, the first of it on standard error, and ends with 0.
 *
 * Its threads: one that only calls; short-lived threads, of which some are cancelled; forked
 * children; vfork children and spawned programs; libraries that come and go; jumps out of deep
 * recursion; the C library's heap, streams and sorting; and signals a thousand times a second.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

extern char **environ;

static atomic_bool over;
static atomic_long counted, nbad;
static long rounds;

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x) && atomic_fetch_add(&nbad, 1) == 0)                                       \
			fprintf(stderr, "turmoil: line %d: %s\n", __LINE__, #x);                   \
	} while (0)

NOINLINE long count_me(long x)
{
	atomic_fetch_add(&counted, 1);
	return x * 3 + 1;
}

static bool goes_on(long i)
{
	return rounds ? i < rounds : !atomic_load(&over);
}

/* ---- what the threads do ---- */

static void calls(void)
{
	long x = 0;

	for (long i = 0; i < 1000; i++)
		x += count_me(i);
	CHECK(x == 1499500);
}

static void *short_life(void *arg)
{
	long x = 0;

	for (long i = 0; i < (long)arg; i++)
		x += count_me(1);
	return (void *)x;
}

static void *waits_for_its_end(void *arg)
{
	(void)arg;
	count_me(1);
	while (pause())
		;
	return NULL;
}

static void lives(void)
{
	pthread_t t[5];
	void *got;

	for (long i = 0; i < 4; i++)
		CHECK(pthread_create(&t[i], NULL, short_life, (void *)(i + 1)) == 0);
	CHECK(pthread_create(&t[4], NULL, waits_for_its_end, NULL) == 0);
	pthread_cancel(t[4]);
	for (long i = 0; i < 5; i++) {
		CHECK(pthread_join(t[i], &got) == 0);
		CHECK(got == (i < 4 ? (void *)(4 * (i + 1)) : PTHREAD_CANCELED));
	}
}

static int ended_with(pid_t pid)
{
	int status = -1;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A child's calls are in its own memory. */
static void forks(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		long x = 0;

		for (long i = 0; i < 10; i++)
			x += count_me(i);
		_exit(x == 145 ? 42 : 1);
	}
	CHECK(ended_with(pid) == 42);
}

static void programs(void)
{
	char *const argv[] = {"true", NULL};
	volatile long x = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		x = count_me(5);
		execv("/bin/true", argv);
		_exit(1);
	}
	CHECK(x == 16);
	CHECK(ended_with(pid) == 0);
	CHECK(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0);
	CHECK(ended_with(pid) == 0);
}

static void libraries(void)
{
	static const char *const names[] = {"libz.so.1", "liblzma.so.5", "libelf.so.1"};
	static const char *const functions[] = {"zlibVersion", "lzma_version_string", "elf_errmsg"};

	for (unsigned i = 0; i < 3; i++) {
		void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		const char *(*f)(int) = NULL;

		CHECK(lib != NULL);
		if (!lib)
			continue;
		*(void **)&f = dlsym(lib, functions[i]);
		CHECK(f != NULL);
		if (f)
			f(0);
		CHECK(dlclose(lib) == 0);
	}
}

static __thread jmp_buf back;

NOINLINE static long dive(long depth)
{
	if (depth == 0 && count_me(depth) >= 0)
		longjmp(back, 7);
	return depth ? dive(depth - 1) + count_me(depth) : 0;
}

static void jumps(void)
{
	int r = setjmp(back);

	if (!r)
		dive(20);
	CHECK(r == 7);
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void library_calls(void)
{
	char text[128], *p = malloc(100);
	int v[32];

	for (int i = 0; i < 32; i++)
		v[i] = i * 7919 % 32;
	qsort(v, 32, sizeof(int), by_value);
	for (int i = 0; i < 32; i++)
		CHECK(v[i] == i);
	snprintf(text, sizeof(text), "%d %.3f %s", v[3], 1.5, "x");
	CHECK(!strcmp(text, "3 1.500 x"));
	p = realloc(p, 100000);
	memset(p, 'y', 99999);
	p[99999] = 0;
	CHECK(strlen(p) == 99999);
	free(p);
}

/* ---- signals ---- */

static volatile long nhandled;

NOINLINE static void on_signal(int sig)
{
	(void)sig;
	nhandled++;
	count_me(nhandled);
}

static void *run(void *arg)
{
	void (*const *act)(void) = arg;

	for (long i = 0; goes_on(i); i++)
		(*act)();
	return NULL;
}

int main(int argc, char **argv)
{
	static void (*const acts[])(void) = {calls,	lives, forks,	     programs,
					     libraries, jumps, library_calls};
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	const struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER};
	enum { NACTS = sizeof(acts) / sizeof(acts[0]) };
	pthread_t t[NACTS];
	char byte;

	rounds = argc > 1 ? atol(argv[1]) : 0;
	sigaction(SIGALRM, &sa, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	for (int i = 0; i < NACTS; i++)
		CHECK(pthread_create(&t[i], NULL, run, (void *)&acts[i]) == 0);
	setitimer(ITIMER_REAL, &often, NULL);
	while (!rounds && read(0, &byte, 1) > 0)
		;
	atomic_store(&over, true);
	for (int i = 0; i < NACTS; i++)
		pthread_join(t[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("count_me %ld\nbad %ld\n", (long)counted, (long)nbad);
	return nbad != 0;
}
