/*
 * bufdump.h: -B: output is not printed; each piece of it is shown with what belongs to it
 * (docs/spec/dtrace-command.md §2.6).
 */
#ifndef DLANG_PRINT_BUFDUMP_H
#define DLANG_PRINT_BUFDUMP_H

#include "dlang/session.h"

struct consumer;
struct aggcopy;
struct rec_head;

/* The statements of one record. As consume_record: 0, or a negative errno that ends the run. */
int bufdump_record(struct consumer *, const struct rec_head *, const struct ecb *,
		   const char *data);
/* The end: aggregations that were never printed. */
void bufdump_finish(struct consumer *);

#endif
