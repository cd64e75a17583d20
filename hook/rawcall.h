/* rawcall.h: a system call, for code that runs in a target and has no libc. */
#ifndef HOOK_RAWCALL_H
#define HOOK_RAWCALL_H

#include <stdint.h>

/* The result as the kernel gives it: a negative errno, or not. */
static inline int64_t raw_call(uint64_t nr, const uint64_t a[6])
{
	register uint64_t r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4],
			      r9 __asm__("r9") = a[5];
	int64_t result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

#endif
