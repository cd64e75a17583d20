/*
 * net.d: the arguments of ip, tcp, udp, tcpip and udpip. Without a packet (changes of a connection's state) the
 * members of headers are what the socket has.
 */
#pragma D depends_on library nettypes.d

/* providers/system/netrecord.h has the same structure. */
typedef struct net_record {
	uint64_t skb, dev, sk, cookie, start_us, end_us, location;
	uint32_t iss, suna, snxt, rack, rnxt, swnd, rwnd, cwnd, ssthresh, sack_fack, sack_snxt;
	uint32_t rto, mss, rtt;
	uint32_t seq, ack, bytes, payload, flow;
	int ifindex, owner, error, reason, state, old_state;
	int version, family, sock_family;
	int is_active, is_local, is_loopback, is_again;
	int snd_ws, rcv_ws, has_sack, has_times, has_ws;
	int has_ipv4, has_ipv6, has_l4, ip_length, ident, fragment;
	int sport, dport, lport, rport, window, checksum, urgent, l4_length;
	int header, flags, ihl, tos, ttl, protocol, ip_flags, ip_checksum;
	uint8_t src[16];
	uint8_t dst[16];
	uint8_t laddr[16];
	uint8_t raddr[16];
	uint8_t ip[40];
	uint8_t l4[24];
	char ifname[16];
	char drop[48];
} net_record_t;

inline string net_protocol[int p] =
	p == IPPROTO_TCP ? "TCP" :
	p == IPPROTO_UDP ? "UDP" :
	p == IPPROTO_ICMP ? "ICMP" :
	p == IPPROTO_ICMPV6 ? "ICMPV6" :
	p == 2 ? "IGMP" :
	p == IPPROTO_IPV6 ? "IP6" :
	p == 47 ? "GRE" :
	p == 50 ? "ESP" :
	p == 51 ? "AH" :
	p == 132 ? "SCTP" :
	lltostr((int64_t)p);

/* the kernel counts from TCP_ESTABLISHED, 1 */
inline int net_state[int s] =
	s == 1 ? TCP_STATE_ESTABLISHED :
	s == 2 ? TCP_STATE_SYN_SENT :
	s == 3 || s == 12 ? TCP_STATE_SYN_RECEIVED :
	s == 4 ? TCP_STATE_FIN_WAIT_1 :
	s == 5 ? TCP_STATE_FIN_WAIT_2 :
	s == 6 ? TCP_STATE_TIME_WAIT :
	s == 8 ? TCP_STATE_CLOSE_WAIT :
	s == 9 ? TCP_STATE_LAST_ACK :
	s == 10 ? TCP_STATE_LISTEN :
	s == 11 ? TCP_STATE_CLOSING :
	TCP_STATE_CLOSED;

translator pktinfo_t < net_record_t *r > {
	pkt_addr = r->skb;
};

translator csinfo_t < net_record_t *r > {
	cs_addr = r->sk;
	cs_cid = r->cookie;
	cs_pid = r->owner;
	cs_zoneid = 0;
};

translator ifinfo_t < net_record_t *r > {
	if_name = stringof(r->ifname);
	if_ifindex = r->ifindex;
	if_local = r->is_loopback;
	if_addr = r->dev;
	if_ipstack = 0;
};

translator ipinfo_t < net_record_t *r > {
	ip_ver = r->version;
	ip_plength = r->bytes;
	ip_saddr = r->family ? inet_ntop(r->family, r->src) : "";
	ip_daddr = r->family ? inet_ntop(r->family, r->dst) : "";
	ip_connid = r->cookie;
	ip_stime = r->start_us;
	ip_etime = r->end_us;
};

translator ipv4info_t < net_record_t *r > {
	ipv4_ver = r->has_ipv4 ? 4 : 0;
	ipv4_ihl = r->has_ipv4 ? r->ihl : 0;
	ipv4_tos = r->has_ipv4 ? r->tos : 0;
	ipv4_length = r->has_ipv4 ? r->ip_length : 0;
	ipv4_ident = r->ident;
	ipv4_flags = r->ip_flags;
	ipv4_offset = r->fragment;
	ipv4_ttl = r->has_ipv4 ? r->ttl : 0;
	ipv4_protocol = r->has_ipv4 ? r->protocol : 0;
	ipv4_protostr = r->has_ipv4 ? net_protocol[r->protocol] : "<null>";
	ipv4_checksum = r->ip_checksum;
	ipv4_src = r->has_ipv4 ? *(ipaddr_t *)r->src : 0;
	ipv4_dst = r->has_ipv4 ? *(ipaddr_t *)r->dst : 0;
	ipv4_saddr = r->has_ipv4 ? inet_ntop(AF_INET, r->src) : "<null>";
	ipv4_daddr = r->has_ipv4 ? inet_ntop(AF_INET, r->dst) : "<null>";
	ipv4_hdr = r->has_ipv4 ? (ipha_t *)r->ip : 0;
};

translator ipv6info_t < net_record_t *r > {
	ipv6_ver = r->has_ipv6 ? 6 : 0;
	ipv6_tclass = r->has_ipv6 ? r->tos : 0;
	ipv6_flow = r->flow;
	ipv6_plen = r->has_ipv6 ? r->ip_length : 0;
	ipv6_nexthdr = r->has_ipv6 ? r->protocol : 0;
	ipv6_nextstr = r->has_ipv6 ? net_protocol[r->protocol] : "<null>";
	ipv6_hlim = r->has_ipv6 ? r->ttl : 0;
	ipv6_src = r->has_ipv6 ? (in6_addr_t *)r->src : 0;
	ipv6_dst = r->has_ipv6 ? (in6_addr_t *)r->dst : 0;
	ipv6_saddr = r->has_ipv6 ? inet_ntop(AF_INET6, r->src) : "<null>";
	ipv6_daddr = r->has_ipv6 ? inet_ntop(AF_INET6, r->dst) : "<null>";
	ipv6_hdr = r->has_ipv6 ? (ip6_t *)r->ip : 0;
};

