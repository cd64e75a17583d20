#!/usr/sbin/dtrace -s
/*
 * runlatency.d: from wakeup to CPU: how long threads of a program wait for their turn.
 *
 * USAGE: ./runlatency.d NAME -c COMMAND
 */
#pragma D option quiet
#pragma D option dynvarsize=4m

sched:::wakeup
/args[1]->pr_fname == $$1/
{
	woken[args[0]->pr_lwpid] = timestamp;
}

sched:::on-cpu
/woken[tid]/
{
	@waits["waits"] = count();
	@ns["ns"] = quantize(timestamp - woken[tid]);
	woken[tid] = 0;
}

dtrace:::END
{
	printa("%s %@d\n", @waits);
}
