/* clausecode_priv.h: what the files that write code of clauses share. */
#ifndef PROVIDERS_KERNEL_KPROG_CLAUSECODE_PRIV_H
#define PROVIDERS_KERNEL_KPROG_CLAUSECODE_PRIV_H

#include "providers/kernel/kprog/clausecode.h"

/* aggcode.c. NULL: it is written; else why it cannot be. */
const char *clausecode_agg(struct clause_unit *, struct difwriter *, const struct stmt *);

/* Is it a text that copyinstr() has read? */
bool clausecode_copies(const struct difo *);

#endif
