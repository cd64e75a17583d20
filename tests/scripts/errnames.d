#!/usr/sbin/dtrace -s
/*
 * errnames.d: failed system calls, with the names of their errors.
 */
#pragma D option quiet
#pragma D option strsize=32

inline string name_of[int e] = e == ENOENT ? "ENOENT" : e == EISDIR ? "EISDIR" : e == EBADF ? "EBADF" :
	e == EACCES ? "EACCES" : e == EINTR ? "EINTR" : e == ENOTTY ? "ENOTTY" : e == ESPIPE ? "ESPIPE" :
	e == EAGAIN ? "EAGAIN" : "another";

dtrace:::BEGIN
{
	printf("%-16s %-16s %-10s %5s %6s\n", "EXEC", "SYSCALL", "ERR", "NO", "COUNT");
}

syscall:::return
/pid == $target && errno != 0/
{
	@err[execname, probefunc, name_of[errno], errno] = count();
}

dtrace:::END
{
	printa("%-16s %-16s %-10s %5d %@6d\n", @err);
}
