#!/usr/bin/env -S dtrace -s
/*
 * ustacks_exe.d: where a program spends its time: the user stacks that samples find most often.
 *
 *   ustacks_exe.d PROGRAM [SECONDS [STACKS]]     10 seconds, 5 stacks
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
/$$1 == ""/
{
	printf("ustacks_exe.d: the name of a program is needed\n");
	exit(2);
}

BEGIN
/$$1 != ""/
{
	printf("Sampling %s... Hit Ctrl-C to end.\n", $$1);
	left = $2 ? $2 : 10;
}

profile-97
/execname == $$1/
{
	@[ustack()] = count();
	@all = count();
}

tick-1s
/--left == 0/
{
	exit(0);
}

END
/$$1 != ""/
{
	trunc(@, $3 ? $3 : 5);
	printa(@);
	printa("%@d samples\n", @all);
}
