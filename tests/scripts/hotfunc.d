#!/usr/sbin/dtrace -s
/*
 * hotfunc.d: where a program spends its time.
 */
#pragma D option quiet
#pragma D option aggsortrev

profile-499
/pid == $target && arg1/
{
	@[ufunc(arg1)] = count();
	@all["all"] = count();
}

dtrace:::END
{
	trunc(@, 5);
	printa("%A %@d\n", @);
	printa("%s %@d\n", @all);
}
