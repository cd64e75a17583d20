#include "providers/providers.h"

#define EVOLVING                                                                                   \
	{                                                                                          \
		STAB_EVOLVING, STAB_EVOLVING, CLASS_COMMON                                         \
	}

const struct provattrs evolving_attrs = {
	EVOLVING,
	{STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN},
	{STAB_PRIVATE, STAB_PRIVATE, CLASS_ISA},
	EVOLVING,
	{STAB_PRIVATE, STAB_PRIVATE, CLASS_ISA},
};

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
pid_t world_proc_pid(const struct world_proc *wp)
{
	if (wp->proc)
		return proc_pid(wp->proc);
	return wp->untraced ? untraced_pid(wp->untraced) : 0;
}

bool world_can_stop(const struct world *w)
{
	return w->nprocs > 0 && !w->cannot_stop;
}

const unsigned nproviders = ARRAY_SIZE(providers);
