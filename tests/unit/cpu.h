/*
 * cpu.h: runs one instruction on the real CPU with chosen registers, for tests that compare a copy
 * or an emulation with it. The instructions are written as assembly and lie in our own text, each
 * followed by a jump to cpu_back0 (fell through) and one to cpu_back1 (branched to label 9).
 */
#ifndef TESTS_CPU_H
#define TESTS_CPU_H

#include <stdlib.h>

#include "base/base.h"

/* Registers in the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15. */
struct cpu {
	uint64_t r[16];
	uint64_t flags;
	uint64_t branched; /* out: through cpu_back1 */
	uint8_t xmm0[16];
};

extern struct cpu cpu_in, cpu_out;
extern uint64_t cpu_host, cpu_code, cpu_words[8]; /* the words: for rip-relative operands */
struct cpu cpu_in, cpu_out;
uint64_t cpu_host, cpu_code;
__attribute__((aligned(64))) uint64_t cpu_words[8];

#define CPU_WORDS   512
#define CPU_ARITH   0x8d5ULL /* CF PF AF ZF SF OF */
#define CPU_STACK   256	     /* rsp points at this word */
#define CPU_POINTER 64	     /* rbx, rbp, rsi, rdi at this word and on */

static uint64_t cpu_memory[CPU_WORDS];

void cpu_run(const void *code);
extern const char cpu_back0[], cpu_back1[];

/* clang-format off */
__asm__(".text\n"
	"cpu_run:\n"
	"	push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"	mov %rsp, cpu_host(%rip)\n"
	"	mov %rdi, cpu_code(%rip)\n"
	"	movups cpu_in+144(%rip), %xmm0\n"
	"	pushq cpu_in+128(%rip)\n popfq\n"
	"	mov cpu_in(%rip), %rax\n     mov cpu_in+8(%rip), %rcx\n"
	"	mov cpu_in+16(%rip), %rdx\n  mov cpu_in+24(%rip), %rbx\n"
	"	mov cpu_in+32(%rip), %rsp\n  mov cpu_in+40(%rip), %rbp\n"
	"	mov cpu_in+48(%rip), %rsi\n  mov cpu_in+56(%rip), %rdi\n"
	"	mov cpu_in+64(%rip), %r8\n   mov cpu_in+72(%rip), %r9\n"
	"	mov cpu_in+80(%rip), %r10\n  mov cpu_in+88(%rip), %r11\n"
	"	mov cpu_in+96(%rip), %r12\n  mov cpu_in+104(%rip), %r13\n"
	"	mov cpu_in+112(%rip), %r14\n mov cpu_in+120(%rip), %r15\n"
	"	jmp *cpu_code(%rip)\n"
	"cpu_back0:\n"
	"	movq $0, cpu_out+136(%rip)\n"
	"	jmp 1f\n"
	"cpu_back1:\n"
	"	movq $1, cpu_out+136(%rip)\n"
	"1:	mov %rax, cpu_out(%rip)\n     mov %rcx, cpu_out+8(%rip)\n"
	"	mov %rdx, cpu_out+16(%rip)\n  mov %rbx, cpu_out+24(%rip)\n"
	"	mov %rsp, cpu_out+32(%rip)\n  mov %rbp, cpu_out+40(%rip)\n"
	"	mov %rsi, cpu_out+48(%rip)\n  mov %rdi, cpu_out+56(%rip)\n"
	"	mov %r8, cpu_out+64(%rip)\n   mov %r9, cpu_out+72(%rip)\n"
	"	mov %r10, cpu_out+80(%rip)\n  mov %r11, cpu_out+88(%rip)\n"
	"	mov %r12, cpu_out+96(%rip)\n  mov %r13, cpu_out+104(%rip)\n"
	"	mov %r14, cpu_out+112(%rip)\n mov %r15, cpu_out+120(%rip)\n"
	"	mov cpu_host(%rip), %rsp\n"
	"	pushfq\n popq cpu_out+128(%rip)\n"
	"	movups %xmm0, cpu_out+144(%rip)\n"
	"	cld\n"
	"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
	"	ret\n");

struct cpu_case {
	const char *text;
	const uint8_t *code, *end;
};

#define CPU_DECLARE(id, text) extern const uint8_t cpu_##id[], cpu_##id##_end[];
#define CPU_ROW(id, text)     {text, cpu_##id, cpu_##id##_end},
#define CPU_CODE(id, text)                                                                         \
	__asm__(".text\ncpu_" #id ":\n\t" text "\ncpu_" #id "_end:\n\tjmp cpu_back0\n9:\tjmp cpu_back1\n");
/* clang-format on */

/* A table `name` of the instructions LIST(X) names. */
#define CPU_CASES(name, LIST)                                                                      \
	LIST(CPU_DECLARE)                                                                          \
	LIST(CPU_CODE)                                                                             \
	static const struct cpu_case name[] = {LIST(CPU_ROW)};

static uint64_t cpu_random(void)
{
	static uint64_t s = 88172645463325252ULL;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

/* Random registers and memory from a seed round; pointers into cpu_memory where code needs them,
 * and cpu_back1 where a branch may go: r11, [rsp], 8(%rsp), 8(%rbx), cpu_words[1]. */
static void cpu_randomise(void)
{
	static const uint8_t pointers[] = {3, 5, 6, 7};

	for (unsigned i = 0; i < 16; i++)
		cpu_in.r[i] = cpu_random() >> (cpu_random() % 64);
	for (unsigned i = 0; i < CPU_WORDS; i++)
		cpu_memory[i] = cpu_random();
	for (unsigned i = 0; i < ARRAY_SIZE(cpu_words); i++)
		cpu_words[i] = cpu_random();
	for (unsigned i = 0; i < ARRAY_SIZE(pointers); i++)
		cpu_in.r[pointers[i]] =
			(uint64_t)(uintptr_t)&cpu_memory[CPU_POINTER + cpu_random() % 64];
	cpu_in.r[1] %= 5; /* counts */
	cpu_in.r[4] = (uint64_t)(uintptr_t)&cpu_memory[CPU_STACK];
	cpu_in.r[11] = (uint64_t)(uintptr_t)cpu_back1;
	cpu_memory[CPU_STACK] = cpu_memory[CPU_STACK + 1] = cpu_in.r[11];
	cpu_words[1] = cpu_in.r[11];
	memcpy((char *)(uintptr_t)cpu_in.r[3] + 8, &cpu_in.r[11], 8);
	cpu_in.flags = 0x202 | (cpu_random() & CPU_ARITH);
	memcpy(cpu_in.xmm0, cpu_memory, 16);
}

#endif
