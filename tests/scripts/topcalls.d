#!/usr/sbin/dtrace -s
/*
 * topcalls.d: the calls made most often, and those made least often.
 *
 * USAGE: ./topcalls.d -c COMMAND [COUNT]     5 unless told
 */
#pragma D option quiet
#pragma D option defaultargs

dtrace:::BEGIN
{
	n = $1 ? $1 : 5;
}

syscall:::entry
/pid == $target/
{
	@top[probefunc] = count();
	@low[probefunc] = count();
}

dtrace:::END
{
	trunc(@top, n);
	trunc(@low, -n);
	printa("top %s %@d\n", @top);
	printa("low %s %@d\n", @low);
}
