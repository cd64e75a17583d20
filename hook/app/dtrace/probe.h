/*
 * dtrace/probe.h: static probes of C and C++ programs (dtrace-usdt(7)). Nothing to link with.
 *
 *	#include <dtrace/probe.h>
 *
 *	DTRACE_PROBE(shop, sell__it, count, name);
 *
 * is the probe shop$target:::sell-it with arg0 and arg1: up to eight integers or pointers. It costs
 * a nop as long as nobody traces it; what its arguments take to be computed is spared, too, if it
 * is asked first:
 *
 *	DTRACE_SEMAPHORE(shop, sell__it);	once, outside of functions
 *	if (DTRACE_ENABLED(shop, sell__it))
 *		DTRACE_PROBE(shop, sell__it, count, name_of(item));
 *
 * DTRACE_TYPES(shop, sell__it, "int, char *"), outside of functions, says what args[] are.
 * Provider and probe are words of C; "__" of a probe is "-" in D. With DTRACE_NO_PROBES defined all
 * of this is empty. x86-64 ELF, gcc or clang.
 */
#ifndef DTRACE_PROBE_H
#define DTRACE_PROBE_H

#if defined(DTRACE_NO_PROBES) || !defined(__x86_64__) || !defined(__ELF__)

#define DTRACE_PROBE(...)		    ((void)0)
#define DTRACE_ENABLED(provider, probe)	    0
#define DTRACE_SEMAPHORE(provider, probe)   extern int dtrace_no_probes
#define DTRACE_TYPES(provider, probe, text) extern int dtrace_no_probes

#else

/*
 * The note that tells of a probe (the form is that of SystemTap's <sys/sdt.h>): where the nop is,
 * where the base was when the file was linked, the semaphore (0: nobody defines one), the names,
 * and of each argument its size, negative if it is signed, and its place.
 */
/* clang-format off */
#define DTRACE_NOTE_(provider, probe, args) \
	"990:	nop\n" \
	"	.weak " #provider "_" #probe "_semaphore\n" \
	"	.hidden " #provider "_" #probe "_semaphore\n" \
	"	.pushsection .note.stapsdt,\"?\",\"note\"\n" \
	"	.balign 4\n" \
	"	.4byte 992f-991f, 994f-993f, 3\n" \
	"991:	.asciz \"stapsdt\"\n" \
	"992:	.balign 4\n" \
	"993:	.8byte 990b, _.stapsdt.base, " #provider "_" #probe "_semaphore\n" \
	"	.asciz \"" #provider "\"\n" \
	"	.asciz \"" #probe "\"\n" \
	"	.asciz \"" args "\"\n" \
	"994:	.balign 4\n" \
	"	.popsection\n" \
	"	.ifndef _.stapsdt.base\n" \
	"	.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	"	.weak _.stapsdt.base\n" \
	"	.hidden _.stapsdt.base\n" \
	"_.stapsdt.base: .space 1\n" \
	"	.size _.stapsdt.base, 1\n" \
	"	.popsection\n" \
	"	.endif\n"

#define DTRACE_TYPES(provider, probe, text) \
	__asm__("	.pushsection .note.dtrace,\"\",\"note\"\n" \
		"	.balign 4\n" \
		"	.4byte 992f-991f, 994f-993f, 1\n" \
		"991:	.asciz \"dtrace\"\n" \
		"992:	.balign 4\n" \
		"993:	.asciz \"" #provider "\"\n" \
		"	.asciz \"" #probe "\"\n" \
		"	.asciz \"" text "\"\n" \
		"994:	.balign 4\n" \
		"	.popsection\n")

/* The tracer counts up in it while the probe is enabled. */
#ifdef __cplusplus
#define DTRACE_C_ extern "C"
#else
#define DTRACE_C_ extern
#endif
#define DTRACE_SEMAPHORE(provider, probe) \
	DTRACE_C_ volatile unsigned short provider##_##probe##_semaphore; \
	__attribute__((weak, used, visibility("hidden"), section(".probes"))) \
	volatile unsigned short provider##_##probe##_semaphore = 0
