#!/usr/sbin/dtrace -s
/*
 * ticks.d: system calls of each interval, in a table that is printed and cleared.
 *
 * USAGE: ./ticks.d [COUNT]
 */
#pragma D option quiet
#pragma D option defaultargs

dtrace:::BEGIN
{
	left = $1 ? $1 : 3;
	lines = 0;
}

syscall:::entry
/pid == $target/
{
	@["calls"] = count();
	@whole = count();
}

profile:::tick-20ms
/lines == 0/
{
	printf("%-12s\n", "TABLE");
	lines = 2;
}

profile:::tick-20ms
{
	printf("interval %d\n", left);
	printa("%s %@d\n", @);
	clear(@);
	lines--;
}

profile:::tick-20ms
/--left == 0/
{
	exit(0);
}
