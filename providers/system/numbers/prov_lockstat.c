/*
 * prov_lockstat.c: locks of the kernel that somebody had to wait for (docs/spec/providers.md §5.2),
 * seen by providers/kernel/bpf/lockstat.bpf.c. Locks that are free when they are asked for leave no
 * trace.
 */
#include "providers/providers.h"
#include "providers/system/numbers/numprov.h"

#define PROGRAMS "on_begin on_end"

/* clang-format off */
static const struct bpf_probe_row rows[LOCK_NROWS] = {
	[LOCK_ADAPTIVE_BLOCK] = {"adaptive-block", PROGRAMS, 2},
	[LOCK_ADAPTIVE_SPIN] =  {"adaptive-spin",  PROGRAMS, 2},
	[LOCK_SPIN_SPIN] =      {"spin-spin",      PROGRAMS, 2},
	[LOCK_RW_BLOCK] =       {"rw-block",       PROGRAMS, 3},
	[LOCK_RW_SPIN] =        {"rw-spin",        PROGRAMS, 3},
};
/* clang-format on */

/* Their clauses may run in the kernel. */
static const struct event_row clause_row = {(1U << LOCK_NROWS) - 1, "contention_end",
					    "lock_clauses", true};

static int lockstat_enable(struct probe *p, struct err *err)
{
	return numprov_enable(p, BPF_KIND_LOCK, &clause_row, 1, err);
}

static int lockstat_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			    struct err *err UNUSED)
{
	static const struct bpf_probes what = {
		.provider = &prov_lockstat,
		.object = "lockstat",
		.rows = rows,
		.nrows = ARRAY_SIZE(rows),
	};

	if (!d)
		numprov_create(s, &what);
	return 0;
}

const struct provider prov_lockstat = {
	.name = "lockstat",
	.is_of_kernel = true,
	.provide = lockstat_provide,
	.enable = lockstat_enable,
	.argtypes = bpf_probes_argtypes,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.instead = "lock:* and use linux-lock:::contention_begin",
};
