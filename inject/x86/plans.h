/*
 * plans.h: what hooks of a file's functions take, found out once for all processes of a run that
 * have it mapped: its code is read once, and each function is planned once, as long as the padding
 * that a plan uses is free in the process at hand. What earlier runs have kept (planfile.h) is not
 * found out again.
 */
#ifndef INJECT_X86_PLANS_H
#define INJECT_X86_PLANS_H

#include "inject/x86/plan.h"

struct plans;

/* The file must live as long. folder: of the cache, as of cachefile_folder(); -1: without it. */
struct plans *plans_new(struct objfile *, int folder);
/* For later runs, if there is enough that those before have not kept. */
void plans_keep(const struct plans *, int folder);
/* After all scans of it. */
void plans_free(struct plans *);
/* The file's code as one process has it, none of whose padding is taken. The caller frees it. */
struct codescan *plans_scan(const struct plans *);
/* As plan_function; the scan is one of plans_scan(). */
struct plan plans_function(struct plans *, struct codescan *, unsigned i, unsigned kinds);
/* The same as plan_offsets. Processes of a run have probes at the same instructions, as a rule. */
struct plan plans_offsets(struct plans *, struct codescan *, unsigned i, unsigned kinds,
			  unsigned breakpoints, struct plan_offset *, unsigned noffsets);

#endif
