/*
 * rowcache.h: for each pc seen on a stack, how to get to its caller: what cfi_row says, boiled down
 * to one cache line for all but the rare rows.
 */
#ifndef TRACER_UNWIND_ROWCACHE_H
#define TRACER_UNWIND_ROWCACHE_H

#include "tracer/unwind/cfimap.h"

enum row_how {
	ROW_EMPTY,
	ROW_PLAIN,   /* CFA = register + offset; registers lie at offsets from it */
	ROW_FULL,    /* anything else that a row can say */
	ROW_END,     /* there is no caller */
	ROW_NONE,    /* there is no usable information */
	ROW_NO_RULE, /* nor does the code tell */
};

#define ROW_SAVED_MAX 8 /* the return address, then callee-saved registers */

struct row {
	taddr_t pc;
	uint8_t how; /* enum row_how */
	bool is_signal;
	bool may_change; /* read from code that its program may replace */
	uint8_t cfa_reg, nsaved;
	int32_t cfa_off;
	uint8_t reg[ROW_SAVED_MAX];
	int32_t off[ROW_SAVED_MAX];
	const struct cfi_row *full; /* ROW_FULL */
};

struct rowcache;
struct rowcache *rowcache_new(void);
void rowcache_free(struct rowcache *);
void rowcache_clear(struct rowcache *);

/* The row for an address in the map, from its tables when it is not known; valid until the next
 * call. NULL: the address is in no executable mapping. */
const struct row *rowcache_get(struct rowcache *, struct cfimap *, taddr_t pc);

/* Where the tables say nothing: row->pc, which rowcache_get has just found, has this row. */
void rowcache_learn(struct rowcache *, const struct row *row);

#endif
