/*
 * prov_fpid.c: entry and return of functions with the least cost there is. Names, processes and
 * what becomes of them are the pid provider's; what no hook can do is done by its breakpoints.
 */
#include "providers/pid.h"

/* clang-format off */
static const struct provattrs attrs = {
	{STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA},
	{STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN}, {STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN},
	{STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA}, {STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN}};
/* clang-format on */

const struct provider prov_fpid = {
	.name = "fpid",
	.on_demand = fpid_on_demand,
	.provide = pid_provide,
	.matches = pid_matches,
	.enable = pid_enable,
	.disable = pid_disable,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
	.attrs = &attrs,
};
