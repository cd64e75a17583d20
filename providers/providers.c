#include "providers/providers.h"

#include "providers/kernel/bpf.h"
#include "providers/kernel/kernmem.h"
#include "providers/kernel/kernprobe.h"
#include "providers/kernel/perf.h"
#include "providers/world/kernsyms.h"

/* dtrace is first: BEGIN fires before the others start, END after they have stopped. */
/* clang-format off */
const struct provider *const providers[] = {
	&prov_dtrace,
	&prov_profile,
	&prov_pid,
	&prov_fpid,
	&prov_usdt,
	&prov_tracepoint,
	&prov_syscall,
	&prov_sched,
	&prov_proc,
	&prov_io,
	&prov_fbt,
	&prov_rawtp,
	&prov_diag,
};
/* clang-format on */

const unsigned nproviders = ARRAY_SIZE(providers);

void providers_free(struct world *w)
{
	for (unsigned i = nproviders; i-- > 0;)
		if (providers[i]->free)
			providers[i]->free(w->session);
	kernprobes_free(w);
	bpf_free(w->bpf);
	world_kernmem_free(w);
	perf_free(w->perf);
	tracefs_free(w->tracefs);
	world_kernsyms_free(w);
	w->bpf = NULL;
	w->perf = NULL;
	w->tracefs = NULL;
}
