#!/usr/bin/env -S dtrace -s
/*
 * tcpio.d: what goes through the connections of TCP: segments with data and their bytes, each way, by program and connection;
 * the smallest and the largest size of a segment as it is handed to the device or comes from there.
 *
 *   tcpio.d [SECONDS]               until Ctrl-C
 *   tcpio.d -c COMMAND [SECONDS]    as long as the command runs
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::send, tcp:::receive
/args[2]->ip_plength > args[4]->tcp_offset/
{
	this->way = probename == "send" ? "out" : "in";
	this->bytes = args[2]->ip_plength - args[4]->tcp_offset;
	@n[execname, pid, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, this->way] = count();
	@bytes[execname, pid, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, this->way] = sum(this->bytes);
	@least[execname, pid, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, this->way] = min(this->bytes);
	@most[execname, pid, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, this->way] = max(this->bytes);
}

tick-1s
/$1 && ++seconds == $1/
{
	exit(0);
}

END
{
	printf("%-16s %7s %5s %-39s %5s %-3s %9s %12s %7s %7s\n", "PROGRAM", "PID", "PORT", "WITH", "PORT", "", "SEGMENTS", "BYTES",
	    "LEAST", "MOST");
	printa("%-16s %7d %5d %-39s %5d %-3s %@9d %@12d %@7d %@7d\n", @n, @bytes, @least, @most);
}
