/*
 * interpreter: runs a program of bytes by functions that jump to one another: each instruction's
 * function ends in a jump through a table, and the last one returns to who called the first.
 * `./interpreter N` counts down from N. Prints "FUNCTION CALLS RETURNS" for each, "right" last.
 * Ends with 0.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#define JUMP	 __attribute__((musttail)) return
#define TAILCALL NOINLINE
#else
#define JUMP	 return
#define TAILCALL NOINLINE __attribute__((optimize("O2")))
#endif

typedef long op_fn(const uint8_t *code, long *sp, long acc);

enum { LOAD, DOWN, TWICE, LOOP, STOP, NOPS };

long op_load(const uint8_t *, long *, long), op_down(const uint8_t *, long *, long);
long op_twice(const uint8_t *, long *, long), op_loop(const uint8_t *, long *, long);
long op_stop(const uint8_t *, long *, long);

static op_fn *const table[NOPS] = {op_load, op_down, op_twice, op_loop, op_stop};
static const uint8_t program[] = {LOAD, TWICE, DOWN, LOOP, STOP};
static unsigned long ndone[NOPS];

#define NEXT JUMP table[*code](code, sp, acc)

TAILCALL long op_load(const uint8_t *code, long *sp, long acc)
{
	ndone[LOAD]++;
	code++;
	sp[1] = acc;
	acc = 0;
	NEXT;
}

TAILCALL long op_down(const uint8_t *code, long *sp, long acc)
{
	ndone[DOWN]++;
	code++;
	sp[1]--;
	NEXT;
}

TAILCALL long op_twice(const uint8_t *code, long *sp, long acc)
{
	ndone[TWICE]++;
	code++;
	acc = (acc * 2 + 1) % 1000003;
	NEXT;
}

TAILCALL long op_loop(const uint8_t *code, long *sp, long acc)
{
	ndone[LOOP]++;
	code += sp[1] > 0 ? -2 : 1;
	NEXT;
}

TAILCALL long op_stop(const uint8_t *code, long *sp, long acc)
{
	ndone[STOP]++;
	(void)code;
	return acc + sp[1];
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, stack[4] = {0}, want = 0, got;
	unsigned long m = (unsigned long)n;

	for (long i = 0; i < n; i++)
		want = (want * 2 + 1) % 1000003;
	got = op_load(program, stack, n);
	/* where such a jump leads nobody can tell beforehand: it is no return */
	printf("op_down %lu 0\nop_load 1 0\nop_loop %lu 0\nop_stop 1\nop_twice %lu 0\n", m, m, m);
	puts(got == want && ndone[LOOP] == m && ndone[DOWN] == m ? "right" : "wrong");
	return 0;
}
