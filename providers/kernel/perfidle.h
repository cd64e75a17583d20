/*
 * perfidle.h: tracepoints and samples of idle CPUs. A kernel may count an event of perf and write
 * no record of it, by a rule about the thread that was interrupted: there are some that hide what
 * the first process has forked itself, and with it the idle threads of all CPUs but one. Where BPF
 * works, a program copies the records of idle CPUs into the same rings; the event itself is told to
 * leave them out, so that each comes once on every kernel, in the order of time of its CPU.
 */
#ifndef PROVIDERS_KERNEL_PERFIDLE_H
#define PROVIDERS_KERNEL_PERFIDLE_H

#include "providers/kernel/perf_priv.h"

/* While probes are enabled: what takes its time is done before tracing begins, and its clocks. */
void perf_idle_prepare(struct perf *, const struct perf_want *);

/*
 * For an event that is about to be opened: are samples of idle CPUs taken by BPF? Then it is to be
 * opened with exclude_idle.
 */
bool perf_idle_samples(struct perf *, const struct kevent *);

/*
 * For an event that has been opened, and has no filter and is not enabled yet: its records of idle
 * CPUs come by BPF from now on, and kevent.leaves_idle_out is set. Where that cannot be, nothing
 * changes: the kernel decides what it writes.
 */
void perf_idle_join(struct perf *, struct kevent *);

/* A sample of perf.idle_output becomes one of the event it is about; NULL: it is nonsense. */
struct kevent *perf_idle_unpack(const struct perf *, struct perf_sample *);

/* When the events have been stopped: what found no way into a ring, because a program was at work
 * on that CPU. */
uint64_t perf_idle_lost(const struct perf *);

/* How many programs are attached; and the end of them. perf_idle may be NULL. */
unsigned perf_idle_nlinks(const struct perf_idle *);
void perf_idle_free(struct perf_idle *);

#endif
