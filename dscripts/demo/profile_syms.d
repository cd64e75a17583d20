#!/usr/bin/env -S dtrace -s
/* profile_syms.d: where a program spends its time: addresses, functions, modules.  -c COMMAND */
#pragma D option quiet

profile-997
/pid == $target && arg1/
{
	@at[usym(arg1)] = count();
	@functions[ufunc(arg1)] = count();
	@modules[umod(arg1)] = count();
}

END
{
	trunc(@at, 5);
	trunc(@functions, 5);
	printf("at\n");
	printa("%-60A %@8d\n", @at);
	printf("functions\n");
	printa("%-60A %@8d\n", @functions);
	printf("modules\n");
	printa("%-60A %@8d\n", @modules);
}
