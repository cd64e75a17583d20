#!/usr/bin/env -S dtrace -s
/* disk.d: the requests of the disks as they are done, and what each program did in all.  -c COMMAND */
#pragma D option quiet

BEGIN
{
	printf("%-16s %7s %-8s %-5s %12s %9s %10s %s\n", "PROGRAM", "PID", "DISK", "WHAT", "BLOCK", "BYTES", "US", "FILE");
}

io:::start
{
	began[args[0]->b_addr] = timestamp;
}

io:::done
/began[args[0]->b_addr]/
{
	printf("%-16s %7d %-8s %-5s %12d %9d %10d %s\n", execname, pid, args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "read" : "write", (int64_t)args[0]->b_blkno, args[0]->b_bcount,
	    (timestamp - began[args[0]->b_addr]) / 1000, args[2]->fi_pathname);
	@bytes[execname, args[0]->b_flags & B_READ ? "read" : "write"] = sum(args[0]->b_bcount);
	began[args[0]->b_addr] = 0;
}

END
{
	printf("\n%-16s %-5s %12s\n", "PROGRAM", "WHAT", "BYTES");
	printa("%-16s %-5s %@12d\n", @bytes);
}
