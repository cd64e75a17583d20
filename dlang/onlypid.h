/*
 * onlypid.h: a predicate that is false in every process but one, so that a source may leave out the
 * others (DESIGN §7: in-kernel filters where they are provably equal).
 */
#ifndef DLANG_ONLYPID_H
#define DLANG_ONLYPID_H

#include "dlang/session.h"

/* The process that all enabled clauses of the probe ask for as the first thing (pid == 123,
 * pid == $target && ...); 0: they ask for none, or for several. */
uint32_t probe_only_pid(const struct probe *);

/* The same of one predicate. */
uint32_t difo_only_pid(const struct difo *);

#endif
