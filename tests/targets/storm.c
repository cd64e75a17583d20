/*
 * storm: signals of several kinds while probed functions run. Each handler checks that the program
 * counter it was interrupted at is in mapped code of a file, never in anonymous memory. `./storm N`
 * prints "step N", "handler N" (calls), "bad N" (program counters elsewhere). Ends with 0.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile unsigned long steps, handled, bad;
static struct {
	unsigned long start, end;
} code[64];
static int ncode;

static void read_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], perms[5];
	unsigned long ino;

	while (f && ncode < 64 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &code[ncode].start, &code[ncode].end,
			   perms, &ino) == 4 &&
		    perms[2] == 'x' && (ino || strstr(line, "[vdso]")))
			ncode++;
	if (f)
		fclose(f);
}

NOINLINE void handler(int sig, siginfo_t *si, void *ctx)
{
	unsigned long pc = (unsigned long)((ucontext_t *)ctx)->uc_mcontext.gregs[REG_RIP];
	int i = 0;

	(void)sig;
	(void)si;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED); /* a handler may be interrupted */
	while (i < ncode && (pc < code[i].start || pc >= code[i].end))
		i++;
	__atomic_fetch_add(&bad, i == ncode, __ATOMIC_RELAXED);
}

NOINLINE long step(long x)
{
	steps++;
	return x * 3 + 1;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	struct itimerval it = {{0, 300}, {0, 300}};
	const int sigs[] = {SIGALRM, SIGUSR1, SIGUSR2, SIGRTMIN, SIGVTALRM, SIGPROF};
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
	stack_t alt = {.ss_sp = malloc(65536), .ss_size = 65536};
	volatile long sum = 0;

	read_maps();
	sigaltstack(&alt, NULL);
	for (unsigned i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		if (i % 2)
			sa.sa_flags |= SA_ONSTACK;
		sigaction(sigs[i], &sa, NULL);
	}
	setitimer(ITIMER_REAL, &it, NULL);
	for (long i = 0; i < n; i++) {
		sum += step(i);
		if (i % 16 == 0)
			raise(sigs[1 + i / 16 % 3]);
	}
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
	printf("step %lu\nhandler %lu\nbad %lu\n", steps, handled, bad);
	return 0;
}
