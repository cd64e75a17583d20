/*
 * taskfacts.h: what is asked of a process and its thread at an event, ppid and the numbers of
 * procnum[], as pieces of the kernel's memory (dlang/offload/capture.h) that lead there from
 * curthread.
 */
#ifndef PROVIDERS_KERNEL_TASKFACTS_H
#define PROVIDERS_KERNEL_TASKFACTS_H

#include "dlang/osinfo/psinfo.h"
#include "providers/kernel/bpfpieces.h"
#include "symbols/dwarf/btf.h"

#define TASKFACTS_MAX 20

/* Where each is; zeros: nothing is asked for. */
struct taskfacts {
	uint8_t piece[TASKFACTS_MAX]; /* 1 + its number; 0: not asked for */
};

/* Adds pieces for capture.procnums and, if with_parent, for ppid. What the kernel (NULL: nothing
 * is known of it) does not have, or finds no room, is left out. */
void taskfacts_add(struct taskfacts *, struct capture *, struct kernel_btf *, bool with_parent);
/* What has been read of them. Returns the number of the parent; 0: it is not among them. */
pid_t taskfacts_get(const struct taskfacts *, const struct pieces_read *, struct procfacts *);

#endif
