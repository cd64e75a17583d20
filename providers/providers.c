#include "providers/providers.h"

#include "providers/kernel/bpfprobe.h"
#include "providers/kernel/kprog/exits.h"
#include "providers/kernel/kprog/kernmem.h"
#include "providers/kernel/kprog/kernprobe.h"
#include "providers/kernel/perf.h"
#include "providers/world/kernsyms.h"

/* dtrace is first: BEGIN fires before the others start, END after they have stopped. */
/* clang-format off */
const struct provider *const providers[] = {
	&prov_dtrace,
	&prov_hits,
	&prov_emit,
	&prov_script,
	&prov_pmc,
	&prov_hwconfig,
	&prov_diag, /* at the end everybody else stops before it */
	&prov_profile,
	&prov_pid,
	&prov_fpid,
	&prov_usdt,
	&prov_dnet,
	&prov_tracepoint,
	&prov_syscall,
	&prov_sched,
	&prov_proc,
	&prov_io,
	&prov_ip,
	&prov_tcp,
	&prov_udp,
	&prov_tcpip,
	&prov_udpip,
	&prov_pf,
	&prov_fsinfo,
	&prov_reg,
	&prov_dpc,
	&prov_isr,
	&prov_lockstat,
	&prov_vminfo,
	&prov_sysinfo,
	&prov_fbt,
	&prov_rawtp,
};
/* clang-format on */

const unsigned nproviders = ARRAY_SIZE(providers);

void providers_free(struct world *w)
{
	bpf_probes_free(w);
	for (unsigned i = nproviders; i-- > 0;)
		if (providers[i]->free)
			providers[i]->free(w->session);
	kernprobes_free(w);
	world_kernmem_free(w);
	world_exits_free(w);
	session_free_sources(w->session);
	tracefs_free(w->tracefs);
	world_kernsyms_free(w);
	w->tracefs = NULL;
}
