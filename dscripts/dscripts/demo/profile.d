#!/usr/bin/env -S dtrace -s
/* profile.d: where a program spends its time: its functions, and the stacks that lead there.  -c COMMAND */
#pragma D option quiet

profile-997
/pid == $target/
{
	@functions[ufunc(arg1)] = count();
	@stacks[ustack(5)] = count();
}

END
{
	trunc(@functions, 10);
	trunc(@stacks, 3);
	printa("%-60A %@8d\n", @functions);
	printa(@stacks);
}
