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

/* The header behind those of IPv6 that only say more of it. */
static __always_inline void skip_extensions(struct __sk_buff *skb, struct packet *p)
{
	__u8 next[8];

	for (int i = 0; i < EXTENSIONS; i++) {
		if (p->protocol != 0 && p->protocol != 43 && p->protocol != 44 && p->protocol != 60)
			return;
		if (load(skb, p->at, next, sizeof(next)))
			return;
		p->at += p->protocol == 44 ? 8 : (next[1] + 1) * 8;
		p->protocol = next[0];
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
		if ((p->ip[6] & 0x1f) | p->ip[7])
			p->at = 0; /* a later fragment */
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
	struct net_device *dev = BPF_CORE_READ((struct sk_buff *)skb, dev);

	to->skb = (__u64)skb;
	to->location = 0;
	to->bytes = skb->len;
	to->l4_at = p->at;
	to->protocol = p->protocol;
	to->ifindex = BPF_CORE_READ(dev, ifindex);
	to->is_loopback = !!(BPF_CORE_READ(dev, flags) & IS_LOOPBACK);
	BPF_CORE_READ_STR_INTO(&to->ifname, dev, name);
	__builtin_memcpy(to->ip, p->ip, sizeof(to->ip));
	__builtin_memcpy(to->l4, p->l4, sizeof(to->l4));
}

/* ---- of tracepoints ---- */

static __always_inline int read_ip(struct packet *p, struct sk_buff *skb)
{
	unsigned char *head = BPF_CORE_READ(skb, head);
	unsigned char *ip = head + BPF_CORE_READ(skb, network_header);
	__u32 len = BPF_CORE_READ(skb, len) + (BPF_CORE_READ(skb, data) - ip);

	__builtin_memset(p, 0, sizeof(*p));
	if (bpf_probe_read_kernel(p->ip, sizeof(p->ip), ip))
		return 0;
	if (p->ip[0] >> 4 == 4) {
		p->protocol = p->ip[9];
		p->at = (p->ip[0] & 15) * 4;
	} else {
		p->protocol = p->ip[6];
		p->at = 40;
	}
	p->payload = len > p->at ? len - p->at : 0;
	if (p->protocol != PROTO_TCP && p->protocol != PROTO_UDP)
		return 1;
	if (bpf_probe_read_kernel(p->l4, sizeof(p->l4), ip + p->at))
		return 0;
	p->flags = p->protocol == PROTO_TCP ? p->l4[13] : 0;
	p->payload -= p->protocol == PROTO_TCP ? (p->l4[12] >> 4) * 4 : 8;
	return 1;
}

static __always_inline void fill_dropped(struct bpf_net_packet *to, struct sk_buff *skb,
					 const struct packet *p, void *location)
{
	struct net_device *dev = BPF_CORE_READ(skb, dev);
	unsigned char *ip = BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, network_header);

	to->skb = (__u64)skb;
	to->location = (__u64)location;
	to->bytes = BPF_CORE_READ(skb, len) + (BPF_CORE_READ(skb, data) - ip);
	to->l4_at = p->protocol == PROTO_TCP || p->protocol == PROTO_UDP ? p->at : 0;
	to->protocol = p->protocol;
	to->ifindex = BPF_CORE_READ(dev, ifindex);
	to->is_loopback = !!(BPF_CORE_READ(dev, flags) & IS_LOOPBACK);
	if (bpf_probe_read_kernel_str(to->ifname, sizeof(to->ifname), dev->name) < 0)
		to->ifname[0] = '\0';
	__builtin_memcpy(to->ip, p->ip, sizeof(to->ip));
	__builtin_memcpy(to->l4, p->l4, sizeof(to->l4));
}

#endif
