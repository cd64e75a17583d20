/*
 * gopclntab.h: the table by which Go's runtime walks stacks (.gopclntab): functions with their
 * names, files and lines. It is there in stripped programs, too. Formats of Go 1.2, 1.16, 1.18
 * and 1.20 (of x86-64). Everything in it is checked where it is read.
 */
#ifndef SYMBOLS_GOPCLNTAB_H
#define SYMBOLS_GOPCLNTAB_H

#include "base/base.h"

struct gopclntab {
	const uint8_t *data; /* with a zero behind it; the caller's, as long as this is used */
	size_t size;
	unsigned version; /* 2, 16, 18, 20 */
	uint64_t nfuncs;
	taddr_t text; /* where functions are counted from; 0 before 1.18 */
	uint64_t names, cus, files, pcs, funcs; /* offsets of its parts */
};

/* False: it is none. text: where .text begins, for a program whose loader fills that in. */
bool gopclntab_open(struct gopclntab *, const void *data, size_t size, taddr_t text);

struct gofunc {
	taddr_t start, end;
	const char *name;
	uint64_t at; /* of what describes it */
};
/* The i-th function. False: what is said of it makes no sense. */
bool gopclntab_func(const struct gopclntab *, uint64_t i, struct gofunc *);
/* Where a pc in it comes from. False: it is not known. *file lies in the table. */
bool gopclntab_line(const struct gopclntab *, const struct gofunc *, taddr_t pc, const char **file,
		    unsigned *line);

#endif
