#!/usr/sbin/dtrace -Cs
/*
 * tcpstates.d: from which state to which connections go, and how long they stay established.
 */
#pragma D option quiet
#pragma D option dynvarsize=4m

#define	OURS	progenyof($target)

tcp:::state-change
/OURS/
{
	@[tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]] = count();
}

tcp:::connect-established
/OURS/
{
	up[args[1]->cs_cid] = timestamp;
}

tcp:::state-change
/up[args[1]->cs_cid] && args[5]->tcps_state == TCP_STATE_ESTABLISHED/
{
	@stay["established"] = count();
	@max["longest"] = max(timestamp - up[args[1]->cs_cid]);
	up[args[1]->cs_cid] = 0;
}

dtrace:::END
{
	printa("%s %s %@d\n", @);
	printa("%s %@d\n", @stay);
}
