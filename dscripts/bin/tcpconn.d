#!/usr/bin/env -S dtrace -s
/*
 * tcpconn.d: connections of TCP as they come and go: who asked, how long the answer took, what went each way, why it failed.
 *
 *   tcpconn.d                       of the whole machine, until Ctrl-C
 *   tcpconn.d -c COMMAND            the same, as long as the command runs
 */
#pragma D option quiet
#pragma D option dynvarsize=16m

BEGIN
{
	printf("%-16s %7s %-8s %-45s %s\n", "PROGRAM", "PID", "WHAT", "WITH", "");
}

tcp:::connect-request
{
	asked[args[1]->cs_cid] = timestamp;
}

tcp:::connect-established
/asked[args[1]->cs_cid]/
{
	printf("%-16s %7d %-8s %-39s %5d after %d us\n", execname, pid, "connect", args[3]->tcps_raddr, args[3]->tcps_rport,
	    (timestamp - asked[args[1]->cs_cid]) / 1000);
	asked[args[1]->cs_cid] = 0;
	known[args[1]->cs_cid] = 1;
	out[args[1]->cs_cid] = (int64_t)0;
	in[args[1]->cs_cid] = (int64_t)0;
}

tcp:::connect-refused
{
	printf("%-16s %7d %-8s %-39s %5d\n", execname, pid, "refused", args[3]->tcps_raddr, args[3]->tcps_rport);
	asked[args[1]->cs_cid] = 0;
}

tcp:::accept-established
{
	printf("%-16s %7d %-8s %-39s %5d at port %d\n", execname, pid, "accept", args[3]->tcps_raddr, args[3]->tcps_rport,
	    args[3]->tcps_lport);
	known[args[1]->cs_cid] = 1;
	out[args[1]->cs_cid] = (int64_t)0;
	in[args[1]->cs_cid] = (int64_t)0;
}

tcpip:::send
/known[args[0]->ip_connid]/
{
	out[args[0]->ip_connid] += args[0]->ip_plength - args[1]->tcp_offset;
}

tcpip:::receive
/known[args[0]->ip_connid]/
{
	in[args[0]->ip_connid] += args[0]->ip_plength - args[1]->tcp_offset;
}

tcpip:::fail
/arg1 != ECONNREFUSED/
{
	printf("%-16s %7d %-8s error %d\n", execname, pid, "fail", arg1);
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && known[args[1]->cs_cid]/
{
	printf("%-16s %7d %-8s %-39s %5d %d bytes out, %d in\n", execname, pid, "closed", args[3]->tcps_raddr, args[3]->tcps_rport,
	    out[args[1]->cs_cid], in[args[1]->cs_cid]);
	known[args[1]->cs_cid] = 0;
	out[args[1]->cs_cid] = 0;
	in[args[1]->cs_cid] = 0;
}
