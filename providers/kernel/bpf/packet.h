/*
 * packet.h: headers of IP, TCP and UDP, as programs of cgroups have packets (struct __sk_buff) and
 * as tracepoints do (struct sk_buff), and what is written of them into a record.
 */
#ifndef BPF_PACKET_H
#define BPF_PACKET_H

#include "providers/kernel/bpf/net.h"

/* ---- of cgroups ---- */

struct packet {
	__u8 ip[NET_IP_BYTES], l4[NET_L4_BYTES];
	__u32 protocol, at, flags, seq, payload;
};

#define NEAR 256 /* headers are mostly here */

/* `size` is a constant. Not 0: the packet is shorter. */
static __always_inline int load(struct __sk_buff *skb, __u32 at, void *to, __u32 size)
{
	char *from = (char *)(unsigned long)skb->data + (at & (NEAR - 1));

	if (at >= NEAR || from + size > (char *)(unsigned long)skb->data_end)
		return (int)bpf_skb_load_bytes(skb, at, to, size);
	__builtin_memcpy(to, from, size);
	return 0;
}

#define EXTENSIONS 4 /* headers of IPv6 that are looked through */
enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, DESTINATION = 60 };
enum { SHORTEST_IP = 20 };
enum { SYN = 2, RST = 4, ACK = 16 };

static __always_inline int is_extension(__u32 protocol)
{
	return protocol == HOP_BY_HOP || protocol == ROUTING || protocol == FRAGMENT ||
	       protocol == DESTINATION;
}

/* Behind an extension, whose first bytes these are. False: what follows is not the start of TCP or
 * UDP but the middle of something, as in all fragments but the first. */
static __always_inline int pass_extension(struct packet *p, const __u8 *next)
{
	int is_later = p->protocol == FRAGMENT && ((next[2] << 8 | next[3]) & 0xfff8);

	p->at += p->protocol == FRAGMENT ? 8 : (next[1] + 1) * 8;
	p->protocol = next[0];
	if (is_later)
		p->at = 0;
	return !is_later;
}

/* The header behind those of IPv6 that only say more of it. */
static __always_inline void skip_extensions(struct __sk_buff *skb, struct packet *p)
{
	__u8 next[8];

	for (int i = 0; i < EXTENSIONS; i++) {
		if (!is_extension(p->protocol) || load(skb, p->at, next, sizeof(next)) ||
		    !pass_extension(p, next))
			return;
	}
}

static __always_inline void parse_l4(struct __sk_buff *skb, struct packet *p)
{
	__u32 size = p->protocol == PROTO_TCP ? 20 : 8, at = p->at;

	p->flags = p->seq = 0;
	if (at + size > skb->len || load(skb, at, p->l4, 8)) {
		p->at = 0;
		return;
	}
	if (p->protocol == PROTO_TCP) {
		if (load(skb, at + 8, p->l4 + 8, 12)) {
			p->at = 0;
			return;
		}
		p->flags = p->l4[13];
		p->seq = __builtin_bswap32(*(__u32 *)(p->l4 + 4));
		size = (p->l4[12] >> 4) * 4;
	}
	p->payload = skb->len > at + size ? skb->len - at - size : 0;
}

/* False: it is no IP. */
static __always_inline int parse(struct __sk_buff *skb, struct packet *p)
{
	__builtin_memset(p, 0, sizeof(*p));
	if (load(skb, 0, p->ip, 20))
		return 0;
	if (p->ip[0] >> 4 == 4) {
		p->protocol = p->ip[9];
		p->at = (p->ip[0] & 15) * 4;
		p->payload = skb->len > p->at ? skb->len - p->at : 0;
		if (((p->ip[6] & 0x1f) | p->ip[7]) || p->at < SHORTEST_IP)
			p->at = 0; /* a later fragment; a length that is none */
	} else {
		if (p->ip[0] >> 4 != 6 || load(skb, 20, p->ip + 20, 20))
			return 0;
		p->protocol = p->ip[6];
		p->at = 40;
		p->payload = skb->len - 40;
		skip_extensions(skb, p);
	}
	if (p->at)
		parse_l4(skb, p);
	return 1;
}

static __always_inline void fill_packet(struct bpf_net_packet *to, struct __sk_buff *skb,
					const struct packet *p)
{
	const struct sk_buff *own = AT(struct sk_buff, skb);
	const struct net_device *dev = GET(own, dev);

	to->skb = (__u64)skb;
	to->dev = (__u64)dev;
	to->location = 0;
	to->bytes = skb->len;
	to->l4_at = p->at;
	to->protocol = p->protocol;
	to->ifindex = GET(dev, ifindex);
	to->is_loopback = !!(GET(dev, flags) & IS_LOOPBACK);
	BPF_CORE_READ_STR_INTO(&to->ifname, dev, name);
	__builtin_memcpy(to->ip, p->ip, sizeof(to->ip));
	__builtin_memcpy(to->l4, p->l4, sizeof(to->l4));
}

/* A connection has no socket of its own until it is established, nor after its end: a SYN and what
 * answers it come with the socket that listens, late answers and resets with one of the kernel's.
 */
