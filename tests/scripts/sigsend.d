#!/usr/sbin/dtrace -s
/*
 * sigsend.d: who sends which signal to whom.
 */
#pragma D option quiet

proc:::signal-send
/progenyof($target)/
{
	@sent[execname, args[1]->pr_pid == pid ? "itself" : stringof(args[1]->pr_fname), args[2]] = count();
}

proc:::signal-discard
/progenyof($target)/
{
	@lost["discarded", args[2]] = count();
}

dtrace:::END
{
	printa("%s > %s %d %@d\n", @sent);
	printa("%s %d %@d\n", @lost);
}
