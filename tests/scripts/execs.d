#!/usr/sbin/dtrace -s
/*
 * execs.d: new programs, with their arguments.
 *
 * USAGE: ./execs.d [-c COMMAND]
 */
#pragma D option quiet
#pragma D option switchrate=10

dtrace:::BEGIN
{
	printf("%-20s %5s %6s %6s %s\n", "TIME", "UID", "PID", "PPID", "ARGS");
}

proc:::exec-success
/progenyof($target)/
{
	printf("%-20Y %5d %6d %6d %s\n", walltimestamp, curpsinfo->pr_uid, curpsinfo->pr_pid, curpsinfo->pr_ppid,
	    curpsinfo->pr_psargs);
	@["programs", curpsinfo->pr_fname] = count();
}

dtrace:::END
{
	printa("%s %s %@d\n", @);
}
