/*
 * sdt.h: the static probes that a file declares by notes, as the macros of SystemTap's <sys/sdt.h>
 * and of our own headers (dtrace -h) make them. Section .note.stapsdt, owner "stapsdt", type 3:
 * three words (address of the probe, of .stapsdt.base, and of the semaphore or 0) and three texts
 * (provider, name, arguments). When the address of the section .stapsdt.base is not the one in the
 * note, the file was relocated afterwards, and all addresses move by the difference.
 */
#ifndef SYMBOLS_SDT_H
#define SYMBOLS_SDT_H

#include "symbols/symbols.h"

#define SDT_MAX_ARGS 32 /* more are left out */

struct sdt_note {
	taddr_t pc;	   /* link-time: of a nop */
	taddr_t semaphore; /* link-time: 16 bits that are not 0 while somebody listens; 0: none */
	const char *provider, *name, *args;
	const char *types; /* "int, char *", where `dtrace -h` has written them; NULL: not known */
};

/* The notes of a file, in its order. What makes no sense is left out. Belongs to the objfile.
 * Returns how many. */
unsigned objfile_sdt(struct objfile *, const struct sdt_note **out);

/* One argument: "-4@%eax", "8@152(%rdi)", "4@$7", "8@12+table(%rip)". */
enum sdt_place {
	SDT_NOWHERE, /* not recorded, or not understood */
	SDT_CONST,   /* disp */
	SDT_REG,     /* base: its lower `width` bytes, behind `shift` bits */
	SDT_XMM,     /* base: the low end of xmm<base>; floating-point numbers only */
	SDT_MEM,     /* at base + index * scale + disp */
};
enum { SDT_NO_REG = -1 };
struct sdt_arg {
	uint8_t size; /* of the value: 1, 2, 4, 8 */
	bool is_signed, is_float;
	enum sdt_place place;
	int8_t base, index; /* numbers of registers as in machine code (rax 0 .. r15 15) */
	uint8_t scale, width, shift;
	char segment; /* 'f', 'g', or 0: what disp is counted from */
	int64_t disp;
	const char *symbol; /* its address is added to disp; NULL: none */
	size_t symbol_len;
};

/* The arguments of a note; symbols point into the text. Returns how many, at most SDT_MAX_ARGS. */
unsigned sdt_parse_args(const char *text, struct sdt_arg *out);

#endif
