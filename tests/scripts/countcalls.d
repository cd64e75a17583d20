#!/usr/sbin/dtrace -s
/*
 * countcalls.d: which system calls a program makes, and how often.
 *
 * USAGE: ./countcalls.d -c COMMAND | -p PID
 */
#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
	start = timestamp;
}

syscall:::entry
/pid == $target/
{
	@num[probefunc] = count();
	@all = count();
}

dtrace:::END
{
	this->ms = (timestamp - start) / 1000000;
	printf("%-24s %8s\n", "SYSCALL", "COUNT");
	printa("%-24s %@8d\n", @num);
	printa("TOTAL                    %@8d\n", @all);
	printf("%s\n", this->ms >= 0 ? "done" : "time ran backwards");
}
