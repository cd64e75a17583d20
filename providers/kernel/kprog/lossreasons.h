/*
 * lossreasons.h: why clauses on the kernel's events make records: told when the run ends and
 * records were lost.
 */
#ifndef PROVIDERS_KERNEL_KPROG_LOSSREASONS_H
#define PROVIDERS_KERNEL_KPROG_LOSSREASONS_H

#include "dlang/session.h"

/* The text (which becomes theirs): the clause, why, and what to write instead. Of many the first
 * few are told. */
void loss_reason_add(struct session *, char *text);

#endif
