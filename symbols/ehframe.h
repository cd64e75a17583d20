/*
 * ehframe.h: where functions are, from call frame information. Every compiler emits .eh_frame for
 * unwinding and strip keeps it, so it names the functions of programs without symbols.
 *
 * A pure reader of bytes; nothing in them is trusted.
 */
#ifndef SYMBOLS_EHFRAME_H
#define SYMBOLS_EHFRAME_H

#include "base/base.h"

struct ehframe {
	const uint8_t *data;
	size_t size;
	taddr_t addr; /* link-time address of data[0]: pointers are relative to where they stand */
	bool is_section; /* size is the section's: a zero length does not end it */
};

typedef void ehframe_fn(void *arg, taddr_t start, uint64_t size);

/*
 * Calls fn for each FDE that covers a range, in file order. Returns the number of calls; entries
 * that cannot be understood are left out, and a malformed length ends the walk.
 */
unsigned ehframe_each(const struct ehframe *, ehframe_fn *, void *arg);

/*
 * From .eh_frame_hdr (at hdr_addr) to the address of .eh_frame, for files without a section table.
 * Returns 0, or -EINVAL.
 */
int ehframe_hdr_find(const uint8_t *hdr, size_t size, taddr_t hdr_addr, taddr_t *addr);

#endif
