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

static int lockstat_enable(struct probe *p, struct err *err)
{
	return numprov_enable(world_of(p->session)->lockstat, p, BPF_KIND_LOCK, err);
}

static int lockstat_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			    struct err *err UNUSED)
{
	static const struct bpf_probes what = {
		.provider = &prov_lockstat,
		.object = "lockstat",
		.rows = rows,
		.nrows = ARRAY_SIZE(rows),
		.knows = BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME,
	};

	if (!d)
		numprov_create(s, &world_of(s)->lockstat, &what);
	return 0;
}

static void lockstat_argtypes(struct probe *p, struct probe_args *args)
{
	bpf_probes_argtypes(world_of(p->session)->lockstat, p, args);
}

static void lockstat_snapshot(struct session *s)
{
	numprov_collect(world_of(s)->lockstat);
}

static void lockstat_free(struct session *s)
{
	numprov_free(&world_of(s)->lockstat);
}

const struct provider prov_lockstat = {
	.name = "lockstat",
	.is_of_kernel = true,
	.provide = lockstat_provide,
	.enable = lockstat_enable,
	.argtypes = lockstat_argtypes,
	.stop = lockstat_snapshot,
	.snapshot = lockstat_snapshot,
	.free = lockstat_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
};
