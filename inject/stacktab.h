/*
 * stacktab.h: the tables by which hooks walk stacks (struct hook_rule), made from the call frame
 * information of a process's modules.
 */
#ifndef INJECT_STACKTAB_H
#define INJECT_STACKTAB_H

#include "hook/hook_proto.h"
#include "symbols/cfi/cfi.h"
#include "tracer/tracer.h"

/* Where the tables lie in the memory that hooks see; sizes in entries. */
struct stacktab_room {
	struct hook_shared *shared; /* the page that the distance of the modules counts from: */
	uint64_t distance;	    /* that of the lists, in the target */
	uint32_t *starts;
	struct hook_rule *rules;
	uint32_t nrules;
	uint8_t *lists; /* of modules, one after the other */
	size_t lists_size;
};

struct stacktab;
struct stacktab *stacktab_new(const struct stacktab_room *);
void stacktab_free(struct stacktab *);

/* Adds what has been mapped since the last call, and then shows it to the target. What finds no
 * room has no rules. */
void stacktab_update(struct stacktab *, struct proc *);

/* Has the frame of the function at pc a rule that leads to its caller, or that says there is none?
 * As of the last update. */
bool stacktab_knows(const struct stacktab *, taddr_t pc);

/* What of a row the walk in the target needs. */
struct hook_rule stacktab_rule(const struct cfi_row *);

#endif
