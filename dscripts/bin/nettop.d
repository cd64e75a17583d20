#!/usr/bin/env -S dtrace -s
/*
 * nettop.d: bytes that processes send and receive by TCP, and with whom.
 *
 *   nettop.d [SECONDS [COUNT]]      every second, until Ctrl-C
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option aggrate=100ms

BEGIN
{
	every = $1 ? $1 : 1;
	left = $2;
}

tcpip:::send
{
	@[execname, pid, args[0]->ip_daddr, "sent"] = sum(args[0]->ip_plength - args[1]->tcp_offset);
}

tcpip:::receive
{
	@[execname, pid, args[0]->ip_saddr, "received"] = sum(args[0]->ip_plength - args[1]->tcp_offset);
}

tick-1s
/++seconds % every == 0/
{
	printf("%Y\n%-16s %7s %-40s %12s\n", walltimestamp, "PROGRAM", "PID", "ADDRESS", "BYTES");
	printa("%-16s %7d %-40s %@12d %s\n", @);
	clear(@);
}

tick-1s
/seconds % every == 0 && left && !--left/
{
	exit(0);
}
