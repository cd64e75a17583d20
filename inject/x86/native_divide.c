/* native_divide.c: divisions in native clauses, by divisors on which the instruction would trap. */
#include "inject/x86/native_code.h"

/* cqo; idiv %rcx */
#define SIGNED_BYTES 0x48, 0x99, 0x48, 0xf7, 0xf9

/* By -1 it is a change of sign: the instruction would trap on INT64_MIN, which stays what it is. */
static void divide_by_any(struct native *n, bool is_rem)
{
	static const uint8_t divide[] = {SIGNED_BYTES}, negate[] = {0x48, 0xf7, 0xd8},
			     clear[] = {0x31, 0xd2};
	const uint8_t *at_once = is_rem ? clear : negate;
	unsigned len = is_rem ? sizeof(clear) : sizeof(negate);

	PUT(n, 0x48, 0x83, 0xf9, 0xff);	  /* cmp $-1, %rcx */
	PUT(n, 0x75, (uint8_t)(len + 2)); /* jne */
	native_put(n, at_once, len);	  /* neg %rax, or xor %edx, %edx */
	PUT(n, 0xeb, sizeof(divide));	  /* jmp */
	native_put(n, divide, sizeof(divide));
}

unsigned native_divide(struct native *n, const struct native_division *div, unsigned d, unsigned a,
		       unsigned b)
{
	bool is_rem = div->op == NATIVE_SREM || div->op == NATIVE_UREM;
	unsigned zero = 0;

	native_fetch(n, RCX, b);
	if (div->may_be_0) {
		PUT(n, 0x48, 0x85, 0xc9, 0x0f, 0x84); /* test %rcx, %rcx; je */
		zero = native_forward(n);
	}
	PUT(n, 0x50); /* push %rax */
	native_fetch(n, RAX, a);
	if (div->op == NATIVE_UDIV || div->op == NATIVE_UREM)
		PUT(n, 0x31, 0xd2, 0x48, 0xf7, 0xf1); /* xor %edx, %edx; div %rcx */
	else if (div->may_be_minus_1)
		divide_by_any(n, is_rem);
	else
		PUT(n, SIGNED_BYTES);
	native_rr(n, 0x89, is_rem ? RDX : RAX, RCX);
	PUT(n, 0x58); /* pop %rax */
	native_give(n, d);
	return zero;
}
