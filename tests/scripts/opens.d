#!/usr/sbin/dtrace -qs
/*
 * opens.d: files that are opened, as they are opened.
 *
 * USAGE: ./opens.d -c COMMAND [NAME]     only of programs of this name
 */
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	wanted = $$1;
	printf("%5s %6s %-12s %3s %3s %-3s %s\n", "UID", "PID", "COMM", "FD", "ERR", "ACC", "PATH");
}

syscall::open:entry
/wanted == "" || wanted == execname/
{
	self->path = arg0;
	self->flags = arg1;
}

syscall::openat:entry
/wanted == "" || wanted == execname/
{
	self->path = arg1;
	self->flags = arg2;
}

syscall::open:return, syscall::openat:return
/self->path && progenyof($target)/
{
	printf("%5d %6d %-12s %3d %3d %s%s%s %s\n", uid, pid, execname, errno ? -1 : (int)arg0, errno,
	    (self->flags & O_ACCMODE) == O_RDONLY ? "r" : (self->flags & O_ACCMODE) == O_WRONLY ? "w" : "b",
	    self->flags & O_CREAT ? "c" : "-", self->flags & O_TRUNC ? "t" : "-", copyinstr(self->path));
}

syscall::open:return, syscall::openat:return
/self->path/
{
	self->path = 0;
	self->flags = 0;
}
