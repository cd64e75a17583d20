#!/usr/bin/env -S dtrace -s
/*
 * proclatency.d: how long it takes from the moment a process is made until it runs its program, by the program, in
 * nanoseconds.
 *
 *   proclatency.d [SECONDS]
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::create
{
	born[args[0]->pr_pid] = timestamp;
}

proc:::exec-success
/born[pid]/
{
	@[execname] = quantize(timestamp - born[pid]);
	born[pid] = 0;
}

/* It ends without having run one. */
proc:::exit
/born[pid]/
{
	born[pid] = 0;
}

tick-1s
/$1 && ++seconds == $1/
{
	exit(0);
}
