/*
 * procspace.h: the memory of processes that are seen by late events: to be read while they live,
 * and what is mapped where, so that their addresses have names.
 */
#ifndef PROVIDERS_WORLD_PROCSPACE_H
#define PROVIDERS_WORLD_PROCSPACE_H

#include "providers/world/world.h"

struct procspaces;

struct procspaces *procspaces_new(struct world *);
void procspaces_free(struct procspaces *);
/* A mapped file of that device and inode lies there, not where it is mapped from. */
void procspaces_lies(struct procspaces *, unsigned dev_major, unsigned dev_minor, uint64_t ino,
		     const char *here);
/* The path by which to open what is mapped. */
struct procspace_map;
const char *procspaces_here(const struct procspaces *, const struct procspace_map *);
/* Whose root the names of mapped files belong to: the process's, or, where all comes from a file,
 * ours. */
pid_t procspaces_namer(const struct procspaces *, pid_t);
/*
 * The process as a target, for an event whose thread was at pc in user space; valid until it is
 * forgotten. Reads fail once it is gone. A thread that ends, or executes another program, is still
 * in the call that does so when its mappings are gone: then it is the process as it was before.
 * procspaces_as_of(): all that is asked of a process is of that one, if it is of the past; NULL: of
 * now.
 */
struct target *procspace_of_code(struct procspaces *, pid_t, taddr_t pc);
void procspaces_as_of(struct procspaces *, const struct target *);
/* The process, if it is traced and lives; else NULL. */
struct proc *procspace_traced(const struct procspaces *, pid_t);
/* Addresses of it are about to be recorded: its mappings are told to the front. */
void procspace_know(struct procspaces *, pid_t, uint64_t time_ns);
void procspace_forget(struct procspaces *, pid_t, uint64_t time_ns); /* it has ended */

/*
 * For who learns later what processes did: those that end, or execute another program, are kept as
 * they were until then. When there are too many fn is called, to ask what it has to ask, and they
 * are forgotten.
 */
#define PROCSPACE_ASKERS 8
void procspaces_keep(struct procspaces *, void (*fn)(void *arg), void *arg);
/* All that is asked of this process is of that time, from now on; pid 0: of now. */
void procspaces_go_back(struct procspaces *, pid_t, uint64_t time_ns);

/*
 * What the kernel tells of mappings, in time order with the events, so that a process that is gone
 * when its events are read has its names. What was mapped before comes from /proc.
 */
struct procspace_map {
	taddr_t start, end;
	uint64_t file_off, ino;
	unsigned dev_major, dev_minor;
	const char *path;
};
/* NULL: no file is mapped there for execution, as far as is known. Valid until more is told. */
const struct procspace_map *procspace_at(struct procspaces *, pid_t, taddr_t);
void procspace_mapped(struct procspaces *, pid_t, const struct procspace_map *);
void procspace_execed(struct procspaces *, pid_t, uint64_t time_ns);
void procspace_forked(struct procspaces *, pid_t pid, pid_t parent, uint64_t time_ns);

#endif