#define DTRACE_ENABLED(provider, probe) \
	__builtin_expect(provider##_##probe##_semaphore != 0, 0)

/* An argument as functions take it: arrays are addresses, small integers int. */
#ifdef __cplusplus
#define DTRACE_VALUE_(x) +(x)
template <class T> struct dtrace_signed_ { enum { yes = 0 }; };
template <> struct dtrace_signed_<int> { enum { yes = 1 }; };
template <> struct dtrace_signed_<long> { enum { yes = 1 }; };
template <> struct dtrace_signed_<long long> { enum { yes = 1 }; };
#define DTRACE_SIGNED_(v) dtrace_signed_<__typeof__(v)>::yes
#else
#define DTRACE_VALUE_(x) (1 ? (x) : (x))
#define DTRACE_SIGNED_(v) _Generic((v), int: 1, long: 1, long long: 1, default: 0)
#endif
#define DTRACE_SIZE_(v) (DTRACE_SIGNED_(v) ? -(int)sizeof(v) : (int)sizeof(v))
#define DTRACE_SET_(n, x) __typeof__(DTRACE_VALUE_(x)) dtrace_##n##_ = DTRACE_VALUE_(x);
#define DTRACE_OPERAND_(n) \
	[size##n] "i" (DTRACE_SIZE_(dtrace_##n##_)), [value##n] "nor" (dtrace_##n##_)

#define DTRACE_WORD_(n) "%c[size" #n "]@%[value" #n "]"
#define DTRACE_DO_(provider, probe, sets, words, ...) \
	do { \
		sets \
		__asm__ __volatile__(DTRACE_NOTE_(provider, probe, words) : : __VA_ARGS__); \
	} while (0)

#define DTRACE_PROBE_0_(p, n) __asm__ __volatile__(DTRACE_NOTE_(p, n, ""))
#define DTRACE_PROBE_1_(p, n, a) DTRACE_DO_(p, n, DTRACE_SET_(0, a), DTRACE_WORD_(0), DTRACE_OPERAND_(0))
#define DTRACE_PROBE_2_(p, n, a, b) \
	DTRACE_DO_(p, n, DTRACE_SET_(0, a) DTRACE_SET_(1, b), DTRACE_WORD_(0) " " DTRACE_WORD_(1), \
		DTRACE_OPERAND_(0), DTRACE_OPERAND_(1))
#define DTRACE_SETS_3_(a, b, c) DTRACE_SET_(0, a) DTRACE_SET_(1, b) DTRACE_SET_(2, c)
#define DTRACE_WORDS_3_ DTRACE_WORD_(0) " " DTRACE_WORD_(1) " " DTRACE_WORD_(2)
#define DTRACE_OPERANDS_3_ DTRACE_OPERAND_(0), DTRACE_OPERAND_(1), DTRACE_OPERAND_(2)
#define DTRACE_PROBE_3_(p, n, a, b, c) \
	DTRACE_DO_(p, n, DTRACE_SETS_3_(a, b, c), DTRACE_WORDS_3_, DTRACE_OPERANDS_3_)
#define DTRACE_PROBE_4_(p, n, a, b, c, d) \
	DTRACE_DO_(p, n, DTRACE_SETS_3_(a, b, c) DTRACE_SET_(3, d), DTRACE_WORDS_3_ " " DTRACE_WORD_(3), \
		DTRACE_OPERANDS_3_, DTRACE_OPERAND_(3))
#define DTRACE_SETS_5_(a, b, c, d, e) DTRACE_SETS_3_(a, b, c) DTRACE_SET_(3, d) DTRACE_SET_(4, e)
#define DTRACE_WORDS_5_ DTRACE_WORDS_3_ " " DTRACE_WORD_(3) " " DTRACE_WORD_(4)
#define DTRACE_OPERANDS_5_ DTRACE_OPERANDS_3_, DTRACE_OPERAND_(3), DTRACE_OPERAND_(4)
#define DTRACE_PROBE_5_(p, n, a, b, c, d, e) \
	DTRACE_DO_(p, n, DTRACE_SETS_5_(a, b, c, d, e), DTRACE_WORDS_5_, DTRACE_OPERANDS_5_)
#define DTRACE_PROBE_6_(p, n, a, b, c, d, e, f) \
	DTRACE_DO_(p, n, DTRACE_SETS_5_(a, b, c, d, e) DTRACE_SET_(5, f), \
		DTRACE_WORDS_5_ " " DTRACE_WORD_(5), DTRACE_OPERANDS_5_, DTRACE_OPERAND_(5))
#define DTRACE_SETS_7_(a, b, c, d, e, f, g) \
	DTRACE_SETS_5_(a, b, c, d, e) DTRACE_SET_(5, f) DTRACE_SET_(6, g)
#define DTRACE_WORDS_7_ DTRACE_WORDS_5_ " " DTRACE_WORD_(5) " " DTRACE_WORD_(6)
#define DTRACE_OPERANDS_7_ DTRACE_OPERANDS_5_, DTRACE_OPERAND_(5), DTRACE_OPERAND_(6)
#define DTRACE_PROBE_7_(p, n, a, b, c, d, e, f, g) \
	DTRACE_DO_(p, n, DTRACE_SETS_7_(a, b, c, d, e, f, g), DTRACE_WORDS_7_, DTRACE_OPERANDS_7_)
#define DTRACE_PROBE_8_(p, n, a, b, c, d, e, f, g, h) \
	DTRACE_DO_(p, n, DTRACE_SETS_7_(a, b, c, d, e, f, g) DTRACE_SET_(7, h), \
		DTRACE_WORDS_7_ " " DTRACE_WORD_(7), DTRACE_OPERANDS_7_, DTRACE_OPERAND_(7))

#define DTRACE_PICK_(p, n, a, b, c, d, e, f, g, h, macro, ...) macro
#define DTRACE_PROBE(...) \
	DTRACE_PICK_(__VA_ARGS__, DTRACE_PROBE_8_, DTRACE_PROBE_7_, DTRACE_PROBE_6_, DTRACE_PROBE_5_, \
		DTRACE_PROBE_4_, DTRACE_PROBE_3_, DTRACE_PROBE_2_, DTRACE_PROBE_1_, DTRACE_PROBE_0_, ) \
	(__VA_ARGS__)
/* clang-format on */

#endif
#endif
