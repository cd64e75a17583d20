/*
 * livespace.h: the memory of processes that are seen by late events: to be read while they live, and
 * what is mapped where, so that their addresses have names.
 */
#ifndef PROVIDERS_LIVESPACE_H
#define PROVIDERS_LIVESPACE_H

#include "providers/providers.h"

struct livespaces;

struct livespaces *livespaces_new(struct world *);
void livespaces_free(struct livespaces *);
/* The process as a target; valid until it is forgotten. Reads fail once it is gone. */
struct target *livespace_of(struct livespaces *, pid_t);
/* Addresses of it are about to be recorded: its mappings are read if these are not known. */
void livespace_know(struct livespaces *, pid_t, const taddr_t *pcs, unsigned npcs,
		    uint64_t time_ns);
void livespace_forget(struct livespaces *, pid_t); /* it has ended, or runs another program */

#endif
