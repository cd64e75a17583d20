#!/usr/bin/env -S dtrace -s
/* numa.d: page faults and time by NUMA node, and CPUs that threads come from. [-c COMMAND] [SECONDS] */
#pragma D option quiet
#pragma D option defaultargs

int node[int];

hwconfig:::processor { node[args[0]->cpu] = args[0]->node; @cpus["CPUs", args[0]->node] = count(); }
pmc:::page-faults { @faults["page faults", node[cpu]] = count(); }
pmc:::task-clock-1000000 { @time["milliseconds", node[cpu]] = count(); }
pmc:::cpu-migrations { @moved["migrations to", node[cpu]] = count(); }

tick-1s { n++; }
tick-1s /$1 && n == $1/ { exit(0); }

END
{
	printa("%-16s node %2d %@10d\n", @cpus);
	printa("%-16s node %2d %@10d\n", @faults);
	printa("%-16s node %2d %@10d\n", @time);
	printa("%-16s node %2d %@10d\n", @moved);
}
