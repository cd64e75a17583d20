/*
 * cfimap.h: which call frame information is for which pc of a process. The tables are read out of
 * the process itself, a stretch at a time, when a row needs them: that works for deleted files,
 * other mount namespaces and the vdso, and a new module costs little.
 */
#ifndef TRACER_UNWIND_CFIMAP_H
#define TRACER_UNWIND_CFIMAP_H

#include "symbols/cfi/cfi.h"

#include "tracer/tracer_priv.h"

/* A stretch of the process's memory that does not change, read on demand. */
struct image {
	struct target *target;
	taddr_t start;
	size_t size;
	uint8_t *bytes;	 /* NULL: nothing is there */
	uint8_t *loaded; /* by chunk */
};

/* An executable mapping. */
struct cfimod {
	struct vma vma; /* as it was; the path is not kept */
	bool has_cfi;
	bool is_file; /* of code that does not change */
	struct cfi cfi;
	struct image im;
};

struct cfimap {
	struct proc *proc;
	struct cfimod **v; /* in order of discovery: the busiest tend to come first */
	size_t n, room;
};

void cfimap_init(struct cfimap *, struct proc *);
void cfimap_release(struct cfimap *); /* and ready for more */

/* The module of an executable address, by the proc's maps as they are; NULL: none. */
const struct cfimod *cfimap_at(struct cfimap *, taddr_t pc);

/* After the proc's maps were read again: false when something known has gone or was replaced; what
 * was learned from the tables must then be forgotten. */
bool cfimap_holds(const struct cfimap *);

/* Eight bytes of any table; false: addr is in none. */
bool cfimap_word(const struct cfimap *, taddr_t addr, uint64_t *v);

#endif
