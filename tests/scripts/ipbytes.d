#!/usr/sbin/dtrace -s
/*
 * ipbytes.d: packets and payload by protocol and address, as ip sends and receives them.
 *
 * USAGE: ./ipbytes.d -c COMMAND
 */
#pragma D option quiet

ip:::send
/pid == $target/
{
	@packets["sent", args[2]->ip_ver == 4 ? args[4]->ipv4_protostr : args[5]->ipv6_nextstr, args[2]->ip_daddr] = count();
	@bytes["sent", args[2]->ip_ver == 4 ? args[4]->ipv4_protostr : args[5]->ipv6_nextstr, args[2]->ip_daddr] =
	    sum(args[2]->ip_plength);
}

dtrace:::END
{
	printa("%s %s %s packets %@d\n", @packets);
	printa("%s %s %s bytes %@d\n", @bytes);
}
