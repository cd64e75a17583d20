#!/usr/sbin/dtrace -s
/*
 * wakers.d: which program wakes which.
 */
#pragma D option quiet

sched:::wakeup
/execname == $$1 || args[1]->pr_fname == $$1/
{
	@[execname == $$1 ? "it" : "another", args[1]->pr_fname == $$1 ? "it" : "another"] = count();
	@who[args[0]->pr_lwpid > 0 ? "threads" : "none"] = count();
}
