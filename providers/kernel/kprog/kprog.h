/*
 * kprog.h: the BPF program of one probe of the kernel, made when the probe is enabled: a record
 * with the arguments and with the memory that the clauses read (dlang/offload/capture.h), or a
 * count. Pure: a description goes in, instructions come out.
 */
#ifndef PROVIDERS_KERNEL_KPROG_H
#define PROVIDERS_KERNEL_KPROG_H

#include <linux/bpf.h>

#include "dlang/offload/capture.h"
#include "providers/kernel/bpfrec.h"

#define KPROG_ARGS   12 /* that are recorded */
#define KPROG_FRAMES 64
#define KPROG_OWN    2
#define KPROG_MAX    1024 /* instructions */

enum kprog_kind {
	KPROG_RAW,    /* a raw tracepoint: its context is the arguments */
	KPROG_ENTRY,  /* fentry */
	KPROG_RETURN, /* fexit: arguments and result */
};

struct kprog {
	enum kprog_kind kind;
	unsigned index; /* in the record, or of the counter */
	unsigned nargs;
	bool has_result; /* of KPROG_RETURN: not void */
	bool is_counted; /* no records: `counts` only */
	bool kstack, ustack;
	bool copies_stack; /* ustack: what it is found by, instead of frames */
	struct capture capture;
	uint32_t own[KPROG_OWN];  /* processes whose hits are not meant */
	struct bpf_filter filter; /* what clauses ask for: pid, tid, and of KPROG_RAW arguments */
	int ring_fd, lost_fd, counts_fd;
	/* made by kprog_make(): where each piece lies in the record, and how long it is */
	uint32_t at[CAPTURE_KERNEL_MAX], size;
};

/* A record: fixed part, frames of the kernel, of the process, pieces in the order of the capture.
 */
struct kprog_record {
	struct bpf_head head;
	uint32_t index;
	uint32_t got; /* pieces that could be read */
	uint64_t thread, result;
	uint64_t args[KPROG_ARGS];
	int32_t kbytes, ubytes; /* of the frames; negative: none */
};

/* Behind the frames of the kernel, with copies_stack. */
#define KPROG_STACK 8192
struct kprog_user {
	uint64_t len;
	uint64_t regs[BPF_USER_REGS];
	char bytes[KPROG_STACK]; /* from the stack pointer on */
};

/* Writes the program; returns how many instructions, at most KPROG_MAX. Fills in at[] and size. */
unsigned kprog_make(struct kprog *, struct bpf_insn *);

#endif
