/*
 * int80.c: system calls of 32-bit programs, in a 64-bit one: getppid (64, in the other table
 * semget) N times, waitpid (7, which only 32-bit programs have; poll) N times, and access (33;
 * dup2) of a path below 4 GiB N times.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static long call32(long nr, long a, long b, long c)
{
	long ret;

	/* the entry clears r8 to r11 on some kernels */
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (low == MAP_FAILED)
		return 2;
	strcpy(low, "/nonexistent");
	for (int i = 0; i < n; i++) {
		if (call32(64, 0, 0, 0) <= 0)
			return 3; /* the kernel has no 32-bit calls (CONFIG_IA32_EMULATION) */
		call32(7, -1, 0, 1);
		call32(33, (long)(uintptr_t)low, 4, 0);
	}
	printf("getppid %d\nwaitpid %d\naccess %d\n", n, n, n);
	return 0;
}
