/* pid_left_out.c: what a pattern matches and cannot be probed is left out, and told once. */
#include <errno.h>
#include <stdlib.h>

#include "providers/pid/pid_priv.h"

void pid_leave_out(struct pid_proc *pp, const struct err *why)
{
	if (!pp->nskipped++)
		pp->skipped = xstrdup(why->text);
	pp->may_execute = why->code == -EAGAIN;
}

/*
 * A program that meanwhile is gone is not to be probed any more. A thread that does not stop may be
 * about to execute another: at the end it is known whether it did.
 */
static bool is_told(const struct pid_proc *pp, bool is_end)
{
	return pp->nskipped && pp->proc && !proc_has_lost_memory(pp->proc) &&
	       (is_end || !pp->may_execute);
}

static void forget(struct pid_proc *pp)
{
	free(pp->skipped);
	pp->skipped = NULL;
	pp->nskipped = 0;
}

void pid_tell_left_out(struct session *s, struct pid_world *pw, bool is_end)
{
	const char *first = NULL;
	unsigned n = 0;

	for (const struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		if (is_told(pp, is_end)) {
			n += pp->nskipped;
			first = first ? first : pp->skipped;
		}
	if (n)
		session_message(s, MSG_ERR, false, "%u probe%s left out%s: %s", n,
				n == 1 ? " was" : "s were", n == 1 ? "" : ", the first", first);
	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		if (is_end || !pp->may_execute)
			forget(pp);
}

void pid_executed(struct pid_proc *pp)
{
	forget(pp);
	pp->may_execute = false;
}
