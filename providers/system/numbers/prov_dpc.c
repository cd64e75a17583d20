/*
 * prov_dpc.c: work that the kernel puts off (docs/spec/providers.md §4.11), seen by
 * providers/kernel/bpf/dpc.bpf.c.
 */
#include <errno.h>

#include "providers/providers.h"
#include "providers/system/numbers/numprov.h"
#include "providers/system/numbers/recpairs.h"

#define SOFTIRQS "on_softirq on_softirq_end "

/* clang-format off */
static const struct bpf_probe_row rows[DPC_NROWS] = {
	[DPC_DPC] =    {"dpc",    SOFTIRQS "on_tasklet| on_tasklet_end|", 3},
	[DPC_TIMER] =  {"timer",  "on_timer on_timer_end on_hrtimer on_hrtimer_end", 3},
	[DPC_THREAD] = {"thread", SOFTIRQS "on_work on_work_end", 3},
};

/* include/linux/interrupt.h; the names of the actions have changed in 6.10 and 6.14 */
static const char *const actions[BPF_SOFTIRQS] = {
	"tasklet_hi_action", "run_timer_softirq", "net_tx_action", "net_rx_action",
	"blk_done_softirq", "irq_poll_softirq", "tasklet_action",
	"sched_balance_softirq|run_rebalance_domains", "hrtimer_run_softirq",
	"rcu_core_si",
};

enum { SOFTIRQ_TIMER = 1, SOFTIRQ_HRTIMER = 8 };

/* Those whose clauses may run in the kernel. */
static const struct event_row clause_rows[] = {
	{1U << DPC_DPC | 1U << DPC_THREAD, "softirq_exit", "softirq_clauses", true},
	{1U << DPC_DPC, "tasklet_exit", "tasklet_clauses", true},
	{1U << DPC_TIMER, "timer_expire_exit", "timer_clauses", true},
	{1U << DPC_TIMER, "hrtimer_expire_exit", "hrtimer_clauses", true},
	{1U << DPC_THREAD, "workqueue_execute_end", "work_clauses", true},
};

/* Of a recording. */
static const struct recpair pairs[] = {
	{.rows = 1U << DPC_DPC | 1U << DPC_THREAD, .system = "irq", .begin = "softirq_entry",
	 .end = "softirq_exit", .key = "vec", .names = actions, .nnames = BPF_SOFTIRQS,
	 .number = "vec"},
	{.rows = 1U << DPC_TIMER, .system = "timer", .begin = "timer_expire_entry",
	 .end = "timer_expire_exit", .key = "timer", .routine = "function", .fixed = SOFTIRQ_TIMER},
	{.rows = 1U << DPC_TIMER, .system = "timer", .begin = "hrtimer_expire_entry",
	 .end = "hrtimer_expire_exit", .key = "hrtimer", .routine = "function", .fixed = SOFTIRQ_HRTIMER},
	{.rows = 1U << DPC_THREAD, .system = "workqueue", .begin = "workqueue_execute_start",
	 .end = "workqueue_execute_end", .key = "work", .routine = "function", .fixed = -1, .is_of_thread = true},
};
/* clang-format on */

/* The constants of the object. */
struct constants {
	struct bpf_wants wants;
	uint64_t actions[BPF_SOFTIRQS];
};

static int dpc_enable(struct probe *p, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	struct constants *c;
	size_t size;
	int rc;

	if (bpf_probes_are_recorded(p))
		return recpairs_enable(p, pairs, ARRAY_SIZE(pairs), err);
	rc = numprov_enable(p, BPF_KIND_DPC, clause_rows, ARRAY_SIZE(clause_rows), err);
	if (rc < 0)
		return rc;
	c = bpf_rodata(bp->opened, &size);
	if (size < sizeof(*c))
		return err_set(err, -EINVAL, "the BPF object dpc has other constants");
	for (unsigned i = 0; i < BPF_SOFTIRQS; i++)
		c->actions[i] = numprov_function(world_of(p->session), actions[i]);
	return 0;
}

static int dpc_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
		       struct err *err UNUSED)
{
	static const struct bpf_probes what = {
		.provider = &prov_dpc,
		.object = "dpc",
		.rows = rows,
		.nrows = ARRAY_SIZE(rows),
	};

	if (!d)
		numprov_create(s, &what);
	return 0;
}

const struct provider prov_dpc = {
	.name = "dpc",
	.is_of_kernel = true,
	.provide = dpc_provide,
	.enable = dpc_enable,
	.argtypes = bpf_probes_argtypes,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
