/*
 * recviolations.h: accesses that are not allowed, of a recording: the signals of the kernel, and
 * the page faults that led to them.
 */
#ifndef PROVIDERS_SYSTEM_NUMBERS_RECVIOLATIONS_H
#define PROVIDERS_SYSTEM_NUMBERS_RECVIOLATIONS_H

#include "dlang/provider.h"
#include "providers/world/world.h"

struct recviolations;
/* addr, ip: of the access; 0: not recorded. */
typedef void recviolations_fn(void *arg, struct event *, uint64_t addr, uint64_t ip);

/* flags: perf_flags() of what clauses read. has_addresses: they are recorded. Errors: signals are
 * not recorded; NULL. */
struct recviolations *recviolations_new(struct world *, unsigned flags, recviolations_fn *,
					void *arg, bool *has_addresses, struct err *);
void recviolations_free(struct recviolations *); /* NULL: nothing; the recording calls it no more */

#endif
