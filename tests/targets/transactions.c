/*
 * transactions: `./transactions N` begins transactions that abort, N times, in functions of which a
 * handler is in what a jump at their beginning or end would cover. Prints "FUNCTION CALLS" for each
 * and "right", if all came where they should. Where the processor knows no transactions it calls
 * none.
 */
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>

int first_begins(int x), goes_back(int x), ends_there(int x);

/* clang-format off */
#define FUNCTION(name, code)                                                                       \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n" #name ":\n" code    \
		"\n.size " #name ",.-" #name "\n.p2align 4,0x90\n")

/* no probe can be at its entry */
FUNCTION(first_begins, "xbegin 1f\n xabort $7\n mov $-1, %eax\n ret\n nop\n nop\n"
		       "1: lea 1(%rdi), %eax\n ret");
/* the third byte is where it aborts to */
FUNCTION(goes_back, "xor %ecx, %ecx\n 1: inc %ecx\n inc %ecx\n cmp $7, %ecx\n ja 2f\n"
		    "xbegin 1b\n xabort $3\n 2: lea (%rdi,%rcx), %eax\n ret");
/* a return at which it aborts to the instruction before, and one to itself */
FUNCTION(ends_there, "test $1, %edi\n jz 3f\n lea 2(%rdi), %edx\n xbegin 1f\n xabort $1\n"
		     "mov $-1, %edx\n inc %edx\n 1: mov %edx, %eax\n ret\n nop\n nop\n nop\n nop\n"
		     "3: lea 2(%rdi), %eax\n mov %eax, %edx\n xbegin 2f\n xabort $1\n"
		     "mov $-1, %edx\n 2: xchg %edx, %eax\n ret");
/* clang-format on */

static int has_transactions(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_RTM;
}

int main(int argc, char **argv)
{
	long n = argc > 1 && has_transactions() ? atol(argv[1]) : 0, wrong = 0;

	for (int i = 0; i < n; i++) {
		wrong += first_begins(i) != i + 1;
		wrong += goes_back(i) != i + 8;
		wrong += ends_there(i) != i + 2;
	}
	printf("goes_back %ld\nends_there %ld\n", n, n);
	puts(wrong ? "wrong" : "right");
	return 0;
}
