#!/usr/sbin/dtrace -s
/*
 * lifetime.d: how long processes live, by program.
 */
#pragma D option quiet
#pragma D option dynvarsize=4m

proc:::create
/progenyof($target)/
{
	@made["made", execname] = count();
	born[args[0]->pr_pid] = timestamp;
}

proc:::exit
/born[pid]/
{
	@lived["lived"] = count();
	@long["20 ms or longer"] = sum(timestamp - born[pid] >= 20000000);
	born[pid] = 0;
}

dtrace:::END
{
	printa("%s %s %@d\n", @made);
	printa("%s %@d\n", @lived);
	printa("%s %@d\n", @long);
}
