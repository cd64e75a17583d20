#!/usr/sbin/dtrace -s
/*
 * funcargs.d: arguments and results of one function.
 */
#pragma D option quiet
#pragma D option dynvarsize=1m

pid$target::six:entry
{
	self->want = arg0 + 2 * arg1 + 3 * arg2 + 4 * arg3 + 5 * arg4 + 6 * arg5 + 7 * 6;
	@first = lquantize(arg0, 0, 200, 50);
}

pid$target::six:return
{
	@[arg1 == self->want ? "right" : "wrong"] = count();
	self->want = 0;
}

dtrace:::END
{
	printa(@);
	printa("%@d", @first);
}
