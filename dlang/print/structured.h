/*
 * structured.h: -x oformat: what is recorded as JSON, XML or HTML (docs/spec/d-language.md §12.11)
 * in place of lines. The root `dtrace` holds a list `probes`: a member for each record, in the
 * order of firing, with a list `output` of what its statements recorded.
 */
#ifndef DLANG_PRINT_STRUCTURED_H
#define DLANG_PRINT_STRUCTURED_H

#include "dlang/print/actprint.h"
#include "dlang/session.h"

bool structured_is_on(const struct consumer *);
/* One record: 0, or a negative errno that ends the run. */
int structured_record(struct consumer *, const struct rec_head *, const struct ecb *,
		      const char *data);
/* Statements that print: by print/actions.c. */
print_fn structured_printf, structured_printa, structured_print;
print_fn structured_trace; /* trace() and all that record one value */
/* Records that were lost: a member whose name is "drop". */
void structured_drop(struct consumer *, const char *text);
/* The end: aggregations that were never printed, as output of END; then all is closed. */
void structured_finish(struct consumer *);
void structured_close(struct consumer *); /* only that */

#endif
