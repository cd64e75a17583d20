#!/usr/bin/env -S dtrace -s
/* perf.d: what perf counts while a program runs, and where.  -c COMMAND */
#pragma D option quiet

BEGIN
/$target == 0/
{
	printf("perf.d: -c COMMAND or -p PID is needed\n");
	exit(2);
}

BEGIN { began = timestamp; switches = 0; migrations = 0; minor = 0; major = 0; ticks = 0; }

pmc:::context-switches /pid == $target/ { switches++; }
pmc:::cpu-migrations /pid == $target/ { migrations++; }
pmc:::minor-faults /pid == $target/ { minor++; @at[ufunc(arg0)] = count(); }
pmc:::major-faults /pid == $target/ { major++; }
pmc:::task-clock-250000 /pid == $target/ { ticks++; }

END
/$target != 0/
{
	trunc(@at, 5);
	printf("%12d context-switches\n%12d cpu-migrations\n%12d minor-faults\n%12d major-faults\n",
		switches, migrations, minor, major);
	printf("%9d.%02d msec task-clock (a sample each 0.25)\n", ticks / 4, ticks % 4 * 25);
	printf("%9d.%02d msec elapsed\n", (timestamp - began) / 1000000, (timestamp - began) / 10000 % 100);
	printf("\nmost minor faults\n");
	printa("%@12d %A\n", @at);
}
