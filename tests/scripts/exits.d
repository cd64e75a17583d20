#!/usr/sbin/dtrace -s
/*
 * exits.d: how processes end.
 */
#pragma D option quiet

proc:::exit
/progenyof($target) && pid != $target && args[0] == CLD_EXITED/
{
	@code[arg1] = count();
}

proc:::exit
/progenyof($target) && args[0] == CLD_KILLED/
{
	@killed[arg1 == SIGTERM ? "SIGTERM" : arg1 == SIGUSR1 ? "SIGUSR1" : "other"] = count();
}

dtrace:::END
{
	printa("status %d %@d\n", @code);
	printa("%s %@d\n", @killed);
}
