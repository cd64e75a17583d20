/*
 * ehframe.h: where functions are, from call frame information. Every compiler emits .eh_frame for
 * unwinding and strip keeps it, so it names the functions of programs without symbols.
 *
 * A pure reader of bytes; nothing in them is trusted. What the tables say about unwinding: cfi.h.
 */
#ifndef SYMBOLS_CFI_EHFRAME_H
#define SYMBOLS_CFI_EHFRAME_H

#include "base/base.h"

struct ehframe {
	const uint8_t *data;
	size_t size;
	taddr_t addr; /* link-time address of data[0]: pointers are relative to where they stand */
	bool is_section; /* size is the section's: a zero length does not end it */
};

struct eh_fde;
typedef void ehframe_fn(void *arg, const struct eh_fde *);

/*
 * Calls fn for each FDE that covers a range, in file order. Returns the number of calls; entries
 * that cannot be understood are left out, as are signal trampolines, whose FDEs do not say where
 * they begin; a malformed length ends the walk.
 */
unsigned ehframe_each(const struct ehframe *, ehframe_fn *, void *arg);

/*
 * Does its code begin within a frame, the CFA being another than at the entry of a function (the
 * stack pointer + 8)? Then it is a part of a function that stands apart.
 */
bool ehframe_is_framed(const struct eh_fde *);

/*
 * From .eh_frame_hdr (at hdr_addr) to the address of .eh_frame, for files without a section table.
 * Returns 0, or -EINVAL.
 */
int ehframe_hdr_find(const uint8_t *hdr, size_t size, taddr_t hdr_addr, taddr_t *addr);

/*
 * One entry of the tables. Its body is what follows the length word: the word that tells a CIE (0)
 * from an FDE (how far back its CIE is), then the contents. The results point into the body.
 */
struct eh_cie {
	uint64_t code_align, ra; /* the register number of the return address */
	int64_t data_align;
	uint8_t enc;		    /* of the pointers in FDEs */
	uint8_t lsda_enc;	    /* of those to language-specific data; PE_OMIT: none */
	bool is_sized, is_signal;   /* the augmentation has a z; an S */
	const uint8_t *insns, *end; /* initial instructions */
};

struct eh_fde {
	taddr_t start; /* of the code it describes */
	uint64_t size;
	taddr_t lsda; /* of its language-specific data; 0: none */
	const uint8_t *insns, *end;
	taddr_t insns_addr;
};

/* Both return 0, or -EINVAL when the entry is malformed or its augmentation is not understood. */
int ehframe_cie(const uint8_t *body, size_t n, struct eh_cie *);
/* addr is the address of body[0]. */
int ehframe_fde(const uint8_t *body, size_t n, taddr_t addr, const struct eh_cie *,
		struct eh_fde *);

#endif
