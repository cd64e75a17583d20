#!/usr/bin/env -S dtrace -ws
/*
 * ownevent.d: events of one's own, made of those of the system: each program that could not be run becomes a line among
 * the events of the kernel (/sys/kernel/tracing/trace), where other tools see it with its time.
 *
 *   ownevent.d [-c COMMAND]
 */
#pragma D option quiet
#pragma D option destructive

syscall::execve:entry
{
	self->path = arg0 ? copyinstr(arg0) : "";
}

syscall::execve:return
/errno && self->path != ""/
{
	freopen("/sys/kernel/tracing/trace_marker");
	printf("exec-failure: pid=%d uid=%d errno=%d comm=%s path=%s\n", pid, uid, errno, execname, self->path);
	freopen("");
	printf("told: %s %s\n", execname, self->path);
}

syscall::execve:return
{
	self->path = 0;
}
