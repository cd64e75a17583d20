/*
 * dropped.h: records of packets that are dropped, which nobody has by then.
 */
#ifndef BPF_DROPPED_H
#define BPF_DROPPED_H

#include "providers/kernel/bpf/packet.h"

static __always_inline void put_dropped(struct sk_buff *skb, const struct packet *p, __u32 rows,
					int error, void *location, int has_packet)
{
	const struct owner nobody = {0};
	struct bpf_net *r;

	if (!rows || !ids_pass(&wants.filter, 0, 0))
		return;
	r = begin(wants.details ? sizeof(*r) : BPF_NET_SHORT, &nobody, 0);
	if (!r)
		return;
	r->rows = rows;
	r->error = error;
	r->payload = p->payload;
	r->is_inbound = 0;
	if (wants.details) {
		r->seq = r->ack = 0;
		r->start_ns = 0;
		fill_no_sock(&r->sock);
		r->sock.state = r->sock.old_state = TCP_CLOSE;
		set_ends(&r->sock, p, 1);
		if (has_packet)
			fill_dropped(&r->packet, skb, p, location);
		else
			fill_no_packet(&r->packet);
	}
	submit(r);
}

/* What comes for a port that nobody has is dropped for that reason. */
static __always_inline void put_refused(struct sk_buff *skb, const struct packet *p)
{
	__u32 rows = p->protocol == PROTO_UDP ? NET_BIT(NET_UDPIP_FAIL) : 0;

	if (p->protocol == PROTO_TCP && (p->flags & (SYN | ACK)) == SYN)
		rows = NET_BIT(NET_TCP_ACCEPT_REFUSED) | NET_BIT(NET_TCPIP_FAIL);
	put_dropped(skb, p, wanted(rows), ECONNREFUSED, 0, 0);
}

enum skb_drop_reason___net {
	SKB_DROP_REASON_NO_SOCKET___net = 3,
	SKB_DROP_REASON_QUEUE_PURGE___net, /* since 6.12 */
};

#define REASON(name) bpf_core_enum_value(enum skb_drop_reason___net, name)

/* What a socket had got already, and nobody read. */
static __always_inline int is_purged(int reason)
{
	return bpf_core_enum_value_exists(enum skb_drop_reason___net,
					  SKB_DROP_REASON_QUEUE_PURGE___net) &&
	       reason == REASON(SKB_DROP_REASON_QUEUE_PURGE___net);
}

#endif
