/*
 * zoo: instructions that a tracer cannot just run somewhere else. `./zoo N [NTHREADS]` calls each
 * function N times in each thread; what it computes goes into a sum, the flags among it. Prints
 * "FUNCTION CALLS" for each function, "sum X", and "bad N": faults whose program counter or
 * address was not where they happened. Ends with 0. What it prints is the same, probed or not.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* clang-format off */
/* A function of one argument in rdi whose result is rax; the flags of the last comparison too. */
#define ANIMAL(name, text)                                                                         \
	uint64_t name(uint64_t);                                                                   \
	__asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n" text "\n.size " #name  \
		",.-" #name "\n")

__asm__(".data\n.balign 64\n"
	"cell: .quad 0x1122334455667788, 0x99aabbccddeeff00, 3, 4, 5, 6, 7, 8\n"
	"pair: .quad 1, 2\n"
	"target_word: .quad zoo_target\n"
	".text\n");

ANIMAL(zoo_target, "lea 7(%rdi), %rax\n ret");
ANIMAL(zoo_loads, "movzbl cell(%rip), %eax\n movzwl cell+2(%rip), %ecx\n add %rcx, %rax\n"
		  "mov cell+4(%rip), %ecx\n add %rcx, %rax\n add cell+8(%rip), %rax\n"
		  "movsbq cell+8(%rip), %rcx\n add %rcx, %rax\n movslq cell+12(%rip), %rcx\n"
		  "add %rcx, %rax\n lea cell+16(%rip), %rcx\n add (%rcx), %rax\n add %rdi, %rax\n ret");
ANIMAL(zoo_immediates,
       "xor %eax, %eax\n cmpb $0x11, cell+7(%rip)\n sete %al\n cmpw $0x1122, cell+6(%rip)\n"
       "setne %cl\n movzbl %cl, %ecx\n lea (%rcx,%rax,2), %rax\n"
       "cmpl $0x11223344, cell+4(%rip)\n adc $0, %rax\n imul $1000003, cell+16(%rip), %rcx\n"
       "add %rcx, %rax\n testq $0x7fffffff, cell+8(%rip)\n setne %cl\n add %cl, %al\n"
       "btq $5, cell(%rip)\n adc %rdi, %rax\n ret");
ANIMAL(zoo_pushes, "push cell+16(%rip)\n push $-5\n push $0x12345678\n pushf\n pop %rax\n"
		   "and $0x8d5, %eax\n pop %rcx\n add %rcx, %rax\n pop %rcx\n add %rcx, %rax\n"
		   "pop %rcx\n add %rcx, %rax\n push %rsp\n pop %rcx\n cmp %rsp, %rcx\n jne 1f\n"
		   "add %rdi, %rax\n1: enter $16, $0\n mov %rax, -8(%rbp)\n mov -8(%rbp), %rax\n"
		   "leave\n ret");
ANIMAL(zoo_vectors, "movdqu cell(%rip), %xmm0\n paddq cell+16(%rip), %xmm0\n movq %xmm0, %rax\n"
		    "cvtsi2sdq cell+16(%rip), %xmm1\n addsd %xmm1, %xmm1\n cvttsd2si %xmm1, %rcx\n"
		    "add %rcx, %rax\n pextrq $1, %xmm0, %rcx\n add %rcx, %rax\n add %rdi, %rax\n ret");
ANIMAL(zoo_vex, "vmovdqu cell(%rip), %ymm0\n vpaddq cell+32(%rip), %ymm0, %ymm0\n"
		"vpermq $0x1b, cell+32(%rip), %ymm1\n vpxor %ymm1, %ymm0, %ymm0\n vmovq %xmm0, %rax\n"
		"vzeroupper\n add %rdi, %rax\n ret");
ANIMAL(zoo_evex, "vmovdqu64 cell(%rip), %zmm16\n vpaddq cell(%rip), %zmm16, %zmm16\n"
		 "vpaddq cell+8(%rip){1to8}, %zmm16, %zmm16\n vmovdqa64 %zmm16, %zmm0\n"
		 "vmovq %xmm0, %rax\n vzeroupper\n add %rdi, %rax\n ret");
ANIMAL(zoo_counts, "mov $3, %ecx\n xor %eax, %eax\n1: add $2, %rax\n loop 1b\n jrcxz 2f\n"
		   "add $100, %rax\n2: mov $4, %ecx\n3: cmp %rcx, %rcx\n loope 3b\n mov $5, %ecx\n"
		   "4: cmp $99, %rcx\n loopne 4b\n jecxz 5f\n add $1000, %rax\n5: mov $1, %ecx\n"
		   "jrcxz 6f\n add %rdi, %rax\n6: ret");
