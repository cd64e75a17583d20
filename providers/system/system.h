/*
 * system.h: what the engine loop tells the system providers of the traced processes.
 */
#ifndef PROVIDERS_SYSTEM_SYSTEM_H
#define PROVIDERS_SYSTEM_SYSTEM_H

#include "providers/world/world.h"

/* A call of a traced process, for the syscall provider (sys_ptrace.c). */
void sys_stops_called(struct world *, const struct call_stop *);

/* How a traced process has ended, as waitpid tells: for the proc provider (prov_proc.c). */
void proc_ended(struct world *, pid_t, int status);

/* A provider needs descendants of the traced processes to be traced as well, and they can be. */
bool system_follows(const struct world *);
/* Which: for their calls (sys_ptrace.c: its own), for how they end (prov_proc.c). When all is
 * enabled: can they be? */
bool proc_follows(const struct world *);
bool system_can_follow(struct session *);

#endif
