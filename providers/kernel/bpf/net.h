/*
 * net.h: sockets and packets for net.bpf.c: types of the kernel, who owns a socket, and what is
 * written of both into a record.
 */
#ifndef BPF_NET_H
#define BPF_NET_H

#include "providers/kernel/netrec.h"

#include "providers/kernel/bpf/kernel.h"

static __always_inline void find_name(__u64 *name, __u32 pid);

#define COUNT_WORDS		   NET_NWORDS
#define COUNT_FIND_NAME(name, pid) find_name(name, pid)
#include "providers/kernel/bpf/clauses.h"
#include "providers/kernel/bpf/names.h"
#include "providers/kernel/bpf/typed.h"

const volatile struct bpf_net_wants net = {0};
#define wants net.wants

/* As GET() of bpf/typed.h. */
#define GET_BITS(p, member)                                                                        \
	(wants.can_cast ? BPF_CORE_READ_BITFIELD(p, member)                                        \
			: BPF_CORE_READ_BITFIELD_PROBED(p, member))

enum { BPF_MAP_TYPE_SK_STORAGE = 24 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_CLONE = 1 << 9, BPF_SK_STORAGE_GET_F_CREATE = 1 };

/* linux/bpf.h: what the kernel translates, not its own structures */
struct bpf_sock {
	__u32 bound_dev_if, family, type, protocol, mark, priority;
	__u32 src_ip4, src_ip6[4], src_port;
	__u16 dst_port;
	__u32 dst_ip4, dst_ip6[4], state;
};

struct __sk_buff {
	__u32 len, pkt_type, mark, queue_mapping, protocol, vlan_present, vlan_tci, vlan_proto;
	__u32 priority, ingress_ifindex, ifindex, tc_index, cb[5], hash, tc_classid;
	__u32 data, data_end, napi_id, family, remote_ip4, local_ip4, remote_ip6[4], local_ip6[4];
	__u32 remote_port, local_port, data_meta;
	void *flow_keys;
	__u64 tstamp;
	__u32 wire_len, gso_segs;
	struct bpf_sock *sk;
};

/* ---- the kernel's ---- */

struct in6_addr {
	unsigned char bytes[16];
};

struct net_device {
	int ifindex;
	unsigned int flags;
	char name[16];
} KERNEL;

struct dst_entry {
	struct net_device *dev;
} KERNEL;

struct sock_common {
	unsigned int skc_daddr, skc_rcv_saddr;
	unsigned short skc_dport, skc_num, skc_family;
	volatile unsigned char skc_state;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
	unsigned long skc_flags;
} KERNEL;

typedef struct {
	int owned;
} KERNEL socket_lock_t;

struct sock {
	struct sock_common __sk_common;
	socket_lock_t sk_lock;
	unsigned short sk_protocol;
	int sk_err;
	struct dst_entry *sk_dst_cache;
} KERNEL;

struct inet_sock {
	struct sock sk;
} KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	unsigned int icsk_rto;
} KERNEL;

struct tcp_options_received {
	unsigned short saw_tstamp : 1, tstamp_ok : 1, dsack : 1, wscale_ok : 1, sack_ok : 3,
		smc_ok : 1, snd_wscale : 4, rcv_wscale : 4;
} KERNEL;

struct sk_buff;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	unsigned int snd_una, snd_nxt, rcv_nxt, copied_seq, snd_wnd, rcv_wnd, snd_cwnd,
		snd_ssthresh;
	unsigned int srtt_us, mss_cache, write_seq, rcv_wup, sacked_out;
	struct sk_buff *highest_sack, *retransmit_skb_hint;
	unsigned long long bytes_acked;
	struct tcp_options_received rx_opt;
} KERNEL;

struct sk_buff {
	struct sock *sk;
	struct net_device *dev;
	unsigned int len, tail;
	unsigned short network_header, transport_header, protocol;
	int skb_iif;
	unsigned char *head, *data;
	char cb[48];
} KERNEL;

struct sock___cookie {
	struct {
		struct {
			long long counter;
		} skc_cookie;
	} __sk_common;
} KERNEL;

enum { SOCK_RAW = 3, AF_INET = 2, AF_INET6 = 10, PROTO_TCP = 6, PROTO_UDP = 17 };
enum { ECONNRESET = 104, ECONNREFUSED = 111 };
enum { IS_LOOPBACK = 8 /* IFF_LOOPBACK */, SOCK_IS_DEAD = 1 /* 1 << SOCK_DEAD */ };
/* include/net/tcp_states.h */
enum {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
};

/* ---- who owns a socket ---- */

/* The process that made it or worked with it last. Of a connection that has not been accepted yet
 * it is the one that listens, whose socket's it is a copy of. */
