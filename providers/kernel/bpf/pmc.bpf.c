/*
 * pmc.bpf.c: samples of perf events, counted by keys where they are taken. One program for all
 * events: its cookie says which row of the engine's table the event is.
 */
#include "providers/kernel/bpf/numbers.h"

const volatile struct bpf_pmc who = {0};

#include "providers/kernel/bpf/whose.h"

enum { USER_RING = 3 }; /* of the code segment */

/* How often the program ran, by row: perf's own number says how often it should have. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BPF_COUNT_ROWS);
	__type(key, __u32);
	__type(value, __u64);
} ran SEC(".maps");

/* The kernel's struct bpf_perf_event_data, of which only its beginning is read. */
struct sampled {
	struct bpf_sampled_regs {
		unsigned long others[16], ip, cs;
	} regs;
};

SEC("perf_event")
int on_sample(struct sampled *ctx)
{
	__u32 row = (__u32)bpf_get_attach_cookie(ctx) & (BPF_COUNT_ROWS - 1), key = row;
	__u64 *n = bpf_map_lookup_elem(&ran, &key), ip = ctx->regs.ip, in_user = 0;

	if (!n)
		return 0;
	++*n;
	if (!is_meant() || (__u32)(bpf_get_current_pid_tgid() >> 32) == who.front ||
	    !current_passes(&who.wants.filter))
		return 0;
	if (who.cpc_rows & 1U << row && (ctx->regs.cs & USER_RING) == USER_RING) {
		in_user = ip;
		ip = 0;
	}
	put_numbers(ctx, &who.wants, BPF_KIND_PMC, row, ip, in_user, 0, 0, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
