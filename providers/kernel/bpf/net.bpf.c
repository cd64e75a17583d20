/*
 * net.bpf.c: packets of sockets, where they pass the root of cgroup v2, and what becomes of
 * connections. A program of a cgroup that does not return 1 drops the packet: all do, everywhere.
 * Most of it comes in the name of whom the network has interrupted: the owner is kept by socket.
 */
#include "providers/kernel/bpf/connect.h"
#include "providers/kernel/bpf/dropped.h"
#include "providers/kernel/bpf/net.h"
#include "providers/kernel/bpf/owners.h"
#include "providers/kernel/bpf/packetclauses.h"
#include "providers/kernel/bpf/sockcall.h"

enum { PASS = 1 };

PACKET_CLAUSE_PROGRAM(egress_clauses);
PACKET_CLAUSE_PROGRAM(ingress_clauses);

/* The address of a socket as a number: a verifier counts with nothing else. */
static __always_inline __u64 address_of(struct bpf_net *r, struct bpf_sock *sk)
{
	*(volatile __u64 *)&r->sock.addr = (__u64)sk;
	return *(volatile __u64 *)&r->sock.addr;
}

static __always_inline __u32 not_counted_packet(__u32 rows, const struct owner *o,
						const struct __sk_buff *skb, const struct packet *p,
						const struct bpf_sock *sk, __u32 is_inbound)
{
	struct count_words words = {0};

	if (!wants.counts.n)
		return rows;
	packet_words(&words, skb, p);
	if (asks_words(NET_WORD_FAMILY, 5))
		address_words(&words, p);
	if (asks_words(NET_WORD_SAME_ENDS, 1) && !has_same_ends(&words, sk, p, is_inbound))
		return rows;
	return not_counted(rows, o, &words);
}

static __always_inline void put_packet(struct __sk_buff *skb, struct bpf_sock *sk,
				       const struct packet *p, const struct owner *o, __u32 rows,
				       __u32 is_inbound)
{
	struct bpf_net *r;

	if (!rows || !ids_pass(&wants.filter, o->pid, o->tid))
		return;
	rows = not_counted_packet(rows, o, skb, p, sk, is_inbound);
	if (!rows)
		return;
	r = begin(wants.details ? sizeof(*r) : BPF_NET_SHORT, o, 0);
	if (!r)
		return;
	r->rows = rows;
	r->payload = p->payload;
	r->is_inbound = is_inbound;
	if (wants.details) {
		r->seq = r->ack = 0;
		r->start_ns =
			is_inbound || (p->protocol == PROTO_TCP && !p->payload) ? 0 : o->sent_ns;
		fill_sock(&r->sock, address_of(r, sk), o, bpf_get_socket_cookie(skb));
		set_unconnected(&r->sock, p, is_inbound, sk->type == SOCK_RAW);
		fill_packet(&r->packet, skb, p);
	}
	submit(r);
}

static __always_inline __u32 sent_rows(const struct packet *p, struct tcp_sock *tp)
{
	__u32 rows = NET_BIT(NET_IP_SEND);
	int is_again;

	if (!p->at)
		return rows;
	if (p->protocol == PROTO_UDP)
		return rows | NET_BIT(NET_UDP_SEND) | NET_BIT(NET_UDPIP_SEND);
	if (p->protocol != PROTO_TCP)
		return rows;
	rows |= NET_BIT(NET_TCP_SEND);
	if (!tp)
		return rows;
	is_again = (__s32)(p->seq - tp->snd_nxt) < 0; /* what is new has not been added yet */
	if (p->payload && !is_again)
		rows |= NET_BIT(NET_TCPIP_SEND);
	if ((p->flags & (SYN | ACK)) == SYN && !is_again)
		rows |= NET_BIT(NET_TCP_CONNECT_REQUEST);
	return rows;
}

/* What a process sends itself: TCP with the socket locked, all else always. What listens answers
 * without asking for its lock, which another CPU may have. */