struct owner {
	__u32 pid, tid;
	__u16 role;
	__u16 is_old;  /* it was there before us; one of those that have it */
	__u32 since;   /* when it became this process's: ticks() */
	__u64 sent_ns; /* when its last call began that sent something; 0: not known */
	__u32 reader_pid, reader_tid; /* of the last one that has read; 0: nobody */
	__u32 reader_since, padding;  /* when it began to: ticks() */
};
enum { ROLE_ACTIVE = 1, ROLE_PASSIVE }; /* it has asked for the connection, or was asked */

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct owner);
} owners SEC(".maps");

/* Of 65 us: their difference is right for three days. */
static __always_inline __u32 ticks(void)
{
	return (__u32)(bpf_ktime_get_ns() >> 16);
}

static __always_inline void set_owner(struct owner *o, struct task_struct *t)
{
	if (o->pid != (__u32)t->tgid)
		o->since = ticks();
	o->pid = t->tgid;
	o->tid = t->pid;
	o->is_old = 0;
}

/* The current process works with the socket (of any type the helper takes). */
#define OWN(sk)                                                                                    \
	do {                                                                                       \
		struct owner *own_ =                                                               \
			bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);           \
		if (own_)                                                                          \
			set_owner(own_, bpf_get_current_task_btf());                               \
	} while (0)

/* ---- aggregations that are kept here ---- */

static __always_inline __u32 wanted(__u32 rows)
{
	return wants.rows & rows;
}

/* The rows that a record is to tell of. `rows` have passed the filter. */
static __noinline __u32 not_counted_of(__u32 rows, __u32 pid, __u32 tid,
				       const struct count_words *words)
{
	const struct count_who who = {.pid = pid, .tid = tid};
	__u32 left = rows & wants.counts.rows;

	if (!words)
		return rows;
	for (int i = 0; i < NET_NROWS && left; i++) {
		__u32 row = log2_of(left) & (BPF_COUNT_ROWS - 1);

		left &= ~NET_BIT(row);
		if (count_all(&wants.counts, row, &who, words))
			rows &= ~NET_BIT(row);
	}
	return rows;
}

static __always_inline __u32 not_counted(__u32 rows, const struct owner *o,
					 const struct count_words *words)
{
	return not_counted_of(rows, o->pid, o->tid, words);
}

/* Is any of these, which begin there, among what is counted by? */
static __always_inline int asks_words(__u32 first, __u32 n)
{
	return wants.counts.words >> first & ((1U << n) - 1);
}

/* As the engine has it (plain_addresses() of providers/system/netrecord.c): a socket of IPv6 that
 * has an end of IPv4 is one of IPv4. */
static __always_inline void unmap_ends(__u64 *family, __u64 *l, __u64 *r)
{
	const __u64 prefix = 0xffff0000; /* of the second word: ::ffff:a.b.c.d */

	if ((l[0] || (__u32)l[1] != prefix) && (r[0] || (__u32)r[1] != prefix))
		return;
	*family = AF_INET;
	l[0] = l[1] >> 32;
	r[0] = r[1] >> 32;
	l[1] = r[1] = 0;
}