static __always_inline int has_ends_of_packet(const struct packet *p, __u32 state, __u32 is_raw)
{
	return p->protocol == PROTO_TCP && p->at && (is_raw || state == TCP_LISTEN);
}

/* ---- what they are counted by ---- */

static __always_inline void address_words(struct count_words *w, const struct packet *p)
{
	const __u64 *v6 = (const __u64 *)(p->ip + 8);
	__u64 *src = &w->v[NET_WORD_SRC], *dst = &w->v[NET_WORD_DST];

	if (p->ip[0] >> 4 == 4) {
		w->v[NET_WORD_FAMILY] = AF_INET;
		src[0] = *(__u32 *)(p->ip + 12);
		dst[0] = *(__u32 *)(p->ip + 16);
		src[1] = dst[1] = 0;
		return;
	}
	w->v[NET_WORD_FAMILY] = AF_INET6;
	src[0] = v6[0];
	src[1] = v6[1];
	dst[0] = v6[2];
	dst[1] = v6[3];
}

static __always_inline void packet_words(struct count_words *w, const struct __sk_buff *skb,
					 const struct packet *p)
{
	const __u16 *ports = (const __u16 *)p->l4;

	w->v[NET_WORD_BYTES] = skb->len - (p->at		? p->at
					   : p->ip[0] >> 4 == 4 ? (p->ip[0] & 15) * 4
								: 40);
	w->v[NET_WORD_VERSION] = p->ip[0] >> 4;
	w->v[NET_WORD_SPORT] = __builtin_bswap16(ports[0]);
	w->v[NET_WORD_DPORT] = __builtin_bswap16(ports[1]);
	w->v[NET_WORD_LENGTH] = __builtin_bswap16(ports[2]); /* of UDP */
}

/* A member of 32 bits, by one instruction: no verifier has addresses of members. */
#define SOCK_MEMBER(sk, member)                                                                    \
	({                                                                                         \
		__u32 member_;                                                                     \
		asm volatile("%0 = *(u32 *)(%1 + %2)"                                              \
			     : "=r"(member_)                                                       \
			     : "r"(sk), "i"(__builtin_offsetof(struct bpf_sock, member)));         \
		member_;                                                                           \
	})

/* Does the socket have the same ends, as put_packet() shows it? One that is not connected has not,
 * nor where an address is translated on its way. */
static __always_inline int has_same_ends(const struct count_words *w, const struct bpf_sock *sk,
					 const struct packet *p, __u32 is_inbound)
{
	const __u64 *l = &w->v[is_inbound ? NET_WORD_DST : NET_WORD_SRC];
	const __u64 *r = &w->v[is_inbound ? NET_WORD_SRC : NET_WORD_DST];
	const __u32 prefix = __builtin_bswap32(0xffff); /* ::ffff:a.b.c.d */

	if (has_ends_of_packet(p, SOCK_MEMBER(sk, state), SOCK_MEMBER(sk, type) == SOCK_RAW))
		return 1;
	if (SOCK_MEMBER(sk, family) == AF_INET)
		return l[0] == SOCK_MEMBER(sk, src_ip4) && r[0] == SOCK_MEMBER(sk, dst_ip4);
	if (w->v[NET_WORD_FAMILY] == AF_INET)
		return SOCK_MEMBER(sk, dst_ip6[2]) == prefix && !SOCK_MEMBER(sk, dst_ip6[0]) &&
		       !SOCK_MEMBER(sk, dst_ip6[1]) && l[0] == SOCK_MEMBER(sk, src_ip6[3]) &&
		       r[0] == SOCK_MEMBER(sk, dst_ip6[3]);
	return (__u32)l[0] == SOCK_MEMBER(sk, src_ip6[0]) &&
	       l[0] >> 32 == SOCK_MEMBER(sk, src_ip6[1]) &&
	       (__u32)l[1] == SOCK_MEMBER(sk, src_ip6[2]) &&
	       l[1] >> 32 == SOCK_MEMBER(sk, src_ip6[3]) &&
	       (__u32)r[0] == SOCK_MEMBER(sk, dst_ip6[0]) &&
	       r[0] >> 32 == SOCK_MEMBER(sk, dst_ip6[1]) &&
	       (__u32)r[1] == SOCK_MEMBER(sk, dst_ip6[2]) &&
	       r[1] >> 32 == SOCK_MEMBER(sk, dst_ip6[3]);
}

/* ---- records ---- */

/* The two ends as the packet has them. */
static __always_inline void set_ends(struct bpf_net_sock *s, const struct packet *p,
				     __u32 is_inbound)
{
	__u8 *src = is_inbound ? s->raddr : s->laddr, *dst = is_inbound ? s->laddr : s->raddr;
	__u32 sport = p->l4[0] << 8 | p->l4[1], dport = p->l4[2] << 8 | p->l4[3];

	s->protocol = p->protocol;
	s->lport = is_inbound ? dport : sport;
	s->rport = is_inbound ? sport : dport;
	__builtin_memset(s->laddr, 0, sizeof(s->laddr));
	__builtin_memset(s->raddr, 0, sizeof(s->raddr));
	if (p->ip[0] >> 4 == 4) {
		s->family = AF_INET;
		__builtin_memcpy(src, p->ip + 12, 4);
		__builtin_memcpy(dst, p->ip + 16, 4);
	} else {
		s->family = AF_INET6;
		__builtin_memcpy(src, p->ip + 8, 16);
		__builtin_memcpy(dst, p->ip + 24, 16);
	}
	s->is_local = is_of_loopback(s);
}

