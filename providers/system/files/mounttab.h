/*
 * mounttab.h: which file system is mounted where a path leads to, by the tables of mounts that
 * processes have (proc_pid_mountinfo(5)), kept until they change.
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
/* Who has used the path, and when. */
struct mounttab_of {
	pid_t pid;
	unsigned mntns;	 /* the number of its mount namespace */
	unsigned change; /* grows with each change there; 0: not known, a table is good for a while
			  */
	uint64_t time_ns;
};
/* Of an absolute path in that namespace. False: nobody knows. */
bool mounttab_find(struct mounttab *, const struct mounttab_of *, const char *path,
		   struct mounttab_entry *);

#endif
