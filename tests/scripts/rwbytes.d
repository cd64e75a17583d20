#!/usr/sbin/dtrace -s
/*
 * rwbytes.d: bytes read and written, by file.
 */
#pragma D option quiet
#pragma D option aggsize=1m

syscall::read:entry, syscall::write:entry
/pid == $target && fds[arg0].fi_oflags != -1/
{
	self->file = fds[arg0].fi_pathname;
	self->fs = fds[arg0].fi_fs;
	self->on = 1;
}

syscall::read:return, syscall::write:return
/self->on && arg1 > 0/
{
	@bytes[probefunc, self->fs, self->file] = sum(arg1);
	@calls["calls", probefunc, self->fs, self->file] = count();
}

syscall::read:return, syscall::write:return
{
	self->on = 0;
	self->file = 0;
	self->fs = 0;
}

dtrace:::END
{
	printa("%s %s %s %@d\n", @bytes);
	printa("%s %s %s %s %@d\n", @calls);
}
