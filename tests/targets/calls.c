/* calls N: N system calls getppid; prints the CPU time and the time one has taken, in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
	double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	printf("getppid %ld %.0f %.0f\n", n, (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)n,
	       (now(CLOCK_MONOTONIC) - wall) / (double)n);
	return 0;
}
