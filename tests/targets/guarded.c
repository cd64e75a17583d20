/*
 * guarded: calls its functions with a stack pointer that is 8, 16, 24 ... bytes above a guard page,
 * so that each instruction that touches the stack faults there once. The handler tells where the
 * program was: it must have been in its own code. Then, by turns, it leaves by a jump, or takes the
 * guard away and goes on. `guarded call|jump`: which of the two; prints what each function did, and
 * how often it was called.
 */
#define _GNU_SOURCE /* register names */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE	 4096
#define DISTANCE 2048 /* from the guard, at most */

extern char __executable_start, etext;
typedef long function(long, long, long, long, long, long);

/* on_stack(fn, sp): calls it with registers that it must find, and leave, as they are. */
long on_stack(function *, char *sp);
function leaf, pushes, frame, sums;
/* clang-format off */
__asm__("	.text\n"
	"	.globl on_stack\n"
	"	.type on_stack, @function\n"
	"on_stack: push %rbp\n"
	"	push %rbx\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rsp\n"
	"	mov $1, %edi\n"
	"	mov $2, %esi\n"
	"	mov $3, %edx\n"
	"	mov $4, %ecx\n"
	"	mov $5, %r8d\n"
	"	mov $6, %r9d\n"
	"	call *%rax\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.size on_stack, . - on_stack\n"

	"	.globl leaf\n" /* never touches the stack */
	"	.type leaf, @function\n"
	"leaf:	lea (%rdi,%rsi), %rax\n"
	"	add %rdx, %rax\n"
	"	add %rcx, %rax\n"
	"	ret\n"
	"	.size leaf, . - leaf\n"

	"	.globl pushes\n"
	"	.type pushes, @function\n"
	"pushes: push %rbp\n"
	"	push %r15\n"
	"	push %r14\n"
	"	push %r13\n"
	"	push %r12\n"
	"	lea (%r8,%r9), %rax\n"
	"	pop %r12\n"
	"	pop %r13\n"
	"	pop %r14\n"
	"	pop %r15\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.size pushes, . - pushes\n"

	"	.globl frame\n"
	"	.type frame, @function\n"
	"frame:	sub $64, %rsp\n"
	"	mov %rdi, (%rsp)\n"
	"	mov %rsi, 8(%rsp)\n"
	"	mov (%rsp), %rax\n"
	"	add 8(%rsp), %rax\n"
	"	add $64, %rsp\n"
	"	ret\n"
	"	.size frame, . - frame\n"

	"	.globl sums\n" /* begins with a call */
	"	.type sums, @function\n"
	"sums:	call leaf\n"
	"	add %r9, %rax\n"
	"	nop\n"
	"	ret\n"
	"	.size sums, . - sums\n");
/* clang-format on */

static char *guard;
static sigjmp_buf out;
static volatile int jumps, nfaults, nforeign;
static volatile uint64_t where; /* pcs and addresses of faults, in a sum that tells them apart */

static void handler(int sig, siginfo_t *si, void *arg)
{
	const ucontext_t *uc = arg;
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];

	(void)sig;
	nfaults++;
	if (pc < (uintptr_t)&__executable_start || pc >= (uintptr_t)&etext)
		nforeign++;
	where = where * 31 + (pc - (uintptr_t)&on_stack);
	where = where * 31 + (uintptr_t)si->si_addr - (uintptr_t)guard;
	where = where * 31 + sp - (uintptr_t)guard;
	for (int r = REG_R8; r <= REG_RCX; r++)
		if (r != REG_RBP && r != REG_RBX)
			where = where * 31 + (r == REG_RAX || r == REG_R10 || r == REG_R11 ||
							      (r >= REG_R12 && r <= REG_R15)
						      ? 0
						      : (uint64_t)uc->uc_mcontext.gregs[r]);
	if (jumps)
		siglongjmp(out, 1);
	mprotect(guard, PAGE, PROT_READ | PROT_WRITE);
}

static void calls(const char *name, function *f)
{
	volatile long sum = 0;
	volatile int ncalls = 0;

	nfaults = nforeign = 0;
	where = 0;
	for (volatile int off = 8; off < DISTANCE; off += 8) {
		mprotect(guard, PAGE, PROT_NONE);
		ncalls++;
		if (!sigsetjmp(out, 1))
			sum += on_stack(f, guard + PAGE + off);
	}
	printf("%s: %d faults, at %016lx, %d of them elsewhere; sum %ld\n", name, nfaults,
	       (unsigned long)where, nforeign, sum);
	printf("calls %s %d\n", name, ncalls);
}

int main(int argc, char **argv)
{
	static char alt[65536];
	const stack_t ss = {.ss_sp = alt, .ss_size = sizeof(alt)};
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	char *stack;

	jumps = argc > 1 && !strcmp(argv[1], "jump");
	stack = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	guard = stack + 32 * PAGE;
	sigaltstack(&ss, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	calls("leaf", leaf);
	calls("pushes", pushes);
	calls("frame", frame);
	calls("sums", sums);
	return 0;
}
