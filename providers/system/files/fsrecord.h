/*
 * fsrecord.h: records of operations on files (providers/kernel/bpf/fsrec.h) as D reads them: names
 * that are put together, and mounts that are looked up.
 */
#ifndef PROVIDERS_SYSTEM_FILES_FSRECORD_H
#define PROVIDERS_SYSTEM_FILES_FSRECORD_H

#include "providers/kernel/bpf/fsrec.h"
#include "providers/system/files/mounttab.h"

#define FS_PATH_ROOM 1024
#define FS_NAME_ROOM 256

/* What D reads; dscripts/lib/fsinfo.d has the same structure. */
struct fs_record {
	uint64_t offset, bytes, irp;
	int64_t extinfo;
	int32_t status;
	uint32_t row, oflags, cflags, aflags, sflags;
	char fs[16];
	char mount[FS_NAME_ROOM], name[FS_NAME_ROOM];
	char dir[FS_PATH_ROOM], path[FS_PATH_ROOM], newname[FS_PATH_ROOM];
};

/* The numbers and names of a start. Of one without details all is 0, and the names "<unknown>". */
void fs_record_set(struct fs_record *, struct mounttab *, const struct bpf_fs *, size_t len);
/* The path that came later. */
void fs_record_set_late(struct fs_record *, struct mounttab *, const struct bpf_fs *late,
			size_t len);

/* The texts that the record tells of are in it: records are as long as they need to be. */
bool fs_record_has_bytes(const struct bpf_fs *, size_t len);
/* What is known of the file since it has been opened. */
void fs_record_opened(struct fs_record *, const struct bpf_fs *end, size_t len);

#endif
