#include "providers/system/netrecord.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "symbols/dwarf/types.h"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };
enum { STATE_LISTEN = 10 }; /* the kernel's TCP_LISTEN */
enum { TCP_HEADER = 20, UDP_HEADER = 8 };

static uint32_t be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
	return be16(p) << 16 | be16(p + 2);
}

/* ---- sockets ---- */

/* The kernel counts in ticks of its own. */
static uint32_t ticks_to_ms(uint32_t ticks)
{
	struct timespec tick = {0};

	clock_getres(CLOCK_REALTIME_COARSE, &tick);
	return (uint32_t)((uint64_t)ticks * (uint64_t)tick.tv_nsec / 1000000);
}

static bool is_mapped(const uint8_t *a)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(a, prefix, sizeof(prefix)) == 0;
}

static void unmap(uint8_t *a)
{
	memmove(a, a + 12, 4);
	memset(a + 4, 0, 12);
}

/* A socket of IPv6 that has an end of IPv4 is shown as one of IPv4. Returns the family. */
static int plain_addresses(struct net_record *r, int family)
{
	if (family != AF_INET6 || (!is_mapped(r->raddr) && !is_mapped(r->laddr)))
		return family;
	unmap(r->raddr); /* (an end that is not there yet is zeros in both) */
	unmap(r->laddr);
	return AF_INET;
}

static void set_sock(struct net_record *r, const struct bpf_net_sock *s)
{
	r->sk = s->addr;
	r->cookie = s->cookie ? s->cookie : (uint32_t)s->addr; /* nobody has asked for one */
	r->lport = (int)s->lport;
	r->rport = (int)s->rport;
	memcpy(r->laddr, s->laddr, sizeof(r->laddr));
	memcpy(r->raddr, s->raddr, sizeof(r->raddr));
	r->sock_family = plain_addresses(r, (int)s->family);
	r->state = (int)s->state;
	r->old_state = (int)s->old_state;
	r->is_active = (int)s->is_active;
	r->is_local = (int)s->is_local;
	r->owner = (int)s->owner;
	r->iss = s->iss;
	r->suna = s->suna;
	r->snxt = s->snxt;
	r->rack = s->rack;
	r->rnxt = s->rnxt;
	r->swnd = s->swnd;
	r->rwnd = s->rwnd;
	r->cwnd = s->cwnd;
	r->ssthresh = s->ssthresh;
	r->sack_fack = s->sack_fack;
	r->sack_snxt = s->sack_snxt;
	r->rto = ticks_to_ms(s->rto_ticks);
	r->mss = s->mss;
	r->rtt = s->rtt_us;
	r->snd_ws = (int)s->snd_ws;
	r->rcv_ws = (int)s->rcv_ws;
	r->has_sack = (int)s->has_sack;
	r->has_times = (int)s->has_times;
	r->has_ws = (int)s->has_ws;
}

/* ---- packets ---- */

static void set_ipv4(struct net_record *r, const uint8_t *ip)
{
	r->has_ipv4 = 1;
	r->family = AF_INET;
	r->version = 4;
	r->ihl = (ip[0] & 15) * 4;
	r->tos = ip[1];
	r->ip_length = (int)be16(ip + 2);
	r->ident = (int)be16(ip + 4);
	r->ip_flags = ip[6] & 0xe0;
	r->fragment = (int)(be16(ip + 6) & 0x1fff) * 8;
	r->ttl = ip[8];
	r->protocol = ip[9];
	r->ip_checksum = (int)be16(ip + 10);
	memcpy(r->src, ip + 12, 4);
	memcpy(r->dst, ip + 16, 4);
}

static void set_ipv6(struct net_record *r, const uint8_t *ip)
{
	r->has_ipv6 = 1;
	r->family = AF_INET6;
	r->version = 6;
	r->ihl = 40;
	r->tos = (int)(be16(ip) >> 4 & 0xff);
	r->flow = be32(ip) & 0xfffff;
	r->ip_length = (int)be16(ip + 4);
	r->protocol = ip[6];
	r->ttl = ip[7];
	memcpy(r->src, ip + 8, 16);
	memcpy(r->dst, ip + 24, 16);
}

static void set_tcp(struct net_record *r, const uint8_t *l4)
{
	r->seq = be32(l4 + 4);
	r->ack = be32(l4 + 8);
	r->header = (l4[12] >> 4) * 4;
	r->flags = l4[13];
	r->window = (int)be16(l4 + 14);
	r->checksum = (int)be16(l4 + 16);
	r->urgent = (int)be16(l4 + 18);
}

/* A segment that takes up sequence numbers from below the next new one; the socket has not yet
 * counted it when it is sent for the first time. What listens has no numbers of its own. */
