/*
 * fsrecorded.h: operations on files by the system calls of a recording (raw_syscalls), which has
 * their numbers and no memory: a file is known by the number of its descriptor, not by its name.
 */
#ifndef PROVIDERS_SYSTEM_FILES_FSRECORDED_H
#define PROVIDERS_SYSTEM_FILES_FSRECORDED_H

#include "providers/system/call_tracepoints.h"
#include "providers/system/files/fsrecord.h"

/* What the call begins is about. False: it is not told (close_range, dup2: what they close). */
bool fsrecorded_start(struct fs_record *, const struct bpf_fs_op *, const struct recorded_call *,
		      uint64_t irp);

#endif