static __always_inline int is_sent_by_current(const struct bpf_sock *sk, const struct tcp_sock *tp)
{
	const struct sock *own = &tp->inet_conn.icsk_inet.sk;

	if (!tp)
		return sk->protocol != PROTO_TCP;
	return own->sk_lock.owned && own->__sk_common.skc_state != TCP_LISTEN;
}

/* Is more of a connection asked for than that a packet is sent? */
static __always_inline int asks_connection(void)
{
	return !is_anonymous() ||
	       wanted(NET_BIT(NET_TCPIP_SEND) | NET_BIT(NET_TCP_CONNECT_REQUEST));
}

/* TCP may send what it has been given after the call has ended. */
static __always_inline void sent_by_current(struct owner *o, const struct tcp_sock *tp)
{
	__u64 start;

	set_owner(o, bpf_get_current_task_btf());
	if (!wants.details || !net.how.has_starts)
		return;
	start = start_of_call();
	if (start || !tp)
		o->sent_ns = start;
}

static const volatile struct owner kernel_own = {0}; /* no program's stack has room for it */

SEC("cgroup_skb/egress")
int on_egress(struct __sk_buff *skb)
{
	struct owner *o = 0;
	struct bpf_sock *sk = skb->sk;
	struct bpf_clause_event *ev;
	struct tcp_sock *tp;
	struct packet p;
	__u32 rows;

	if (!sk)
		return PASS;
	sk = bpf_sk_fullsock(sk);
	if (!sk || !parse(skb, &p))
		return PASS;
	tp = asks_connection() ? bpf_skc_to_tcp_sock(sk) : 0;
	if (!is_anonymous())
		o = bpf_sk_storage_get(&owners, sk, 0, 0);
	if (!o)
		o = (struct owner *)&kernel_own;
	else if (is_sent_by_current(sk, tp))
		sent_by_current(o, tp);
	rows = wanted(sent_rows(&p, tp));
	ev = TELL_PACKET(egress_clauses, skb, sk, &p, o, 0, &rows);
	put_packet(skb, sk, &p, o, rows, 0);
	if (ev)
		RUN_PACKET_CLAUSES(skb, egress_clauses, ev);
	return PASS;
}

SEC("cgroup_skb/ingress")
int on_ingress(struct __sk_buff *skb)
{
	struct owner nobody = {0}, *o = 0;
	struct bpf_sock *sk = skb->sk;
	struct bpf_clause_event *ev;
	struct packet p;
	__u32 rows = NET_BIT(NET_IP_RECEIVE), protocol;

	if (!sk)
		return PASS;
	sk = bpf_sk_fullsock(sk);
	if (!sk || !parse(skb, &p))
		return PASS;
	if (!is_anonymous())
		o = bpf_sk_storage_get(&owners, sk, 0, 0);
	if (!o)
		o = &nobody;
	/* a raw socket gets a copy of what another has got */
	protocol = p.at && sk->type != SOCK_RAW ? p.protocol : 0;
	if (protocol == PROTO_UDP) {
		rows |= NET_BIT(NET_UDP_RECEIVE) | NET_BIT(NET_UDPIP_RECEIVE);
	}
	if (protocol == PROTO_TCP)
		rows |= NET_BIT(NET_TCP_RECEIVE) | (p.payload ? NET_BIT(NET_TCPIP_RECEIVE) : 0);
	if (!is_anonymous() && (protocol == PROTO_UDP || (protocol == PROTO_TCP && p.payload)))
		set_reader(o, sk, skb, protocol == PROTO_TCP);
	rows = wanted(rows);
	ev = TELL_PACKET(ingress_clauses, skb, sk, &p, o, 1, &rows);
	put_packet(skb, sk, &p, o, rows, 1);
	if (ev)
		RUN_PACKET_CLAUSES(skb, ingress_clauses, ev);
	return PASS;
}

/* ---- when a send began ---- */

