#!/usr/sbin/dtrace -s
/*
 * socketio.d: what goes through sockets by read and write.
 */
#pragma D option quiet

syscall::write:entry
/pid == $target && fds[arg0].fi_fs == "sockfs"/
{
	@calls["sends"] = count();
	@bytes["sent"] = sum(arg2);
}

syscall::read:entry
/pid == $target && fds[arg0].fi_fs == "sockfs"/
{
	@calls["receives"] = count();
}
