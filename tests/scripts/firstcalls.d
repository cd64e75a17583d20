#!/usr/sbin/dtrace -s
/*
 * firstcalls.d: the first calls of a program, until the buffer is full.
 */
#pragma D option quiet
#pragma D option strsize=32
#pragma D option bufpolicy=fill
#pragma D option bufsize=1k

syscall:::entry
/pid == $target/
{
	printf("%d %s\n", ++n, probefunc);
}
