/*
 * idle.bpf.c: the records of tracepoints that happen on an idle CPU, for kernels whose perf events
 * count those and write no sample (providers/perfidle.h). One program for all tracepoints: its
 * cookie says which. It answers "go on", so that everybody else's events are what they are without
 * us.
 */
#include "kernel.h"

enum { BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4 };
enum { GO_ON = 1, EBUSY = 16 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_IDLE_EVENTS);
	__type(key, __u32);
	__type(value, struct bpf_idle_event);
} events SEC(".maps");

/* For each CPU the event that writes to its ring. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} out SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_idle_record);
} room SEC(".maps");

/* What is behind the fixed fields: up to the end of the last text or array. */
static __always_inline __u32 whole_size(char *ctx, const struct bpf_idle_event *ev)
{
	__u32 size = ev->size;

	for (int i = 0; i < BPF_IDLE_WORDS; i++) {
		__u32 word = 0, end;

		if (!ev->words[i])
			break;
		bpf_probe_read_kernel(&word, sizeof(word), ctx + ev->words[i]);
		end = (word & 0xffff) + (word >> 16) + ev->bases[i];
		if (end > size)
			size = end;
	}
	return ((size + 4 + 7) & ~7U) - 4; /* as perf pads them */
}

SEC("tracepoint")
int on_idle(char *ctx)
{
	const struct bpf_idle_event *ev;
	struct bpf_idle_record *r;
	__u32 at, zero = 0;
	__u64 size;

	if (bpf_get_current_pid_tgid())
		return GO_ON;
	at = (__u32)bpf_get_attach_cookie(ctx);
	ev = bpf_map_lookup_elem(&events, &at);
	r = bpf_map_lookup_elem(&room, &zero);
	if (!ev || !r)
		return GO_ON;
	size = whole_size(ctx, ev);
	if (size > sizeof(r->raw))
		size = sizeof(r->raw);
	bpf_probe_read_kernel(r->raw, size, ctx);
	r->index = at;
	r->size = size;
	*(__u64 *)r->raw = ev->id; /* the common fields: a program finds something else there */
	if (bpf_perf_event_output(ctx, &out, BPF_F_CURRENT_CPU, r,
				  __builtin_offsetof(struct bpf_idle_record, raw) + size) == -EBUSY)
		count_lost(); /* others are counted by the ring, or come before the start */
	return GO_ON;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
