/* native_number.c: what subroutines of D make of a number, or of none, in native clauses. */
#include "inject/x86/native_code.h"

void native_bits(struct native *n, const struct native_bits *bits, unsigned d, unsigned a)
{
	native_fetch(n, RCX, a);
	if (bits->swaps)
		PUT(n, 0x48, 0x0f, 0xc9); /* bswap %rcx */
	if (bits->left)
		PUT(n, 0x48, 0xc1, 0xe1, bits->left); /* shl */
	if (bits->right)
		PUT(n, 0x48, 0xc1, 0xe9, bits->right); /* shr */
	native_give(n, d);
}

/* rcx = (rcx ^ rcx >> by) * factor */
static void mix(struct native *n, uint8_t by, uint64_t factor)
{
	native_rr(n, 0x89, RCX, RDX);
	PUT(n, 0x48, 0xc1, 0xea, by); /* shr $by, %rdx */
	native_rr(n, 0x31, RDX, RCX);
	native_set(n, RDX, factor);
	PUT(n, 0x48, 0x0f, 0xaf, 0xca); /* imul %rdx, %rcx */
}

/*
 * SplitMix64: an odd constant is added to the word each time, in one instruction, as a signal
 * handler may do the same, and the sum is mixed. Where its block lies tells one thread from the
 * others.
 */
void native_random(struct native *n, unsigned d, unsigned off, uint64_t seed)
{
	native_set(n, RCX, 0x9e3779b97f4a7c15ULL);
	native_rm(n, 0x01, RCX, BLOCK, off); /* add */
	native_set(n, RCX, seed);
	native_rr(n, 0x31, BLOCK, RCX); /* xor */
	native_rm(n, 0x03, RCX, BLOCK, off);
	mix(n, 30, 0xbf58476d1ce4e5b9ULL);
	mix(n, 27, 0x94d049bb133111ebULL);
	PUT(n, 0x48, 0xc1, 0xf9, 32); /* sar $32, %rcx */
	native_give(n, d);
}
