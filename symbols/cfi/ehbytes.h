/*
 * ehbytes.h: reading forward through the bytes of call frame information. Every read is checked;
 * the first one past the end turns `ok` false and all that follow yield 0.
 */
#ifndef SYMBOLS_CFI_EHBYTES_H
#define SYMBOLS_CFI_EHBYTES_H

#include "base/base.h"

/* Pointer encodings: LSB Core, "DWARF Exception Header Encoding" */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff
};

#define EH_EXTENDED_LENGTH 0xffffffffu /* a 64-bit length follows; no one emits it */

struct ehbytes {
	const uint8_t *p, *end;
	bool ok;
};

const uint8_t *eh_take(struct ehbytes *, size_t n); /* NULL: fewer than n are left */
uint64_t eh_uint(struct ehbytes *, unsigned n);	    /* of 1, 2, 4 or 8 bytes */
int64_t eh_sint(struct ehbytes *, unsigned n);
uint64_t eh_uleb(struct ehbytes *);
int64_t eh_sleb(struct ehbytes *);
/* A value in the given format, its base not applied. */
uint64_t eh_encoded(struct ehbytes *, uint8_t enc);
/* A pointer that is absolute or relative to its own place, when data[0] is at addr; other bases do
 * not occur on x86-64. */
taddr_t eh_pointer(struct ehbytes *, uint8_t enc, const uint8_t *data, taddr_t addr);

#endif
