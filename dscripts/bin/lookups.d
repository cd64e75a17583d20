#!/usr/bin/env -S dtrace -s
/*
 * lookups.d: names that a program asks the resolver of the C library for, how long it takes, and what comes of it
 * (0: addresses were found; else an EAI_ of netdb.h, of gethostbyname() and the like -1).
 *
 *   lookups.d -c COMMAND
 *   lookups.d -p PID
 */
#pragma D option quiet

BEGIN
{
	printf("%-16s %-40s %12s %6s\n", "PROGRAM", "NAME", "MICROSECONDS", "RESULT");
}

pid$target:libc.so.6:getaddrinfo:entry, pid$target:libc.so.6:gethostbyname:entry, pid$target:libc.so.6:gethostbyname2:entry,
pid$target:libc.so.6:gethostbyname_r:entry, pid$target:libc.so.6:gethostbyname2_r:entry
/arg0 && !self->began/
{
	self->name = copyinstr(arg0);
	self->function = probefunc;
	self->began = timestamp;
}

pid$target:libc.so.6:gethostbyname_r:entry, pid$target:libc.so.6:gethostbyname2_r:entry
/self->function == probefunc/
{
	self->found = probefunc == "gethostbyname_r" ? arg4 : arg5; /* where they put it, or NULL */
}

pid$target:libc.so.6:getaddrinfo:return
/self->function == probefunc/
{
	self->result = (int)arg1;
}

pid$target:libc.so.6:gethostbyname:return, pid$target:libc.so.6:gethostbyname2:return
/self->function == probefunc/
{
	self->result = arg1 ? 0 : -1;
}

pid$target:libc.so.6:gethostbyname_r:return, pid$target:libc.so.6:gethostbyname2_r:return
/self->function == probefunc/
{
	self->result = arg1 == 0 && *(uintptr_t *)copyin(self->found, sizeof (uintptr_t)) ? 0 : -1;
}

pid$target:libc.so.6:getaddrinfo:return, pid$target:libc.so.6:gethostbyname:return, pid$target:libc.so.6:gethostbyname2:return,
pid$target:libc.so.6:gethostbyname_r:return, pid$target:libc.so.6:gethostbyname2_r:return
/self->function == probefunc/
{
	printf("%-16s %-40s %12d %6d\n", execname, self->name, (timestamp - self->began) / 1000, self->result);
	self->name = 0;
	self->function = 0;
	self->began = 0;
	self->found = 0;
}
