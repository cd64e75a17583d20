/*
 * preload_proto.h: the treaty between the engine and the library that is preloaded into a program
 * of -c where ptrace is forbidden (tracer/preload/preloadlib.c).
 *
 * They are parts of one build: nothing here has a version. The library's constructor finds a socket
 * (SOCK_SEQPACKET) by the environment, sends struct preload_hello with its own /proc/self/mem,
 * which everyone may open for himself, and makes the system calls it is asked for, until it is told
 * to go on, the other end is closed, or nobody has asked for anything for PRELOAD_TIMEOUT_MS.
 */
#ifndef TRACER_PRELOAD_PRELOAD_PROTO_H
#define TRACER_PRELOAD_PRELOAD_PROTO_H

#include <stdint.h>

/* NAME=number of the socket's descriptor */
#define PRELOAD_VARIABLE "DTRACE_PRELOAD="
/* The library has no file: its path is that of a descriptor, in front of what was there before. */
#define PRELOAD_LD_PRELOAD "LD_PRELOAD="
#define PRELOAD_LIBRARY	   "/proc/self/fd/"
#define PRELOAD_TIMEOUT_MS 60000

struct preload_hello {
	int64_t error; /* errno: why there is no descriptor; 0: it comes along */
	uint64_t sp;   /* a stack pointer of its thread, */
	uint64_t tcb;  /* and %fs:0 */
	/*
	 * Address of the thread's word, a variable of the library's (__thread): the C library
	 * makes one for each new thread, which leads to a zero that nobody writes. A copy by fork
	 * has its parent's. Its distance from %fs:0 is the same in all threads.
	 */
	uint64_t word;
};

#define PRELOAD_GO UINT64_MAX /* nr: go on; there is no answer */

struct preload_request {
	uint64_t nr; /* of a system call */
	uint64_t args[6];
};

struct preload_reply {
	int64_t result; /* as the kernel gave it */
};

#endif
