/*
 * plan.h: may a function be hooked? One verdict and one reason per function, from the file alone
 * (fpid-engine.md §1.4, §4.8). All code of the file is read once, so that no branch into the bytes
 * that would be replaced is missed.
 */
#ifndef INJECT_PLAN_H
#define INJECT_PLAN_H

#include "symbols/symbols.h"

struct codescan; /* of one file */

struct codescan *codescan_new(struct objfile *);
void codescan_free(struct codescan *);

struct verdict {
	const char *reason; /* why not; NULL: it may be hooked */
	size_t room;	    /* bytes from its start that are its own, padding included */
	unsigned need;	    /* that many of them are replaced: JUMP_LEN, or SHORT_JUMP_LEN ... */
	taddr_t island;	    /* ... to five bytes of padding at this link-time address; else 0 */
	bool is_careful;    /* as in struct stub_request */
};

/* i: index in the objfile's functions. An island is given once. */
struct verdict plan_function(struct codescan *, unsigned i);

#endif