static __always_inline void set_unconnected(struct bpf_net_sock *s, const struct packet *p,
					    __u32 is_inbound, __u32 is_raw)
{
	if (!has_ends_of_packet(p, s->state, is_raw))
		return;
	set_ends(s, p, is_inbound);
	if (is_raw)
		s->state = s->owner || p->flags & RST ? TCP_CLOSE : TCP_TIME_WAIT;
	else if (!is_inbound || !(p->flags & SYN))
		s->state = TCP_SYN_RECV;
	s->old_state = s->state;
	if (!is_raw && !is_inbound)
		s->iss = p->seq;
}

/* ---- of tracepoints ---- */

/* Bytes from `at` on that the kernel has in one piece; what was cut off is not there. */
static __always_inline __u32 bytes_at(const unsigned char *at, const unsigned char *end)
{
	return at < end ? (__u32)(end - at) : 0;
}

static __always_inline void skip_dropped_extensions(struct packet *p, const unsigned char *ip,
						    const unsigned char *end)
{
	__u8 next[8];

	for (int i = 0; i < EXTENSIONS; i++) {
		if (!is_extension(p->protocol) || bytes_at(ip + p->at, end) < sizeof(next) ||
		    bpf_probe_read_kernel(next, sizeof(next), ip + p->at) ||
		    !pass_extension(p, next))
			return;
	}
}

static __always_inline void read_l4(struct packet *p, const unsigned char *ip,
				    const unsigned char *end, __u32 len)
{
	__u32 size = p->protocol == PROTO_TCP ? 20 : 8, at = p->at;

	p->at = 0;
	if ((p->protocol != PROTO_TCP && p->protocol != PROTO_UDP) || !at ||
	    bytes_at(ip + at, end) < size)
		return;
	if (size == 20 ? bpf_probe_read_kernel(p->l4, 20, ip + at)
		       : bpf_probe_read_kernel(p->l4, 8, ip + at))
		return;
	p->at = at;
	if (p->protocol == PROTO_TCP) {
		p->flags = p->l4[13];
		size = (p->l4[12] >> 4) * 4;
	}
	p->payload = len > at + size ? len - at - size : 0;
}

/* What is dropped may be anything: nothing of it has been checked. */
static __always_inline int read_ip(struct packet *p, struct sk_buff *skb)
{
	unsigned char *head = BPF_CORE_READ(skb, head);
	unsigned char *ip = head + BPF_CORE_READ(skb, network_header);
	unsigned char *end = head + BPF_CORE_READ(skb, tail);
	__u32 len = BPF_CORE_READ(skb, len) + (BPF_CORE_READ(skb, data) - ip);

	__builtin_memset(p, 0, sizeof(*p));
	if (bytes_at(ip, end) < SHORTEST_IP || bpf_probe_read_kernel(p->ip, SHORTEST_IP, ip))
		return 0;
	if (p->ip[0] >> 4 == 4) {
		p->protocol = p->ip[9];
		p->at = (p->ip[0] & 15) * 4;
		if (((p->ip[6] & 0x1f) | p->ip[7]) || p->at < SHORTEST_IP)
			p->at = 0;
	} else {
		if (p->ip[0] >> 4 != 6 || bytes_at(ip, end) < sizeof(p->ip) ||
		    bpf_probe_read_kernel(p->ip, sizeof(p->ip), ip))
			return 0;
		p->protocol = p->ip[6];
		p->at = 40;
		skip_dropped_extensions(p, ip, end);
	}
	p->payload = len > p->at ? len - p->at : 0;
	read_l4(p, ip, end, len);
	return 1;
}

static __always_inline void fill_dropped(struct bpf_net_packet *to, struct sk_buff *skb,
					 const struct packet *p, void *location)
{
	struct net_device *dev = BPF_CORE_READ(skb, dev);
	unsigned char *ip = BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, network_header);

	to->skb = (__u64)skb;
	to->dev = (__u64)dev;
	to->location = (__u64)location;
	to->bytes = BPF_CORE_READ(skb, len) + (BPF_CORE_READ(skb, data) - ip);
	to->l4_at = p->at;
	to->protocol = p->protocol;
	to->ifindex = BPF_CORE_READ(dev, ifindex);
	to->is_loopback = !!(BPF_CORE_READ(dev, flags) & IS_LOOPBACK);
	if (bpf_probe_read_kernel_str(to->ifname, sizeof(to->ifname), dev->name) < 0)
		to->ifname[0] = '\0';
	__builtin_memcpy(to->ip, p->ip, sizeof(to->ip));
	__builtin_memcpy(to->l4, p->l4, sizeof(to->l4));
}

#endif
