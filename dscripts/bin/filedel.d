#!/usr/bin/env -S dtrace -s
/*
 * filedel.d: who deletes which file, and whether it could.
 *
 *   filedel.d [PROGRAM]     "": every program
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %7s %-16s %6s %s\n", "TIME", "PID", "PROGRAM", "ERROR", "FILE");
}

fsinfo:::delete
/$$1 == "" || execname == $$1/
{
	self->irp = args[0]->fi_irp;
}

fsinfo:::done
/self->irp && args[0]->fi_irp == self->irp/
{
	printf("%-20Y %7d %-16s %6d %s\n", walltimestamp, pid, execname, -args[0]->fi_rstatus, args[0]->fi_pathname);
	self->irp = 0;
}
