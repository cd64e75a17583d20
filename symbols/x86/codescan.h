/*
 * codescan.h: code of which only the start is known, as a runtime makes it: there may be data
 * between its instructions.
 */
#ifndef SYMBOLS_X86_CODESCAN_H
#define SYMBOLS_X86_CODESCAN_H

#include "base/base.h"

/*
 * Where n bytes of code, entered at the first, return: offsets of the `ret`s that are reached by
 * running on, by direct jumps and behind calls; nothing else is taken for an instruction. Fills in
 * at most max, ascending; returns how many there are.
 */
unsigned code_returns(const uint8_t *code, size_t n, uint32_t *offs, unsigned max);
/* The same of all instructions that are reached. */
unsigned code_insns(const uint8_t *code, size_t n, uint32_t *offs, unsigned max);

#endif
