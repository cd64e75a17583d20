#!/usr/bin/env -S dtrace -s
/*
 * regwatch.d: who writes which setting of the kernel (sysctl, sysfs, control groups): the value before, as far as it
 * is known, and the new one.
 *
 *   regwatch.d [PROGRAM]     "": every program
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option regkeys=sysctl

BEGIN
{
	printf("%7s %-16s %6s %s\n", "PID", "PROGRAM", "ERROR", "KEY: VALUE > NEW VALUE");
}

reg:::setvalue
/$$1 == "" || execname == $$1/
{
	printf("%7d %-16s %6d %s: %s > %s\n", pid, execname, -args[0]->r_status, args[0]->r_rname, args[0]->r_value,
	    args[0]->r_newvalue);
}
