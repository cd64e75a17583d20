/*
 * hooks.h: the hooks of one process: where its counters and stubs lie, and which thread counts
 * where. The process is still (proc_is_still) whenever it is changed here.
 *
 * Nothing of this needs us: when the engine dies the process runs on with its hooks, which count
 * for nobody. They are therefore not in the journal.
 */
#ifndef INJECT_HOOKS_H
#define INJECT_HOOKS_H

#include "inject/plan.h"
#include "tracer/tracer.h"

struct hooks;

/*
 * Maps counters for nsites functions and gives every thread its block. Errors: with the reason as
 * what follows "cannot be hooked: ".
 */
int hooks_new(struct proc *, unsigned nsites, struct hooks **, struct err *);
void hooks_free(struct hooks *); /* our side only */

/*
 * Prepares a hook of the function at `addr`, whose file has these bytes. Returns the number of its
 * counter; nothing is written before hooks_commit. A function that is hooked already gives the same
 * counter. Errors: -EINVAL, -ERANGE, -EBUSY, -ENOSPC with the reason.
 */
struct hook_request {
	taddr_t addr;
	const uint8_t *bytes;
	size_t n;	/* ≥ the room of the verdict */
	unsigned need;	/* as in struct verdict */
	taddr_t island; /* its address in the process; 0: none */
	bool is_careful;
};
int hooks_add(struct hooks *, const struct hook_request *, uint32_t *counter, struct err *);
int hooks_commit(struct hooks *, struct err *);

uint64_t hooks_count(const struct hooks *, uint32_t counter); /* calls so far */

/* As in struct tracer_ops. */
void hooks_born(struct hooks *, struct thread *, taddr_t tcb);
void hooks_left(struct hooks *, const struct thread *);
void hooks_forked(taddr_t tcb, int mem_fd);
uint64_t hooks_uncounted(const struct hooks *); /* threads that found no block */

#endif
