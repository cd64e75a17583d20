#!/usr/sbin/dtrace -s
/*
 * disktime.d: time that a disk takes for a request, by disk and direction.
 *
 * USAGE: ./disktime.d NAME -c COMMAND      requests for the file of this name
 */
#pragma D option quiet
#pragma D option dynvarsize=4m

io:::start
/args[2]->fi_name == $$1/
{
	start[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	bytes[args[0]->b_edev, args[0]->b_blkno] = args[0]->b_bcount;
	@begun["begun"] = sum(args[0]->b_bcount);
}

io:::done
/start[args[0]->b_edev, args[0]->b_blkno]/
{
	this->took = timestamp - start[args[0]->b_edev, args[0]->b_blkno];
	@time[args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W"] = quantize(this->took);
	@done["done"] = sum(bytes[args[0]->b_edev, args[0]->b_blkno]);
	@slow["in no time"] = sum(this->took <= 0);
	start[args[0]->b_edev, args[0]->b_blkno] = 0;
	bytes[args[0]->b_edev, args[0]->b_blkno] = 0;
}

dtrace:::END
{
	printa("disk %s %s%@d\n", @time);
	printa("%s %@d\n", @begun);
	printa("%s %@d\n", @done);
	printa("%s %@d\n", @slow);
}
