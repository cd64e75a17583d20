#!/usr/sbin/dtrace -s
/* seeks.d: how files are sought in. */
#pragma D option quiet

dtrace:::BEGIN
{
	whence[SEEK_SET] = "SEEK_SET";
	whence[SEEK_CUR] = "SEEK_CUR";
	whence[SEEK_END] = "SEEK_END";
}

syscall::lseek:entry
/pid == $target && basename(fds[arg0].fi_pathname) == "data" && !(arg2 == SEEK_CUR && arg1 == 0)/
{
	@[whence[(int)arg2]] = count();
	@far["farthest"] = max(arg1);
}

syscall::lseek:entry
/pid == $target && strstr(fds[arg0].fi_pathname, "/data") != NULL && fds[arg0].fi_offset >= 4/
{
	@past["past"] = count();
}
