#!/usr/bin/env -S dtrace -s
/*
 * heapbalance.d: what a program asks of malloc() and gives back, who gives back, and what is left
 * by the function that asked.
 *
 *   heapbalance.d -c COMMAND
 *   heapbalance.d -p PID
 */
#pragma D option quiet

pid$target:libc.so.6:malloc:entry
{
	self->bytes = arg0;
	self->site = ucaller;
}

pid$target:libc.so.6:malloc:return
/arg1/
{
	@calls["allocated"] = count();
	@bytes["allocated"] = sum(self->bytes);
	@left[ufunc(self->site)] = sum(self->bytes);
	size[arg1] = self->bytes;
	site[arg1] = self->site;
}

/* Only what was allocated while we looked. */
pid$target:libc.so.6:free:entry
/size[arg0]/
{
	@calls["freed"] = count();
	@bytes["freed"] = sum(size[arg0]);
	@freed[ustack(5)] = sum(size[arg0]);
	@left[ufunc(site[arg0])] = sum(-size[arg0]);
	size[arg0] = 0;
	site[arg0] = 0;
}

END
{
	printf("%-12s %12s %16s\n", "", "BLOCKS", "BYTES");
	printa("%-12s %@12d %@16d\n", @calls, @bytes);
	trunc(@freed, 5);
	printf("\nbytes freed from\n");
	printa(@freed);
	printf("\nbytes left of what was asked for by\n");
	printa("%@16d  %A\n", @left);
}
