/*
 * profsample.h: profile-N by the cpu-clock of perf: nobody is stopped, and kernel code is seen too.
 */
#ifndef PROVIDERS_SYSTEM_PROFSAMPLE_H
#define PROVIDERS_SYSTEM_PROFSAMPLE_H

#include "providers/kernel/perf.h"

/*
 * Samples every CPU, or the traced processes while they run. Errors: perf events cannot be had;
 * then another way must do.
 */
int profsample_add(struct probe *, uint64_t interval_ns, enum perf_scope, struct err *);

/*
 * One CPU, for a probe that takes samples of our own processes, too: fn is called for each, with
 * the event it makes and arg. Errors: as above.
 */
typedef void profsample_fn(void *arg, const struct event *);
int profsample_add_cpu(struct probe *, uint64_t interval_ns, int cpu, profsample_fn *, void *arg,
		       struct err *);

/* Is that one of our processes? */
bool profsample_is_ours(const struct probe *, pid_t);

#endif
