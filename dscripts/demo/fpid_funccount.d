#!/usr/bin/env -S dtrace -s
/* fpid_funccount.d: how often each function of a program is called.  -c COMMAND */
#pragma D option quiet

fpid$target:a.out::entry
{
	@[probefunc] = count();
}

END
{
	printa("%-40s %@10d\n", @);
}
