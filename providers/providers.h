/*
 * providers.h: the list of providers, and the world they share: tracer, processes of -c.
 */
#ifndef PROVIDERS_PROVIDERS_H
#define PROVIDERS_PROVIDERS_H

#include "dlang/provider.h"
#include "dlang/session.h"
#include "tracer/tracer.h"

extern const struct provider prov_dtrace, prov_profile, prov_pid;
extern const struct provider *const providers[];
extern const unsigned nproviders;

struct world {
	struct session *session;
	struct tracer *tracer;
	struct journal *journal;
	struct proc **procs; /* of -c, in command-line order; NULL when gone */
	unsigned nprocs, nlive;
	void *pid; /* prov_pid.c's own */
};

#endif
