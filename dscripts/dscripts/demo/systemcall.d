#!/usr/bin/env -S dtrace -s
/* systemcall.d: the calls of a program: how often, how long, and what has failed.  -c COMMAND */
#pragma D option quiet

syscall:::entry
/pid == $target/
{
	self->since = timestamp;
}

syscall:::return
/self->since/
{
	@calls[probefunc] = count();
	@ns[probefunc] = sum(timestamp - self->since);
	self->since = 0;
}

syscall:::return
/pid == $target && errno/
{
	@failed[probefunc, errno] = count();
}

END
{
	printf("%-20s %10s %12s\n", "CALL", "COUNT", "NS");
	printa("%-20s %@10d %@12d\n", @calls, @ns);
	printf("\n%-20s %10s %12s\n", "FAILED", "ERRNO", "COUNT");
	printa("%-20s %10d %@12d\n", @failed);
}
