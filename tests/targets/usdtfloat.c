/*
 * usdtfloat.c: a static probe with floating-point arguments, in registers and in memory; fired
 * three times.
 */
#include "note.h"

double halves[2] __attribute__((used)) = {0.25, -1.5};

static __attribute__((noinline)) void scale(float f, double d, long n)
{
	__asm__ volatile(
		NOTE("shop", "scale", "0", "-4f@%0 8f@%1 -8f@8+halves(%%rip) -8@%2 4f@$1")::"x"(f),
		"x"(d), "r"(n));
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		scale(0.5f * (float)i, -1e10 * i, i);
	return 0;
}
