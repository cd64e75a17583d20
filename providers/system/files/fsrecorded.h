/*
 * fsrecorded.h: operations on files by the system calls of a recording (raw_syscalls), which has
 * their numbers and no memory: a file is known by the number of its descriptor, not by its name.
 */
#ifndef PROVIDERS_SYSTEM_FILES_FSRECORDED_H
#define PROVIDERS_SYSTEM_FILES_FSRECORDED_H

#include "providers/system/files/fsrecord.h"
#include "providers/world/world.h"

/* A call that begins (its arguments), or has returned. */
struct fs_call {
	unsigned nr; /* as in syscalls.h */
	bool is_entry;
	uint64_t args[6];
	int64_t result;
	struct event ev;
};

/* fn is told of each call of 64-bit programs, where they begin (is_entry) or return; arg outlives
 * the session. Errors: the recording has none, or those of another processor. */
int fsrecorded_listen(struct world *, bool is_entry, void (*fn)(void *arg, struct fs_call *),
		      void *arg, struct err *);

/* What the call begins is about. False: it is not told (close_range, dup2: what they close). */
bool fsrecorded_start(struct fs_record *, const struct bpf_fs_op *, const struct fs_call *,
		      uint64_t irp);

#endif
