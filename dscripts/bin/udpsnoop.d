#!/usr/bin/env -S dtrace -s
/*
 * udpsnoop.d: every datagram of UDP as it is sent and as it is received: who has the socket, from where to where, bytes of
 * data. What goes to a port of the machine is told twice.
 *
 *   udpsnoop.d [PROGRAM]            "": every program
 *   udpsnoop.d -c COMMAND [PROGRAM] the same, as long as the command runs
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-14s %-16s %7s %-4s %-39s %5s   %-39s %5s %6s\n", "MICROSECONDS", "PROGRAM", "PID", "", "FROM", "PORT", "TO", "PORT",
	    "BYTES");
	began = timestamp;
}

udp:::send, udp:::receive
/$$1 == "" || execname == $$1/
{
	printf("%-14d %-16s %7d %-4s %-39s %5d > %-39s %5d %6d\n", (timestamp - began) / 1000, execname, pid,
	    probename == "send" ? "out" : "in", args[2]->ip_saddr, args[4]->udp_sport, args[2]->ip_daddr, args[4]->udp_dport,
	    args[4]->udp_length - 8);
}
