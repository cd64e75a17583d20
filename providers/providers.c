#include "providers/providers.h"

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
