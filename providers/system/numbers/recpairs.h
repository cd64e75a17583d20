/*
 * recpairs.h: work that begins with one tracepoint and ends with another, of a recording: what
 * providers/kernel/bpf/nesting.h does in the kernel.
 */
#ifndef PROVIDERS_SYSTEM_NUMBERS_RECPAIRS_H
#define PROVIDERS_SYSTEM_NUMBERS_RECPAIRS_H

#include "providers/kernel/bpfprobe.h"

struct recpair {
	unsigned rows; /* that it is for, a bit each; the first is fired, in ksoftirqd the last */
	const char *system, *begin, *end;
	const char *key; /* field by which an end finds its beginning; NULL: there is one kind */
	const char *routine; /* field of the beginning; NULL: the kernel's function of that name */
	const char *const *names; /* by number, nnames of them */
	unsigned nnames;
	const char *number; /* field of the beginning; NULL: `fixed` */
	int fixed;
	const char *result; /* field of the end; NULL: 1 */
	bool has_result;   /* args[2] is that, and args[3] the number; else args[2] is the number */
	bool is_of_thread; /* which may sleep in it, and change CPUs */
};

/* Errors: none of the pairs of the probe is recorded; names those that could be. */
int recpairs_enable(struct probe *, const struct recpair *, unsigned n, struct err *);

#endif
