#include "providers/world/world.h"

#define EVOLVING                                                                                   \
	{                                                                                          \
		STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON                               \
	}

#define EVOLVING_ISA                                                                               \
	{                                                                                          \
		STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA                                  \
	}
#define PRIVATE                                                                                    \
	{                                                                                          \
		STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN                                \
	}
#define PRIVATE_ISA                                                                                \
	{                                                                                          \
		STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_ISA                                    \
	}

const struct provattrs evolving_attrs = {EVOLVING, PRIVATE, PRIVATE_ISA, EVOLVING, PRIVATE_ISA};
const struct provattrs translated_attrs = {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA,
					   EVOLVING_ISA};
const struct provattrs raw_attrs = {EVOLVING_ISA, PRIVATE, PRIVATE, PRIVATE_ISA, PRIVATE_ISA};

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

void world_learn_addresses(struct world *w, const struct proc *proc, const taddr_t *pcs,
			   unsigned npcs)
{
	if (w->learn_addresses)
		w->learn_addresses(w, proc, pcs, npcs);
}
