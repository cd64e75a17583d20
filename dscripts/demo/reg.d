#!/usr/bin/env -S dtrace -s
/* reg.d: the settings of the kernel that a program reads, lists and writes, with their values.  -c COMMAND */
#pragma D option quiet

reg:::queryvalue
/progenyof($target)/
{
	printf("%-16s reads  %s: %s\n", execname, args[0]->r_rname, args[0]->r_value);
}

reg:::setvalue
/progenyof($target)/
{
	printf("%-16s writes %s: %s > %s (%d)\n", execname, args[0]->r_rname, args[0]->r_value, args[0]->r_newvalue,
	    args[0]->r_status);
}

reg:::
/progenyof($target)/
{
	@[probename] = count();
}

END
{
	printf("\n");
	printa("%-16s %@10d\n", @);
}
