/*
 * fsstops.h: operations on files of the traced processes, by the stops of their calls (tracer.h),
 * for who may load no BPF programs: the same records (bpf/fsrec.h), put together from /proc.
 * Whether a descriptor is the last one of its file only those of the same process tell.
 */
#ifndef PROVIDERS_SYSTEM_FILES_FSSTOPS_H
#define PROVIDERS_SYSTEM_FILES_FSSTOPS_H

#include "providers/kernel/bpf/fsrec.h"
#include "providers/system/files/mounttab.h"
#include "tracer/tracer.h"

struct fsstops {
	const struct call_stop *call;
	struct mounttab *mounts;
	bool sockets; /* and pipes are files, too */
	struct bpf_fs *record;
	size_t len; /* of it */
};

/* The record of what a call begins, whose row may be another than that of the table. False: it is
 * nothing that is told. */
bool fsstops_start(struct fsstops *, const struct bpf_fs_op *, uint64_t irp);
/* That of the end of an open, with the file that it has given. False: it is gone already. */
bool fsstops_opened(struct fsstops *, uint64_t irp, int fd);
/* The end of a call that reads or writes: the beginning of its buffer, of which n bytes count,
 * behind all else. Returns how many there are. */
unsigned short fsstops_buffer(struct fsstops *, const struct bpf_fs_op *, int64_t n);
/* A call that closes descriptors without being asked for each: fn is called with the record of each
 * file of which it is the last one. */
void fsstops_closes(struct fsstops *, int nr, void (*fn)(void *arg, struct fsstops *), void *arg);

#endif
