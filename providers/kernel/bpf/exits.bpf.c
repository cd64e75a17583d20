/*
 * exits.bpf.c: what clauses follow curthread to, of threads that end: samples and tracepoints are
 * handled later than they happen, and their thread may be gone by then.
 */
#include "providers/kernel/bpf/kernel.h"

const volatile struct bpf_exits_want want = {};

/* By number: the last thread that had it. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, BPF_EXITS);
	__type(key, __u32);
	__type(value, struct bpf_exited);
} exited SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_exited);
} blank SEC(".maps");

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 tid = BPF_CORE_READ(task, pid), set = want.set, zero = 0;
	struct bpf_exited *to = bpf_map_lookup_elem(&blank, &zero);
	struct filling f = {.p = bpf_map_lookup_elem(&pieces, &set), .is_current = 1};

	if (!to || !f.p || f.p->room > BPF_PIECE_SOME ||
	    !bpf_core_enum_value_exists(enum bpf_func_id___pieces, BPF_FUNC_loop___pieces))
		return 0;
	bpf_map_update_elem(&exited, &tid, to, BPF_ANY);
	to = bpf_map_lookup_elem(&exited, &tid);
	if (!to)
		return 0;
	f.c = (void *)to;
	f.c->head.tid = tid;
	f.c->head.pid = BPF_CORE_READ(task, tgid);
	f.c->set = set;
	f.c->got = 0;
	f.c->thread = (__u64)task;
	bpf_loop(BPF_PIECES, fill_some, &f, 0);
	to->start_ns = BPF_CORE_READ(task, start_time);
	f.c->head.time_ns = bpf_ktime_get_ns(); /* the last: 0 is not whole */
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
