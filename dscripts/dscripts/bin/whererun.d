#!/usr/bin/env -S dtrace -s
/*
 * whererun.d: on which CPUs a program runs, and for how long.
 *
 *   whererun.d [PROGRAM [SECONDS]]     "": every program
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
/$$1 == "" || execname == $$1/
{
	self->since = timestamp;
}

sched:::off-cpu
/self->since/
{
	@times[execname, pid, cpu] = count();
	@ns[execname, pid, cpu] = sum(timestamp - self->since);
	self->since = 0;
}

tick-1s
/$2 && ++seconds == $2/
{
	exit(0);
}

END
{
	normalize(@ns, 1000);
	printf("%-16s %8s %4s %8s %12s\n", "PROGRAM", "PID", "CPU", "TIMES", "MICROSECONDS");
	printa("%-16s %8d %4d %@8d %@12d\n", @times, @ns);
}
