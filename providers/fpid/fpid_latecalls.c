/*
 * fpid_latecalls.c: calls that lead to trampolines at once save a jump each, and there are several
 * times as many of them as functions: that is worth nothing to a program that has ended before it
 * has called much, as most children have. What is counted is the same without.
 */
#include "inject/hooks.h"
#include "providers/fpid/fpid.h"

#define LONG_NS 1000000000U /* who has lived that long goes on for a while */

bool fpid_may_end_soon(const struct pid_proc *pp)
{
	return pp->root && !pp->fpid->is_preloaded;
}

uint64_t fpid_lead_calls(struct pid_proc *pp)
{
	struct fpid_proc *fp = pp->fpid;
	uint64_t now = session_now(pp->pw->session);

	if (!pp->proc || !fp->hooks || !hooks_have_late_calls(fp->hooks))
		return UINT64_MAX;
	if (!fp->calls_ns)
		fp->calls_ns = now + LONG_NS;
	if (now < fp->calls_ns)
		return fp->calls_ns;
	return hooks_lead_calls(fp->hooks) ? now : UINT64_MAX;
}
