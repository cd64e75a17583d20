#!/usr/sbin/dtrace -s
/* diskfiles.d: bytes to and from disks, by program and file. */
#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-10s %-8s %1s %10s %s\n", "DEVICE", "COMMAND", "D", "BYTES", "PATH");
}

io:::start
{
	@[args[1]->dev_statname, execname, args[0]->b_flags & B_WRITE ? "W" : "R", args[2]->fi_pathname] =
	    sum(args[0]->b_bcount);
}

dtrace:::END
{
	printa("%-10s %-8s %1s %@10d %s\n", @);
}
