/*
 * prov_sysinfo.c: what the system as a whole does (docs/spec/providers.md §5.4), seen by
 * providers/kernel/bpf/sysinfo.bpf.c.
 */
#include "providers/providers.h"
#include "providers/system/numbers/numprov.h"

/* clang-format off */
static const struct bpf_probe_row rows[SYSINFO_NROWS] = {
	[SYSINFO_PSWITCH] = {"pswitch", "on_switch", 1},
	[SYSINFO_INV_SWTCH] = {"inv_swtch", "on_switch", 1},
	[SYSINFO_IDLETHREAD] = {"idlethread", "on_switch", 1},
	[SYSINFO_CPUMIGRATE] = {"cpumigrate", "on_migrate", 1},
	[SYSINFO_SYSREAD] = {"sysread", "on_call", 1},
	[SYSINFO_SYSWRITE] = {"syswrite", "on_call", 1},
	[SYSINFO_READCH] = {"readch", "on_return", 1},
	[SYSINFO_WRITECH] = {"writech", "on_return", 1},
	[SYSINFO_SYSEXEC] = {"sysexec", "on_call", 1},
	[SYSINFO_SYSFORK] = {"sysfork", "on_new", 1},
	[SYSINFO_SYSVFORK] = {"sysvfork", "on_new", 1},
	[SYSINFO_NTHREADS] = {"nthreads", "on_new", 1},
	[SYSINFO_PROCOVF] = {"procovf", "on_return", 1},
	[SYSINFO_TRAP] = {"trap", "on_user_fault on_kernel_fault", 1},
	[SYSINFO_INTR] = {"intr", "on_irq on_local_timer| on_reschedule| on_call_function| on_call_function_single| on_irq_work|", 1},
	[SYSINFO_XCALLS] = {"xcalls", "on_xcall|", 1},
	[SYSINFO_MUTEX_ADENTERS] = {"mutex_adenters", "on_contended", 1},
	[SYSINFO_RW_RDFAILS] = {"rw_rdfails", "on_contended", 1},
	[SYSINFO_RW_WRFAILS] = {"rw_wrfails", "on_contended", 1},
	[SYSINFO_BREAD] = {"bread", "on_issue", 1},
	[SYSINFO_BWRITE] = {"bwrite", "on_issue", 1},
	[SYSINFO_MODLOAD] = {"modload", "on_module|", 1},
	[SYSINFO_MODUNLOAD] = {"modunload", "on_module_gone|", 1},
};
/* clang-format on */

static int sysinfo_enable(struct probe *p, struct err *err)
{
	return numprov_enable(p, BPF_KIND_SYSINFO, NULL, 0, err);
}

static int sysinfo_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			   struct err *err UNUSED)
{
	static const struct bpf_probes what = {
		.provider = &prov_sysinfo,
		.object = "sysinfo",
		.rows = rows,
		.nrows = ARRAY_SIZE(rows),
	};

	if (!d)
		numprov_create(s, &what);
	return 0;
}

const struct provider prov_sysinfo = {
	.name = "sysinfo",
	.is_of_kernel = true,
	.provide = sysinfo_provide,
	.enable = sysinfo_enable,
	.argtypes = bpf_probes_argtypes,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.instead = "sched:* and raw_syscalls:* and use sched and syscall",
};
