/*
 * restartable: a counter in a restartable sequence. `./restartable N` counts to N and prints
 * "count N". The sequence is the instructions from b to 14 (hexadecimal) of rseq_inc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>

void rseq_inc(struct rseq *, unsigned long *counter);

/* clang-format off */
__asm__(".pushsection __rseq_cs, \"aw\"\n"
	"	.balign 32\n"
	"descriptor:\n"
	"	.long 0, 0\n"
	"	.quad 1f, 2f - 1f, 3f\n"
	".popsection\n"
	".text\n.globl rseq_inc\n.type rseq_inc, @function\n"
	"rseq_inc:\n"
	"	lea descriptor(%rip), %rax\n"
	"0:	mov %rax, 8(%rdi)\n" /* rseq_cs */
	"1:	mov (%rsi), %rcx\n"
	"	inc %rcx\n"
	"	mov %rcx, (%rsi)\n"
	"2:	ret\n"
	"	.byte 0x0f, 0xb9, 0x3d\n" /* ud1 with RSEQ_SIG, in front of where an abort goes */
	"	.long 0x53053053\n"
	"3:	jmp 0b\n"
	".size rseq_inc, .-rseq_inc\n");
/* clang-format on */

int main(int argc, char **argv)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	long n = argc > 1 ? atol(argv[1]) : 1000;
	unsigned long count = 0;

	if (!__rseq_size) {
		puts("no rseq");
		return 0;
	}
	for (long i = 0; i < n; i++)
		rseq_inc(area, &count);
	printf("count %lu\n", count);
	return 0;
}
