#!/usr/bin/env -S dtrace -s
/* io.d: bytes and times of the disks while a program runs, by file.  -c COMMAND */
#pragma D option quiet

io:::start
{
	@bytes[execname, args[0]->b_flags & B_READ ? "read" : "write", args[2]->fi_pathname] =
		sum(args[0]->b_bcount);
}

io:::done
{
	@times[args[1]->dev_statname] = quantize(args[0]->resp / 1000);
}

END
{
	printf("%-16s %-6s %-48s %12s\n", "PROGRAM", "", "FILE", "BYTES");
	printa("%-16s %-6s %-48s %@12d\n", @bytes);
	printf("\nmicroseconds a request takes\n");
	printa(@times);
}
