/*
 * actcomp.h: statements to actions: actcomp.c (the rows of actions.def), aggcomp.c (aggregations),
 * clause.c (all else). Numbers and record offsets are given when the clause is complete.
 */
#ifndef DLANG_COMPILE_ACTCOMP_H
#define DLANG_COMPILE_ACTCOMP_H

#include "dlang/parse/check.h"

/* Records and keys have their sizes in 32 bits; this leaves room for sums of two. */
#define RECORD_MAX ((uint64_t)1 << 30)
void check_record_size(struct compiler *, uint64_t size); /* fails if it is more */

/* Adds an action that records nothing. */
struct action *add_action(struct compiler *, struct stmt *, enum act_kind, const struct difo *);
/* Adds one that records what `rec` says. */
struct action *add_record(struct compiler *, struct stmt *, enum act_kind, const struct difo *,
			  const struct rec *);
/* Adds one that records the value of a checked expression. */
struct action *add_value(struct compiler *, struct stmt *, struct node *);
/* How the value of a type is recorded. */
struct rec value_rec(struct compiler *, const struct type *);
/* The same, and numbers that stand for stacks (ustackid(), stackid()) as those stacks. */
struct rec shown_rec(struct compiler *, const struct type *);
struct action *add_shown(struct compiler *, struct stmt *, struct node *);
/*
 * The same for what only actions give: stack(), ustack(), sym() ...: *kind is the action that
 * records it, the result is its operand or NULL. False: an ordinary expression.
 */
bool special_value(struct compiler *, struct node *, enum act_kind *kind, struct rec *,
		   struct node **operand);

/* @a[keys] = func(args) */
void compile_aggregation(struct compiler *, struct node *assignment, struct stmt *);
/* sumcomp.c: the assignment, before it is compiled, of the sums of the values of a histogram that
 * is about to be; NULL: nobody asks for them, it is none, or it cannot be evaluated twice. */
struct node *sums_of_histogram(struct compiler *, const struct node *assignment);
/* When both have been compiled. */
void mark_sums(struct compiler *, const struct node *histogram, const struct node *sums);
/* Appends to stmt->aggs. */
void add_agg(struct compiler *, struct stmt *, struct aggvar *);

/* printcomp.c: formats of printf and printa. */
void compile_format(struct compiler *, struct node *call, struct stmt *);
void compile_printa_format(struct compiler *, struct node *call, struct stmt *);

/*
 * emitcomp.c: events of the program's own. The probes of all calls in a list of clauses or
 * statements, before any of them is compiled.
 */
void emit_declare(struct compiler *, const struct node *list);
/* etw:PROVIDER:EVENT:generic_event. NULL: that is no name. */
struct probe *emit_probe_etw(struct compiler *, const char *provider, const char *event);
/* A statement that fires it: its fields in order (name NULL: it has none), then the end. The
 * results are NULL, or what is wrong, to follow the name of the argument or of the event. */
void emission_begin(struct compiler *, struct stmt *, struct probe *);
const char *emission_add(struct compiler *, struct stmt *, const char *name, struct node *value);
const char *emission_end(struct compiler *, struct stmt *);

/* rewritecomp.c: an assignment to what a recording that is written anew can say otherwise. False:
 * it is none, or nothing is written anew. */
bool compile_rewrite(struct compiler *, struct node *assignment, struct stmt *(*add)(void *arg),
		     void *arg);

/* An action: a checked call to what the engine runs. */
void compile_action(struct compiler *, struct node *call, struct stmt *);
#define ACTION(id, name, proto, flags)                                                             \
	void compile_##name(struct compiler *, struct node *call, struct stmt *);
#include "dlang/actions.def"
#undef ACTION

#endif
