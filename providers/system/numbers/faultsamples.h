/*
 * faultsamples.h: page faults where no program may be loaded into the kernel: from the samples that
 * perf writes when the kernel has dealt with one, which tell whether it had to read and no more. A
 * user without privileges gets those of the programs that are traced, and of user code alone.
 */
#ifndef PROVIDERS_SYSTEM_NUMBERS_FAULTSAMPLES_H
#define PROVIDERS_SYSTEM_NUMBERS_FAULTSAMPLES_H

#include "providers/kernel/bpfprobe.h"
#include "providers/kernel/perf.h"

enum {
	FAULTS_HARD = 1 << 0, /* it had to read */
	FAULTS_SOFT = 1 << 1, /* it had not */
};

/* What a probe's clauses see of a sample: ev->args, ev->raw. */
typedef void faultsamples_fn(void *arg, const struct perf_sample *, struct event *);

/*
 * Fires the probe at these faults; members: what its args[] have not ("args[0]"), NULL: they have
 * all. Returns a negative errno where perf may not tell either, which leaves the sentence of the
 * caller's refusal as it is.
 */
int faultsamples_add(struct probe *, unsigned kinds, const char *members, faultsamples_fn *,
		     void *arg);

/* Of a recording that has no such samples: says so. */
int faultsamples_lack(const struct probe *, unsigned kinds, struct err *);

#endif
