#!/usr/sbin/dtrace -Zs
/*
 * packets.d: packets where the system tells them, and what goes through sockets beside.
 */
#pragma D option quiet

ip:::send, ip:::receive
{
	@ip[probename] = count();
}

syscall::sendto:entry
/pid == $target/
{
	@sent["sent"] = sum(arg2);
	@n["calls"] = count();
}

syscall::socket:entry
/pid == $target && arg0 == AF_INET && (arg1 & 0xf) == SOCK_DGRAM/
{
	@s["datagram sockets"] = count();
}
