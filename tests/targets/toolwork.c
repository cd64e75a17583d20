/*
 * toolwork locks N US | sleeps N US | leaks N BYTES: what tools tell of a program, and how much of
 * it there was by its own clock and count.
 *
 *   locks    a thread waits N times for a mutex, at least US microseconds each: "waits N", "waited
 * US" (in all) sleeps   nap() sleeps N times for US: "naps N", "slept US" (in all) leaks    leaky()
 * asks N times for BYTES and forgets them, tidy() for others and gives them back: "leaked BYTES"
 * (in all)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { NOBODY, HELD = -1 };
static atomic_int waiter; /* its thread; the lock is held; neither */
static long rounds, size;
static char *volatile kept;

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

NOINLINE void nap(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

/* Does the thread sleep in the kernel for the mutex? */
static int is_waiting(int tid)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (f && fread(text, 1, sizeof(text) - 1, f) > 0)
		fclose(f);
	return strstr(text, ") S") != NULL;
}

static void *hold(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		atomic_store(&waiter, HELD);
		while (atomic_load(&waiter) == HELD)
			sched_yield();
		while (!is_waiting(atomic_load(&waiter)))
			sched_yield();
		nap(size);
		pthread_mutex_unlock(&lock);
		while (atomic_load(&waiter) != NOBODY)
			sched_yield();
	}
	return arg;
}

NOINLINE void wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void locks(void)
{
	pthread_t thread;
	long waited = 0, began;

	pthread_create(&thread, NULL, hold, NULL);
	for (long i = 0; i < rounds; i++) {
		while (atomic_load(&waiter) != HELD)
			sched_yield();
		began = now_us();
		atomic_store(&waiter, gettid());
		wait_for_lock();
		waited += now_us() - began;
		pthread_mutex_unlock(&lock);
		atomic_store(&waiter, NOBODY);
	}
	pthread_join(thread, NULL);
	printf("waits %ld\nwaited %ld\n", rounds, waited);
}

static void sleeps(void)
{
	long began = now_us();

	for (long i = 0; i < rounds; i++)
		nap(size);
	printf("naps %ld\nslept %ld\n", rounds, now_us() - began);
}

NOINLINE void leaky(void)
{
	kept = malloc((size_t)size);
}

NOINLINE void tidy(void)
{
	char *p = calloc(3, (size_t)size), *q;

	p = realloc(p, 10 * (size_t)size);
	q = strdup("text");
	free(p);
	free(q);
}

static void leaks(void)
{
	for (long i = 0; i < rounds; i++) {
		leaky();
		tidy();
	}
	printf("leaked %ld\n", rounds * size);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} works[] = {{"locks", locks}, {"sleeps", sleeps}, {"leaks", leaks}};

	if (argc != 4)
		return 2;
	rounds = atol(argv[2]);
	size = atol(argv[3]);
	for (unsigned i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].name, argv[1]))
			works[i].run();
	return 0;
}
