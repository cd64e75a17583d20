/*
 * edges: functions called where next to no stack is left. `./edges N [ROOM]` calls, N times, a
 * function with ROOM (512) bytes of stack below its return address, the guard page behind them; on
 * an alternate signal stack of the least size there is; and in threads with the smallest stack.
 * Prints "FUNCTION CALLS" for each function whose calls it knows, "right" or "wrong" last. Ends
 * with 0.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

static volatile long handled;

/* Neither needs any stack: what is used is used by whoever hooks them. */
long at_the_edge(long x);
__asm__(".text\n.globl at_the_edge\n.type at_the_edge,@function\nat_the_edge:\n"
	"	.cfi_startproc\n	lea 3(%rdi),%rax\n	add $4,%rax\n	ret\n	"
	".cfi_endproc\n"
	".size at_the_edge,.-at_the_edge\n");

/* at_the_edge(x), with its return address at sp - 8 */
long call_at(long x, void *sp);
__asm__(".text\n.type call_at,@function\ncall_at:\n	.cfi_startproc\n"
	"	push %rbp\n	.cfi_adjust_cfa_offset 8\n	.cfi_rel_offset rbp,0\n"
	"	mov %rsp,%rbp\n	.cfi_def_cfa_register rbp\n	mov %rsi,%rsp\n	call at_the_edge\n"
	"	mov %rbp,%rsp\n	pop %rbp\n	.cfi_def_cfa rsp,8\n	ret\n	"
	".cfi_endproc\n.size call_at,.-call_at\n");

NOINLINE void on_signal(int sig)
{
	handled += sig == SIGUSR1;
}

static void *small_main(void *arg)
{
	return (void *)at_the_edge((long)arg);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;
	size_t room = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
	char *guard = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t least = getauxval(AT_MINSIGSTKSZ);
	stack_t ss = {0};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	pthread_attr_t attr;
	int bad = guard == MAP_FAILED || mprotect(guard, 4096, PROT_NONE);

	if (least < MINSIGSTKSZ)
		least = MINSIGSTKSZ;
	ss.ss_sp = malloc(least);
	ss.ss_size = least;
	bad |= sigaltstack(&ss, NULL) || sigaction(SIGUSR1, &sa, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (long i = 0; i < n; i++) {
		pthread_t t;
		void *got;

		bad |= call_at(i, guard + 4096 + room + 8) != i + 7;
		raise(SIGUSR1);
		bad |= pthread_create(&t, &attr, small_main, (void *)i) || pthread_join(t, &got) ||
		       (long)got != i + 7;
	}
	bad |= handled != n;
	printf("at_the_edge %ld\non_signal %ld\n", 2 * n, n);
	puts(bad ? "wrong" : "right");
	return 0;
}
