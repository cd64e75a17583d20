/*
 * clauseexplain.h: -x explain: where each clause on the kernel's events runs, and what would have
 * to change for it to make no records.
 */
#ifndef PROVIDERS_KERNEL_KPROG_CLAUSEEXPLAIN_H
#define PROVIDERS_KERNEL_KPROG_CLAUSEEXPLAIN_H

#include "dlang/session.h"

struct clause;

/* Once for each clause, when it is known. `why` it makes records; NULL: it is kept in the kernel.
 * Says nothing unless the user asks for it. */
void clause_explain(struct session *, const struct clause *, const char *why);

#endif
