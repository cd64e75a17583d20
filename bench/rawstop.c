/*
 * rawstop: the floor under every tracer by breakpoint. A child executes int3 N times; its parent,
 * on the same CPU, does nothing but wait and continue. Prints the nanoseconds of one such stop.
 * With a second argument, parent and child are kept on two CPUs.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void child(long n, int cpu)
{
	stay_on(cpu);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (long i = 0; i < n; i++)
		__asm__ volatile("int3");
	_exit(0);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10000;
	struct timespec a, b;
	int status;
	pid_t pid;

	stay_on(0);
	pid = fork();
	if (pid == 0)
		child(n, argc > 2 ? 1 : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		die("rawstop: the child did not stop");
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	} while (WIFSTOPPED(status));
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.1f\n",
	       ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
	return 0;
}
