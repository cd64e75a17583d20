/*
 * system.h: what the engine loop tells the system providers of the traced processes.
 */
#ifndef PROVIDERS_SYSTEM_SYSTEM_H
#define PROVIDERS_SYSTEM_SYSTEM_H

#include "providers/world/world.h"

/* A call of a traced process, for the syscall provider (sys_ptrace.c) and all who watch. */
void sys_stops_called(struct world *, const struct call_stop *);

/* Who is told of all calls of the traced processes, and of those of their descendants, if these can
 * be followed. */
struct call_watcher {
	void (*called)(void *arg, const struct call_stop *);
	void *arg;
	bool follows;
	struct call_watcher *next; /* of the run, from world.call_watchers */
};
/* When all is enabled; it lives until providers are freed. */
void sys_stops_watch(struct session *, struct call_watcher *);

/* How a traced process has ended, as waitpid tells: for the proc provider (prov_proc.c). */
void proc_ended(struct world *, pid_t, int status);

/* What a stop at a call is about; returns its number, as in syscalls.h. The event is valid as long
 * as both. */
int sys_stops_event(const struct call_stop *, struct hit *, struct event *);
/* The stack at such a stop, as in struct provider. */
unsigned sys_stops_ustack(const struct event *, taddr_t *pcs, unsigned max);

/* A provider needs descendants of the traced processes to be traced as well, and they can be. */
bool system_follows(const struct world *);
/* Which: for their calls (sys_ptrace.c: its own), for how they end (prov_proc.c). When all is
 * enabled: can they be? */
bool proc_follows(const struct world *);
bool system_can_follow(struct session *);

#endif
