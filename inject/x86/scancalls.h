/*
 * scancalls.h: calls are kept as the scan comes to them, and sorted once, by where they lead.
 * Internal to scanning.
 */
#ifndef INJECT_X86_SCANCALLS_H
#define INJECT_X86_SCANCALLS_H

#include "inject/x86/scan.h"

#define SCAN_SPAN_MAX (1U << 30) /* bytes from the first function of a file to its last */

/* call or jmp rel32, the former also as linkers widen it (addr32); jcc rel32 */
bool codecall_is_long(const uint8_t *p, const struct insn *);
/* behind: as in struct codecall, but an address; c->lo: there is none. */
void codescan_keep_call(struct codescan *, const struct insn *, taddr_t end, taddr_t behind);
void codescan_sort_calls(struct codescan *);

#endif
