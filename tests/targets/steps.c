/*
 * steps: runs its functions by single steps, as a debugger within a program does: with the trap
 *flag set, each instruction ends in a SIGTRAP, whose handler looks where the program stands. Prints
 *how many steps there were and what the handler saw, "FUNCTION CALLS", and "right" or what went
 *wrong.
 *
 *	steps N		N times
 *	steps N defer	the handler is not interrupted by its own signal: SA_NODEFER is not asked
 *for
 */
#define _GNU_SOURCE /* register names */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

typedef long function(long, char *);
function plain, pushes, branches, calls, moves, asks, flags, faults, traps, turns_on;
extern char stepped_end[], faults_at[], faults_next[];

/* step(fn, a, b): with the trap flag set from its first instruction to its last; `run` without. */
long step(function *, long, char *), run(function *, long, char *);
/* clang-format off */
__asm__("	.text\n"
	".macro begin name\n"
	"	.p2align 4\n	.globl \\name\n	.type \\name, @function\n\\name: .cfi_startproc\n"
	".endm\n"
	".macro end name\n"
	"	.cfi_endproc\n	.size \\name, . - \\name\n"
	".endm\n"
	"begin step\n push %rbx\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n"
	"	pushf\n orl $0x100, (%rsp)\n popf\n"
	"	call *%rax\n"
	"	pushf\n andl $~0x100, (%rsp)\n popf\n"
	"	nop\n pop %rbx\n ret\n end step\n"
	"begin run\n push %rbx\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n call *%rax\n pop %rbx\n ret\n end run\n"
	"begin plain\n mov %rdi, %rax\n lea 3(%rax), %rax\n imul $5, %rax, %rax\n xor $1, %rax\n ret\n end plain\n"
	"begin pushes\n endbr64\n push %rbp\n mov %rsp, %rbp\n push %r15\n push %r14\n lea stepped(%rip), %r15\n"
	"	mov %rdi, %rax\n pop %r14\n pop %r15\n leave\n ret\n end pushes\n"
	"begin branches\n mov $4, %ecx\n xor %eax, %eax\n1: add $2, %rax\n cmp $100, %rax\n ja 2f\n dec %ecx\n jnz 1b\n"
	"	mov $2, %ecx\n3: loop 3b\n jrcxz 4f\n2: nop\n4: nopl 8(%rax)\n jmp 5f\n nop\n5: ret\n end branches\n"
	"begin calls\n sub $8, %rsp\n call plain\n mov %rax, %rdi\n lea plain(%rip), %rdx\n call *%rdx\n call *stepped_fn(%rip)\n"
	"	add $8, %rsp\n jmp plain\n end calls\n"
	"begin moves\n cld\n mov %rsi, %rdi\n lea 64(%rsi), %rsi\n mov $5, %ecx\n rep movsb\n mov %rcx, %rax\n ret\n end moves\n"
	"begin asks\n mov $39, %eax\n syscall\n mov $102, %eax\n syscall\n xor %eax, %eax\n ret\n end asks\n"
	"begin flags\n pushf\n pop %rax\n and $0x100, %eax\n pushf\n popf\n ret\n end flags\n"
	"	.globl faults_at, faults_next\n"
	"begin faults\n xor %eax, %eax\nfaults_at: mov (%rax), %rdx\nfaults_next: lea 9(%rdi), %rax\n ret\n end faults\n"
	/* the trap is the program's own, not that of a step */
	"begin traps\n int3\n lea 5(%rdi), %rax\n int3\n ret\n end traps\n"
	"begin turns_on\n pushf\n orl $0x100, (%rsp)\n popf\n mov $3, %eax\n nop\n pushf\n andl $~0x100, (%rsp)\n popf\n nop\n ret\n end turns_on\n"
	"	.p2align 4\n"
	".globl stepped\n stepped = .\n"
	"	.data\n	.p2align 3\nstepped_fn: .quad plain\n	.text\n");
/* clang-format on */

static const struct stepped {
	const char *name;
	function *fn;
} stepped_functions[] = {
#define F(name)                                                                                    \
	{                                                                                          \
#name, (function *)name                                                            \
	}
	F(plain), F(pushes), F(branches), F(calls), F(moves),	 F(asks),
	F(flags), F(faults), F(traps),	  F(step),  F(turns_on),
};
#define NFUNCTIONS (sizeof(stepped_functions) / sizeof(stepped_functions[0]))

static volatile long nsteps, ntraps, nfaults, nnested, nstrange;
static volatile uint64_t seen;
static long ncalls[NFUNCTIONS];
static int says;

static const struct stepped *function_of(uintptr_t pc, long *off)
{
	const struct stepped *best = NULL;

	for (size_t i = 0; i < NFUNCTIONS; i++) {
		const struct stepped *f = &stepped_functions[i];

		if ((uintptr_t)f->fn <= pc && (!best || f->fn > best->fn))
			best = f;
	}
	*off = best ? (long)(pc - (uintptr_t)best->fn) : 0;
	return best && *off < 128 ? best : NULL;
}

static __attribute__((noinline)) void note(uint64_t v)
{
	seen = seen * 31 + v;
}

static void handler(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;
	long off;
	const struct stepped *f = function_of((uintptr_t)r[REG_RIP], &off);

	nnested++;
	if (nnested != 1)
		printf("wrong: a trap within the handler\n");
	if (says && f)
		printf("%s%+ld signal %d code %d address %d flags %llx\n", f->name, off, sig,
		       si->si_code, si->si_addr == (void *)(uintptr_t)r[REG_RIP],
		       r[REG_EFL] & TRAP_FLAG);
	if (!f)
		nstrange++;
	if (sig == SIGSEGV) {
		nfaults++;
		if (r[REG_RIP] != (greg_t)faults_at)
			printf("wrong: a fault at %s%+ld\n", f ? f->name : "?", off);
		r[REG_RIP] = (greg_t)faults_next;
	} else if (si->si_code == SI_KERNEL) {
		ntraps++;
	} else {
		nsteps++;
	}
	note((uint64_t)sig * 1000 + (uint64_t)off);
	note(f ? (uint64_t)(f - stepped_functions) : 99);
	nnested--;
}

static void call(long (*how)(function *, long, char *), unsigned i, long a)
{
	static char buffer[128];
	long got;

	ncalls[i]++;
	if (stepped_functions[i].fn == calls)
		ncalls[0] += 4;
	got = how(stepped_functions[i].fn, a, buffer);
	ncalls[9] += how == step;
	note((uint64_t)got);
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
	long n = argc > 1 ? atol(argv[1]) : 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && strcmp(argv[2], "defer") == 0)
		sa.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGTRAP, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	for (long k = 0; k < n; k++) {
		says = n == 1;
		for (unsigned i = 0; i < 9; i++) {
			call(step, i, k);
			call(run, i, k);
		}
		call(run, 10, k);
	}
	printf("%ld steps, %ld traps, %ld faults, %ld elsewhere: %016lx\n", nsteps, ntraps, nfaults,
	       nstrange, (unsigned long)seen);
	for (unsigned i = 0; i < NFUNCTIONS; i++)
		printf("%s %ld\n", stepped_functions[i].name, ncalls[i]);
	printf(nstrange ? "%ld wrong\n" : "right\n", nstrange);
	return 0;
}
