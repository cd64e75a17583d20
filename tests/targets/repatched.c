/*
 * repatched ROUNDS [wait]: makes a function in memory of its own, tells of it in a perf map, and
 * changes its instructions as runtimes do, all but their first bytes: what a call calls, what is
 * loaded. Waits until its last instruction has a byte of ours (`wait`). Prints "jit_patched CALLS";
 * its status says whether the results were right.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perfmap.h"

static void put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

int main(int argc, char **argv)
{
	/* 0: mov $1,%eax; 5: call 20; a: ret; and at 20 and 40: add $16 (or $32),%eax; ret */
	static const uint8_t caller[] = {0xb8, 1, 0, 0, 0, 0xe8, 0x16, 0, 0, 0, 0xc3};
	static const uint8_t callee[] = {0x83, 0xc0, 16, 0xc3};
	int rounds = argc > 1 ? atoi(argv[1]) : 10, bad = 0;
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*f)(void);
	struct perf_map map;

	if (code == MAP_FAILED)
		return 2;
	map = perf_map_open();
	memcpy(code, caller, sizeof(caller));
	memcpy(code + 0x20, callee, sizeof(callee));
	memcpy(code + 0x40, callee, sizeof(callee));
	code[0x42] = 32;
	fprintf(map.file, "%lx %zx jit_patched\n", (unsigned long)(uintptr_t)code, sizeof(caller));
	fflush(map.file);
	for (int ms = 0; argc > 2 && ms < 10000 && *(volatile uint8_t *)(code + 10) != 0xcc; ms++)
		usleep(1000);
	memcpy(&f, &code, sizeof(f));
	for (int i = 0; i < rounds; i++) {
		put32(code + 6, i % 2 ? 0x36 : 0x16);
		put32(code + 1, (uint32_t)i);
		bad += f() != i + (i % 2 ? 32 : 16);
	}
	unlink(map.path);
	printf("jit_patched %d\nbad %d\n", rounds, bad);
	return bad != 0;
}