SEC("tp_btf/sys_enter")
int BPF_PROG(on_send_call, struct pt_regs *regs, long nr)
{
	struct task_struct *t = bpf_get_current_task_btf();

	if (is_send(nr) && ids_pass(&wants.filter, t->tgid, t->pid))
		set_start(bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_send_ends, struct pt_regs *regs)
{
	if (is_send(regs->orig_ax))
		set_start(0);
	return 0;
}

/* What was given to TCP, and has not been sent yet. */
SEC("tp_btf/sock_send_length")
int BPF_PROG(on_given, struct sock *sk)
{
	struct owner *o = bpf_sk_storage_get(&owners, sk, 0, 0);
	__u64 start = start_of_call();

	if (o && start)
		o->sent_ns = start;
	return 0;
}

/* ---- what becomes of sockets ---- */

static __always_inline __u32 not_counted_sock(__u32 rows, const struct owner *o, struct sock *sk)
{
	struct count_words words = {0};

	if (!wants.counts.n || !net.how.has_packets) /* what stands for packets has no headers */
		return rows;
	words.v[NET_WORD_LPORT] = BPF_CORE_READ(sk, __sk_common.skc_num);
	words.v[NET_WORD_RPORT] = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (asks_words(NET_WORD_SOCK_FAMILY, 5))
		sock_words(&words, sk);
	return not_counted(rows, o, &words);
}

/* Of a socket, without a packet, in its owner's name; 0: nobody wants it. */
static __always_inline struct bpf_net *put_sock(void *ctx, struct sock *sk, struct owner *o,
						__u32 rows, __u64 cookie)
{
	__u64 time_ns = 0;
	struct bpf_net *r;

	if (!rows || !ids_pass(&wants.filter, o->pid, o->tid))
		return 0;
	rows = not_counted_sock(rows, o, sk);
	if (!rows)
		return 0;
	if (wants.stacks)
		time_ns = put_stacks(ctx,
				     o->tid == (__u32)bpf_get_current_pid_tgid()
					     ? wants.stacks
					     : wants.stacks & BPF_WANT_KSTACK,
				     o->pid, o->tid, 0);
	if (time_ns == NO_ROOM)
		return 0;
	r = begin(wants.details ? sizeof(*r) : BPF_NET_SHORT, o, time_ns);
	if (!r)
		return 0;
	r->rows = rows;
	r->is_inbound = 0;
	if (wants.details) {
		r->seq = r->ack = 0;
		r->start_ns = 0;
		fill_no_packet(&r->packet);
		fill_sock(&r->sock, (__u64)sk, o, cookie);
	}
	return r;
}

static __always_inline __u32 state_rows(int from, int to, int is_active)
{
	__u32 rows = NET_BIT(NET_TCP_STATE_CHANGE);

	if (to == TCP_ESTABLISHED && (from == TCP_SYN_SENT || is_active))
		return rows | NET_BIT(NET_TCP_CONNECT_ESTABLISHED) | NET_BIT(NET_TCPIP_CONNECT);
	if (to == TCP_ESTABLISHED)
		return rows | NET_BIT(NET_TCP_ACCEPT_ESTABLISHED) | NET_BIT(NET_TCPIP_ACCEPT);
	if (to == TCP_SYN_SENT && !net.how.has_packets)
		return rows | NET_BIT(NET_TCP_CONNECT_REQUEST);
	if (from == TCP_ESTABLISHED)
		return rows | NET_BIT(NET_TCPIP_DISCONNECT);
	return rows;
}

CLAUSE_PROGRAM(state_clauses);

/* Returns those of the rows whose clauses are to be run. */
static __always_inline __u32 tell_state(struct sock *sk, const struct owner *o, __u32 rows,
					int from, int to)
{
	struct bpf_clause_event *ev = BEGIN_CLAUSES(state_clauses, &wants, rows);
	struct count_words *words;

	if (!ev)
		return 0;
	ev->pid = o->pid;
	ev->tid = o->tid;
	if (wants.names)
		find_name(ev->name, o->pid);
	words = (struct count_words *)ev->words;
	words->v[NET_WORD_LPORT] = BPF_CORE_READ(sk, __sk_common.skc_num);
	words->v[NET_WORD_RPORT] = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	words->v[NET_WORD_LADDR + 1] = words->v[NET_WORD_RADDR + 1] = 0;
	sock_words(words, sk);
	ev->words[NET_WORD_STATE] = to;
	ev->words[NET_WORD_OLD_STATE] = from;
	ev->words[NET_WORD_COOKIE] = bpf_get_socket_cookie(sk);
	ev->words[NET_WORD_OWNER] = o->pid;
	ev->words[NET_WORD_ADDR] = (__u64)sk;
	return ev->rows;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(on_state, struct sock *sk, int from, int to)
{
	struct owner *o, nobody = {0};
	struct bpf_net *r;
	__u32 rows, told;

	if (sk->sk_protocol != PROTO_TCP || from == to)
		return 0;
	o = bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!o)
		o = &nobody;
	if (from == TCP_CLOSE && (to == TCP_SYN_SENT || to == TCP_LISTEN)) {
		set_owner(o, bpf_get_current_task_btf());
		o->role = to == TCP_SYN_SENT ? ROLE_ACTIVE : 0;
	}
	if (from == TCP_LISTEN && to == TCP_SYN_RECV)
		o->role = ROLE_PASSIVE;
	rows = wanted(state_rows(from, to, o->role == ROLE_ACTIVE));
	told = tell_state(sk, o, rows, from, to);
	r = put_sock(ctx, sk, o, rows & ~told, bpf_get_socket_cookie(sk));
	if (r) {
		r->is_inbound = to == TCP_ESTABLISHED;
		if (wants.details) {
			r->sock.state = to;
			r->sock.old_state = from;
		}
		submit(r);
	}
	if (told)
		RUN_CLAUSES(ctx, state_clauses);
	return 0;
}

/* One that a program of the kernel hands over: in the name of whom it belongs to. */
static __always_inline void tell(void *ctx, struct sock *sk, struct owner *o, __u32 rows, int error,
				 __u32 payload)
{
	struct bpf_net *r = put_sock(ctx, sk, o, wanted(rows), bpf_get_socket_cookie(sk));

	if (!r)
		return;
	r->error = error;
	r->payload = payload;
	submit(r);
}

#define OWNER_OF(sk) bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE)

SEC("tp_btf/tcp_receive_reset")
int BPF_PROG(on_reset, struct sock *sk)
{
	struct owner *o = OWNER_OF(sk), nobody = {0};
	struct bpf_net *r;
	__u32 rows = 0;

	if (sk->__sk_common.skc_state == TCP_SYN_SENT)
		rows |= NET_BIT(NET_TCP_CONNECT_REFUSED);
	if (sk->__sk_common.skc_flags & SOCK_IS_DEAD) /* else its error is reported */
		rows |= NET_BIT(NET_TCPIP_FAIL);
	o = o ? o : &nobody;
	r = put_sock(ctx, sk, o, wanted(rows), bpf_get_socket_cookie(sk));
	if (!r)
		return 0;
	r->error = sk->__sk_common.skc_state == TCP_SYN_SENT ? ECONNREFUSED : ECONNRESET;
	r->is_inbound = 1;
	submit(r);
	return 0;
}

SEC("tp_btf/inet_sk_error_report")
int BPF_PROG(on_error, struct sock *sk)
{
	struct owner *o = OWNER_OF(sk), nobody = {0};
	__u16 protocol = sk->sk_protocol;
	int error = sk->sk_err;

	if (!error || (protocol != PROTO_TCP && protocol != PROTO_UDP))
		return 0; /* something waits in its error queue */
	if (protocol == PROTO_TCP)
		remember_error(bpf_get_socket_cookie(sk), error);
	tell(ctx, sk, o ? o : &nobody,
	     protocol == PROTO_TCP ? NET_BIT(NET_TCPIP_FAIL) : NET_BIT(NET_UDPIP_FAIL), error, 0);
	return 0;
}

/* What connect() says without that anything was sent: no way there, no port left. */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_connected, struct pt_regs *regs, long ret)
{
	struct owner o = {0};
	struct bpf_net *r;
	struct sock *sk;
	__u64 cookie;

	if (ret >= 0 || !is_call(regs->orig_ax, NR_connect, NR_connect_32) ||
	    !is_failed_connect(-ret))
		return 0;
	sk = inet_sock_of((__u32)call_arg(regs, 0));
	if (!sk || BPF_CORE_READ(sk, sk_protocol) != PROTO_TCP)
		return 0;
	cookie = cookie_of(sk);
	if (is_told(cookie, -ret))
		return 0;
	set_owner(&o, bpf_get_current_task_btf());
	o.role = ROLE_ACTIVE;
	r = put_sock(ctx, sk, &o, wanted(NET_BIT(NET_TCPIP_FAIL)), cookie);
	if (!r)
		return 0;
	r->error = -ret;
	submit(r);
	return 0;
}

