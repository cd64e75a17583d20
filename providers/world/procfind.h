/*
 * procfind.h: processes that are there already, by name and by descent, from /proc. All of it may
 * be out of date when it is returned.
 */
#ifndef PROVIDERS_WORLD_PROCFIND_H
#define PROVIDERS_WORLD_PROCFIND_H

#include "base/base.h"

/*
 * Processes whose executable has that name or, where it has a slash, is that file; where the
 * executable may not be read, those that call themselves so. The oldest is first: of a server, the
 * one that has started the others. Returns how many; *out is malloced.
 */
unsigned procfind_name(const char *name, pid_t **out);

/* The names of all there are, some more than once. */
void procfind_names(void (*fn)(void *arg, const char *name), void *arg);

/*
 * Calls take() for each descendant of a process, parents first, again and again until there is
 * nothing new: children may be made meanwhile. Where it returns false, theirs are not looked at.
 */
void procfind_descendants(pid_t, bool (*take)(void *arg, pid_t), void *arg);

#endif
