/*
 * t: a program that knows how often each of its functions is called. `./t N [NTHREADS]` runs the
 * work of N rounds in each thread and prints "FUNCTION COUNT" lines, sorted by name; with a third
 * argument it prints nothing. Ends with 0.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#define TAILCALL /* does so at -O1 */
#else
#define TAILCALL __attribute__((optimize("optimize-sibling-calls")))
#endif

enum { F_BRANCHY, F_HIDDEN, F_LEAF, F_MAIN, F_RECURSE, F_SIX, F_TAIL, F_WORK, F_COUNT };

static const char *const names[F_COUNT] = {
	"branchy", "hidden", "leaf", "main", "recurse", "six", "tail", "work",
};
static __thread unsigned long calls[F_COUNT];
static unsigned long total[F_COUNT];
static volatile long sink;

NOINLINE long leaf(long x)
{
	calls[F_LEAF]++;
	return x + 1;
}

static NOINLINE long hidden(long x)
{
	calls[F_HIDDEN]++;
	return x ^ 0x55;
}

/* Ends in a jump to leaf: returns there. */
NOINLINE TAILCALL long tail(long x)
{
	calls[F_TAIL]++;
	return leaf(x * 3);
}

/* Several returns. */
NOINLINE long branchy(long x)
{
	calls[F_BRANCHY]++;
	if (x % 3 == 0)
		return hidden(x) + 1;
	if (x % 3 == 1)
		return -1;
	return x;
}

NOINLINE long recurse(long depth)
{
	calls[F_RECURSE]++;
	return depth > 0 ? recurse(depth - 1) + depth : 0;
}

NOINLINE long six(long a, long b, long c, long d, long e, long f, long g)
{
	calls[F_SIX]++;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}

NOINLINE long work(long rounds)
{
	long sum = 0;

	calls[F_WORK]++;
	for (long i = 0; i < rounds; i++) {
		sum += leaf(i);
		sum += branchy(i);
		if (i % 10 == 0)
			sum += six(i, 1, 2, 3, 4, 5, 6) + tail(i);
		if (i % 100 == 0)
			sum += recurse(9);
	}
	return sum;
}

static void *thread_main(void *arg)
{
	sink = work((long)arg);
	for (int i = 0; i < F_COUNT; i++)
		__atomic_fetch_add(&total[i], calls[i], __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 10;
	long nthreads = argc > 2 ? atol(argv[2]) : 1;
	pthread_t t[64];

	total[F_MAIN]++;
	if (nthreads < 1 || nthreads > 64)
		return 2;
	if (nthreads == 1)
		thread_main((void *)rounds);
	for (long i = 0; nthreads > 1 && i < nthreads; i++)
		if (pthread_create(&t[i], NULL, thread_main, (void *)rounds))
			return 2;
	for (long i = 0; nthreads > 1 && i < nthreads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < F_COUNT && argc < 4; i++)
		printf("%s %lu\n", names[i], total[i]);
	return 0;
}
