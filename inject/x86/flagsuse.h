/*
 * flagsuse.h: what an instruction does with the flags. A hook that counts by `inc` leaves the carry
 * alone and no other flag: compilers keep nothing in them across a call (System V ABI x86-64,
 * §3.2.1), people who write assembler sometimes do. Pure.
 */
#ifndef INJECT_X86_FLAGSUSE_H
#define INJECT_X86_FLAGSUSE_H

#include "symbols/x86/disasm.h"

enum flagsuse {
	FLAGS_READ,  /* one at least that is not the carry */
	FLAGS_KEPT,  /* it reads none but the carry, and leaves the others as they are */
	FLAGS_OTHER, /* it changes them, or leads elsewhere, or is not known here */
};

/* Of the instruction of in->len bytes at p. */
enum flagsuse flagsuse_of(const uint8_t *p, const struct insn *in);

#endif