static __always_inline void again(void *ctx, struct sock *sk, struct sk_buff *skb)
{
	struct owner *o = OWNER_OF(sk), nobody = {0};
	struct bpf_net *r;

	o = o ? o : &nobody;
	r = put_sock(ctx, sk, o,
		     wanted(sk->__sk_common.skc_state == TCP_SYN_SENT
				    ? NET_BIT(NET_TCPIP_RECONNECT)
				    : NET_BIT(NET_TCPIP_RETRANSMIT)),
		     bpf_get_socket_cookie(sk));
	if (!r)
		return;
	r->payload = BPF_CORE_READ(skb, len);
	if (wants.details)
		r->seq = seq_of(skb);
	submit(r);
}

/* Of those kernels that tell of what could not be sent, too (since 6.15). */
SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(on_again, struct sock *sk, struct sk_buff *skb)
{
	if (!net.how.retransmit_errors || !(int)ctx[2])
		again(ctx, sk, skb);
	return 0;
}

SEC("tp_btf/tcp_retransmit_synack")
int BPF_PROG(on_synack_again, struct sock *sk)
{
	struct owner *o = OWNER_OF(sk), nobody = {0};

	tell(ctx, sk, o ? o : &nobody, NET_BIT(NET_TCPIP_RECONNECT), 0, 0);
	return 0;
}

