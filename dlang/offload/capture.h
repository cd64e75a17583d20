/*
 * capture.h: what the clauses of a probe read of the thread that hits it, for sources that record a
 * hit and let the thread go on (ARCHITECTURE.md, Needs and claims).
 */
#ifndef DLANG_OFFLOAD_CAPTURE_H
#define DLANG_OFFLOAD_CAPTURE_H

#include "dlang/session.h"

/*
 * A piece of the target's memory: `len` bytes at base + off. The base is an argument, a register, or
 * what an earlier piece of 8 bytes holds: a chain of pointers is several pieces.
 */
struct capture_mem {
	enum { MEM_ABSOLUTE, MEM_ARG, MEM_PIECE, MEM_THREAD, MEM_REG } base; /* THREAD: curthread */
	unsigned index; /* of the argument, of the piece, of uregs[] */
	int64_t off;
	uint32_t len;
	bool is_string; /* as far as its end, at most len */
};
#define CAPTURE_MEM_MAX	   12
#define CAPTURE_KERNEL_MAX 24 /* with of_kernel */

struct capture {
	unsigned nmem;
	struct capture_mem mem[CAPTURE_KERNEL_MAX];
	unsigned nargs;	  /* arg0 and up */
	unsigned nframes; /* of the user stack, with the probe's own pc; 2: only the caller */
	bool regs;	  /* uregs[] */
	bool cpu;
	bool time;  /* else all that they do is aggregate, in whatever order */
	bool vtime; /* vtimestamp: who fires the event has to know it by the time (with `time`) */
	uint32_t procnums; /* rows of procnum[] that are asked for */
	bool has_regs;	   /* pieces may be where registers lead to */
	bool of_kernel;	   /* curthread is an address, and pieces may be large */
	bool of_thread;	   /* besides: arguments are no addresses, nor are constants of a process */
};

/*
 * All enabled clauses together, and those of ERROR where one of them can fault. Returns NULL, or
 * what it is that only a stopped thread can give.
 */
const char *probe_capture(const struct probe *, struct capture *);
/* The same of one of them. */
const char *ecb_capture(const struct ecb *, struct capture *);
/*
 * The memory alone (nmem, mem, nargs), for a source that has nothing slower to turn to: what cannot
 * be told in advance is left out, and is a fault when it is read.
 */
void probe_capture_kernel(const struct probe *, struct capture *);
/* The same of memory of the process. Returns NULL, or why not all of it can be told. */
const char *probe_capture_memory(const struct probe *, struct capture *);
/* Adds what they follow curthread, and addresses of the kernel itself, to. */
void probe_capture_thread(const struct probe *, struct capture *);

#endif
