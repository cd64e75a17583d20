/*
 * idle.bpf.c: the records of tracepoints that happen on an idle CPU, for kernels whose perf events
 * count those and write no sample (providers/kernel/perfidle.h). One program for all tracepoints:
 * its cookie says which. Another is at the expiry of timers: those of cpu-clock events are the
 * samples of an idle CPU. They answer "go on", so that everybody else's events are what they are
 * without us.
 */
#include "providers/kernel/bpf/kernel.h"

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

static __always_inline void submit_idle(void *ctx, struct bpf_idle_record *r, __u64 size)
{
	r->size = size;
	if (bpf_perf_event_output(ctx, &out, BPF_F_CURRENT_CPU, r,
				  __builtin_offsetof(struct bpf_idle_record, raw) + size) == -EBUSY)
		count_lost(); /* others are counted by the ring, or come before the start */
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
	*(__u64 *)r->raw = ev->id; /* the common fields: a program finds something else there */
	submit_idle(ctx, r, size);
	return GO_ON;
}

/* ---- samples ---- */

struct hrtimer {
	char any;
} KERNEL;

struct hw_perf_event {
	struct hrtimer hrtimer;
} KERNEL;

struct perf_event {
	struct hw_perf_event hw;
	__u64 id;
} KERNEL;

const volatile struct bpf_idle_timers timers = {0};
static __u64 clock; /* the function of timers that take samples, once one has been seen */

/* By its name, which costs a program less than reading all names costs the engine. */
static __always_inline _Bool is_clock(__u64 function)
{
	static const char name[] = "perf_swevent_hrtimer", format[] = "%ps";
	char text[24] = "";

	if (clock)
		return function == clock;
	if (bpf_snprintf(text, sizeof(text), format, &function, sizeof(function)) != sizeof(name))
		return 0;
	for (unsigned i = 0; i < sizeof(name); i++)
		if (text[i] != name[i])
			return 0;
	clock = function;
	return 1;
}

SEC("tracepoint")
int on_timer(char *ctx)
{
	__u64 function = 0;
	struct bpf_idle_record *r;
	char *timer = 0;
	__u32 zero = 0;

	if (bpf_get_current_pid_tgid())
		return GO_ON;
	bpf_probe_read_kernel(&function, sizeof(function), ctx + timers.function_at);
	if (!is_clock(function))
		return GO_ON;
	bpf_probe_read_kernel(&timer, sizeof(timer), ctx + timers.timer_at);
	r = bpf_map_lookup_elem(&room, &zero);
	if (!r)
		return GO_ON;
	timer -= bpf_core_field_offset(struct perf_event, hw.hrtimer);
	r->index = BPF_IDLE_SAMPLE;
	*(__u64 *)r->raw = BPF_CORE_READ((struct perf_event *)timer, id);
	submit_idle(ctx, r, sizeof(__u64) + 4);
	return GO_ON;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
