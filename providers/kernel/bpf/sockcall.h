/*
 * sockcall.h: system calls that work with sockets: which they are, whose socket it is, who reads
 * datagrams of it, and when a call that sends has begun.
 */
#ifndef BPF_SOCKCALL_H
#define BPF_SOCKCALL_H

#include "providers/kernel/bpf/files.h"
#include "providers/kernel/bpf/net.h"

/* ---- numbers ---- */

enum { NR_read = 0, NR_write = 1, NR_readv = 19, NR_writev = 20, NR_sendfile = 40 };
enum { NR_sendto = 44, NR_recvfrom = 45, NR_sendmsg = 46, NR_recvmsg = 47 };
enum { NR_splice = 275, NR_recvmmsg = 299, NR_sendmmsg = 307 };
enum { NR_read_32 = 3, NR_write_32 = 4, NR_readv_32 = 145, NR_writev_32 = 146 };
enum { NR_sendfile_32 = 187, NR_sendfile64_32 = 239, NR_splice_32 = 313 };
enum { NR_recvmmsg_32 = 337, NR_sendmmsg_32 = 345, NR_recvmmsg64_32 = 417 };
enum { NR_sendto_32 = 369, NR_sendmsg_32, NR_recvfrom_32, NR_recvmsg_32 };

static __always_inline int is_sendmmsg(long nr)
{
	return is_call(nr, NR_sendmmsg, NR_sendmmsg_32);
}

static __always_inline int is_recvmmsg(long nr)
{
	return is_compat() ? nr == NR_recvmmsg_32 || nr == NR_recvmmsg64_32 : nr == NR_recvmmsg;
}

static __always_inline int is_send(long nr)
{
	if (is_compat())
		return nr == NR_write_32 || nr == NR_writev_32 || nr == NR_sendfile_32 ||
		       nr == NR_sendfile64_32 || nr == NR_splice_32 || nr == NR_sendmmsg_32 ||
		       nr == NR_sendto_32 || nr == NR_sendmsg_32;
	return nr == NR_write || nr == NR_writev || nr == NR_sendfile || nr == NR_sendto ||
	       nr == NR_sendmsg || nr == NR_splice || nr == NR_sendmmsg;
}

static __always_inline int is_read(long nr)
{
	if (is_compat())
		return nr == NR_read_32 || nr == NR_readv_32 || nr == NR_recvfrom_32 ||
		       nr == NR_recvmsg_32 || is_recvmmsg(nr);
	return nr == NR_read || nr == NR_readv || nr == NR_recvfrom || nr == NR_recvmsg ||
	       nr == NR_recvmmsg;
}

/* What it leaves where it was, or reads of the errors that wait. */
static __always_inline int is_no_read(struct pt_regs *regs)
{
	enum { PEEK = 2, ERRORS = 0x2000 };
	long nr = regs->orig_ax;

	if (is_call(nr, NR_recvmsg, NR_recvmsg_32))
		return call_arg(regs, 2) & (PEEK | ERRORS);
	if (is_call(nr, NR_recvfrom, NR_recvfrom_32) || is_recvmmsg(nr))
		return call_arg(regs, 3) & (PEEK | ERRORS);
	return 0;
}

#define MESSAGES 32 /* of one call whose sizes are added up */

/* What a call has sent or read that returned this. */
static __always_inline __u32 bytes_of(struct pt_regs *regs, long ret)
{
	__u64 at = call_arg(regs, 1), stride = is_compat() ? 32 : 64;
	__u32 sum = 0, len;

	if (!is_sendmmsg(regs->orig_ax) && !is_recvmmsg(regs->orig_ax))
		return ret;
	for (int i = 0; i < MESSAGES && i < ret; i++) { /* msg_len of struct mmsghdr */
		len = 0;
		bpf_probe_read_user(&len, sizeof(len),
				    (void *)(at + i * stride + (is_compat() ? 28 : 56)));
		sum += len;
	}
	return sum;
}

/* ---- sockets ---- */

struct socket___back {
	struct sock *sk;
} KERNEL;

struct inode___mode {
	unsigned short i_mode;
} KERNEL;

struct file___private {
	void *private_data;
	struct inode___mode *f_inode;
} KERNEL;

struct sock___back {
	struct socket___back *sk_socket;
} KERNEL;

