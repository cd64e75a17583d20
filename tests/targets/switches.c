/*
 * switches N: a child process that sleeps N times and prints what the kernel has counted of it:
 * "sleep VOLUNTARY" and "preempt INVOLUNTARY" context switches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child(int n)
{
	const struct timespec ms = {0, 1000000};
	char line[256];
	FILE *f;

	while (n-- > 0)
		nanosleep(&ms, NULL);
	f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "voluntary_ctxt_switches:", 24))
			printf("sleep %d\n", atoi(line + 24));
		if (!strncmp(line, "nonvoluntary_ctxt_switches:", 27))
			printf("preempt %d\n", atoi(line + 27));
	}
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t pid = fork();

	if (pid == 0)
		child(argc > 1 ? atoi(argv[1]) : 50);
	waitpid(pid, NULL, 0);
	return 0;
}