ANIMAL(zoo_branches,
       "mov $1, %eax\n cmp $10, %rdi\n jb 1f\n or $2, %eax\n1: cmp $10, %rdi\n ja 1f\n or $4, %eax\n"
       "1: cmp $10, %rdi\n je 1f\n or $8, %eax\n1: cmp $10, %rdi\n jl 1f\n or $16, %eax\n"
       "1: cmp $10, %rdi\n jg 1f\n or $32, %eax\n1: test %dil, %dil\n jp 1f\n or $64, %eax\n"
       "1: test %rdi, %rdi\n js 1f\n or $128, %eax\n1: mov $0x7fffffff, %ecx\n add %edi, %ecx\n"
       "jo 1f\n or $256, %eax\n1: cmp $10, %rdi\n jbe 1f\n or $512, %eax\n1: cmp $10, %rdi\n"
       "jae 1f\n or $1024, %eax\n1: cmp $10, %rdi\n jge 1f\n or $2048, %eax\n1: cmp $10, %rdi\n"
       "jle 1f\n or $4096, %eax\n1: ret");
ANIMAL(zoo_calls, "sub $8, %rsp\n call zoo_target\n mov %rax, %rdi\n lea zoo_target(%rip), %rcx\n"
		  "call *%rcx\n mov %rax, %rdi\n call *target_word(%rip)\n mov %rax, %rdi\n"
		  "push target_word(%rip)\n sub $8, %rsp\n call *8(%rsp)\n add $16, %rsp\n"
		  "add $8, %rsp\n call 1f\n1: pop %rcx\n lea 1b(%rip), %rdx\n cmp %rcx, %rdx\n"
		  "sete %cl\n movzbl %cl, %ecx\n add %rcx, %rax\n ret");
ANIMAL(zoo_jump_reg, "lea zoo_target(%rip), %rax\n jmp *%rax");
ANIMAL(zoo_jump_mem, "jmp *target_word(%rip)");
ANIMAL(zoo_jump_table, "lea 9f(%rip), %rcx\n mov %rdi, %rax\n and $1, %eax\n"
		       "movslq (%rcx,%rax,4), %rax\n add %rcx, %rax\n jmp *%rax\n"
		       "1: lea 1(%rdi), %rax\n ret\n2: lea 2(%rdi), %rax\n ret\n"
		       ".section .rodata\n.balign 4\n9: .long 1b-9b, 2b-9b\n.text");
ANIMAL(zoo_flags, "mov $0x7fffffff, %eax\n add $1, %eax\n pushf\n mov (%rsp), %rax\n popf\n"
		  "seto %cl\n and $0x8d5, %eax\n movzbl %cl, %ecx\n shl $16, %ecx\n or %ecx, %eax\n"
		  "std\n pushf\n pop %rcx\n cld\n and $0x400, %ecx\n or %ecx, %eax\n add %rdi, %rax\n ret");
ANIMAL(zoo_machine, "push %rbx\n xor %eax, %eax\n cpuid\n mov %ebx, %r8d\n rdtscp\n rdtsc\n"
		    "xor %ecx, %ecx\n xgetbv\n lea (%r8,%rdi), %rax\n pop %rbx\n ret");
ANIMAL(zoo_syscall, "mov $39, %eax\n syscall\n lea 1f(%rip), %rdx\n1: cmp %rcx, %rdx\n sete %al\n"
		    "movzbl %al, %eax\n add %rdi, %rax\n ret");
ANIMAL(zoo_strings, "push %rdi\n sub $64, %rsp\n mov %rsp, %rdi\n mov $64, %ecx\n mov $0x5a, %al\n"
		    "rep stosb\n lea cell(%rip), %rsi\n mov %rsp, %rdi\n mov $4, %ecx\n rep movsq\n"
		    "mov %rsp, %rdi\n lea cell(%rip), %rsi\n mov $64, %ecx\n repe cmpsb\n"
		    "mov %rcx, %rdx\n mov %rsp, %rdi\n mov $64, %ecx\n mov $0xcc, %al\n"
		    "repne scasb\n lea (%rcx,%rdx,4), %rax\n add $64, %rsp\n pop %rdi\n"
		    "add %rdi, %rax\n ret");
ANIMAL(zoo_segments, "mov %fs:0, %rax\n cmp %fs:16, %rax\n sete %al\n movzbl %al, %eax\n"
		     "mov %fs:0x28, %rcx\n xor %fs:0x28, %rcx\n add %rcx, %rax\n add %rdi, %rax\n ret");
ANIMAL(zoo_locks, "mov $1, %eax\n lock xadd %rax, pair(%rip)\n mov $-1, %rax\n"
		  "lock xadd %rax, pair(%rip)\n push %rbx\n mov pair+8(%rip), %rbx\n xor %edx, %edx\n"
		  "xor %eax, %eax\n xor %ecx, %ecx\n lock cmpxchg16b pair(%rip)\n pop %rbx\n"
		  "lea 5(%rdi), %rax\n ret");
ANIMAL(zoo_red_zone, "mov %rdi, -8(%rsp)\n movq $3, -16(%rsp)\n mov %rdi, -128(%rsp)\n"
		     "addq $1, -8(%rsp)\n mov -8(%rsp), %rax\n add -16(%rsp), %rax\n"
		     "cmp %rdi, -128(%rsp)\n jne 1f\n add $9, %rax\n1: ret");
