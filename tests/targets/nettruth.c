/*
 * nettruth.c: one conversation over the loopback with itself, and what is known of it without
 * dtrace, a line for each thing: nettruth tcp|udp 4|6|mapped. (mapped: IPv4 of IPv6 sockets.)
 *
 * ip send|receive ...   headers of IP, as a packet socket gets them
 * tcp send|receive ...  headers of TCP
 * udp send|receive ...  headers of UDP
 * tcpip, udpip send|receive ... what has data, and the cookie of its socket
 * call BEFORE AFTER     microseconds, around the call that sends 1,000 bytes
 * sock send|receive ... TCP_INFO, addresses and cookie of the socket that sends or gets data,
 * before it does; sequence numbers and the window of its own are from the packets
 *
 * tests/sys/network_members.sh prints the same of args[].
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/tcp.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FIN = 1, SYN = 2, ACK = 16 };

static int is_tcp, is_mapped, family;
static int capture;
static int client_port, server_port;

struct seen {
	int is_send, ifindex;
	size_t len, at; /* of TCP or UDP */
	uint8_t bytes[256];
};
static struct seen seen[64];
static int nseen;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static unsigned be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static unsigned be32(const uint8_t *p)
{
	return be16(p) << 16 | be16(p + 2);
}

/* ---- packets ---- */

static unsigned seq_of(const struct seen *p)
{
	return be32(p->bytes + p->at + 4);
}

static unsigned ack_of(const struct seen *p)
{
	return be32(p->bytes + p->at + 8);
}

static int flags_of(const struct seen *p)
{
	return p->bytes[p->at + 13];
}

static int sport_of(const struct seen *p)
{
	return (int)be16(p->bytes + p->at);
}

static size_t payload_of(const struct seen *p)
{
	return p->len - p->at - (is_tcp ? (p->bytes[p->at + 12] >> 4) * 4U : 8);
}

static int is_ours(const struct seen *p)
{
	int a = sport_of(p), b = (int)be16(p->bytes + p->at + 2);

	return (a == client_port && b == server_port) || (a == server_port && b == client_port);
}

/* The next packet of ours. */
static const struct seen *capture_one(void)
{
	for (;;) {
		struct seen *p = &seen[nseen];
		struct sockaddr_ll from;
		socklen_t fromlen = sizeof(from);
		ssize_t n = recvfrom(capture, p->bytes, sizeof(p->bytes), MSG_TRUNC, (void *)&from,
				     &fromlen);
		int is_v6;

		check(n > 0, "capture");
		is_v6 = p->bytes[0] >> 4 == 6;
		p->is_send = from.sll_pkttype == PACKET_OUTGOING;
		p->ifindex = from.sll_ifindex;
		p->len = (size_t)n;
		p->at = is_v6 ? 40 : (p->bytes[0] & 15) * 4U;
		if (p->bytes[is_v6 ? 6 : 9] != (is_tcp ? IPPROTO_TCP : IPPROTO_UDP) || !is_ours(p))
			continue;
		check(nseen + 1 < (int)(sizeof(seen) / sizeof(seen[0])), "too many packets");
		nseen++;
		return p;
	}
}

/* ipinfo_t */
static void print_ends(const struct seen *p, char *src, char *dst, socklen_t size)
{
	const uint8_t *ip = p->bytes;
	int is_v6 = ip[0] >> 4 == 6;

	inet_ntop(is_v6 ? AF_INET6 : AF_INET, ip + (is_v6 ? 8 : 12), src, size);
	inet_ntop(is_v6 ? AF_INET6 : AF_INET, ip + (is_v6 ? 24 : 16), dst, size);
	printf(" %d %u %s %s", ip[0] >> 4, is_v6 ? be16(ip + 4) : be16(ip + 2) - (ip[0] & 15) * 4U,
	       src, dst);
}

static void print_ip(const struct seen *p)
{
	const uint8_t *ip = p->bytes;
	int is_v6 = ip[0] >> 4 == 6;
	char src[64], dst[64], name[IF_NAMESIZE];

	if_indextoname((unsigned)p->ifindex, name);
	printf("ip %s %s %d 1", p->is_send ? "send" : "receive", name, p->ifindex);
	print_ends(p, src, dst, sizeof(src));
	if (is_v6)
		printf(" v4 0 0 0 0 0 0 0 0 0 <null> 0 0 0 <null> <null>"
		       " v6 6 %u %u %u %u %s %u %s %s\n",
		       be16(ip) >> 4 & 0xff, be32(ip) & 0xfffff, be16(ip + 4), ip[6],
		       is_tcp ? "TCP" : "UDP", ip[7], src, dst);
	else
		printf(" v4 4 %u %u %u %u %u %u %u %u %s %u %x %x %s %s"
		       " v6 0 0 0 0 0 <null> 0 <null> <null>\n",
		       (ip[0] & 15) * 4U, ip[1], be16(ip + 2), be16(ip + 4), ip[6] & 0xe0U,
		       be16(ip + 6) & 0x1fff, ip[8], ip[9], is_tcp ? "TCP" : "UDP", be16(ip + 10),
		       ntohl(be32(ip + 12)), ntohl(be32(ip + 16)), src, dst);
}

