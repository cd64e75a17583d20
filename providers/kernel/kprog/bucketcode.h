/*
 * bucketcode.h: into which bucket of a distribution a value falls (dlang/run/histogram.c), as BPF
 * instructions.
 */
#ifndef PROVIDERS_KERNEL_KPROG_BUCKETCODE_H
#define PROVIDERS_KERNEL_KPROG_BUCKETCODE_H

#include "dlang/session.h"
#include "providers/kernel/bpfrec.h"
#include "providers/kernel/kprog/emit.h"

/* The value is in r1, its bucket comes to r2; r3, r4 and r5 are used. */
void bucketcode_write(struct emitter *, const struct aggvar *, const struct bpf_count *);

#endif
