/*
 * vforks: a vfork child that stays: it runs in its parent's memory, calls count_me N times when a
 * line comes, and ends. `./vforks N` prints "ready PID CHILD", then "status S" and "calls N" when
 * it has ended.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long calls;

NOINLINE long count_me(long x)
{
	calls++;
	return x * 5 + 3;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10, x = 1;
	char text[64], c;
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		int len = snprintf(text, sizeof(text), "ready %d %d\n", (int)getppid(),
				   (int)getpid());

		if (write(1, text, (size_t)len) != len || read(0, &c, 1) != 1)
			_exit(1);
		for (long i = 0; i < n; i++)
			x = count_me(x);
		_exit(x == 42);
	}
	waitpid(pid, &status, 0);
	count_me(x);
	printf("status %d\ncalls %ld\n", status, calls);
	return 0;
}