/* Data goes to the process that reads. */
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(on_copy, struct sk_buff *skb, int len)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sock *sk = skb->sk;
	struct owner o = {0};
	struct bpf_net *r;

	if (!sk || sk->sk_protocol != PROTO_TCP ||
	    (sk->__sk_common.skc_family != AF_INET && sk->__sk_common.skc_family != AF_INET6))
		return 0;
	set_owner(&o, task);
	r = put_sock(ctx, sk, &o, wanted(NET_BIT(NET_TCPIP_COPY)), 0);
	if (!r)
		return 0;
	r->payload = len;
	r->is_inbound = 1;
	if (wants.details)
		r->sock.cookie = cookie_of(sk);
	submit(r);
	return 0;
}

SEC("tp_btf/udp_fail_queue_rcv_skb")
int BPF_PROG(on_full, int rc, struct sock *sk)
{
	struct owner *o = OWNER_OF(sk), nobody = {0};

	tell(ctx, sk, o ? o : &nobody, NET_BIT(NET_UDPIP_FAIL), -rc, 0);
	return 0;
}

/* ---- without cgroups: what processes send and get, in their own names ---- */

static __always_inline void tell_data(void *ctx, struct sock *sk, int bytes, __u32 tcp, __u32 udp,
				      __u32 is_inbound)
{
	__u16 family = sk->__sk_common.skc_family, protocol = sk->sk_protocol;
	struct task_struct *task = bpf_get_current_task_btf();
	struct owner *o, nobody = {0};
	struct bpf_net *r;

	if (bytes <= 0 || (family != AF_INET && family != AF_INET6))
		return;
	o = OWNER_OF(sk);
	o = o ? o : &nobody;
	set_owner(o, task);
	r = put_sock(ctx, sk, o,
		     wanted(protocol == PROTO_TCP   ? tcp
			    : protocol == PROTO_UDP ? udp
						    : 0),
		     bpf_get_socket_cookie(sk));
	if (!r)
		return;
	r->payload = bytes;
	r->is_inbound = is_inbound;
	if (wants.details && net.how.has_starts && !is_inbound)
		r->start_ns = start_of_call();
	submit(r);
}

