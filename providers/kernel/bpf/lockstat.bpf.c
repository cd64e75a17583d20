/*
 * lockstat.bpf.c: locks of the kernel that somebody has to wait for. Programs run here while their
 * own thread may hold any lock: what is kept has its memory from the start, and what would wait for
 * a lock of the ring itself is left out.
 */
#include "providers/kernel/bpf/nesting.h"
#include "providers/kernel/bpf/numbers.h"

const volatile struct bpf_wants wants = {0};

/* include/trace/events/lock.h */
enum {
	LCB_SPIN = 1,
	LCB_READ = 2,
	LCB_WRITE = 4,
	LCB_RT = 8,
	LCB_PERCPU = 16,
	LCB_MUTEX = 32,
};

struct bpf_ringbuf {
	struct {
	} spinlock;
} KERNEL;

struct bpf_ringbuf_map {
	struct bpf_ringbuf *rb;
} KERNEL;

/* Whoever waits for the ring is about to have it, and may not ask for it again. */
static __always_inline int is_of_ring(__u64 lock)
{
	void *rb = ((struct bpf_ringbuf_map *)&ring)->rb;

	rb += bpf_core_field_offset(struct bpf_ringbuf, spinlock);
	return lock == (__u64)rb;
}

static __always_inline unsigned int row_of(__u32 flags)
{
	if (flags & LCB_MUTEX)
		return flags & LCB_SPIN ? LOCK_ADAPTIVE_SPIN : LOCK_ADAPTIVE_BLOCK;
	if (flags & LCB_SPIN)
		return flags & (LCB_READ | LCB_WRITE) ? LOCK_RW_SPIN : LOCK_SPIN_SPIN;
	if (flags & (LCB_READ | LCB_WRITE | LCB_PERCPU))
		return LOCK_RW_BLOCK;
	return LOCK_ADAPTIVE_BLOCK;
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, __u32);
	__type(value, struct begun);
} sleepers SEC(".maps"); /* by thread */

/* Spinning is done on one CPU, and interrupts may spin in it; sleeping by a thread. A mutex is spun
 * for by a thread that may lose its CPU. */
static __always_inline int stays_on_cpu(__u32 flags)
{
	return (flags & (LCB_SPIN | LCB_MUTEX)) == LCB_SPIN;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(on_begin, void *lock, unsigned int flags)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct begun b = {.key = (__u64)lock, .more = flags};

	if (is_of_ring((__u64)lock))
		return 0;
	if (stays_on_cpu(flags)) {
		begins((__u64)lock, 0, flags);
	} else if (tid) {
		b.time_ns = bpf_ktime_get_ns();
		bpf_map_update_elem(&sleepers, &tid, &b, BPF_ANY);
	}
	return 0;
}

static __always_inline int has_slept(__u64 lock, struct begun *out)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct begun *b = bpf_map_lookup_elem(&sleepers, &tid);

	if (!b || b->key != lock)
		return 0;
	*out = *b;
	bpf_map_delete_elem(&sleepers, &tid);
	return 1;
}

CLAUSE_PROGRAM(lock_clauses);

SEC("tp_btf/contention_end")
int BPF_PROG(on_end, void *lock, int ret)
{
	struct begun b;
	unsigned int row;

	if (is_of_ring((__u64)lock) || (!ends((__u64)lock, &b) && !has_slept((__u64)lock, &b)))
		return 0;
	row = row_of((__u32)b.more);
	if (ret || !(wants.rows & 1U << row) || !current_passes(&wants.filter))
		return 0;
	if (put_numbers(ctx, &wants, BPF_KIND_LOCK, row, (__u64)lock,
			bpf_ktime_get_ns() - b.time_ns,
			b.more & (LCB_READ | LCB_WRITE) ? !(b.more & LCB_WRITE) : 0, 0,
			&lock_clauses_event))
		RUN_CLAUSES(ctx, lock_clauses);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
