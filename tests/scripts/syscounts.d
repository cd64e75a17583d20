#!/usr/sbin/dtrace -s
/* syscounts.d: what the statistics of the system get from one program. */
#pragma D option quiet
#pragma D option defaultargs

inline string NAME = $$1 == "" ? "perl" : $$1;

sysinfo:::readch, sysinfo:::writech, sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::sysfork, sysinfo:::sysexec
/execname == NAME && progenyof($target)/
{
	@[probename] = sum(arg0);
}

dtrace:::END
{
	printa("%s %@d\n", @);
}
