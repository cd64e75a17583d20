/*
 * kernprobe.h: probes of the kernel that are a BPF program each, made for what their clauses read
 * (kprog.h): functions (fbt) and raw tracepoints (rawtp). What they read of the kernel's memory is
 * read at the hit; memory that no clause names beforehand is a fault.
 */
#ifndef PROVIDERS_KERNEL_KERNPROBE_H
#define PROVIDERS_KERNEL_KERNPROBE_H

#include "providers/kernel/kprog/kprog.h"
#include "providers/world/world.h"
#include "symbols/dwarf/btf.h"

/* What the provider knows of its probe: probe->arg. Lives as long as the session. */
struct kernpoint {
	enum kprog_kind kind;
	const char *target;	       /* the function, the event */
	bool was_looked_for, is_known; /* its prototype; `func` holds */
	struct kernel_func func;       /* KPROG_RAW: of the tracepoint */
	struct probe_arg *args;	       /* NULL: not made yet */
	unsigned nargs;
};

/*
 * Loads the program of a probe; it is attached when tracing starts. Errors: the sentences of
 * docs/spec/providers.md §1.3; what the kernel refuses, with the name of the function.
 */
int kernprobe_enable(struct probe *, struct err *);
/* args[] of it, from its prototype. */
void kernprobe_argtypes(struct probe *, struct probe_args *);
/* Hands over what has been counted, of the probes of this provider. */
void kernprobes_free(struct world *);
void kernprobe_snapshot(struct session *, const struct provider *);

#endif