translator tcpinfo_t < net_record_t *r > {
	tcp_sport = r->sport;
	tcp_dport = r->dport;
	tcp_seq = r->seq;
	tcp_ack = r->ack;
	tcp_offset = r->header;
	tcp_flags = r->flags;
	tcp_window = r->window;
	tcp_checksum = r->checksum;
	tcp_urgent = r->urgent;
	tcp_hdr = r->has_l4 ? (tcph_t *)r->l4 : 0;
	tcp_mss = r->mss;
	tcp_sackopt = r->has_sack;
	tcp_tsopt = r->has_times;
	tcp_wsopt = r->has_ws;
	tcp_rcvws = r->rcv_ws;
	tcp_sndws = r->snd_ws;
};

translator tcpsinfo_t < net_record_t *r > {
	tcps_addr = r->sk;
	tcps_local = r->is_local;
	tcps_active = r->is_active;
	tcps_lport = r->lport;
	tcps_rport = r->rport;
	tcps_laddr = r->sock_family ? inet_ntop(r->sock_family, r->laddr) : "";
	tcps_raddr = r->sock_family ? inet_ntop(r->sock_family, r->raddr) : "";
	tcps_state = net_state[r->state];
	tcps_iss = r->iss;
	tcps_suna = r->suna;
	tcps_snxt = r->snxt;
	tcps_rack = r->rack;
	tcps_rnxt = r->rnxt;
	tcps_swnd = r->swnd;
	tcps_snd_ws = r->snd_ws;
	tcps_rwnd = r->rwnd;
	tcps_rcv_ws = r->rcv_ws;
	tcps_cwnd = r->cwnd;
	tcps_cwnd_ssthresh = r->ssthresh;
	tcps_sack_fack = r->sack_fack;
	tcps_sack_snxt = r->sack_snxt;
	tcps_rto = r->rto;
	tcps_mss = r->mss;
	tcps_retransmit = r->is_again;
	tcps_rtt = r->rtt;
};

translator tcplsinfo_t < net_record_t *r > {
	tcps_state = net_state[r->old_state];
};

translator udpsinfo_t < net_record_t *r > {
	udps_addr = r->sk;
	udps_lport = r->lport;
	udps_rport = r->rport;
	udps_laddr = r->sock_family ? inet_ntop(r->sock_family, r->laddr) : "";
	udps_raddr = r->sock_family ? inet_ntop(r->sock_family, r->raddr) : "";
};

translator udpinfo_t < net_record_t *r > {
	ip_ver = r->version;
	ip_plength = r->bytes;
	ip_saddr = r->family ? inet_ntop(r->family, r->src) : "";
	ip_daddr = r->family ? inet_ntop(r->family, r->dst) : "";
	ip_connid = r->cookie;
	ip_stime = r->start_us;
	ip_etime = r->end_us;
	udp_sport = r->sport;
	udp_dport = r->dport;
	udp_length = r->l4_length;
	udp_checksum = r->checksum;
	udp_hdr = r->has_l4 ? (udpha_t *)r->l4 : 0;
	udp_connid = r->cookie;
};

translator dropinfo_t < net_record_t *r > {
	drop_reason = r->reason;
	drop_name = stringof(r->drop);
	drop_location = r->location;
};

provider ip {
	probe send(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *f, net_record_t *v4, net_record_t *v6) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, ifinfo_t *f, ipv4info_t *v4, ipv6info_t *v6);
	probe receive(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *f, net_record_t *v4, net_record_t *v6) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, ifinfo_t *f, ipv4info_t *v4, ipv6info_t *v6);
	probe drop__in(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *f, net_record_t *v4, net_record_t *v6, net_record_t *d) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, ifinfo_t *f, ipv4info_t *v4, ipv6info_t *v6, dropinfo_t *d);
	probe drop__out(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *f, net_record_t *v4, net_record_t *v6, net_record_t *d) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, ifinfo_t *f, ipv4info_t *v4, ipv6info_t *v6, dropinfo_t *d);
};

provider tcp {
	probe send(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe receive(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe connect__request(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe connect__established(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe connect__refused(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe accept__established(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe accept__refused(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t);
	probe state__change(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *t, net_record_t *l) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, tcpsinfo_t *s, tcpinfo_t *t, tcplsinfo_t *l);
};

provider udp {
	probe send(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *u) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, udpsinfo_t *s, udpinfo_t *u);
	probe receive(net_record_t *p, net_record_t *c, net_record_t *i, net_record_t *s, net_record_t *u) :
		(pktinfo_t *p, csinfo_t *c, ipinfo_t *i, udpsinfo_t *s, udpinfo_t *u);
};

provider tcpip {
	probe send(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe receive(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe connect(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe accept(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe disconnect(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe retransmit(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe reconnect(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe copy(net_record_t *i, net_record_t *t) :
		(ipinfo_t *i, tcpinfo_t *t);
	probe fail(int protocol, int error);
};

provider udpip {
	probe send(net_record_t *u) :
		(udpinfo_t *u);
	probe receive(net_record_t *u) :
		(udpinfo_t *u);
	probe fail(int protocol, int error);
};