#define DATA_SENT     (NET_BIT(NET_TCP_SEND) | NET_BIT(NET_TCPIP_SEND) | NET_BIT(NET_IP_SEND))
#define DATAGRAM_SENT (NET_BIT(NET_UDP_SEND) | NET_BIT(NET_UDPIP_SEND) | NET_BIT(NET_IP_SEND))
#define DATA_READ     (NET_BIT(NET_TCP_RECEIVE) | NET_BIT(NET_TCPIP_RECEIVE) | NET_BIT(NET_IP_RECEIVE))
#define DATAGRAM_READ                                                                              \
	(NET_BIT(NET_UDP_RECEIVE) | NET_BIT(NET_UDPIP_RECEIVE) | NET_BIT(NET_IP_RECEIVE))

SEC("tp_btf/sock_send_length")
int BPF_PROG(on_sent, struct sock *sk, int ret, int flags)
{
	tell_data(ctx, sk, ret, DATA_SENT, DATAGRAM_SENT, 0);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_received, struct sock *sk, int ret, int flags)
{
	if (!(flags & 2)) /* MSG_PEEK */
		tell_data(ctx, sk, ret, DATA_READ, DATAGRAM_READ, 1);
	return 0;
}

/* Before Linux 6.3 nothing but the calls themselves tells of it. */
static __always_inline void tell_call(void *ctx, struct pt_regs *regs, long ret, __u32 tcp,
				      __u32 udp, __u32 is_inbound)
{
	struct owner o = {0};
	__u16 protocol;
	struct bpf_net *r;
	struct sock *sk;

	if (ret <= 0)
		return;
	/* splice() has its target third */
	sk = inet_sock_of((__u32)(is_call(regs->orig_ax, NR_splice, NR_splice_32)
					  ? call_arg(regs, 2)
					  : call_arg(regs, 0)));
	if (!sk)
		return;
	protocol = BPF_CORE_READ(sk, sk_protocol);
	set_owner(&o, bpf_get_current_task_btf());
	r = put_sock(ctx, sk, &o,
		     wanted(protocol == PROTO_TCP   ? tcp
			    : protocol == PROTO_UDP ? udp
						    : 0),
		     cookie_of(sk));
	if (!r)
		return;
	r->payload = bytes_of(regs, ret);
	r->is_inbound = is_inbound;
	if (wants.details && net.how.has_starts && !is_inbound)
		r->start_ns = start_of_call();
	submit(r);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sent_call, struct pt_regs *regs, long ret)
{
	if (is_send(regs->orig_ax))
		tell_call(ctx, regs, ret, DATA_SENT, DATAGRAM_SENT, 0);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_received_call, struct pt_regs *regs, long ret)
{
	if (is_read(regs->orig_ax) && !is_no_read(regs))
		tell_call(ctx, regs, ret, DATA_READ, DATAGRAM_READ, 1);
	return 0;
}

/* ---- packets that are dropped ---- */

SEC("tp_btf/kfree_skb")
int BPF_PROG(on_drop, struct sk_buff *skb, void *location, int reason)
{
	__u16 protocol = BPF_CORE_READ(skb, protocol);
	struct packet p;

	if ((protocol != 0x0008 && protocol != 0xdd86) || is_purged(reason) || !read_ip(&p, skb))
		return 0;
	put_dropped(skb, &p,
		    wanted(BPF_CORE_READ(skb, skb_iif) ? NET_BIT(NET_IP_DROP_IN)
						       : NET_BIT(NET_IP_DROP_OUT)),
		    reason, location, 1);
	if (reason == REASON(SKB_DROP_REASON_NO_SOCKET___net))
		put_refused(skb, &p);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
