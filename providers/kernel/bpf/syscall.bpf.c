/*
 * syscall.bpf.c: system calls: counted where they happen, or written to the ring with what their
 * pointers lead to.
 */
#include "providers/kernel/bpf/callnr.h"
#include "providers/kernel/bpf/count.h"

const volatile struct bpf_syscall_who who = {};

#include "providers/kernel/bpf/whose.h"

struct linux_binprm {
	const char *filename;
} KERNEL;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_SYSCALL_MAX);
	__type(key, __u32);
	__type(value, struct bpf_syscall_want);
} wants SEC(".maps");

/* What clauses ask for; the first is none. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_SYSCALL_FILTERS);
	__type(key, __u32);
	__type(value, struct bpf_filter);
} filters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2 * BPF_SYSCALL_MAX); /* entries, then returns */
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* Entries with pointers to pages that were not there yet: the call itself brings them in. */
struct pending {
	__u64 time_ns;
	__u64 addr[BPF_SYSCALL_CAPTURES]; /* 0: nothing is missing */
	__u32 is_text[BPF_SYSCALL_CAPTURES];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct pending);
} pending SEC(".maps");

/* While clauses may act: from BEGIN to exit(). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} acting SEC(".maps");

enum {
	ANY_ENTRY = BPF_WANT_ENTRY | BPF_WANT_ENTRY_COUNT | BPF_WANT_ENTRY_KEYED,
	ANY_RETURN = BPF_WANT_RETURN | BPF_WANT_RETURN_COUNT | BPF_WANT_RETURN_KEYED,
};

static __always_inline int passes_filter(__u32 filter, struct pt_regs *regs, __s64 ret)
{
	struct bpf_filter *s;

	if (!filter)
		return 1;
	s = bpf_map_lookup_elem(&filters, &filter);
	return !s || filter_passes(s, bpf_get_current_task_btf(), regs, ret);
}

static __always_inline void count(__u32 at)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &at);

	if (n)
		++*n;
}

/* raise(): before the thread goes on. False: it was not sent. */
static __always_inline _Bool send_signal(__u32 sig)
{
	__u32 zero = 0, *on;

	if (!sig)
		return 0;
	on = bpf_map_lookup_elem(&acting, &zero);
	return on && *on && !bpf_send_signal_thread(sig);
}

static __always_inline void fill(struct bpf_syscall *c, struct pt_regs *regs, __u32 nr,
				 __u32 is_return, __s64 ret, _Bool is_raised)
{
	__u64 ids = bpf_get_current_uid_gid();

	c->nr = nr;
	c->is_return = is_return;
	c->is_raised = is_raised;
	c->uid = (__u32)ids;
	c->gid = (__u32)(ids >> 32);
	c->ret = ret;
#pragma unroll
	for (int i = 0; i < 6; i++)
		c->args[i] = call_arg(regs, i);
	for (int i = 0; i < BPF_SYSCALL_CAPTURES; i++) {
		c->captures[i].addr = 0;
		c->captures[i].len = 0;
		c->captures[i].is_text = 0;
	}
}

/* As many of `room` bytes as can be had: the page behind may not be there. `room` is a constant,
 * and a power of two. */
static __always_inline __u32 read_some(char *to, __u64 from, __u32 room)
{
	__u64 left = -from & 4095; /* of the page */

	if (!bpf_probe_read_user(to, room, (void *)from))
		return room;
	if (left >= room)
		return 0;
	/* Linux 6.1 does not see it by the comparison */
	asm volatile("%0 &= %1" : "+r"(left) : "i"(room - 1));
	return bpf_probe_read_user(to, left, (void *)from) ? 0 : left;
}

/* Bytes of a text that was read, its end among them, which Linux 6.1 does not count of an empty one;
 * 0: nothing was read. */
static __always_inline __u32 text_len(long n)
{
	return n < 0 ? 0 : n ? n : 1;
}

static __always_inline void capture(struct bpf_syscall_data *d, __u32 slot, __u64 addr, int is_text)
{
	long n;

	d->call.captures[slot].addr = addr;
	d->call.captures[slot].is_text = is_text;
	if (is_text) {
		n = bpf_probe_read_user_str(d->bytes[slot], BPF_SYSCALL_BYTES, (void *)addr);
		d->call.captures[slot].len = text_len(n);
	} else {
		d->call.captures[slot].len = read_some(d->bytes[slot], addr, BPF_SYSCALL_BYTES);
	}
}

