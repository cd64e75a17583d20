/*
 * hot: one tiny function called N times in a loop that times itself, in each of T threads (1):
 * f(), or pushes(), whose first instruction is a push; their argument runs from 0 to 1023, each
 * made of the last result. They are called by a pointer, f() also by its name. `./hot N [T
 * [pushes|direct|stack|deep]]` prints the nanoseconds of one call, of all calls of all threads;
 * with T = 0, in one thread, those of the quickest of 20 parts. What a tracer adds to a call is
 * this number under the tracer less this number without it. deep: each call has 16 frames above it,
 * which have been entered anew, and other ones than the last call had.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 64

static long ncalls;

__attribute__((noinline, noclone, noipa)) long f(long x, const char *text)
{
	return x + (text != NULL);
}

long pushes(long x, const char *text);
__asm__(".globl pushes\n.type pushes,@function\n"
	"pushes: push %rbp\nmov %rsp,%rbp\nlea 1(%rdi),%rax\npop %rbp\nret\n.size pushes, . - "
	"pushes\n");

static long (*called)(long, const char *) = f;

static void *call(void *sum)
{
	for (long i = 0; i < ncalls; i++)
		*(long *)sum = called(*(long *)sum & 1023, "a short string");
	return NULL;
}

static void *call_directly(void *sum)
{
	for (long i = 0; i < ncalls; i++)
		*(long *)sum = f(*(long *)sum & 1023, "a short string");
	return NULL;
}

/* What it gets lies on the thread's own stack. */
static void *call_with_stack(void *sum)
{
	char text[] = "a short string";

	for (long i = 0; i < ncalls; i++)
		*(long *)sum = called(*(long *)sum & 1023, text);
	return NULL;
}

#define DEPTH 14

__attribute__((noinline, noclone, noipa)) static long down(long depth, long x)
{
	if (!depth)
		return x & 1 ? f(x, "odd") + 2 : f(x, "even") + 4;
	return down(depth - 1, x) + 1;
}

static void *call_from_below(void *sum)
{
	for (long i = 0; i < ncalls; i++)
		*(long *)sum = down(DEPTH, i & 1023) & 1023;
	return NULL;
}

static void *(*work)(void *) = call;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int quickest_part(void)
{
	double best = 1e18;
	long sum = 0;

	ncalls /= 20;
	for (int i = 0; i < 20; i++) {
		double start = now_ns();

		work(&sum);
		start = now_ns() - start;
		best = start < best ? start : best;
	}
	printf("%.2f\n", best / (double)ncalls);
	return 0;
}

int main(int argc, char **argv)
{
	int nthreads = argc > 2 ? atoi(argv[2]) : 1;
	long sums[MAX_THREADS] = {0};
	pthread_t t[MAX_THREADS];
	double start;

	if (argc > 3 && !strcmp(argv[3], "direct"))
		work = call_directly;
	else if (argc > 3 && !strcmp(argv[3], "stack"))
		work = call_with_stack;
	else if (argc > 3 && !strcmp(argv[3], "deep"))
		work = call_from_below;
	else if (argc > 3)
		called = pushes;
	ncalls = argc > 1 ? atol(argv[1]) : 1000;
	if (nthreads == 0 && ncalls >= 20)
		return quickest_part();
	if (nthreads < 1 || nthreads > MAX_THREADS)
		return 2;
	start = now_ns();
	for (int i = 1; i < nthreads; i++)
		pthread_create(&t[i], NULL, work, &sums[i]);
	work(&sums[0]);
	for (int i = 1; i < nthreads; i++)
		pthread_join(t[i], NULL);
	printf("%.2f\n", (now_ns() - start) / ((double)ncalls * nthreads));
	return 0;
}
