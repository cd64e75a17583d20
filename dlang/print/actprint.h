/*
 * actprint.h: the print functions behind actions.c: what the front does with a statement when its
 * record is consumed. `data` is the payload of the record. 0, or a negative errno that ends the
 * run.
 *
 * The actions that each expects in stmt->acts, in this order:
 */
#ifndef DLANG_PRINT_ACTPRINT_H
#define DLANG_PRINT_ACTPRINT_H

#include "dlang/program.h"

struct consumer;
struct rec_head;

typedef int print_fn(struct consumer *, const struct rec_head *, const struct stmt *,
		     const char *data);

print_fn print_trace;	 /* one ACT_RECORD of any rec.kind, or ACT_LKD */
print_fn print_tracemem; /* ACT_TRACEMEM; then perhaps an ACT_RECORD: bytes that are valid */
print_fn print_printm;	 /* ACT_PRINTM */
print_fn print_print;	 /* one ACT_RECORD; REC_POINTEE for a pointer */
print_fn print_stack;	 /* stack, ustack, jstack: one ACT_STACK or ACT_USTACK */
print_fn print_sym;	 /* sym, func, mod, usym, ufunc, umod, uaddr: one ACT_RECORD */
print_fn print_printf;	 /* fmt; an ACT_RECORD for each '*' and each value, as written */
print_fn print_system;	 /* the same */
print_fn print_freopen;	 /* the same */
print_fn print_ftruncate;
print_fn print_printa;	    /* aggs; fmt or NULL. Actions are not looked at */
print_fn print_clear;	    /* aggs[0] */
print_fn print_trunc;	    /* aggs[0]; the last action, if its kind is ACT_RECORD: n */
print_fn print_normalize;   /* aggs[0]; the last action, an ACT_RECORD: the normal */
print_fn print_denormalize; /* aggs[0] */
print_fn print_setopt;	    /* ACT_RECORD of a string: the option; perhaps another: the value */
/* exit, raise and the like have nothing to print: they have no row. */

/* What becomes of an action's record: the column of actions.def that is the front's. */
struct stmt_output {
	print_fn *text;
	print_fn *structured; /* -x oformat; NULL: as text: it changes something, prints nothing */
	unsigned dump;	      /* the number that -B shows */
};
const struct stmt_output *stmt_output(const struct stmt *); /* NULL: nothing to print */

/* Where in its record the bytes of printm() are, and how many. */
struct rec printm_bytes(const struct rec *, const char *data);

#endif
