/* calls N: N system calls getppid; prints the CPU time one has taken, in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
	double start = now();

	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	printf("getppid %ld %.0f\n", n, (now() - start) / (double)n);
	return 0;
}
