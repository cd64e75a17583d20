/*
 * jitted ROUNDS [wait [keep]]: makes functions in memory of its own and tells of them in a perf
 * map, as runtimes do: two functions, a line that is not of code, and then another function where
 * the first one was. Between writing and calling it waits until a byte of ours has come or two
 * seconds have passed (`wait`), so that counts are exact. The map goes with the program unless it
 * is kept. Prints how often it called each; its status says whether the results were right.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perfmap.h"

typedef int fn(int, int);

static struct perf_map map;
static bool waits;

static void tell(const void *p, unsigned size, const char *name)
{
	fprintf(map.file, "%lx %x %s\n", (unsigned long)(uintptr_t)p, size, name);
	fflush(map.file);
}

/* Until a byte of ours is in the code, or it seems that none will come. */
static void await(const volatile uint8_t *p, size_t size)
{
	for (int ms = 0; waits && ms < 2000; ms++) {
		for (size_t i = 0; i < size; i++)
			if (p[i] == 0xcc)
				return;
		usleep(1000);
	}
}

static int call(const void *p, int a, int b)
{
	fn *f;

	memcpy(&f, &p, sizeof(f));
	return f(a, b);
}

int main(int argc, char **argv)
{
	/* push %rbp; lea (%rdi,%rsi),%eax; pop %rbp; ret -- and sub, longer by a nop */
	static const uint8_t add[] = {0x55, 0x8d, 0x04, 0x37, 0x5d, 0xc3};
	static const uint8_t mul[] = {0x89, 0xf8, 0x0f, 0xaf, 0xc6, 0xc3};
	static const uint8_t sub[] = {0x89, 0xf8, 0x29, 0xf0, 0x66, 0x90, 0xc3};
	int rounds = argc > 1 ? atoi(argv[1]) : 10, bad = 0;
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *data =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	waits = argc > 2;
	if (code == MAP_FAILED || data == MAP_FAILED)
		return 2;
	map = perf_map_open();
	memset(data, 0x55, 4096);
	memcpy(code, add, sizeof(add));
	memcpy(code + 64, mul, sizeof(mul));
	tell(code, sizeof(add), "JS:~jit_add /x.js:1:1");
	tell(data, sizeof(add), "JS:~jit_add /x.js:1:1");
	tell(code + 64, sizeof(mul), "JS:~jit_mul /x.js:2:1");
	await(code, sizeof(add));
	await(code + 64, sizeof(mul));
	for (int i = 0; i < rounds; i++)
		bad += call(code, i, 3) != i + 3 || call(code + 64, i, 3) != i * 3;
	for (int i = 0; i < 4096; i++)
		bad += data[i] != 0x55;

	memcpy(code, sub, sizeof(sub));
	tell(code, sizeof(sub), "JS:*jit_sub /x.js:3:1");
	await(code, sizeof(sub));
	for (int i = 0; i < 2 * rounds; i++)
		bad += call(code, i, 3) != i - 3;
	/* an add of a higher tier, elsewhere */
	memcpy(code + 128, add, sizeof(add));
	tell(code + 128, sizeof(add), "JS:*jit_add /x.js:1:1");
	await(code + 128, sizeof(add));
	for (int i = 0; i < rounds; i++)
		bad += call(code + 128, i, 3) != i + 3;
	printf("jit_add %d\njit_mul %d\njit_sub %d\n", 2 * rounds, rounds, 2 * rounds);
	if (argc <= 3)
		unlink(map.path);
	return bad != 0;
}
