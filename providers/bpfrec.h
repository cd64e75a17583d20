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

/*
 * A system call: entry, or return. What its pointers lead to at that moment is copied as far as it can
 * be read: the process has gone on, or is gone, when the record is read.
 */
#define BPF_SYSCALL_MAX	     1024 /* numbers */
#define BPF_SYSCALL_CAPTURES 3
#define BPF_SYSCALL_BYTES    256 /* of each */

struct bpf_syscall {
	struct bpf_head head;
	unsigned int nr, is_return;
	long long ret;
	unsigned long long args[6];
	struct {
		unsigned long long addr;
		unsigned int len;    /* 0: it could not be read */
		unsigned int is_text; /* ends with a NUL, or was cut */
	} captures[BPF_SYSCALL_CAPTURES];
};
struct bpf_syscall_data { /* only where captures are wanted */
	struct bpf_syscall call;
	char bytes[BPF_SYSCALL_CAPTURES][BPF_SYSCALL_BYTES];
};

/* What is wanted of a number; set before the programs are attached. */
enum {
	BPF_WANT_ENTRY = 1,
	BPF_WANT_RETURN = 2,
	BPF_WANT_ENTRY_COUNT = 4,
	BPF_WANT_RETURN_COUNT = 8,
	BPF_WANT_DATA = 16,
};
struct bpf_syscall_want {
	unsigned char flags;
	unsigned char pointers, texts; /* arguments that are; bit n: args[n] */
};

#endif