/* the branch back goes to the first instruction: entry fires each time */
ANIMAL(zoo_loop, "dec %rdi\n jg zoo_loop\n lea 11(%rdi), %rax\n ret");
/* its tail is in the middle of another function */
ANIMAL(zoo_tail_owner, "add $5, %rdi\nzoo_shared: lea 1(%rdi), %rax\n ret");
ANIMAL(zoo_tail_sharer, "add $6, %rdi\n jmp zoo_shared");
ANIMAL(zoo_undefined, "ud2\n lea 3(%rdi), %rax\n ret");
ANIMAL(zoo_divide, "mov %rdi, %rax\n xor %edx, %edx\n xor %ecx, %ecx\n div %rcx\n lea 4(%rdi), %rax\n ret");
ANIMAL(zoo_fault, "movzbl cell(%rip), %eax\n mov 16, %rax\n lea 5(%rdi), %rax\n ret");
ANIMAL(zoo_transaction, "xbegin 1f\n xend\n1: lea 6(%rdi), %rax\n ret");
/* takes two words of the stack with it */
__asm__(".globl zoo_ret_imm\n.type zoo_ret_imm,@function\n"
	"zoo_ret_imm: mov 8(%rsp), %rax\n add 16(%rsp), %rax\n ret $16\n.size zoo_ret_imm,.-zoo_ret_imm\n");
ANIMAL(zoo_ret_caller, "push %rdi\n push $30\n call zoo_ret_imm\n ret");

/* clang-format on */

static bool evex_works(void)
{
	return __builtin_cpu_supports("avx512f");
}

static bool vex_works(void)
{
	return __builtin_cpu_supports("avx2");
}

static bool rtm_works(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_RTM;
}

/* clang-format off */
static const struct animal {
	const char *name;
	uint64_t (*fn)(uint64_t);
	bool (*works)(void);
	bool is_counted; /* one call is one entry */
} animals[] = {
#define ROW(name) {#name, name, NULL, true}
	ROW(zoo_loads), ROW(zoo_immediates), ROW(zoo_pushes), ROW(zoo_vectors),
	{"zoo_vex", zoo_vex, vex_works, true}, {"zoo_evex", zoo_evex, evex_works, true},
	ROW(zoo_counts), ROW(zoo_branches), ROW(zoo_calls), ROW(zoo_jump_reg), ROW(zoo_jump_mem),
	ROW(zoo_jump_table), ROW(zoo_flags), ROW(zoo_machine), ROW(zoo_syscall), ROW(zoo_strings),
	ROW(zoo_segments), ROW(zoo_locks), ROW(zoo_red_zone), {"zoo_loop", zoo_loop, NULL, false},
	ROW(zoo_tail_owner), ROW(zoo_tail_sharer), ROW(zoo_undefined), ROW(zoo_divide), ROW(zoo_fault),
	{"zoo_transaction", zoo_transaction, rtm_works, true}, ROW(zoo_ret_caller),
};
/* clang-format on */
#define NANIMALS    (sizeof(animals) / sizeof(animals[0]))
#define MAX_THREADS 64

static long rounds;
static uint64_t sums[MAX_THREADS];
static unsigned long bad;

/* A fault is where it happened: in the function, not in a copy of its instruction. */
static void on_fault(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	uintptr_t from = sig == SIGILL	 ? (uintptr_t)zoo_undefined
			 : sig == SIGFPE ? (uintptr_t)zoo_divide
					 : (uintptr_t)zoo_fault;
	unsigned skip = sig == SIGILL ? 2 : sig == SIGFPE ? 3 : 8;
	uintptr_t at = sig == SIGSEGV ? 16 : pc;

	if (pc < from || pc > from + 16 || (uintptr_t)si->si_addr != at)
		__atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
	uc->uc_mcontext.gregs[REG_RIP] += skip;
}

static void *visit(void *arg)
{
	uint64_t sum = 0;

	for (long i = 0; i < rounds; i++)
		for (unsigned k = 0; k < NANIMALS; k++)
			if (!animals[k].works || animals[k].works())
				sum = sum * 31 + animals[k].fn((uint64_t)(i % 21) - 1);
	*(uint64_t *)arg = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	static const int faults[] = {SIGILL, SIGFPE, SIGSEGV};
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	pthread_t t[MAX_THREADS];
	long n = argc > 2 ? atol(argv[2]) : 1;
	uint64_t sum = 0;

	if (argc < 2 || n < 1 || n > MAX_THREADS)
		return 2;
	rounds = atol(argv[1]);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &sa, NULL);
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, visit, &sums[i]))
			return 3;
	for (long i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		sum += sums[i];
	}
	for (unsigned k = 0; k < NANIMALS; k++)
		if (animals[k].is_counted && (!animals[k].works || animals[k].works()))
			printf("%s %ld\n", animals[k].name, rounds * n);
	printf("zoo_ret_imm %ld\nsum %lx\nbad %lu\n", rounds * n, (unsigned long)sum, bad);
	return 0;
}