/* Of the current process, of IP; NULL: it is something else. */
static __always_inline struct sock *inet_sock_of(__u32 fd)
{
	enum { KIND = 0170000, SOCKET = 0140000 };
	__u64 at = (__u64)file_of(fd, wants.can_cast), socket_at, sk_at;
	const struct file___private *file = AT(struct file___private, at);
	const struct socket___back *socket;
	const struct inode___mode *inode;
	__u16 family;

	if (!at)
		return 0;
	inode = GET(file, f_inode);
	if (!inode || (GET(inode, i_mode) & KIND) != SOCKET)
		return 0;
	socket_at = (__u64)GET(file, private_data);
	socket = AT(struct socket___back, socket_at);
	sk_at = (__u64)GET(socket, sk);
	if (!sk_at || (__u64)GET(AT(struct sock___back, sk_at), sk_socket) != socket_at)
		return 0; /* the number has become another file's meanwhile */
	family = GET(AT(struct sock, sk_at), __sk_common.skc_family);
	return family == AF_INET || family == AF_INET6 ? (struct sock *)sk_at : 0;
}

static __always_inline __u64 cookie_of(struct sock *sk)
{
	return GET(AT(struct sock___cookie, sk), __sk_common.skc_cookie.counter);
}

/* ---- who reads ---- */

struct reader {
	__u32 pid, tid;
	__u32 since, padding; /* when this process began to: ticks() */
};

/*
 * A process that has got a socket by fork() and waits for what comes is found where the kernel
 * finds it (net.how.wakes_reader), else by its call, as all calls of the machine are looked at
 * then.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64); /* cookie */
	__type(value, struct reader);
} readers SEC(".maps");

static __always_inline void find_reader(struct reader *to, __u64 cookie)
{
	struct reader *known = bpf_map_lookup_elem(&readers, &cookie);

	if (known)
		*to = *known;
}

struct list_head___wait {
	struct list_head___wait *next;
} KERNEL;

struct wait_queue_head {
	struct list_head___wait head;
} KERNEL;

struct socket_wq {
	struct wait_queue_head wait;
} KERNEL;

struct sock___wait {
	struct socket_wq *sk_wq;
} KERNEL;

struct wait_queue_entry {
	void *private, *func;
	struct list_head___wait entry;
} KERNEL;

static __always_inline int knows_waiting(void)
{
	return wants.can_cast && net.how.wakes_reader[0];
}

/* The first that sleeps in a call that reads. False: nobody does. */
static __always_inline int find_waiting(struct reader *to, struct bpf_sock *sk)
{
	const struct socket_wq *queue = TYPED(struct sock___wait, sk)->sk_wq;
	const struct wait_queue_entry *entry;
	const struct task_struct *task;
	__u64 head, first, func;

	if (!queue)
		return 0;
	head = (__u64)queue + bpf_core_field_offset(struct socket_wq, wait.head);
	first = typed_word((__u64)&queue->wait.head.next);
	if (!first || first == head)
		return 0;
	entry = TYPED(struct wait_queue_entry,
		      first - bpf_core_field_offset(struct wait_queue_entry, entry));
	func = (__u64)entry->func;
	if (func != net.how.wakes_reader[0] && func != net.how.wakes_reader[1])
		return 0;
	task = TYPED(struct task_struct, entry->private);
	to->pid = task->tgid;
	to->tid = task->pid;
	return to->pid != 0;
}

static __always_inline void remember_reader(__u64 cookie, struct task_struct *t)
{
	struct reader *known = bpf_map_lookup_elem(&readers, &cookie);
	struct reader me = {t->tgid, t->pid};

	if (known && known->tid == me.tid)
		return;
	me.since = known && known->pid == me.pid ? known->since : ticks();
	if (known)
		*known = me;
	else
		bpf_map_update_elem(&readers, &cookie, &me, 0);
}

/* ---- when a call began ---- */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32); /* thread */
	__type(value, __u64);
} starts SEC(".maps");

static __always_inline void set_start(__u64 time_ns)
{
	__u32 tid = bpf_get_current_task_btf()->pid;
	__u64 *known = bpf_map_lookup_elem(&starts, &tid);

	if (known)
		*known = time_ns;
	else if (time_ns)
		bpf_map_update_elem(&starts, &tid, &time_ns, 0);
}

/* Of the call that the current thread makes; 0: of none that sends. */
static __always_inline __u64 start_of_call(void)
{
	__u32 tid = bpf_get_current_task_btf()->pid;
	__u64 *known = bpf_map_lookup_elem(&starts, &tid);

	return known ? *known : 0;
}

#endif
