/* regtexts N: calls lead() N times, each general register but rsp pointing to a text that is its
 * name. */
#include <stdlib.h>

void lead(void);
__asm__(".text\n.globl lead\n.type lead, @function\n"
	"lead: nopw 0(%rax,%rax)\nnopw 0(%rax,%rax)\nret\n.size lead, .-lead\n");

#define TEXT(reg) static const char text_##reg[] __attribute__((used)) = #reg
TEXT(r15);
TEXT(r14);
TEXT(r13);
TEXT(r12);
TEXT(rbp);
TEXT(rbx);
TEXT(r11);
TEXT(r10);
TEXT(r9);
TEXT(r8);
TEXT(rax);
TEXT(rcx);
TEXT(rdx);
TEXT(rsi);
TEXT(rdi);

#define POINT(reg) "lea text_" #reg "(%%rip), %%" #reg "\n"

int main(int argc, char **argv)
{
	for (long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1; n > 0; n--)
		__asm__ volatile(
			"lea -128(%%rsp), %%rsp\npush %%rbp\n" POINT(r15) POINT(r14) POINT(r13)
				POINT(r12) POINT(rbp) POINT(rbx) POINT(r11) POINT(r10) POINT(r9)
					POINT(r8) POINT(rax) POINT(rcx) POINT(rdx) POINT(rsi) POINT(
						rdi) "call lead\npop %%rbp\nlea 128(%%rsp), %%rsp\n"
			:
			:
			: "r15", "r14", "r13", "r12", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx",
			  "rdx", "rsi", "rdi", "memory", "cc");
	return 0;
}
