/*
 * owners.h: whose a socket is, and who reads from it: programs that see who works with one.
 */
#ifndef BPF_OWNERS_H
#define BPF_OWNERS_H

#include "providers/kernel/bpf/sockcall.h"

/* All there is to do is to count, whosever it is. */
static __always_inline int is_anonymous(void)
{
	return wants.filter.root == BPF_FILTER_PASS && !(wants.rows & ~wants.counts.rows) &&
	       !wants.counts.asks_who;
}

/* Datagrams are of who waits for them; what comes of a connection, too, if that is a process which
 * has done so since another had it. */
static __always_inline void set_reader(struct owner *o, struct bpf_sock *sk, struct __sk_buff *skb,
				       int is_tcp)
{
	struct reader reader = {0};

	if (!knows_waiting())
		find_reader(&reader, bpf_get_socket_cookie(skb));
	else if (find_waiting(&reader, sk))
		is_tcp = 0; /* now */
	else
		reader = (struct reader){o->reader_pid, o->reader_tid, o->reader_since};
	if (!reader.pid ||
	    (is_tcp && (reader.pid == o->pid || (__s32)(reader.since - o->since) < 0)))
		return;
	o->pid = reader.pid;
	o->tid = reader.tid;
}

/* ---- who works with one ---- */

SEC("cgroup/sock_create")
int on_created(struct bpf_sock *sk)
{
	OWN(sk);
	bpf_get_socket_cookie(sk); /* from here on it has one */
	return 1;		   /* let it be made */
}

/* A connection that was accepted is worked with. */
SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(on_read, struct sock *sk)
{
	if (!is_anonymous() && sk->sk_lock.owned)
		OWN(sk);
	return 0;
}

/* Who has read, or has tried to. */
SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_read_ends, struct sock *sk)
{
	__u16 family = sk->__sk_common.skc_family;
	struct task_struct *t = bpf_get_current_task_btf();
	struct owner *o;

	if (is_anonymous() || (family != AF_INET && family != AF_INET6))
		return 0;
	o = bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!o || o->reader_tid == (__u32)t->pid)
		return 0;
	if (o->reader_pid != (__u32)t->tgid)
		o->reader_since = ticks();
	o->reader_pid = t->tgid;
	o->reader_tid = t->pid;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_read_call, struct pt_regs *regs, long nr)
{
	struct sock *sk;
	__u16 protocol;
	__u64 cookie;

	if (is_anonymous() || !is_read(nr))
		return 0;
	sk = inet_sock_of((__u32)call_arg(regs, 0));
	protocol = sk ? GET(AT(struct sock, sk), sk_protocol) : 0;
	if (protocol != PROTO_UDP && protocol != PROTO_TCP)
		return 0;
	cookie = cookie_of(sk);
	if (cookie)
		remember_reader(cookie, bpf_get_current_task_btf());
	return 0;
}

struct file;
struct socket {
	struct sock *sk;
} KERNEL;

struct bpf_iter_meta;
struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
} KERNEL;

/* Those that are there already. */
SEC("iter/task_file")
int each_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct socket *sock;
	struct sock *sk;
	struct owner *o;
	__u16 family;

	if (!task || !file)
		return 0;
	if (wants.names)
		learn_name(task);
	sock = bpf_sock_from_file(file);
	if (!sock)
		return 0;
	sk = sock->sk;
	if (!sk)
		return 0;
	family = sk->__sk_common.skc_family;
	if (family != AF_INET && family != AF_INET6)
		return 0;
	o = bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (o && (!o->pid || o->is_old)) {
		set_owner(o, task);
		o->is_old = 1;
	}
	return 0;
}

#endif
