#!/usr/sbin/dtrace -Zs
/*
 * sysload.d: counters of the system, where it has them, and the calls they are of.
 */
#pragma D option quiet

sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::sysfork, sysinfo:::pswitch
{
	@sys[probename] = sum(arg0);
}

syscall::fork:entry, syscall::vfork:entry, syscall::clone*:entry
/progenyof($target)/
{
	@calls["processes"] = count();
}
