#!/usr/bin/env -S dtrace -s
/* pid_args.d: arguments and results of the functions that a program calls.  -c COMMAND */
#pragma D option quiet

pid$target:a.out::entry
{
	printf("%-24s (%x, %x, %x, %x, %x)\n", probefunc, arg0, arg1, arg2, arg3, arg4);
}

pid$target:a.out::return
{
	printf("%-24s = %x\n", probefunc, arg1);
}
