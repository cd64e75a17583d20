/* clausecode_priv.h: what the files that write code of clauses share. */
#ifndef PROVIDERS_KERNEL_KPROG_CLAUSECODE_PRIV_H
#define PROVIDERS_KERNEL_KPROG_CLAUSECODE_PRIV_H

#include "providers/kernel/kprog/clausecode.h"

/* Kept over calls: the context, the thread that the event is about, the thread. */
enum { CTX = BPF_REG_6, SUBJECT = BPF_REG_8, TASK = BPF_REG_9 };

/* aggcode.c. NULL: it is written; else why it cannot be. */
const char *clausecode_agg(struct clause_unit *, struct difwriter *, const struct stmt *);

#endif
