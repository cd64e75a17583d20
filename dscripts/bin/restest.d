#!/usr/bin/env -S dtrace -s
/*
 * restest.d: how exact a profile timer is: the times between two samples of a CPU, in microseconds.
 *
 *   restest.d [SECONDS]     5 seconds, at 1000 samples a second
 */
#pragma D option quiet
#pragma D option defaultargs

uint64_t last[int];

BEGIN
{
	left = $1 ? $1 : 5;
}

profile-1000
/last[cpu]/
{
	@between[cpu] = lquantize((timestamp - last[cpu]) / 1000, 0, 2000, 100);
	@mean[cpu] = avg((timestamp - last[cpu]) / 1000);
	@number[cpu] = count();
}

profile-1000
{
	last[cpu] = timestamp;
}

tick-1s
/--left == 0/
{
	exit(0);
}

END
{
	printf("%4s %10s %10s\n", "CPU", "SAMPLES", "MEAN/US");
	printa("%4d %@10d %@10d\n", @number, @mean);
	printa(@between);
}
