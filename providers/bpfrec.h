/*
 * bpfrec.h: the treaty between the BPF programs (providers/bpf/) and the engine: what a record in the
 * ring begins with. Included by both; fixed widths only.
 */
#ifndef PROVIDERS_BPFREC_H
#define PROVIDERS_BPFREC_H

/* Which program wrote a record, and what follows its head: one number for each layout. */
enum bpf_kind {
	BPF_KIND_LOST, /* bpf_lost: records that found no room since the last one */
	BPF_KIND_SYSCALL, /* bpf_syscall */
	BPF_NKINDS = 64
};

struct bpf_head {
	unsigned long long time_ns; /* bpf_ktime_get_ns(): CLOCK_MONOTONIC; taken after the room was */
	unsigned int kind, cpu;
	unsigned int pid, tid; /* thread group and thread of the process the event is of */
};

struct bpf_syscall {
	struct bpf_head head;
	long long nr, ret;
	unsigned long long args[6];
};

#endif
