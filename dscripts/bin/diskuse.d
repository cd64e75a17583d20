#!/usr/bin/env -S dtrace -s
/*
 * diskuse.d: what programs read from and write to the disks, by program and file, and how long the requests take.
 *
 *   diskuse.d [PROGRAM [SECONDS]]     "": every program; 0, or nothing: until Ctrl-C
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=4m

BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/$$1 == "" || execname == $$1/
{
	began[args[0]->b_addr] = timestamp;
	@times[execname, args[0]->b_flags & B_READ ? "read" : "write", args[2]->fi_pathname] = count();
	@bytes[execname, args[0]->b_flags & B_READ ? "read" : "write", args[2]->fi_pathname] = sum(args[0]->b_bcount);
}

io:::done
/began[args[0]->b_addr]/
{
	@us[args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write"] =
	    quantize((timestamp - began[args[0]->b_addr]) / 1000);
	began[args[0]->b_addr] = 0;
}

tick-1s
/$2 && ++seconds == $2/
{
	exit(0);
}

END
{
	printf("%-16s %-6s %9s %12s  %s\n", "PROGRAM", "WHAT", "REQUESTS", "BYTES", "FILE");
	printa("%-16s %-6s %@9d %@12d  %s\n", @times, @bytes);
	printf("\nmicroseconds a request takes\n");
	printa(@us);
}
