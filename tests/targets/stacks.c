/*
 * stacks: calls leaf() from stacks of every shape; `./stacks N [DEPTH [LEAVES]]` does it N times.
 * Prints "leaf COUNT" and ends with 0. DEPTH (default 8) is how deep the recursion through qsort
 * goes, LEAVES (default 1) how often leaf() is called at its bottom.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static unsigned long nleaf;
static int max_depth = 8;
static long leaves = 1;
static volatile int sink;
static jmp_buf back;

NOINLINE void leaf(void)
{
	__atomic_add_fetch(&nleaf, 1, __ATOMIC_RELAXED);
}

/* ---- deep, through the C library ---- */

static int depth;
static void dive(void);

static NOINLINE int compare(const void *a, const void *b)
{
	if (depth < max_depth)
		dive();
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void dive(void)
{
	int v[2] = {depth, sink};

	if (++depth >= max_depth)
		for (long i = 0; i < leaves; i++)
			leaf();
	qsort(v, 2, sizeof(int), compare);
	sink = v[0];
}

/* ---- frames that are not plain ---- */

static NOINLINE void realigned(int n)
{
	__attribute__((aligned(64))) char here[64];
	char *more = alloca((size_t)n);

	memset(here, n, sizeof(here));
	memset(more, n, (size_t)n);
	leaf();
	sink = here[n % 64] + more[0];
}

static NOINLINE __attribute__((noreturn)) void never_returns(void)
{
	leaf();
	longjmp(back, 1);
}

/* Its last instruction is the call. */
static NOINLINE __attribute__((noreturn)) void calls_last(void)
{
	never_returns();
}

/* ud2 as the first instruction, so that a pc less one is in another function. */
void faults_at_once(void);
void framed_without_cfi(void (*)(void));
__asm__("	.text\n"
	"	.type faults_at_once, @function\n"
	"faults_at_once:\n"
	"	.cfi_startproc\n"
	"	ud2\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size faults_at_once, .-faults_at_once\n"
	"	.type framed_without_cfi, @function\n"
	"framed_without_cfi:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $32, %rsp\n"
	"	call *%rdi\n"
	"	leave\n"
	"	ret\n"
	"	.size framed_without_cfi, .-framed_without_cfi\n");

/* ---- signals ---- */

static NOINLINE void on_signal(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	(void)si;
	leaf();
	if (sig == SIGILL)
		uc->uc_mcontext.gregs[REG_RIP] += 2;
	if (sig == SIGUSR1)
		raise(SIGUSR2);
}

static void take_signals(void)
{
	static char alternate[65536];
	stack_t ss = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	sa.sa_flags |= SA_ONSTACK;
	sigaction(SIGUSR2, &sa, NULL);
}

/* ---- the rest ---- */

static void *thread(void *arg)
{
	leaf();
	return arg;
}

static void round_of_all(void)
{
	struct timespec ts;
	pthread_t t;

	depth = 0;
	dive();
	realigned(24);
	if (!setjmp(back))
		calls_last();
	framed_without_cfi(leaf);
	framed_without_cfi(dive);
	raise(SIGUSR1);
	faults_at_once();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	if (pthread_create(&t, NULL, thread, NULL) == 0)
		pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;

	if (argc > 2)
		max_depth = atoi(argv[2]);
	if (argc > 3)
		leaves = atol(argv[3]);
	take_signals();
	while (n-- > 0)
		round_of_all();
	printf("leaf %lu\n", nleaf);
	return 0;
}
