#!/usr/bin/env -S dtrace -s
/* packets.d: frames that devices of the network send, with their headers, and get, without; sizes of what is sent.  [-c COMMAND] */
#pragma D option quiet

linux-net:::net_dev_queue
{
	@frames["sent", args[0]->name] = count();
	@bytes["sent", args[0]->name] = sum(args[0]->len);
	@sizes[args[0]->name] = quantize(args[0]->len);
}

linux-net:::netif_receive_skb
{
	@frames["received", args[0]->name] = count();
	@bytes["received", args[0]->name] = sum(args[0]->len);
}

END
{
	printf("%-10s %-16s %10s %12s\n", "", "DEVICE", "FRAMES", "BYTES");
	printa("%-10s %-16s %@10d %@12d\n", @frames, @bytes);
	printf("\nbytes of a frame that is sent\n");
	printa(@sizes);
}
