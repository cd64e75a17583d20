#!/usr/bin/env -S dtrace -s
/* tracepoints.d: any event of the kernel, with its fields: which timers are set, for how long.  -c COMMAND */
#pragma D option quiet

linux-timer:::hrtimer_start
/args[0]->expires > timestamp/
{
	@[execname] = quantize((args[0]->expires - timestamp) / 1000);
}

linux-sched:::events
{
	@events[probeprov, arg0] = count();
}

END
{
	printf("microseconds until timers expire\n");
	printa(@);
	printf("events of the scheduler, by their numbers\n");
	printa("%-16s %6d %@10d\n", @events);
}
