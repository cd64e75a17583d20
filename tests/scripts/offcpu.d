#!/usr/sbin/dtrace -s
/*
 * offcpu.d: how long threads of a program are away from the CPU, by user stack or without.
 *
 * USAGE: ./offcpu.d NAME -c COMMAND
 */
#pragma D option quiet

sched:::off-cpu
/execname == $$1 && progenyof($target)/
{
	self->gone = timestamp;
}

sched:::on-cpu
/self->gone/
{
	@away["ns away"] = quantize(timestamp - self->gone);
	@times["times"] = count();
	@ms["slept a ms"] = sum((timestamp - self->gone) >= 1000000);
	self->gone = 0;
}
