/*
 * counters: `./counters N` calls getppid, touches N fresh pages (in touch()), calls getppid again,
 * waits N times until a child has answered, and prints what the kernel has counted of it in
 * between: "faults N", "switches N", "cpu NS".
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL

static __attribute__((noinline, noclone)) void touch(volatile char *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at[i * PAGE] = 1;
}

static int wait_for(int from, int to, unsigned n)
{
	char c = 0;

	for (unsigned i = 0; i < n; i++)
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			return 1;
	return 0;
}

static int answer(int from, int to, unsigned n)
{
	char c;

	for (unsigned i = 0; i < n; i++)
		if (read(from, &c, 1) != 1 || write(to, &c, 1) != 1)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 64;
	char *at = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, middle, after;
	struct timespec cpu;
	int there[2], back[2];
	pid_t child;

	if (at == MAP_FAILED || madvise(at, n * PAGE, MADV_NOHUGEPAGE) || pipe(there) || pipe(back))
		return 2;
	getrusage(RUSAGE_SELF, &before);
	syscall(SYS_getppid);
	touch(at, n);
	syscall(SYS_getppid);
	getrusage(RUSAGE_SELF, &middle);
	child = fork();
	if (child == 0) { /* it ends with its parent: the ends that only that one has are closed */
		close(there[1]);
		close(back[0]);
		_exit(answer(there[0], back[1], n));
	}
	if (wait_for(back[0], there[1], n))
		return 2;
	getrusage(RUSAGE_SELF, &after);
	waitpid(child, NULL, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("faults %ld\nswitches %ld\ncpu %ld\n", middle.ru_minflt - before.ru_minflt,
	       after.ru_nvcsw + after.ru_nivcsw - middle.ru_nvcsw - middle.ru_nivcsw,
	       cpu.tv_sec * 1000000000 + cpu.tv_nsec);
	return 0;
}
