/*
 * structured.h: the statements that print, in -x oformat: as JSON, XML or HTML
 * (docs/spec/d-language.md §12.11), for the rows of actions.c.
 */
#ifndef DLANG_PRINT_STRUCTURED_H
#define DLANG_PRINT_STRUCTURED_H

#include "dlang/print/actprint.h"

print_fn structured_printf, structured_printa, structured_print;
print_fn structured_trace; /* trace() and all that record one value */

/* What -x oformat=json makes of the end of a run that has these aggregations and has printed none.
 */
struct aggstore;
struct printer;
struct session;
struct strbuf;
void structured_report(struct session *, const struct aggstore *, const struct printer *,
		       struct strbuf *out);

#endif
