#!/usr/bin/env -S dtrace -s
/* perf.d: what perf counts of a program and what it makes, and where its pages fault.  -c COMMAND or -p PID */
#pragma D option quiet
#pragma D option evaltime=exec

BEGIN
/$target == 0/
{
	printf("perf.d: -c COMMAND or -p PID is needed\n");
	exit(2);
}

BEGIN /$target != 0/ { began = timestamp; ended = 0ULL; has_come = 0; @switches = sum(0); @migrations = sum(0); @minor = sum(0); @major = sum(0); @ticks = sum(0); }

/* nothing but sums: kept in the kernel */
pmc:::context-switches /$target != 0/ { @switches = sum(1); }
pmc:::cpu-migrations /$target != 0/ { @migrations = sum(1); }
pmc:::minor-faults /$target != 0/ { @minor = sum(1); }
pmc:::major-faults /$target != 0/ { @major = sum(1); }
pmc:::task-clock-250000 /$target != 0/ { @ticks = sum(25); }
cpc:::faults-user-1 /$target != 0/ { @at[ufunc(arg1)] = count(); }
sched:::on-cpu /pid == $target && !has_come/ { began = timestamp; has_come = 1; }
proc:::exit /pid == $target/ { ended = timestamp; }

END
/$target != 0/
{
	ended = ended ? ended : timestamp;
	trunc(@at, 5);
	normalize(@ticks, 100);
	printa("%@12d context-switches\n", @switches);
	printa("%@12d cpu-migrations\n", @migrations);
	printa("%@12d minor-faults\n", @minor);
	printa("%@12d major-faults\n", @major);
	printa("%@12d msec task-clock (by samples, each 0.25)\n", @ticks);
	printf("%9d.%02d msec elapsed\n", (ended - began) / 1000000, (ended - began) / 10000 % 100);
	printf("\nmost faults in user code\n");
	printa("%@12d %A\n", @at);
}
