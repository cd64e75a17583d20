/*
 * targets.h: which processes one -p means: of a number, or all of a name; and with -x follow the
 * children that each of them has already.
 */
#ifndef COMMAND_TARGETS_H
#define COMMAND_TARGETS_H

#include "command/cmdline.h"
#include "providers/world/world.h"

/*
 * Attaches to a process. `of` is the one whose probes are its, too; NULL: they are its own. Errors:
 * those of tracer_attach(); -EEXIST: it is ours already, or will come by itself.
 */
typedef int grab_attach(struct world *, pid_t, enum proc_origin, struct proc *of, struct err *);

/*
 * -EINVAL, "invalid pid": there is none of that name. Of several, those that may not be traced are
 * left, and how many is told; it is an error if all are.
 */
int grab_target(struct world *, const struct cmd_target *, grab_attach *, struct err *);

#endif
