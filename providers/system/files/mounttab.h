/*
 * mounttab.h: which file system is mounted where a path leads to, by the tables of mounts that
 * processes have (proc_pid_mountinfo(5)), kept for a while.
 */
#ifndef PROVIDERS_SYSTEM_MOUNTTAB_H
#define PROVIDERS_SYSTEM_MOUNTTAB_H

#include "base/err.h"

struct mounttab;

struct mounttab *mounttab_new(void);
void mounttab_free(struct mounttab *);

struct mounttab_entry {
	const char *point, *type; /* valid until the next question */
};
/* Of an absolute path, as the process sees it, whose mount namespace has that number. False:
 * nobody knows. */
bool mounttab_find(struct mounttab *, pid_t, unsigned mntns, uint64_t now_ns, const char *path,
		   struct mounttab_entry *);

#endif
