/*
 * proftick.h: tick-N. A timer of the engine fires it; where clauses ask what was interrupted, a
 * sample of one CPU at the same rate does, and the timer only where no sample has come.
 */
#ifndef PROVIDERS_SYSTEM_PROFTICK_H
#define PROVIDERS_SYSTEM_PROFTICK_H

#include "providers/providers.h"

/* Before the start; it cannot fail: without samples the timer does. */
void proftick_enable(struct probe *, uint64_t interval_ns);
/* When BEGIN has fired: its clock begins. */
void proftick_start(struct probe *);

/* The deadline after that one. */
uint64_t proftick_next(const struct session *, uint64_t deadline_ns, uint64_t interval_ns);

#endif
