/*
 * keytext.h: aggregations and their keys as texts, for all that shows them as tables.
 */
#ifndef DLANG_PRINT_KEYTEXT_H
#define DLANG_PRINT_KEYTEXT_H

#include "base/strbuf.h"
#include "dlang/print/printval.h"
#include "dlang/run/aggtable.h"
#include "dlang/session.h"

/* A key as a cell: a stack outermost first, divided by ';'. Bytes are as the target gave them. */
void keytext_add(const struct printer *, struct strbuf *, const struct rec *, const char *data);
/* Of a variable, or of the only one that a function is called with; NULL: it is no such expression.
 */
const char *keytext_expr_name(const struct difo *);
/* What keys are called: a variable, or key1, key2 ... */
void keytext_names(const struct session *, const struct aggvar *, const char *names[AGG_MAX_KEYS]);
/* "": of @ alone */
const char *keytext_aggname(const struct aggvar *);
/*
 * Text as it may stand in a file of lines: what is no UTF-8 is U+FFFD, control characters are
 * blanks.
 */
void keytext_add_line(struct strbuf *, const char *text, size_t n);

bool rec_is_stack(const struct rec *);
bool agg_has_stack(const struct aggvar *); /* a key is one */
/* A stack as a key: how many frames it has, and what the one with that number is called, the
 * innermost first; what is not known stays NULL. */
unsigned stack_depth(const struct rec *, const char *data);
uint64_t stack_pc(const struct rec *, const char *data, unsigned frame);
void stack_name(const struct printer *, const struct rec *, const char *data, unsigned frame,
		struct symname *);

#endif
