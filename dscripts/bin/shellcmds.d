#!/usr/bin/env -S dtrace -Zs
/*
 * shellcmds.d: what is typed at a bash, and the programs that it and what it starts run, as they run.
 *
 *   shellcmds.d -p PID           a bash that runs
 *   shellcmds.d -c bash          one that begins now
 */
#pragma D option quiet
#pragma D option strsize=1024

BEGIN
{
	printf("%-20s %7s %7s %-5s %s\n", "TIME", "PID", "PPID", "WHAT", "COMMAND");
}

/* bash has readline in itself, or beside it */
pid$target:bash:readline:return, pid$target:libreadline.so.8:readline:return
/arg1/
{
	printf("%-20Y %7d %7d %-5s %s\n", walltimestamp, pid, ppid, "typed", copyinstr(arg1));
}

proc:::exec-success
/progenyof($target)/
{
	printf("%-20Y %7d %7d %-5s %s\n", walltimestamp, pid, ppid, "runs", curpsinfo->pr_psargs);
}
