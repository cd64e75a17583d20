#!/usr/sbin/dtrace -s
/*
 * lastcalls.d: the last calls of a program before its end: a ring of records.
 */
#pragma D option quiet
#pragma D option strsize=32
#pragma D option bufpolicy=ring
#pragma D option bufsize=2k

syscall:::entry
/pid == $target/
{
	printf("%d %s\n", ++n, probefunc);
}
