#!/usr/bin/env -S dtrace -s
/* pid_funccount.d: how often each function of a program is called.  -c COMMAND */
#pragma D option quiet

pid$target:a.out::entry
{
	@[probefunc] = count();
}

END
{
	printa("%-40s %@10d\n", @);
}
