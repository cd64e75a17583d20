#!/usr/sbin/dtrace -s
/*
 * shop.d: what a shop sells, by its static probes.
 */
#pragma D option quiet

shop$target:::sell-it
{
	@[copyinstr(arg1)] = count();
	@n["sold"] = count();
	@i = max(arg0);
}

shop$target:::open
{
	opened++;
}

dtrace:::END
{
	printa("%s %@d\n", @);
	printa("%s %@d\n", @n);
	printa("last %@d\n", @i);
	printf("opened %d\n", opened);
}