/* tcpinfo_t, udpinfo_t */
static void print_l4(const struct seen *p)
{
	const uint8_t *h = p->bytes + p->at;

	if (is_tcp)
		printf(" %u %u %u %u %d %u %u %u %u\n", be16(h), be16(h + 2), seq_of(p), ack_of(p),
		       (h[12] >> 4) * 4, h[13], be16(h + 14), be16(h + 16), be16(h + 18));
	else
		printf(" %u %u %u %u\n", be16(h), be16(h + 2), be16(h + 4), be16(h + 6));
}

/* ---- sockets ---- */

struct known { /* before something is sent */
	int is_send, port, nseen;
	char ends[200];
	unsigned long long cookie;
	struct tcp_info info;
};
static struct known known[8];
static int nknown;

static void print_end(char *to, size_t size, const struct sockaddr_storage *a)
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;
	char text[64];

	/* what an IPv6 socket has of IPv4 is IPv4 */
	if (a->ss_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
	else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], text, sizeof(text));
	else
		inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
	snprintf(to, size, "%s %d", text,
		 ntohs(a->ss_family == AF_INET ? v4->sin_port : v6->sin6_port));
}

static void know(int is_send, int s)
{
	struct known *k = &known[nknown++];
	struct sockaddr_storage me = {0}, peer = {0};
	socklen_t len = sizeof(me);
	char local[80], remote[80];

	k->is_send = is_send;
	k->nseen = nseen;
	check(getsockname(s, (void *)&me, &len) == 0, "getsockname");
	k->port = ntohs(((struct sockaddr_in *)(void *)&me)->sin_port);
	len = sizeof(peer);
	print_end(local, sizeof(local), &me);
	if (getpeername(s, (void *)&peer, &len) == 0)
		print_end(remote, sizeof(remote), &peer);
	else
		snprintf(remote, sizeof(remote), "%s 0", strchr(local, '.') ? "0.0.0.0" : "::");
	snprintf(k->ends, sizeof(k->ends), "%s %s", local, remote);
	len = sizeof(k->cookie);
	check(getsockopt(s, SOL_SOCKET, SO_COOKIE, &k->cookie, &len) == 0, "SO_COOKIE");
	len = sizeof(k->info);
	if (is_tcp)
		check(getsockopt(s, IPPROTO_TCP, TCP_INFO, &k->info, &len) == 0, "TCP_INFO");
}

/* What the packets up to this one say of the end that has this port. */
struct numbers {
	unsigned iss, suna, snxt, rack, rnxt, swnd, rwnd;
};

static void follow(struct numbers *n, int port, int end, const struct tcp_info *info)
{
	for (const struct seen *p = seen; p < seen + end; p++) {
		unsigned window = be16(p->bytes + p->at + 14);
		unsigned next = seq_of(p) + (unsigned)payload_of(p) + !!(flags_of(p) & (SYN | FIN));

		if (sport_of(p) == port && p->is_send) {
			n->iss = flags_of(p) & SYN ? seq_of(p) : n->iss;
			n->snxt = next;
			n->rack = ack_of(p);
			n->rwnd = window << (flags_of(p) & SYN ? 0 : info->tcpi_rcv_wscale);
		} else if (sport_of(p) != port && !p->is_send) {
			n->suna = flags_of(p) & ACK ? ack_of(p) : n->suna;
			n->rnxt = next;
			n->swnd = window << (flags_of(p) & SYN ? 0 : info->tcpi_snd_wscale);
		}
	}
}

/* Of the moment when the next segment with data leaves or comes. */
static void print_tcp(const struct known *k)
{
	const struct tcp_info *i = &k->info;
	struct numbers n = {0};

	follow(&n, k->port, k->nseen, i);
	if (k->is_send) { /* what it says itself has been put into it */
		for (const struct seen *p = seen + k->nseen;; p++)
			if (sport_of(p) == k->port && p->is_send && payload_of(p)) {
				n.rack = ack_of(p);
				n.rwnd = be16(p->bytes + p->at + 14) << i->tcpi_rcv_wscale;
				break;
			}
	}
	printf(" %d %s %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u", k->port == client_port,
	       i->tcpi_state == 1 ? "state-established" : "?", n.iss, n.suna, n.snxt, n.rack,
	       n.rnxt, n.swnd, i->tcpi_snd_wscale, n.rwnd, i->tcpi_rcv_wscale, i->tcpi_snd_cwnd,
	       i->tcpi_snd_ssthresh, i->tcpi_rto / 1000, i->tcpi_snd_mss, i->tcpi_retransmits,
	       i->tcpi_rtt);
	printf(" %u %d %d %d %u %u", i->tcpi_snd_mss, !!(i->tcpi_options & TCPI_OPT_SACK),
	       !!(i->tcpi_options & TCPI_OPT_TIMESTAMPS), !!(i->tcpi_options & TCPI_OPT_WSCALE),
	       i->tcpi_rcv_wscale, i->tcpi_snd_wscale);
}

