#!/usr/bin/env -S dtrace -s
/*
 * sched.d: how long programs run at a time, as histograms of nanoseconds.
 *
 *   sched.d [SECONDS]     0, or nothing: until ^C
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
{
	self->since = timestamp;
}

sched:::off-cpu
/self->since/
{
	@[execname] = quantize(timestamp - self->since);
	self->since = 0;
}

tick-1s
/$1 && ++seconds == $1/
{
	exit(0);
}
