/*
 * hot: one tiny function called N times in a loop that times itself, in each of T threads (1):
 * f(), or pushes(), whose first instruction is a push; their argument runs from 0 to 1023, each
 * made of the last result. `./hot N [T [pushes]]` prints the
 * nanoseconds of one call, of all calls of all threads. What a tracer adds to a call is this number
 * under the tracer less this number without it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
	int nthreads = argc > 2 ? atoi(argv[2]) : 1;
	long sums[MAX_THREADS] = {0};
	pthread_t t[MAX_THREADS];
	struct timespec a, b;

	if (argc > 3)
		called = pushes;
	ncalls = argc > 1 ? atol(argv[1]) : 1000;
	if (nthreads < 1 || nthreads > MAX_THREADS)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 1; i < nthreads; i++)
		pthread_create(&t[i], NULL, call, &sums[i]);
	call(&sums[0]);
	for (int i = 1; i < nthreads; i++)
		pthread_join(t[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.2f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
				 ((double)ncalls * nthreads));
	return 0;
}
