/*
 * keytext.h: aggregations and their keys as texts, for all that shows them as tables.
 */
#ifndef COMMAND_REPORT_KEYTEXT_H
#define COMMAND_REPORT_KEYTEXT_H

#include "base/strbuf.h"
#include "dlang/print/printval.h"
#include "dlang/run/aggtable.h"
#include "dlang/session.h"

/* A key as a cell: a stack outermost first, divided by ';'. Bytes are as the target gave them. */
void report_add_key(const struct printer *, struct strbuf *, const struct rec *, const char *data);
/* What keys are called: a variable, or key1, key2 ... */
void report_key_names(const struct session *, const struct aggvar *,
		      const char *names[AGG_MAX_KEYS]);
/* "": of @ alone */
const char *report_name(const struct aggvar *);

/* The bounds of a bucket, both of which belong to it; "": there is none. */
struct report_bounds {
	char from[48], to[48];
};
void report_bounds(const struct aggvar *, unsigned bucket, struct report_bounds *);

#endif