static unsigned long long cookie_of(const struct seen *p)
{
	int port = p->is_send ? sport_of(p) : (int)be16(p->bytes + p->at + 2);

	for (int i = 0; i < nknown; i++)
		if (known[i].port == port)
			return known[i].cookie;
	return 0;
}

static void print_packet(const struct seen *p)
{
	const char *what = p->is_send ? "send" : "receive";
	char src[64], dst[64];

	print_ip(p);
	printf("%s %s", is_tcp ? "tcp" : "udp", what);
	print_l4(p);
	if (!payload_of(p))
		return;
	printf("%s %s %llu", is_tcp ? "tcpip" : "udpip", what, cookie_of(p));
	print_ends(p, src, dst, sizeof(src));
	print_l4(p);
}

/* ---- the conversation ---- */

static int make(int port, int *its_port)
{
	struct sockaddr_storage a = {.ss_family = (sa_family_t)family};
	struct sockaddr_in *v4 = (void *)&a;
	struct sockaddr_in6 *v6 = (void *)&a;
	socklen_t len = family == AF_INET ? sizeof(*v4) : sizeof(*v6);
	const int hops = 33, class = 0x28, bytes = its_port == &server_port ? 4096 : 1 << 18;
	int s = socket(family, is_tcp ? SOCK_STREAM : SOCK_DGRAM, 0);

	check(s >= 0, "socket");
	inet_pton(family,
		  family == AF_INET ? "127.0.0.1"
		  : is_mapped	    ? "::ffff:127.0.0.1"
				    : "::1",
		  family == AF_INET ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr);
	v4->sin_port = htons((uint16_t)port);
	setsockopt(s, IPPROTO_IP, IP_TTL, &hops, sizeof(hops));
	setsockopt(s, IPPROTO_IP, IP_TOS, &class, sizeof(class));
	setsockopt(s, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops));
	setsockopt(s, IPPROTO_IPV6, IPV6_TCLASS, &class, sizeof(class));
	setsockopt(s, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (port) {
		check(connect(s, (void *)&a, len) == 0, "connect");
	} else {
		check(bind(s, (void *)&a, len) == 0, "bind");
		check(!is_tcp || listen(s, 1) == 0, "listen");
	}
	check(getsockname(s, (void *)&a, &len) == 0, "getsockname");
	*its_port = ntohs(v4->sin_port);
	return s;
}

/* Until this end has sent (is_send), or got, data, or the flags. */
static void until(int is_send, int port, int flags)
{
	const struct seen *p;

	do
		p = capture_one();
	while (p->is_send != is_send || (sport_of(p) == port) != is_send ||
	       (flags ? (flags_of(p) & flags) != flags : !payload_of(p)));
}

static unsigned long long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000 + (unsigned long long)t.tv_nsec / 1000;
}

static void converse(void)
{
	unsigned long long before;
	char data[1000] = {0};
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	int listener = make(0, &server_port), client = make(server_port, &client_port);
	int server = is_tcp ? accept(listener, NULL, NULL) : listener;
	const struct seen *p;
	unsigned fin;

	check(server >= 0, "accept");
	if (is_tcp) /* the last of the handshake */
		while (flags_of(capture_one()) != ACK || seen[nseen - 1].is_send)
			;
	know(1, client);
	know(0, server);
	before = now_us();
	check(send(client, data, sizeof(data), 0) == sizeof(data), "send");
	printf("call %llu %llu\n", before, now_us());
	check(recvfrom(server, data, sizeof(data), 0, (void *)&from, &len) == sizeof(data), "recv");
	until(0, server_port, 0);
	if (!is_tcp) {
		know(1, server);
		know(0, client);
		check(sendto(server, data, 10, 0, (void *)&from, len) == 10, "sendto");
		until(0, client_port, 0);
		return;
	}
	check(send(client, data, 1, MSG_OOB) == 1, "send");
	shutdown(client, SHUT_WR); /* it keeps its socket until the other end has ended, too */
	while (recv(server, data, sizeof(data), 0) > 0)
		;
	close(server);
	until(1, server_port, FIN);
	fin = seq_of(&seen[nseen - 1]);
	do
		p = capture_one();
	while (p->is_send || sport_of(p) != client_port || ack_of(p) != fin + 1);
}

int main(int argc, char **argv)
{
	const struct timeval patience = {30, 0};

	check(argc == 3, "nettruth tcp|udp 4|6|mapped");
	is_tcp = strcmp(argv[1], "tcp") == 0;
	is_mapped = strcmp(argv[2], "mapped") == 0;
	family = strcmp(argv[2], "4") == 0 ? AF_INET : AF_INET6;
	capture = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
	check(capture >= 0, "a packet socket");
	setsockopt(capture, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	converse();
	for (int i = 0; i < nseen; i++)
		print_packet(&seen[i]);
	for (int i = 0; i < nknown; i++) {
		const struct known *k = &known[i];

		printf("sock %s %llu %d %s", k->is_send ? "send" : "receive", k->cookie, getpid(),
		       k->ends);
		if (is_tcp)
			print_tcp(k);
		printf("\n");
	}
	return 0;
}
