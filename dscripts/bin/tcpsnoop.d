#!/usr/bin/env -S dtrace -s
/*
 * tcpsnoop.d: every segment of TCP as it is sent and as it is received: who has the socket, from where to where, bytes of
 * data. Of a connection within the machine each is told twice. Program and process of what no socket has are those of pid 0.
 *
 *   tcpsnoop.d [PROGRAM]            "": every program
 *   tcpsnoop.d -c COMMAND [PROGRAM] the same, as long as the command runs
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-14s %-16s %7s %-4s %-39s %5s   %-39s %5s %6s %s\n", "MICROSECONDS", "PROGRAM", "PID", "", "FROM", "PORT", "TO",
	    "PORT", "BYTES", "FLAGS");
	began = timestamp;
}

tcp:::send, tcp:::receive
/$$1 == "" || execname == $$1/
{
	printf("%-14d %-16s %7d %-4s %-39s %5d > %-39s %5d %6d %s%s%s%s%s\n", (timestamp - began) / 1000, execname, pid,
	    probename == "send" ? "out" : "in", args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_flags & TH_SYN ? "S" : "", args[4]->tcp_flags & TH_FIN ? "F" : "",
	    args[4]->tcp_flags & TH_RST ? "R" : "", args[4]->tcp_flags & TH_PUSH ? "P" : "", args[4]->tcp_flags & TH_ACK ? "A" : "");
}
