/*
 * bursts: a tiny function called N times in a row, DEPTH frames deep, in ROUNDS bursts with a pause
 * between them in which whoever records the calls can catch up. `./bursts ROUNDS N DEPTH` prints
 * the nanoseconds of one call in the fastest burst, `./bursts ROUNDS N tsc` those of reading the
 * time stamp counter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

NOINLINE long f(long x)
{
	return x + 1;
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double burst_of_reads(long n)
{
	double start = now_ns();
	unsigned long sum = 0;

	for (long i = 0; i < n; i++)
		sum += __rdtsc();
	__asm__ volatile("" : : "r"(sum));
	return (now_ns() - start) / (double)n;
}

NOINLINE double burst(long n, int depth)
{
	double start, ns;
	long sum = 0;

	if (depth > 1) {
		ns = burst(n, depth - 1);
		__asm__ volatile(""); /* no tail call */
		return ns;
	}
	start = now_ns();
	for (long i = 0; i < n; i++)
		sum += f(sum);
	return (now_ns() - start) / (double)n + (sum == 0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	long n = argc > 2 ? atol(argv[2]) : 1000;
	double best = 1e12;

	while (rounds-- > 0) {
		double ns = argc > 3 && !strcmp(argv[3], "tsc")
				    ? burst_of_reads(n)
				    : burst(n, argc > 3 ? atoi(argv[3]) : 1);

		best = ns < best ? ns : best;
		usleep(100000);
	}
	printf("%.2f\n", best);
	return 0;
}
