#!/usr/bin/env -S dtrace -s
/* proc.d: processes as they come and go: who makes whom, what they run, how they end.  -c COMMAND */
#pragma D option quiet

proc:::create
/progenyof($target)/
{
	printf("%-16s %7d makes  %d\n", execname, pid, args[0]->pr_pid);
}

proc:::exec
/progenyof($target)/
{
	printf("%-16s %7d runs   %s\n", execname, pid, args[0]);
}

proc:::signal-send
/args[1]->pr_pid == $target/
{
	printf("%-16s %7d signal %d to %s\n", execname, pid, args[2], args[1]->pr_fname);
}

proc:::exit
/progenyof($target)/
{
	printf("%-16s %7d ends   %s %d\n", execname, pid, args[0] == CLD_EXITED ? "with" : "by signal", arg1);
}
