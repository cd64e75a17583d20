/*
 * proc_sideband.h: what can be told of processes without programs in the kernel: by the records
 * that perf makes of tasks, of the whole machine or, for a user without privileges, of the traced
 * processes.
 */
#ifndef PROVIDERS_SYSTEM_PROC_SIDEBAND_H
#define PROVIDERS_SYSTEM_PROC_SIDEBAND_H

#include "providers/kernel/bpfrec.h"
#include "providers/kernel/perf.h"

struct proc_sideband;

/* Something has happened to the thread of ev; `other` is the one a new thread or process is. */
typedef void proctask_fn(void *arg, enum bpf_proc_row, struct event *ev, pid_t other);

/* Counts the threads there are, and begins to listen. Rows that it tells of: proc_sideband_tell().
 */
struct proc_sideband *proc_sideband_new(struct perf *, proctask_fn *, void *arg);
bool proc_sideband_tell(enum bpf_proc_row);

void proc_sideband_free(struct proc_sideband *); /* perf calls it no more */

#endif
