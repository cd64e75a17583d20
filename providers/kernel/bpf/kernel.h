/*
 * kernel.h: what every BPF program here begins with: types of the kernel, named as the kernel names
 * them and relocated by CO-RE (only the members that are used), and the ring that takes the
 * records.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* linux/bpf.h, of which only these are wanted */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum { BPF_ANY, BPF_NOEXIST, BPF_EXIST };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { BPF_F_USER_STACK = 1 << 8, BPF_F_CURRENT_CPU = 0xffffffff };

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "providers/kernel/bpfrec.h"

#define KERNEL __attribute__((preserve_access_index))

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, flags, sp, ss;
} KERNEL;

struct task_struct {
	int pid, tgid;
	unsigned long long start_time;
	struct task_struct *real_parent, *group_leader;
} KERNEL;

struct thread_struct {
	unsigned long fsbase;
} KERNEL;

struct mm_struct___user {
	unsigned long start_stack;
} KERNEL;

struct task_struct___user {
	unsigned int flags;
	struct mm_struct___user *mm;
	struct thread_struct thread;
} KERNEL;

/* One ring for all objects of a run: the engine gives it its size and shares it. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 23);
} ring SEC(".maps");

/* Records that found no room; the engine reads it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} lost SEC(".maps");

static __always_inline void count_lost(void)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&lost, &zero);

	if (n)
		++*n;
}

static __always_inline __u32 current_pid(void)
{
	return (__u32)(bpf_get_current_pid_tgid() >> 32);
}

/* Room for a record of this size (a constant) and time (0: now), with its head filled in; NULL:
 * lost, and counted. It is looked at once: verifiers before 6.4 forget that it is not NULL. */
static __always_inline void *reserve_at(__u64 size, __u32 kind, __u64 time_ns)
{
	struct bpf_head *h = bpf_ringbuf_reserve(&ring, size, 0);
	__u64 id;

	if (!h) {
		count_lost();
		return 0;
	}
	id = bpf_get_current_pid_tgid();
	h->time_ns = time_ns ? time_ns : bpf_ktime_get_ns();
	h->kind = (__u16)kind;
	h->counted = 0;
	h->cpu = bpf_get_smp_processor_id();
	h->pid = (__u32)(id >> 32);
	h->tid = (__u32)id;
	return h;
}

/* The time of a record whose stacks have found no room: it is lost with them, and counted. */
#define NO_ROOM (~0ULL)

static __always_inline void *reserve(__u64 size, __u32 kind)
{
	return reserve_at(size, kind, 0);
}