static __always_inline void remember_missing(const struct bpf_syscall_data *d)
{
	struct pending p = {.time_ns = d->call.head.time_ns};
	__u32 tid = d->call.head.tid;
	int is_missing = 0;

#pragma unroll
	for (int i = 0; i < BPF_SYSCALL_CAPTURES; i++)
		if (d->call.captures[i].addr && !d->call.captures[i].len) {
			p.addr[i] = d->call.captures[i].addr;
			p.is_text[i] = d->call.captures[i].is_text;
			is_missing = 1;
		}
	if (is_missing)
		bpf_map_update_elem(&pending, &tid, &p, BPF_ANY);
}

/* Room for what was missing at an entry of this thread; NULL: nothing was, or there is none. */
static __always_inline struct bpf_syscall_data *reserve_late(__u32 tid, struct pending *p)
{
	struct bpf_syscall_data *d = reserve(sizeof(*d), BPF_KIND_SYSCALL_LATE);

	if (!d)
		return 0;
	d->call.head.tid = tid;
	d->call.args[0] = p->time_ns;
#pragma unroll
	for (int i = 0; i < BPF_SYSCALL_CAPTURES; i++) {
		d->call.captures[i].addr = p->addr[i];
		d->call.captures[i].is_text = p->is_text[i];
		d->call.captures[i].len = 0;
	}
	return d;
}

/* What a word of a capture leads to; n: which of the capture's. */
static __always_inline void capture_deep(struct bpf_syscall_deep *d, __u32 slot, __u32 n,
					 int is_text)
{
	struct bpf_syscall_piece *p = &d->pieces[slot][n];
	__u64 addr = 0;
	long got;

	if (d->data.call.captures[slot].len >= 8 * (n + 1))
		addr = *(__u64 *)(d->data.bytes[slot] + 8UL * n);
	p->addr = addr;
	p->is_text = is_text;
	p->len = 0;
	if (!addr)
		return;
	got = bpf_probe_read_user_str(p->bytes, sizeof(p->bytes), (void *)addr);
	if (is_text)
		p->len = text_len(got);
	else
		p->len = read_some(p->bytes, addr, sizeof(p->bytes));
}

static __always_inline void capture_words(struct bpf_syscall_deep *d, __u32 slot, int is_deep,
					  int is_text)
{
#pragma unroll
	for (int n = 0; n < BPF_SYSCALL_WORDS; n++) {
		d->pieces[slot][n].len = 0;
		if (is_deep)
			capture_deep(d, slot, n, is_text);
	}
}

/* Of the arguments that are pointers the first few have captures. */
static __always_inline void record_deep(struct bpf_syscall_deep *d,
					const struct bpf_syscall_want *w)
{
	__u32 slot = 0;

	capture_words(d, 0, 0, 0);
	capture_words(d, 1, 0, 0);
	capture_words(d, 2, 0, 0);
#pragma unroll
	for (int i = 0; i < 6; i++) {
		if (!(w->pointers & 1 << i) || !d->data.call.args[i])
			continue;
		if (slot == 0)
			capture_words(d, 0, w->deep & 1 << i, w->texts & 1 << i);
		else if (slot == 1)
			capture_words(d, 1, w->deep & 1 << i, w->texts & 1 << i);
		else if (slot == 2)
			capture_words(d, 2, w->deep & 1 << i, w->texts & 1 << i);
		slot++;
	}
}

/* Of a pointer to texts the texts are a level further on. */
static __always_inline int is_text(const struct bpf_syscall_want *w, int i)
{
	return w->texts & ~w->deep & 1 << i;
}

static __always_inline void record_data(struct bpf_syscall_data *d, struct pt_regs *regs, __u32 nr,
					__u32 is_return, __s64 ret,
					const struct bpf_syscall_want *w, _Bool is_raised)
{
	__u32 slot = 0;

	fill(&d->call, regs, nr, is_return, ret, is_raised);
#pragma unroll
	for (int i = 0; i < 6; i++) {
		if (!(w->pointers & 1 << i) || !d->call.args[i])
			continue;
		if (slot == 0)
			capture(d, 0, d->call.args[i], is_text(w, i));
		else if (slot == 1)
			capture(d, 1, d->call.args[i], is_text(w, i));
		else if (slot == 2)
			capture(d, 2, d->call.args[i], is_text(w, i));
		slot++;
	}
	if (!is_return)
		remember_missing(d);
}

