#!/usr/bin/env -S dtrace -s
/*
 * wakeup.d: who wakes whom, how often, and from where in the kernel.
 *
 *   wakeup.d [PROGRAM [SECONDS]]     only those of PROGRAM are woken; "": everybody
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("Tracing wakeups of %s... Hit Ctrl-C to end.\n", $$1 == "" ? "everybody" : $$1);
}

sched:::wakeup
/$$1 == "" || args[1]->pr_fname == $$1/
{
	@[execname, args[1]->pr_fname] = count();
}

tick-1s
/$2 && ++seconds == $2/
{
	exit(0);
}

END
{
	printf("%-24s %-24s %8s\n", "WAKER", "WOKEN", "COUNT");
	printa("%-24s %-24s %@8d\n", @);
}
