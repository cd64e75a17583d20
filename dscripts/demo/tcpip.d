#!/usr/bin/env -S dtrace -s
/* tcpip.d: connections of TCP with what goes through them, datagrams of UDP, retransmissions and failures.  -c COMMAND */
#pragma D option quiet

tcpip:::connect, tcpip:::accept, tcpip:::disconnect, tcpip:::retransmit, tcpip:::reconnect
{
	printf("%-16s %7d %-10s %s:%d > %s:%d\n", execname, pid, probename, args[0]->ip_saddr, args[1]->tcp_sport,
	    args[0]->ip_daddr, args[1]->tcp_dport);
}

tcpip:::fail
{
	printf("%-16s %7d %-10s error %d\n", execname, pid, probename, arg1);
}

tcpip:::send, tcpip:::receive
{
	@bytes["tcp", execname, probename] = sum(args[0]->ip_plength - args[1]->tcp_offset);
}

udpip:::send, udpip:::receive
{
	@bytes["udp", execname, probename] = sum(args[0]->udp_length - 8);
}

END
{
	printf("\n%-4s %-16s %-8s %12s\n", "", "PROGRAM", "WHAT", "BYTES");
	printa("%-4s %-16s %-8s %@12d\n", @bytes);
}