static __always_inline void record(void *ctx, struct pt_regs *regs, __u32 nr, __u32 is_return,
				   __s64 ret, const struct bpf_syscall_want *w)
{
	__u64 time_ns = put_own_stacks(ctx, w->stacks[is_return], 0);
	_Bool is_raised = send_signal(w->signals[is_return]);
	struct bpf_syscall *c;

	if (time_ns == NO_ROOM)
		return;
	if (w->flags & BPF_WANT_DATA && w->deep) {
		struct bpf_syscall_deep *d = reserve_at(sizeof(*d), BPF_KIND_SYSCALL, time_ns);

		if (!d)
			return;
		record_data(&d->data, regs, nr, is_return, ret, w, is_raised);
		record_deep(d, w);
		submit(d);
		return;
	}
	if (w->flags & BPF_WANT_DATA) {
		struct bpf_syscall_data *d = reserve_at(sizeof(*d), BPF_KIND_SYSCALL, time_ns);

		if (!d)
			return;
		record_data(d, regs, nr, is_return, ret, w, is_raised);
		submit(d);
		return;
	}
	c = reserve_at(sizeof(*c), BPF_KIND_SYSCALL, time_ns);
	if (!c)
		return;
	fill(c, regs, nr, is_return, ret, is_raised);
	submit(c);
}

/* True: no record is wanted any more. Words: the arguments of the entry; the result. */
static __always_inline int count_entry(struct pt_regs *regs, __u32 nr,
				       const struct bpf_syscall_want *w)
{
	struct count_who whom = count_task(bpf_get_current_task_btf());
	struct count_words words;

	for (int i = 0; i < COUNT_WORDS; i++)
		words.v[i] = i < 6 ? call_arg(regs, i) : 0;
	return count_stmts(&who.counts, w->stmts[0], nr, &whom, &words);
}

static __always_inline int count_return(long ret, __u32 nr, const struct bpf_syscall_want *w)
{
	struct count_who whom = count_task(bpf_get_current_task_btf());
	const struct count_words words = {.v = {(__u64)ret}};

	return count_stmts(&who.counts, w->stmts[1], BPF_SYSCALL_MAX + nr, &whom, &words);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, unsigned long id)
{
	__u32 nr = call_of((__u32)id);
	struct bpf_syscall_want *w = bpf_map_lookup_elem(&wants, &nr);

	if (!w || !(w->flags & ANY_ENTRY) || !is_meant() || !passes_filter(w->filters[0], regs, 0))
		return 0;
	if (w->flags & BPF_WANT_ENTRY_COUNT)
		count(nr);
	if (w->flags & BPF_WANT_ENTRY ||
	    (w->flags & BPF_WANT_ENTRY_KEYED && !count_entry(regs, nr, w)))
		record(ctx, regs, nr, 0, 0, w);
	return 0;
}

/* Called by the program of clauses (kprog/clausecode.h) of an entry that they can do nothing with. */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_absent, struct pt_regs *regs, unsigned long id)
{
	__u32 nr = call_of((__u32)id);
	struct bpf_syscall_want *w = bpf_map_lookup_elem(&wants, &nr);

	if (w)
		record(ctx, regs, nr, 0, 0, w);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long ret)
{
	__u32 nr = call_of((__u32)regs->orig_ax);
	struct bpf_syscall_want *w = bpf_map_lookup_elem(&wants, &nr);

	if (!w || !(w->flags & ANY_RETURN) || !is_meant() ||
	    !passes_filter(w->filters[1], regs, ret))
		return 0;
	if (w->flags & BPF_WANT_RETURN_COUNT)
		count(BPF_SYSCALL_MAX + nr);
	if (w->flags & BPF_WANT_RETURN ||
	    (w->flags & BPF_WANT_RETURN_KEYED && !count_return(ret, nr, w)))
		record(ctx, regs, nr, 1, ret, w);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_late, struct pt_regs *regs, long ret)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), nr = call_of((__u32)regs->orig_ax);
	struct bpf_syscall_want *w = bpf_map_lookup_elem(&wants, &nr);
	struct bpf_syscall_data *d;
	struct pending *p;

	if (!w || !(w->flags & BPF_WANT_DATA))
		return 0;
	p = bpf_map_lookup_elem(&pending, &tid);
	if (!p)
		return 0;
	d = reserve_late(tid, p);
	if (d) {
#pragma unroll
		for (int i = 0; i < BPF_SYSCALL_CAPTURES; i++)
			if (p->addr[i])
				capture(d, i, p->addr[i], p->is_text[i]);
		submit(d);
	}
	bpf_map_delete_elem(&pending, &tid);
	return 0;
}

/* The memory that the path of execve was in is gone when it returns; the kernel has a copy. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_late_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	__u32 tid = (__u32)old_tid;
	struct pending *p = bpf_map_lookup_elem(&pending, &tid);
	struct bpf_syscall_data *d;
	long n;

	if (!p)
		return 0;
	d = reserve_late(tid, p);
	if (d) {
		if (p->is_text[0]) {
			n = bpf_probe_read_kernel_str(d->bytes[0], BPF_SYSCALL_BYTES,
						      BPF_CORE_READ(bprm, filename));
			d->call.captures[0].len = n > 0 ? n : 0;
		}
		submit(d);
	}
	bpf_map_delete_elem(&pending, &tid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
