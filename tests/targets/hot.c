/*
 * hot: one tiny function called N times in a loop that times itself. `./hot N` prints the
 * nanoseconds of one call. What a tracer adds to a call is this number under the tracer less this
 * number without it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline, noclone, noipa)) long f(long x)
{
	return x + 1;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, sum = 0;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 0; i < n; i++)
		sum += f(sum);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.2f\n",
	       ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
	return sum == 0;
}
