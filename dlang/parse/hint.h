/*
 * hint.h: what a name that is not known may have meant: the nearest one there is, or what stands in
 * D for a word of bpftrace. Each function returns text in the arena ("did you mean timestamp?",
 * "in D: execname"), or NULL where nothing is near.
 */
#ifndef DLANG_PARSE_HINT_H
#define DLANG_PARSE_HINT_H

#include "dlang/parse/compiler.h"

const char *hint_variable(struct compiler *, enum ident_scope, const char *name);
const char *hint_function(struct compiler *, const char *name);
/* A function that is used as a variable. */
const char *hint_call(struct compiler *, const struct ident *);
/* A function of D that is used as another language's: only its word. */
const char *hint_foreign(struct compiler *, const char *name);
const char *hint_member(struct compiler *, const struct type *sou, const char *name);
/* Sets cc->hint: a value is assigned to the aggregation, as other languages do. */
void hint_no_aggregation(struct compiler *, const struct node *agg);
/* A description that matches no probe. */
const char *hint_desc(struct session *, const struct probe_desc *);
/* The names that a field could have, the others being as they are. Some may come twice. Probes are
 * made for that, so nothing may be traced after it. */
void desc_candidates(struct session *, const struct probe_desc *, enum desc_field,
		     void (*fn)(void *arg, const char *name), void *arg);
/* A text that does not parse: it may begin with a probe of bpftrace that has a path. */
const char *hint_text(struct arena *, const char *text);

#endif