/* Of an address of IPv4 the second word stays as it is. */
static __always_inline void sock_ends(__u64 *family, __u64 *l, __u64 *r, const struct sock *sk)
{
	*family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (*family == AF_INET6) {
		bpf_probe_read_kernel(l, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_probe_read_kernel(r, 16, &sk->__sk_common.skc_v6_daddr);
		unmap_ends(family, l, r);
	} else {
		l[0] = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
		r[0] = BPF_CORE_READ(sk, __sk_common.skc_daddr);
	}
}

static __always_inline void sock_words(struct count_words *w, struct sock *sk)
{
	sock_ends(&w->v[NET_WORD_SOCK_FAMILY], &w->v[NET_WORD_LADDR], &w->v[NET_WORD_RADDR], sk);
}

/* ---- records ---- */

/* bpf_get_current_pid_tgid() is nothing that programs of cgroups may call. */
static __always_inline struct bpf_net *begin(__u64 size, const struct owner *o, __u64 time_ns)
{
	struct bpf_net *r = bpf_ringbuf_reserve(&ring, size, 0);

	if (!r) {
		count_lost();
		return 0;
	}
	r->head.time_ns = time_ns ? time_ns : bpf_ktime_get_ns();
	r->head.kind = BPF_KIND_NET;
	r->head.counted = 0;
	r->head.cpu = bpf_get_smp_processor_id();
	r->head.pid = o->pid;
	r->head.tid = o->tid;
	r->error = 0;
	r->payload = 0;
	return r;
}

static __always_inline void fill_no_packet(struct bpf_net_packet *p)
{
	p->skb = p->dev = p->location = 0;
	p->bytes = p->l4_at = p->protocol = p->ifindex = p->is_loopback = 0;
	p->ifname[0] = '\0';
}

static __always_inline void fill_no_sock(struct bpf_net_sock *s)
{
	__builtin_memset(s, 0, sizeof(*s));
}

static __always_inline int is_of_loopback(const struct bpf_net_sock *s)
{
	const __u32 *l = (const void *)s->laddr, *r = (const void *)s->raddr;

	if (s->family == AF_INET)
		return s->raddr[0] == 127 || (l[0] == r[0] && r[0]);
	return l[0] == r[0] && l[1] == r[1] && l[2] == r[2] && l[3] == r[3] &&
	       (r[0] | r[1] | r[2] | r[3]);
}

static __always_inline void fill_addresses(struct bpf_net_sock *s, const struct sock *sk)
{
	__u64 *l = (void *)s->laddr, *r = (void *)s->raddr;
	const struct dst_entry *way = GET(sk, sk_dst_cache);
	const struct net_device *dev = way ? GET(way, dev) : 0;

	l[0] = l[1] = r[0] = r[1] = 0;
	s->family = GET(sk, __sk_common.skc_family);
	s->lport = GET(sk, __sk_common.skc_num);
	s->rport = __builtin_bswap16(GET(sk, __sk_common.skc_dport));
	if (s->family == AF_INET6) {
		BPF_CORE_READ_INTO(&s->laddr, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&s->raddr, sk, __sk_common.skc_v6_daddr);
	} else {
		*(__u32 *)s->laddr = GET(sk, __sk_common.skc_rcv_saddr);
		*(__u32 *)s->raddr = GET(sk, __sk_common.skc_daddr);
	}
	s->is_local = is_of_loopback(s) || (dev && GET(dev, flags) & IS_LOOPBACK);
}

/* struct tcp_skb_cb: what the segment begins with. */
static __always_inline __u32 seq_of(const struct sk_buff *skb)
{
	__u32 seq = 0;

	bpf_probe_read_kernel(&seq, sizeof(seq),
			      (char *)skb + bpf_core_field_offset(struct sk_buff, cb));
	return seq;
}

/* The end of what the other side has got out of order, and what of the holes is sent again next. */
static __always_inline void fill_sack(struct bpf_net_sock *s, const struct tcp_sock *tp)
{
	const struct sk_buff *behind, *next;

	s->sack_fack = s->sack_snxt = s->suna;
	if (!GET(tp, sacked_out))
		return;
	behind = GET(tp, highest_sack);
	next = GET(tp, retransmit_skb_hint);
	s->sack_fack = behind ? seq_of(behind) : s->snxt;
	if (next)
		s->sack_snxt = seq_of(next);
}

static __always_inline void fill_tcp(struct bpf_net_sock *s, const struct tcp_sock *tp,
				     const struct owner *o)
{
	s->suna = GET(tp, snd_una);
	/* what has been acknowledged is counted with the SYN on the side that has asked */
	if (o->role)
		s->iss = s->suna - (__u32)GET(tp, bytes_acked) - (o->role == ROLE_PASSIVE);
	s->snxt = GET(tp, snd_nxt);
	s->rack = GET(tp, rcv_wup);
	s->rnxt = GET(tp, rcv_nxt);
	s->swnd = GET(tp, snd_wnd);
	s->rwnd = GET(tp, rcv_wnd);
	s->cwnd = GET(tp, snd_cwnd);
	s->ssthresh = GET(tp, snd_ssthresh);
	s->mss = GET(tp, mss_cache);
	s->rtt_us = GET(tp, srtt_us) >> 3;
	s->rto_ticks = GET(tp, inet_conn.icsk_rto);
	s->snd_ws = GET_BITS(tp, rx_opt.snd_wscale);
	s->rcv_ws = GET_BITS(tp, rx_opt.rcv_wscale);
	s->has_sack = GET_BITS(tp, rx_opt.sack_ok) & 1;
	s->has_times = GET_BITS(tp, rx_opt.tstamp_ok);
	s->has_ws = GET_BITS(tp, rx_opt.wscale_ok);
	fill_sack(s, tp);
}

/* Of the socket at an address: a number for the verifier; nobody but the kernel has written it. */
static __always_inline void fill_sock(struct bpf_net_sock *s, __u64 addr, const struct owner *o,
				      __u64 cookie)
{
	const struct sock *sk = AT(struct sock, addr);

	fill_no_sock(s);
	s->addr = addr;
	s->cookie = cookie;
	s->protocol = GET(sk, sk_protocol);
	s->state = s->old_state = GET(sk, __sk_common.skc_state);
	s->owner = o->pid;
	s->is_active = o->role == ROLE_ACTIVE;
	fill_addresses(s, sk);
	if (s->protocol == PROTO_TCP)
		fill_tcp(s, AT(struct tcp_sock, addr), o);
}

#endif
