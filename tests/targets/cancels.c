/*
 * cancels: `./cancels N` cancels N threads, one after the other, wherever they are in functions
 * that call each other all the time (PTHREAD_CANCEL_ASYNCHRONOUS). Prints "right" if each has ended
 * by that and its clean-up was run once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static atomic_int running, cleaned;

NOINLINE long leaf(long x)
{
	return x * 3 + 1;
}

NOINLINE long inner(long x, char *p)
{
	p[x & 15] = (char)x;
	return leaf(x) + p[(x + 1) & 15];
}

NOINLINE long outer(long x)
{
	char buf[16] = {0};

	return inner(x, buf) - leaf(x);
}

static void clean_up(void *arg)
{
	(void)arg;
	atomic_fetch_add(&cleaned, 1);
}

static void *work(void *arg)
{
	volatile long sum = 0;

	pthread_cleanup_push(clean_up, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&running, 1);
	for (;;)
		sum += outer(sum);
	pthread_cleanup_pop(0);
	return arg;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1, wrong = 0;

	for (long i = 0; i < n; i++) {
		pthread_t t;
		void *result = NULL;

		atomic_store(&running, 0);
		atomic_store(&cleaned, 0);
		if (pthread_create(&t, NULL, work, NULL))
			return 3;
		while (!atomic_load(&running))
			;
		for (volatile long k = 0; k < i * 37 % 1009; k++) /* elsewhere each time */
			;
		pthread_cancel(t);
		pthread_join(t, &result);
		wrong += result != PTHREAD_CANCELED || atomic_load(&cleaned) != 1;
	}
	puts(wrong ? "wrong" : "right");
	return 0;
}
