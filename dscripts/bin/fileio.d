#!/usr/bin/env -S dtrace -s
/*
 * fileio.d: which files are read and written, by whom and how much.
 *
 *   fileio.d [PROGRAM [SECONDS]]     "": every program
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

fsinfo:::done
/args[0]->fi_rstatus == 0 && args[0]->fi_bcount && args[0]->fi_extinfo > 0 && ($$1 == "" || execname == $$1)/
{
	@ops[execname, args[0]->fi_pathname] = count();
	@bytes[execname, args[0]->fi_pathname] = sum(args[0]->fi_extinfo);
}

tick-1s
/$2 && ++seconds == $2/
{
	exit(0);
}

END
{
	printf("%-16s %9s %12s  %s\n", "PROGRAM", "TIMES", "BYTES", "FILE");
	printa("%-16s %@9d %@12d  %s\n", @ops, @bytes);
}
