/*
 * group.h: clauses that a source of events runs whole, where the events happen, with variables of
 * their own there. Nothing else may use those variables, but for globals in clauses of BEGIN, END
 * and ticks (vars_share()); a probe belongs to a group with all of its clauses, so that no record
 * is needed for any of them.
 */
#ifndef DLANG_OFFLOAD_GROUP_H
#define DLANG_OFFLOAD_GROUP_H

#include "dlang/session.h"

#define GROUP_CLAUSES 48
#define GROUP_SELF    16
#define GROUP_THIS    8
#define GROUP_ARRAYS  8
#define GROUP_GLOBALS 8
#define GROUP_OF_SELF 0x8000

struct clause_group {
	const struct clause *clauses[GROUP_CLAUSES]; /* in program order */
	unsigned n;
	/* ids of the variables they use; arrays are `a[keys]`, and with that bit `self->a[keys]` */
	uint16_t self[GROUP_SELF], this[GROUP_THIS], arrays[GROUP_ARRAYS], globals[GROUP_GLOBALS];
	unsigned nself, nthis, narrays, nglobals;
};

/* Can the source run it? */
typedef bool group_fits_fn(void *arg, const struct clause *);

/* The largest group there is of all programs, when all is enabled. n 0: there is none. */
void clause_group_find(struct clause_group *, const struct session *, group_fits_fn *, void *arg);
bool clause_group_has(const struct clause_group *, const struct clause *);
/* All of its clauses are in the group, and it has some. */
bool clause_group_has_probe(const struct clause_group *, const struct probe *);

/* Finds the variables of a group whose clauses are known. False: there are too many. */
bool clause_group_list(struct clause_group *);
bool clause_group_has_variables(const struct clause_group *);

/* All its probes are BEGIN, END, ERROR and ticks: it fires now and then, and what it sees of
 * variables is what they are then. */
bool clause_is_of_run(const struct clause *);

/* Calls fn for each expression of a clause, in the order in which they run. */
typedef void clause_difo_fn(void *arg, const struct difo *);
void clause_each_difo(const struct clause *, clause_difo_fn *, void *arg);

/* Does one of its expressions use that variable? */
bool clause_uses(const struct clause *, enum dif_scope, unsigned id);
bool probe_uses(const struct probe *, enum dif_scope, unsigned id); /* one of its clauses */

#endif