static bool is_sent_again(const struct net_record *r)
{
	return r->state != STATE_LISTEN && (r->payload || r->flags & (SYN | FIN)) &&
	       (int32_t)(r->seq - r->snxt) < 0;
}

static void set_udp(struct net_record *r, const uint8_t *l4)
{
	r->header = UDP_HEADER;
	r->l4_length = (int)be16(l4 + 4);
	r->checksum = (int)be16(l4 + 6);
}

static void set_packet(struct net_record *r, const struct bpf_net_packet *p)
{
	uint32_t header;

	memcpy(r->ip, p->ip, sizeof(p->ip));
	memcpy(r->l4, p->l4, sizeof(p->l4));
	if (p->ip[0] >> 4 == 4)
		set_ipv4(r, p->ip);
	else
		set_ipv6(r, p->ip);
	header = p->l4_at ? p->l4_at : (uint32_t)r->ihl; /* with extensions */
	r->bytes = p->bytes > header ? p->bytes - header : 0;
	if (!p->l4_at)
		return;
	r->has_l4 = 1;
	if (p->protocol == IPPROTO_TCP)
		set_tcp(r, p->l4);
	if (p->protocol == IPPROTO_UDP)
		set_udp(r, p->l4);
	if (p->protocol == IPPROTO_TCP || p->protocol == IPPROTO_UDP) {
		r->sport = (int)be16(p->l4);
		r->dport = (int)be16(p->l4 + 2);
	}
}

/* What a segment says that makes the probe of this row fire. */
static int flags_of(enum bpf_net_row row)
{
	switch (row) {
	case NET_TCP_CONNECT_REQUEST:
		return SYN;
	case NET_TCP_CONNECT_ESTABLISHED:
		return SYN | ACK;
	case NET_TCP_ACCEPT_ESTABLISHED:
		return ACK;
	case NET_TCP_CONNECT_REFUSED:
	case NET_TCP_ACCEPT_REFUSED:
		return RST | ACK;
	default:
		return 0;
	}
}

/* Without a packet: as the socket has it. */
static void set_ends(struct net_record *r, const struct bpf_net *n, enum bpf_net_row row)
{
	bool is_inbound = n->is_inbound && row != NET_TCPIP_ACCEPT && row != NET_TCPIP_CONNECT;

	r->family = r->sock_family;
	r->version = r->family == AF_INET6 ? 6 : r->family == AF_INET ? 4 : 0;
	memcpy(r->src, is_inbound ? r->raddr : r->laddr, sizeof(r->src));
	memcpy(r->dst, is_inbound ? r->laddr : r->raddr, sizeof(r->dst));
	r->sport = is_inbound ? r->rport : r->lport;
	r->dport = is_inbound ? r->lport : r->rport;
	r->protocol = (int)n->sock.protocol;
	r->seq = n->seq ? n->seq : is_inbound ? r->rnxt : r->snxt;
	r->ack = n->ack ? n->ack : is_inbound ? r->suna : r->rnxt;
	r->window = (int)r->rwnd;
	r->flags = flags_of(row);
	r->bytes = n->payload;
	r->l4_length = (int)n->payload + UDP_HEADER;
}

static void set_reason(struct net_record *r, const struct bpf_net *n, const struct type *reasons)
{
	static const char prefix[] = "SKB_DROP_REASON_";

	r->reason = n->error;
	snprintf(r->drop, sizeof(r->drop), "%d", n->error);
	for (unsigned i = 0; reasons && i < reasons->nenumrs; i++)
		if (reasons->enumrs[i].value == n->error)
			snprintf(r->drop, sizeof(r->drop), "%s",
				 strncmp(reasons->enumrs[i].name, prefix, strlen(prefix)) == 0
					 ? reasons->enumrs[i].name + strlen(prefix)
					 : reasons->enumrs[i].name);
}

void net_record_set(struct net_record *r, const struct bpf_net *n, enum bpf_net_row row,
		    const struct type *reasons)
{
	memset(r, 0, sizeof(*r));
	r->end_us = n->head.time_ns / 1000;
	r->start_us = n->start_ns ? n->start_ns / 1000 : r->end_us;
	r->payload = n->payload;
	r->error = n->error;
	set_sock(r, &n->sock);
	r->skb = n->packet.skb;
	r->dev = n->packet.dev;
	r->ifindex = (int)n->packet.ifindex;
	r->is_loopback = (int)n->packet.is_loopback;
	r->location = n->packet.location;
	snprintf(r->ifname, sizeof(r->ifname), "%.15s", n->packet.ifname);
	if (n->packet.bytes)
		set_packet(r, &n->packet);
	else
		set_ends(r, n, row);
	if (row == NET_TCP_SEND && n->packet.bytes)
		r->is_again = is_sent_again(r);
	if (row == NET_IP_DROP_IN || row == NET_IP_DROP_OUT)
		set_reason(r, n, reasons);
}
