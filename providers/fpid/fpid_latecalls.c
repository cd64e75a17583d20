/*
 * fpid_latecalls.c: calls that lead to trampolines at once save a jump each, and there are several
 * times as many of them as functions: that is worth nothing to a program that has ended before it
 * has called much, as most children have. What is counted is the same without.
 */
#include <time.h>

#include "inject/hooks.h"
#include "providers/fpid/fpid.h"

#define LONG_NS 1000000000U /* who has computed for that long goes on for a while */

bool fpid_may_end_soon(const struct pid_proc *pp)
{
	return pp->root && !pp->fpid->is_preloaded;
}

/* The kernel's clocks of what a process has spent outside of the kernel: there it is stopped for
 * its breakpoints, and waits. */
#define USER_CLOCK(pid) ((~(clockid_t)(pid)*8) | 1)

static uint64_t computed_ns(const struct pid_proc *pp)
{
	struct timespec t;

	return clock_gettime(USER_CLOCK(pp->pid), &t) == 0
		       ? (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec
		       : 0;
}

uint64_t fpid_lead_calls(struct pid_proc *pp)
{
	struct fpid_proc *fp = pp->fpid;
	uint64_t now = session_now(pp->pw->session), so_far;

	if (!pp->proc || !fp->hooks || !hooks_have_late_calls(fp->hooks))
		return UINT64_MAX;
	if (!fp->calls_ns)
		fp->calls_ns = now + LONG_NS;
	if (now < fp->calls_ns)
		return fp->calls_ns;
	so_far = computed_ns(pp);
	if (so_far < LONG_NS) {
		fp->calls_ns = now + LONG_NS - so_far;
		return fp->calls_ns;
	}
	return hooks_lead_calls(fp->hooks) ? now : UINT64_MAX;
}
