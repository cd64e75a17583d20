/*
 * The types of the arguments of io, ip, tcp and udp probes are there.
 *
 * opts: -q
 */

bufinfo_t b;
devinfo_t d;
fileinfo_t f;
cpuinfo_t c;
pktinfo_t pkt;
csinfo_t cs;
ifinfo_t iface;
ipinfo_t ip;
ipv4info_t ip4;
ipv6info_t ip6;
tcpinfo_t tcp;
tcpsinfo_t tcps;
tcplsinfo_t tcpl;
udpinfo_t udp;
udpsinfo_t udps;

BEGIN
{
	b.b_flags = B_READ | B_ASYNC;
	f.fi_pathname = "/etc/motd";
	printf("%x %s %d\n", b.b_flags, f.fi_pathname, sizeof(b.b_bcount));
	exit(0);
}
