/*
 * clauseload.h: the programs of a set of clauses (clauseset.h) as the kernel wants to have them.
 */
#ifndef PROVIDERS_KERNEL_KPROG_CLAUSELOAD_H
#define PROVIDERS_KERNEL_KPROG_CLAUSELOAD_H

#include "providers/kernel/kprog/clauseset.h"

/* Writes and loads that of a unit, whose maps are there, for a raw tracepoint (NULL: for events of
 * perf). None, where no clause has such a probe, or the kernel no such event. Returns 0 or a
 * negative errno. */
int clause_set_load_one(struct clause_set *, unsigned unit, const char *event);

#endif
