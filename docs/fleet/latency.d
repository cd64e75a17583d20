/*
 * latency.d: system calls of a whole machine as metrics: how many, how long, which fail. Its clauses
 * run in the kernel: nothing is recorded, nothing is lost.
 *
 *	dtrace -s latency.d -x metrics=9435
 */
#pragma D option quiet
#pragma D option aggunit=latency:ns
#pragma D option aggtitle="calls:system calls by program"
#pragma D option aggtitle="errors:system calls that failed, by program and number of the error"
#pragma D option aggtitle="latency:time in system calls by program"

syscall:::entry
{
	self->t = timestamp;
}

syscall:::return
/self->t/
{
	@calls[execname] = count();
	@latency[execname] = quantize(timestamp - self->t);
	self->t = 0;
}

syscall:::return
/errno/
{
	@errors[execname, errno] = count();
}
