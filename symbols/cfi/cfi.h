/*
 * cfi.h: call frame information: how to get from the registers in a function to those in its
 * caller, for any pc in it. A pure reader of .eh_frame (DWARF 5 §6.4, LSB Core "Exception Frames");
 * x86-64 only; nothing in the tables is trusted.
 *
 *	cfi_open, once per module → cfi_row, once per pc → cfi_step, at every frame
 *
 * Addresses are those of the bytes as they are given: link-time ones for a file, real ones for a
 * process.
 */
#ifndef SYMBOLS_CFI_CFI_H
#define SYMBOLS_CFI_CFI_H

#include "base/base.h"

/* Registers by DWARF number (psABI figure 3.36); the last is the return address, or rip. */
enum { CFI_RBX = 3, CFI_RBP = 6, CFI_RSP = 7, CFI_RA = 16, CFI_NREGS = 17 };

/* ---- tables ---- */

/* n bytes of the tables at addr, or NULL. They stay where they are as long as the rows are used. */
typedef const uint8_t *cfi_bytes(void *arg, taddr_t addr, size_t n);

struct cfi {
	cfi_bytes *bytes;
	void *arg;
	taddr_t hdr;		 /* .eh_frame_hdr */
	taddr_t table;		 /* the sorted table in it; 0: none */
	struct cfi_entry *index; /* instead of it: our own */
	uint32_t count;		 /* entries of either */
};

/*
 * hdr: address of .eh_frame_hdr, 0 when there is none. frame: of .eh_frame, 0 when only the header
 * tells; frame_size: 0 when not known: a zero length ends it then. Without a sorted table in the
 * header all of .eh_frame is read to make one. Returns 0, or -EINVAL when there is nothing to
 * search in.
 */
int cfi_open(struct cfi *, cfi_bytes *, void *arg, taddr_t hdr, taddr_t frame, uint64_t frame_size);
void cfi_close(struct cfi *);

/* ---- rows ---- */

enum cfi_how {
	CFI_SAME,      /* the caller's is the one we have */
	CFI_UNDEFINED, /* it is lost; of the return address: there is no caller */
	CFI_SAVED,     /* in memory at CFA + off */
	CFI_VALUE,     /* CFA + off */
	CFI_REGISTER,  /* in reg; the CFA: reg + off */
	CFI_EXPR,      /* in memory where the expression says */
	CFI_VALEXPR,   /* what the expression yields */
};

struct cfi_rule {
	uint8_t how; /* enum cfi_how */
	uint8_t reg;
	uint32_t len; /* of expr */
	union {
		int64_t off;
		const uint8_t *expr; /* in the tables */
	};
};

struct cfi_row {
	taddr_t start, end; /* the pcs it holds for */
	bool is_signal;	    /* the frame of a signal: its caller was interrupted, it did not call */
	struct cfi_rule cfa; /* CFI_REGISTER or CFI_VALEXPR */
	struct cfi_rule regs[CFI_NREGS];
};

/*
 * The row for pc. The pc of a caller is its return address less one, unless a signal interrupted
 * it. Returns 0, -ENOENT: no entry covers pc; -EINVAL: the entry cannot be understood.
 */
int cfi_row(const struct cfi *, taddr_t pc, struct cfi_row *);

/* Calls fn with every row there is, entry by entry; what cannot be understood is left out. */
typedef void cfi_row_fn(void *arg, const struct cfi_row *);
void cfi_each_row(const struct cfi *, cfi_row_fn *, void *arg);

/* ---- steps ---- */

struct cfi_regs {
	uint64_t r[CFI_NREGS];
};

/* Reads eight bytes of the program's memory. */
typedef bool cfi_read(void *arg, taddr_t addr, uint64_t *value);

/*
 * Turns the registers into the caller's. Returns 0; -EFAULT the return address cannot be read;
 * -EINVAL an expression it depends on cannot be evaluated; -ENODATA there is no caller. On an error
 * the registers are as before. Another register that cannot be had keeps its value.
 */
int cfi_step(const struct cfi_row *, struct cfi_regs *, cfi_read *, void *arg);

#endif
