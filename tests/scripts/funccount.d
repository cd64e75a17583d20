#!/usr/sbin/dtrace -s
/*
 * funccount.d: calls of a program's own functions.
 *
 * USAGE: ./funccount.d -c COMMAND | -p PID
 */
#pragma D option quiet

pid$target:a.out::entry
{
	@[probefunc] = count();
}

dtrace:::END
{
	printf("%-30s %10s\n", "FUNCTION", "CALLS");
	printa("%-30s %@10d\n", @);
}
