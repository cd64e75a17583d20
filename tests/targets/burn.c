/* burn SECONDS: spends so much CPU time in burn(), and prints how much it has had in ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

__attribute__((noinline)) unsigned burn(unsigned n)
{
	unsigned x = 1;

	for (unsigned i = 0; i < n; i++)
		x = x * 31 + i;
	return x;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? atof(argv[1]) : 0.5;
	volatile unsigned sink = 0;

	while (cpu_now() < end)
		sink += burn(1000000);
	printf("cpu %d\n", (int)(cpu_now() * 1000));
	return 0;
}
