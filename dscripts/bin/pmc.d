#!/usr/bin/env -S dtrace -s
/* pmc.d: page faults of each CPU between two switches, and functions by time and by faults.  [-c COMMAND] [SECONDS] */
#pragma D option quiet
#pragma D option defaultargs

uint64_t last[int];

pmc:::sample-src { printf("source %s, each %d\n", args[1], args[2]); }
pmc:::counter-src { printf("counter %s\n", args[1][0].name); }

sched::pmc:off-cpu-page-faults /last[cpu]/ { @faults["page faults between two switches"] = quantize(arg4 - last[cpu]); }
sched::pmc:off-cpu-page-faults { last[cpu] = arg4; }

pmc:::task-clock-1000000 { @time[execname] = count(); }
pmc:::page-faults { @touched[execname] = count(); }

tick-1s, END { n++; }
tick-1s /$1 && n == $1/ { exit(0); }

END
{
	printa(@faults);
	printf("milliseconds on a CPU\n");
	printa("%@12d %s\n", @time);
	printf("page faults\n");
	printa("%@12d %s\n", @touched);
}
