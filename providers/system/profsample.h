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

#endif
