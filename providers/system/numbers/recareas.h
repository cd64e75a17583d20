/*
 * recareas.h: address space that processes ask for and give back, by the system calls of a
 * recording: what providers/kernel/bpf/pf.bpf.c does in the kernel.
 */
#ifndef PROVIDERS_SYSTEM_NUMBERS_RECAREAS_H
#define PROVIDERS_SYSTEM_NUMBERS_RECAREAS_H

#include "providers/system/call_tracepoints.h"

struct recarea {
	uint64_t addr, size; /* whole pages */
	uint64_t kind;	     /* PROT_ << 16 | MAP_, as far as the call tells */
};

struct recareas;
typedef void recareas_fn(void *arg, const struct recarea *, struct event *);

/* fn is told where a call of a 64-bit program has returned: what is given back (are_freed), or what
 * is asked for. */
struct recareas *recareas_new(bool are_freed, recareas_fn *fn, void *arg);
/* flags: perf_flags() of what clauses read. Errors: the calls are not recorded; r stays as long as
 * the session, all the same. */
int recareas_listen(struct recareas *, struct world *, unsigned flags, struct err *);
void recareas_free(struct recareas *); /* NULL: nothing; the recording calls it no more */

#endif
