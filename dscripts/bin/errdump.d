#!/usr/bin/env -S dtrace -ws
/*
 * errdump.d: a core file of a program at the first system call that fails with this error; the program goes on.
 *
 *   errdump.d [-c COMMAND | -p PID] ERRNO     errdump.d -p 123 EIO
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
/$target == 0 || $1 == 0/
{
	printf("errdump.d: -c COMMAND or -p PID, and an errno as EIO are needed\n");
	exit(2);
}

syscall:::return
/pid == $target && errno == $1 && !dumped++/
{
	printf("%s of %s[%d] has failed with error %d: ", probefunc, execname, pid, errno);
	lkd();
	exit(0);
}
