/*
 * prov_rawtp.c: tracepoints with the arguments the kernel itself passes (docs/spec/providers.md
 * §5): rawtp:SYSTEM::EVENT. Where the linux-SYSTEM probes have the fields of a record, args[] here
 * are the kernel's own structures, with all that hangs at them.
 */
#include <errno.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "providers/kernel/kprog/kernprobe.h"
#include "providers/kernel/perf.h"
#include "providers/providers.h"

static bool rawtp_on_demand(const char *prov)
{
	return strcmp(prov, "rawtp") == 0;
}

struct search {
	struct session *session;
	const struct probe_desc *desc;
};

static void offer(void *arg, const char *system, const char *event)
{
	const struct search *sr = arg;
	const struct probe_desc *d = sr->desc;
	struct session *s = sr->session;
	struct kernpoint *pt;
	struct probe *p;

	/* those of single system calls are made of two raw ones */
	if (!glob_field(d->mod, system) || !glob_field(d->func, "") ||
	    !glob_field(d->name, event) || strcmp(system, "syscalls") == 0)
		return;
	p = probe_create(s, &prov_rawtp, "rawtp", system, "", event, NULL);
	if (p->arg)
		return;
	p->arg = pt = ARENA_NEW(s->arena, struct kernpoint);
	pt->kind = KPROG_RAW;
	pt->target = p->name;
}

static int rawtp_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	struct search sr = {s, d};
	int rc;

	if (!d || strcmp(d->prov, "rawtp") != 0)
		return 0;
	rc = tracefs_check(world_tracefs(world_of(s)), err);
	if (rc < 0 && !opt_on(&s->options, OPT_ZDEFS)) {
		*tag = D_PDESC_ZERO;
		return rc;
	}
	tracefs_each(world_tracefs(world_of(s)), offer, &sr);
	return 0;
}

static void rawtp_snapshot(struct session *s)
{
	kernprobe_snapshot(s, &prov_rawtp);
}

const struct provider prov_rawtp = {
	.name = "rawtp",
	.is_of_kernel = true,
	.on_demand = rawtp_on_demand,
	.provide = rawtp_provide,
	.enable = kernprobe_enable,
	.argtypes = kernprobe_argtypes,
	.stop = rawtp_snapshot,
	.snapshot = rawtp_snapshot,
	.loss = LOSS_KERNEL,
	.attrs = &raw_attrs,
};
