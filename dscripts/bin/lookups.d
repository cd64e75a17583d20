#!/usr/bin/env -S dtrace -s
/*
 * lookups.d: names that a program asks the resolver of the C library for, how long it takes, and what comes of it
 * (0: addresses were found; else an EAI_ of netdb.h).
 *
 *   lookups.d -c COMMAND
 *   lookups.d -p PID
 */
#pragma D option quiet

BEGIN
{
	printf("%-16s %-40s %12s %6s\n", "PROGRAM", "NAME", "MICROSECONDS", "RESULT");
}

pid$target:libc.so.6:getaddrinfo:entry
/arg0/
{
	self->name = copyinstr(arg0);
	self->began = timestamp;
}

pid$target:libc.so.6:getaddrinfo:return
/self->began/
{
	printf("%-16s %-40s %12d %6d\n", execname, self->name, (timestamp - self->began) / 1000, (int)arg1);
	self->name = 0;
	self->began = 0;
}
