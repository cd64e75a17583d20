/*
 * base.h: what every file may use: fixed-width types, the type of an address in
 * another process, and a few macros. Includes nothing of ours.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* An address in the traced process. Never cast to a C pointer. */
typedef uint64_t taddr_t;

#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define UNUSED		  __attribute__((unused))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define NORETURN	  __attribute__((noreturn))
#define MIN(a, b)	  ((a) < (b) ? (a) : (b))
#define MAX(a, b)	  ((a) > (b) ? (a) : (b))
#define ROUND_UP(n, to)	  (((n) + (to)-1) / (to) * (to))

/* Functions that cannot be told the size of what they write do not compile here. */
#define BANNED(fn) sorry_##fn##_is_a_banned_function
#undef strcpy
#define strcpy(d, s) BANNED(strcpy)
#undef strcat
#define strcat(d, s) BANNED(strcat)
#undef strncpy
#define strncpy(d, s, n) BANNED(strncpy)
#undef strncat
#define strncat(d, s, n) BANNED(strncat)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)

#define PAGE ((size_t)4096) /* of memory, ours and a target's: the smallest there is on x86-64 */

#endif
