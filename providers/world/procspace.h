/*
 * procspace.h: the memory of processes that are seen by late events: to be read while they live,
 * and what is mapped where, so that their addresses have names.
 */
#ifndef PROVIDERS_WORLD_PROCSPACE_H
#define PROVIDERS_WORLD_PROCSPACE_H

#include "providers/world/world.h"

struct livespaces;

struct livespaces *livespaces_new(struct world *);
void livespaces_free(struct livespaces *);
/* The process as a target; valid until it is forgotten. Reads fail once it is gone. */
struct target *livespace_of(struct livespaces *, pid_t);
/* The process, if it is traced and lives; else NULL. */
struct proc *livespace_traced(const struct livespaces *, pid_t);
/* Addresses of it are about to be recorded: its mappings are told to the front. */
void livespace_know(struct livespaces *, pid_t, uint64_t time_ns);
void livespace_forget(struct livespaces *, pid_t); /* it has ended */

/*
 * What the kernel tells of mappings, in time order with the events, so that a process that is gone
 * when its events are read has its names. What was mapped before comes from /proc.
 */
struct livemap {
	taddr_t start, end;
	uint64_t file_off, ino;
	unsigned dev_major, dev_minor;
	const char *path;
};
/* NULL: no file is mapped there for execution, as far as is known. Valid until more is told. */
const struct livemap *livespace_at(struct livespaces *, pid_t, taddr_t);
void livespace_mapped(struct livespaces *, pid_t, const struct livemap *);
void livespace_execed(struct livespaces *, pid_t);
void livespace_forked(struct livespaces *, pid_t pid, pid_t parent);

#endif
