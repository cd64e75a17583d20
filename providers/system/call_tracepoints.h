/*
 * call_tracepoints.h: system calls by their tracepoints, as a recording has them, or as one is
 * made: their numbers, arguments and results, and no memory.
 */
#ifndef PROVIDERS_SYSTEM_CALL_TRACEPOINTS_H
#define PROVIDERS_SYSTEM_CALL_TRACEPOINTS_H

#include "dlang/provider.h"
#include "providers/world/world.h"

/* A call that begins (its arguments), or has returned. */
struct recorded_call {
	unsigned nr; /* as in syscalls.h */
	bool is_entry;
	uint64_t args[6];
	int64_t result;
	struct event ev;
};

static inline bool recorded_call_failed(const struct recorded_call *c)
{
	return c->result < 0 && c->result >= -4095; /* MAX_ERRNO of the kernel */
}

struct call_listener {
	bool is_entry;		 /* where calls begin; else where they return */
	const unsigned *numbers; /* of n calls; live as long as the session. NULL: all */
	unsigned n;
	unsigned flags; /* perf_flags() of what clauses read */
	void (*fn)(void *arg, struct recorded_call *);
	void *arg; /* lives as long as the session */
};

/* By raw_syscalls, without those of 32-bit programs, or, where a recording does not have that, by
 * those of syscalls. Errors: no such call is recorded, or with the numbers of another processor. */
int call_tracepoints_listen(struct world *, const struct call_listener *, struct err *);
/* By that of syscalls alone. Errors: -ENOENT: it is not there. */
int call_tracepoints_listen_to(struct world *, const struct call_listener *, unsigned nr,
			       struct err *);

#endif
