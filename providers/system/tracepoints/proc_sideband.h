/*
 * proc_sideband.h: what can be told of processes without programs in the kernel: by the records
 * that perf makes of tasks, of the whole machine or, for a user without privileges, of the traced
 * processes.
 */
#ifndef PROVIDERS_SYSTEM_TRACEPOINTS_PROC_SIDEBAND_H
#define PROVIDERS_SYSTEM_TRACEPOINTS_PROC_SIDEBAND_H

#include "providers/kernel/bpfrec.h"
#include "providers/kernel/perf.h"

struct proc_sideband;

/* Something has happened to the thread of ev; `other` is the one a new thread or process is. */
typedef void proctask_fn(void *arg, enum bpf_proc_row, struct event *ev, pid_t other);

/* Counts the threads there are, and begins to listen. Rows that it tells of: proc_sideband_tell().
 */
struct proc_sideband *proc_sideband_new(struct perf *, proctask_fn *, void *arg);
bool proc_sideband_tell(enum bpf_proc_row);

/*
 * proc_signals.c: signals of a recording, by the tracepoints of `signal`. The row says which; to:
 * the thread that is sent one, handler: what it is handled by. ev is of who sends or handles it.
 */
struct procsignal {
	enum bpf_proc_row row;
	int number, error, code;
	uint64_t handler;
	pid_t to;
	char comm[16];
};
typedef void procsignal_fn(void *arg, const struct procsignal *, struct event *);
/* flags: perf_flags() of what clauses read. Errors: its event is not in the file. Any other row
 * than those of signals: the same. */
int proc_signals_listen(struct world *, enum bpf_proc_row, unsigned flags, procsignal_fn *,
			void *arg, struct err *);

void proc_sideband_free(struct proc_sideband *); /* perf calls it no more */

#endif