/* The engine looks at the ring by itself, often while there is something: nobody is woken. */
static __always_inline void submit(void *record)
{
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

#include "providers/kernel/bpf/pieces.h"

static __always_inline __u32 frames_of(long bytes)
{
	return bytes > 0 ? (__u32)bytes / 8 : 0;
}

/* ---- what a user stack is found by ---- */

enum bpf_func_id___user { BPF_FUNC_task_pt_regs___user = 175 }; /* since Linux 5.15 */
enum { KERNEL_THREAD = 0x200000, USER_CODE = 0x33 };		/* PF_KTHREAD; __USER_CS */
enum { USER_PIECE = 1024 };

/* Where the stack of the current thread ends, as far as it is known: glibc and musl have what a
 * thread's fs points to at its end. */
static __always_inline __u64 stack_size(struct task_struct___user *t, __u64 sp)
{
	__u64 fs = BPF_CORE_READ(t, thread.fsbase), start = BPF_CORE_READ(t, mm, start_stack);
	__u64 size = start > sp ? start + 8 - sp : ~0ULL;

	return fs > sp && fs - sp < size ? fs - sp : size;
}

/* Up to the first page that is not there. `room` is a constant. */
static __always_inline __u64 copy_user(char *to, __u64 from, __u64 room)
{
	for (__u64 at = 0; at < room; at += USER_PIECE) {
		__u64 left = -(from + at) & (USER_PIECE - 1); /* of the page, if that is less */

		if (bpf_probe_read_user(to + at, USER_PIECE, (void *)(from + at)) == 0)
			continue;
		return left && bpf_probe_read_user(to + at, left, (void *)(from + at)) == 0
			       ? at + left
			       : at;
	}
	return room;
}

#define PUT_USER(room)                                                                             \
	do {                                                                                       \
		struct bpf_user *u = reserve_at(__builtin_offsetof(struct bpf_user, bytes) + room, \
						BPF_KIND_USER, time_ns);                           \
		if (!u)                                                                            \
			return NO_ROOM;                                                            \
		time_ns = u->head.time_ns;                                                         \
		u->head.pid = pid;                                                                 \
		u->head.tid = tid;                                                                 \
		bpf_probe_read_kernel(u->regs, sizeof(u->regs), regs);                             \
		u->len = copy_user(u->bytes, sp, room);                                            \
		submit(u);                                                                         \
	} while (0)

#define NO_USER	   1 /* a thread of the kernel */
#define OTHER_USER 2 /* a program of 32 bits */

/* Of the current thread, in the name of some thread: a record of the time that is returned, or why
 * there is none. */
static __noinline __u64 put_user(__u32 pid, __u32 tid, __u64 time_ns)
{
	struct task_struct___user *t = (void *)bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs((void *)t);
	__u64 sp, size;

	if (t->flags & KERNEL_THREAD || !t->mm)
		return NO_USER;
	if ((__u16)BPF_CORE_READ(regs, cs) != USER_CODE)
		return OTHER_USER;
	sp = BPF_CORE_READ(regs, sp);
	size = stack_size(t, sp);
	if (size <= 1024)
		PUT_USER(1024);
	else if (size <= 2048)
		PUT_USER(2048);
	else if (size <= 4096)
		PUT_USER(4096);
	else if (size <= 8192)
		PUT_USER(8192);
	else
		PUT_USER(BPF_USER_MAX);
	return time_ns;
}

/* The stacks and the pieces of the current thread, in the name of some thread, for a record of the
 * time that is returned, which follows: 0, or that of other stacks for it, where nobody wants
 * these; NO_ROOM. ctx is the program's. */
static __always_inline __u64 put_stacks(void *ctx, __u32 wanted, __u32 pid, __u32 tid,
					__u64 time_ns)
{
	struct bpf_stack *st;
	__u64 user_ns;

	if (time_ns != NO_ROOM)
		time_ns = put_pieces(bpf_get_current_task_btf(), wanted, time_ns);
	if (time_ns == NO_ROOM)
		return NO_ROOM;
	if (wanted & BPF_WANT_USER) {
		user_ns = bpf_core_enum_value_exists(enum bpf_func_id___user,
						     BPF_FUNC_task_pt_regs___user)
				  ? put_user(pid, tid, time_ns)
				  : OTHER_USER;
		if (user_ns == NO_ROOM)
			return NO_ROOM;
		if (user_ns > OTHER_USER)
			time_ns = user_ns;
		else if (user_ns == OTHER_USER)
			wanted |= BPF_WANT_USTACK;
	}
	if (!(wanted & (BPF_WANT_KSTACK | BPF_WANT_USTACK)))
		return time_ns;
	st = reserve_at(sizeof(*st), BPF_KIND_STACK, time_ns);
	if (!st)
		return NO_ROOM;
	time_ns = st->head.time_ns;
	st->head.pid = pid;
	st->head.tid = tid;
	st->nkernel = st->nuser = 0;
	if (wanted & BPF_WANT_KSTACK)
		st->nkernel = frames_of(bpf_get_stack(ctx, st->kernel, sizeof(st->kernel), 0));
	if (wanted & BPF_WANT_USTACK)
		st->nuser =
			frames_of(bpf_get_stack(ctx, st->user, sizeof(st->user), BPF_F_USER_STACK));
	submit(st);
	return time_ns;
}

static __always_inline __u64 put_own_stacks(void *ctx, __u32 wanted, __u64 time_ns)
{
	__u64 id = bpf_get_current_pid_tgid();

	return put_stacks(ctx, wanted, (__u32)(id >> 32), (__u32)id, time_ns);
}

static __always_inline __u32 log2_of(__u64 v)
{
	__u32 n = 0;

	for (__u32 bits = 32; bits; bits /= 2)
		if (v >> bits) {
			v >>= bits;
			n += bits;
		}
	return n;
}

#endif
