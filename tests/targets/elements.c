/*
 * elements: a program that knows what each of its threads has put under which key. put(key, value,
 * name) puts it there, get(key, value, name) says what is there; name is a text of the key:
 * `./elements MODE N` does both N times in each of several threads, and prints how often get() was
 * called. A thread begins with nothing.
 *
 *   threads  four threads at a time, three times
 *   signals  one thread, whose signal handler puts and gets, too, and leaves by a jump every other
 * time fork     one thread, between whose calls children put others
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#define KEYS	 700 /* more than lie side by side */
#define HANDLERS 8   /* of them are its own */

static __thread long values[KEYS];
static __thread unsigned long seed;
static atomic_long gets;
static sigjmp_buf env;
static volatile int in_get; /* which is counted: no jump leads out of it */
static volatile long at;    /* the key that is being put, where a handler may come */

NOINLINE long put(unsigned long key, long value, const char *name)
{
	__asm__ volatile("" : : "r"(name) : "memory");
	return value * 5 + (long)(key * 3) + 7;
}

NOINLINE long get(unsigned long key, long value, const char *name)
{
	__asm__ volatile("" : : "r"(name) : "memory");
	return value * 5 + (long)(key * 3) + 7;
}

static unsigned long next(void)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return seed >> 33;
}

/* Like addresses, and some others. */
static unsigned long key_of(long i)
{
	return i % 5 ? 0x7f0000001000UL + (unsigned long)i * 64 : -(unsigned long)i;
}

static char names[KEYS][32];

static void put_one(long i, long value)
{
	put(key_of(i), value, names[i]);
	values[i] = value;
}

static void get_one(long i)
{
	int before = in_get;

	in_get = 1;
	gets++;
	get(key_of(i), values[i], names[i]);
	in_get = before;
}

static void some(long from, long nkeys, long n)
{
	for (long i = 0; i < n; i++) {
		long key = from + (long)(next() % (unsigned long)nkeys);

		at = key;
		if (next() % 2)
			put_one(key, next() % 3 ? (long)next() : 0);
		else
			get_one(key);
	}
}

static void *thread_main(void *arg)
{
	seed = (unsigned long)&seed;
	for (long i = 0; i < KEYS; i++)
		get_one(i);
	some(0, KEYS, (long)arg);
	return NULL;
}

static void on_signal(int sig)
{
	static int n;

	some(0, HANDLERS, 5);
	if (sig == SIGALRM && ++n % 2 && !in_get)
		siglongjmp(env, 1);
}

static void signals(volatile long n)
{
	const struct itimerval it = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &it, NULL);
	if (sigsetjmp(env, 1) && at >= HANDLERS)
		put_one(at, 1); /* whatever came of it */
	while (n-- > 0) {
		long key = HANDLERS + (long)(next() % 40);

		at = key;
		put_one(key, next() % 2 ? n : 0);
		get_one(key);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	at = 0;
}

static void forks(long n)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			some(0, KEYS, 100);
			_exit(0);
		}
		some(0, KEYS, n / 20);
		waitpid(child, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "threads";
	long n = argc > 2 ? atol(argv[2]) : 10000;
	pthread_t t[4];

	seed = 1;
	for (int i = 0; i < KEYS; i++)
		snprintf(names[i], sizeof(names[i]), "%.*s%d", i % 20, "the name of number ....",
			 i);
	for (int round = 0; !strcmp(mode, "threads") && round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread_main, (void *)n);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
	if (!strcmp(mode, "signals"))
		signals(n);
	if (!strcmp(mode, "fork"))
		forks(n);
	printf("%ld\n", (long)gets);
	return 0;
}
