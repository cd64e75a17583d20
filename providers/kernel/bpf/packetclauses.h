/*
 * packetclauses.h: packets for clauses that run here: what programs of cgroups know of one.
 */
#ifndef BPF_PACKETCLAUSES_H
#define BPF_PACKETCLAUSES_H

#include "providers/kernel/bpf/packet.h"

#define ROWS_WITH_ENDS                                                                             \
	(NET_BIT(NET_TCP_SEND) | NET_BIT(NET_TCP_RECEIVE) | NET_BIT(NET_TCP_CONNECT_REQUEST) |     \
	 NET_BIT(NET_UDP_SEND) | NET_BIT(NET_UDP_RECEIVE))

/* One to itself, until leave_place(). NULL: no clauses run; or more packets than are thought of
 * interrupt each other here, and this one is lost, and counted: *rows says who else is told. */
static __always_inline struct bpf_clause_event *take_place(void *events, struct __sk_buff *skb,
							   __u32 *rows)
{
	struct bpf_clause_event *ev;

	for (__u32 i = 0; i < CLAUSE_PLACES; i++) {
		__u32 at = i;

		ev = bpf_map_lookup_elem(events, &at);
		if (!ev || !ev->is_on)
			return 0;
		if (__sync_lock_test_and_set(&ev->is_taken, 1))
			continue;
		skb->cb[0] = i;
		ev->rows = *rows & wants.clauses;
		*rows &= ~wants.clauses;
		return ev;
	}
	count_lost();
	*rows &= ~wants.clauses;
	return 0;
}

/* Where no program has come, which does it. */
static __always_inline void leave_place(struct bpf_clause_event *ev)
{
	*(volatile __u32 *)&ev->is_taken = 0;
}

/* Those of the socket as put_packet() shows them, of which set_unconnected() is a part. `addr` is
 * a number for the verifier. */
static __always_inline void tell_ends(struct bpf_clause_event *ev, __u64 addr,
				      const struct packet *p, __u32 is_inbound, __u32 is_raw)
{
	__u64 *l = &ev->words[NET_WORD_OWN_LADDR], *r = &ev->words[NET_WORD_OWN_RADDR];
	const struct sock *sk = AT(struct sock, addr);
	__u32 state = GET(sk, __sk_common.skc_state);
	const __u64 *w = ev->words;

	if (has_ends_of_packet(p, state, is_raw)) {
		ev->words[NET_WORD_OWN_FAMILY] = w[NET_WORD_FAMILY];
		ev->words[NET_WORD_OWN_LPORT] = w[is_inbound ? NET_WORD_DPORT : NET_WORD_SPORT];
		ev->words[NET_WORD_OWN_RPORT] = w[is_inbound ? NET_WORD_SPORT : NET_WORD_DPORT];
		l[0] = w[is_inbound ? NET_WORD_DST : NET_WORD_SRC];
		l[1] = w[is_inbound ? NET_WORD_DST + 1 : NET_WORD_SRC + 1];
		r[0] = w[is_inbound ? NET_WORD_SRC : NET_WORD_DST];
		r[1] = w[is_inbound ? NET_WORD_SRC + 1 : NET_WORD_DST + 1];
		if (is_raw)
			state = w[NET_WORD_OWNER] || p->flags & RST ? TCP_CLOSE : TCP_TIME_WAIT;
		else if (!is_inbound || !(p->flags & SYN))
			state = TCP_SYN_RECV;
	} else {
		l[1] = r[1] = 0;
		sock_ends(&ev->words[NET_WORD_OWN_FAMILY], l, r, sk);
		ev->words[NET_WORD_OWN_LPORT] = GET(sk, __sk_common.skc_num);
		ev->words[NET_WORD_OWN_RPORT] = __builtin_bswap16(GET(sk, __sk_common.skc_dport));
	}
	ev->words[NET_WORD_STATE] = state;
}

static __always_inline void tell_headers(__u64 *w, const struct packet *p)
{
	const __u8 *ip = p->ip;
	const __u16 *l4 = (const __u16 *)p->l4;
	const __u32 is_ipv4 = ip[0] >> 4 == 4;

	w[NET_WORD_IS_IPV4] = is_ipv4;
	w[NET_WORD_IS_IPV6] = !is_ipv4;
	w[NET_WORD_PROTOCOL] = is_ipv4 ? ip[9] : ip[6];
	w[NET_WORD_TTL] = is_ipv4 ? ip[8] : ip[7];
	w[NET_WORD_IP_LENGTH] =
		__builtin_bswap16(is_ipv4 ? *(const __u16 *)(ip + 2) : *(const __u16 *)(ip + 4));
	w[NET_WORD_FLAGS] = p->flags;
	w[NET_WORD_SEQ] = p->seq;
	w[NET_WORD_ACK] = __builtin_bswap32(*(const __u32 *)(p->l4 + 8));
	w[NET_WORD_WINDOW] = __builtin_bswap16(l4[7]);
}

/* Takes those of the rows away whose clauses run here. NULL: there are none. */
static __always_inline struct bpf_clause_event *
tell_packet(void *events, struct __sk_buff *skb, struct bpf_sock *sk, const struct packet *p,
	    const struct owner *o, __u32 is_inbound, __u32 *rows)
{
	struct bpf_clause_event *ev;
	__u64 addr;

	ev = *rows & wants.clauses ? take_place(events, skb, rows) : 0;
	if (!ev)
		return 0;
	_Static_assert(NET_CLAUSE_WORDS <= BPF_CLAUSE_WORDS, "words");
	ev->pid = o->pid;
	ev->tid = o->tid;
	ev->name[0] = ev->name[1] = 0;
	if (wants.names)
		find_name(ev->name, o->pid);
	packet_words((struct count_words *)ev->words, skb, p);
	address_words((struct count_words *)ev->words, p);
	tell_headers(ev->words, p);
	ev->words[NET_WORD_COOKIE] = bpf_get_socket_cookie(skb);
	ev->words[NET_WORD_OWNER] = o->pid;
	*(volatile __u64 *)&ev->words[NET_WORD_ADDR] = (__u64)sk;
	addr = *(volatile __u64 *)&ev->words[NET_WORD_ADDR];
	if (ev->rows & ROWS_WITH_ENDS)
		tell_ends(ev, addr, p, is_inbound, sk->type == SOCK_RAW);
	return ev;
}

#define TELL_PACKET(name, skb, sk, p, o, is_inbound, rows)                                         \
	tell_packet(&name##_event, skb, sk, p, o, is_inbound, rows)
/* The last that a program does of a packet. */
#define RUN_PACKET_CLAUSES(skb, name, ev)                                                          \
	do {                                                                                       \
		bpf_tail_call(skb, &name, 0);                                                      \
		leave_place(ev);                                                                   \
	} while (0)

#endif
