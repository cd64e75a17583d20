/*
 * jumps: control flow that never returns the ordinary way. `./jumps N [DEPTH]` leaves N times from
 * DEPTH (10) nested frames by longjmp and recurses N deep once; prints "nest N", "dive N". Ends
 * with 0.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile unsigned long nests, dives;
static jmp_buf out;

NOINLINE long nest(long depth)
{
	nests++;
	if (depth == 0)
		longjmp(out, 1);
	if (depth < 0)
		return 0;
	return nest(depth - 1) + 1;
}

NOINLINE long dive(long depth)
{
	dives++;
	return depth ? dive(depth - 1) + depth : 0;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100, depth = argc > 2 ? atol(argv[2]) : 10;
	volatile long i;

	for (i = 0; i < n; i++)
		if (!setjmp(out))
			nest(depth - 1);
	dive(n);
	printf("dive %lu\nnest %lu\n", dives, nests);
	return 0;
}
