#!/usr/sbin/dtrace -s
/* disksizes.d: sizes of requests, and how far the disk has to go between them. */
#pragma D option quiet

uint64_t last[dev_t];

io:::start
/args[2]->fi_name == $$1/
{
	@size = quantize(args[0]->b_bcount);
	this->away = last[args[0]->b_edev] ? args[0]->b_blkno - last[args[0]->b_edev] : 0;
	@far["apart"] = quantize(this->away);
	@n["requests"] = count();
	@sectors["sectors"] = sum(args[0]->b_bcount / 512);
	last[args[0]->b_edev] = args[0]->b_blkno + args[0]->b_bcount / 512;
}

dtrace:::END
{
	printa("sizes %@d", @size);
	printa(@n);
	printa(@sectors);
}
