#!/usr/sbin/dtrace -s
/*
 * oncputime.d: CPU time of programs, as the scheduler gives it out.
 */
#pragma D option quiet

dtrace:::BEGIN
{
	start = timestamp;
}

sched:::on-cpu
/pid == $target/
{
	self->ts = timestamp;
	@on["on", cpu >= 0 ? "a CPU" : "none"] = count();
}

sched:::off-cpu
/self->ts/
{
	@time["microseconds"] = sum((timestamp - self->ts) / 1000);
	self->ts = 0;
}

syscall::exit_group:entry
/pid == $target && self->ts/
{
	@time["microseconds"] = sum((timestamp - self->ts) / 1000);
	self->ts = 0;
}

dtrace:::END
{
	printa("%s %s %@d\n", @on);
	printa("%s %@d\n", @time);
	printf("passed %d\n", (timestamp - start) / 1000);
}
