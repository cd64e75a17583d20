#!/usr/sbin/dtrace -s
/*
 * calltime.d: time in system calls: distribution, average, share of the CPU.
 *
 * USAGE: ./calltime.d -c COMMAND
 */
#pragma D option quiet
#pragma D option dynvarsize=8m
#pragma D option cleanrate=101hz

syscall:::entry
/pid == $target/
{
	self->start = timestamp;
	self->vstart = vtimestamp;
}

syscall:::return
/self->start/
{
	this->elapsed = timestamp - self->start;
	this->cpu = vtimestamp - self->vstart;
	@num[probefunc] = count();
	@avg[probefunc] = avg(this->elapsed);
	@max[probefunc] = max(this->elapsed);
	@min[probefunc] = min(this->elapsed);
	@dist[probefunc] = quantize(this->elapsed);
	@odd[this->cpu > this->elapsed + 1000000 ? "odd" : "even"] = count();
	self->start = 0;
	self->vstart = 0;
}

dtrace:::END
{
	printa("%s num %@d avg %@d min %@d max %@d\n", @num, @avg, @min, @max);
	printa("%s\n%@d", @dist);
	printa("cputime %s %@d\n", @odd);
}
