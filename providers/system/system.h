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

/* Descendants of the traced processes are to be traced as well, if they can be. */
void world_follow(struct world *);

#endif
