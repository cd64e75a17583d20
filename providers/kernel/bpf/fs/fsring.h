/*
 * fsring.h: requests of io_uring: what is known of one, and which file it means.
 */
#ifndef BPF_FSRING_H
#define BPF_FSRING_H

#include "providers/kernel/bpf/fs/fsfile.h"

struct io_rsrc_node___fs {
	unsigned long file_ptr;
} KERNEL;

struct io_fixed_file___old {
	unsigned long file_ptr;
} KERNEL;

struct io_file_table___old {
	struct io_fixed_file___old *files;
} KERNEL;

struct io_ring_ctx___old {
	struct io_file_table___old file_table;
} KERNEL;

struct io_ring_ctx___fs {
	struct {
		struct {
			struct io_rsrc_node___fs **nodes;
		} data;
	} file_table;
} KERNEL;

struct io_kiocb___fs {
	unsigned char opcode;
	unsigned int flags;
	struct {
		int res;
		int fd;
	} cqe;
	struct io_ring_ctx___fs *ctx;
} KERNEL;

/* What a request of reading and writing begins with. */
struct io_rw {
	struct {
		long long ki_pos;
	} kiocb;
	unsigned long long addr;
	unsigned int len;
} KERNEL;

/* Of fallocate and sync_file_range. */
struct io_sync {
	long long len, off;
	int mode;
} KERNEL;

/* Requests with paths: what begins with a path that the kernel has copied. */
struct filename___ring {
	const char *name;
} KERNEL;

struct open_how___ring {
	__u64 flags, mode;
} KERNEL;

struct io_open {
	int dfd;
	__u32 file_slot;
	struct filename___ring *filename;
	struct open_how___ring how;
} KERNEL;

struct io_close {
	int fd;
	__u32 file_slot;
} KERNEL;

struct io_statx {
	int dfd;
	struct filename___ring *filename;
} KERNEL;

struct io_unlink {
	int dfd, flags;
	struct filename___ring *filename;
} KERNEL;

struct io_mkdir {
	int dfd;
	unsigned short mode;
	struct filename___ring *filename;
} KERNEL;

/* Of symbolic links, too. */
struct io_link {
	int new_dfd;
	struct filename___ring *newpath;
} KERNEL;

struct io_rename {
	int old_dfd, new_dfd;
	struct filename___ring *oldpath, *newpath;
} KERNEL;

struct kernel_xattr_ctx___ring {
	unsigned long size;
} KERNEL;

struct io_xattr {
	struct kernel_xattr_ctx___ring ctx;
	struct filename___ring *filename;
} KERNEL;

struct io_ftrunc {
	long long len;
} KERNEL;

struct io_splice {
	long long off_out, off_in;
	__u64 len;
	int splice_fd_in;
	unsigned int flags;
} KERNEL;

/* include/uapi/linux/io_uring.h */
enum {
	RING_READV = 1,
	RING_WRITEV,
	RING_FSYNC,
	RING_READ_FIXED,
	RING_WRITE_FIXED,
	RING_SYNC_RANGE = 8,
	RING_FALLOCATE = 17,
	RING_OPENAT,
	RING_CLOSE,
	RING_STATX = 21,
	RING_READ,
	RING_WRITE,
	RING_OPENAT2 = 28,
	RING_SPLICE = 30,
	RING_RENAMEAT = 35,
	RING_UNLINKAT,
	RING_MKDIRAT,
	RING_SYMLINKAT,
	RING_LINKAT,
	RING_FSETXATTR = 41,
	RING_SETXATTR,
	RING_FGETXATTR,
	RING_GETXATTR,
	RING_FTRUNCATE = 55,
	RING_READV_FIXED = 60,
	RING_WRITEV_FIXED,
};
enum { FIXED_FILE = 1, FILE_BITS = 7 };
enum { SPLICE_FIXED_IN = 1U << 31 };

/* What a request is; FS_NROWS: nothing that is told of. */
static __always_inline __u32 row_of_request(__u32 opcode)
{
	switch (opcode) {
	case RING_READ:
	case RING_READV:
	case RING_READ_FIXED:
	case RING_READV_FIXED:
	case RING_SPLICE:
		return FS_READ;
	case RING_WRITE:
	case RING_WRITEV:
	case RING_WRITE_FIXED:
	case RING_WRITEV_FIXED:
		return FS_WRITE;
	case RING_FSYNC:
	case RING_SYNC_RANGE:
		return FS_FLUSH;
	case RING_FALLOCATE:
	case RING_FTRUNCATE:
	case RING_FSETXATTR:
	case RING_SETXATTR:
		return FS_SETINFO;
	case RING_STATX:
	case RING_FGETXATTR:
	case RING_GETXATTR:
		return FS_QUERYINFO;
	case RING_OPENAT:
	case RING_OPENAT2:
	case RING_MKDIRAT:
	case RING_SYMLINKAT:
	case RING_LINKAT:
		return FS_CREATE;
	case RING_CLOSE:
		return FS_CLEANUP;
	case RING_UNLINKAT:
		return FS_DELETE;
	case RING_RENAMEAT:
		return FS_RENAME;
	}
	return FS_NROWS;
}

static __always_inline int has_paths(__u32 opcode)
{
	return opcode == RING_STATX || opcode == RING_OPENAT || opcode == RING_OPENAT2 ||
	       (opcode >= RING_RENAMEAT && opcode <= RING_LINKAT) || opcode == RING_SETXATTR ||
	       opcode == RING_GETXATTR;
}

struct request {
	__u32 pid, tid;
	__u32 started; /* a bit for each operation */
	__u32 opens;   /* its result is a descriptor */
};

/* Those that are under way: they are completed in anybody's name. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct request);
} requests SEC(".maps");

/* The file number n of those that are registered. */
static __always_inline struct file___fs *registered_file(struct io_ring_ctx___fs *ctx, __u32 n)
{
	struct io_rsrc_node___fs **nodes, *node = 0;
	unsigned long file = 0;

	if (bpf_core_field_exists(ctx->file_table.data.nodes)) {
		nodes = BPF_CORE_READ(ctx, file_table.data.nodes);
		bpf_probe_read_kernel(&node, sizeof(void *), nodes + n);
		file = BPF_CORE_READ(node, file_ptr);
	} else if (bpf_core_field_exists(((struct io_ring_ctx___old *)ctx)->file_table.files)) {
		struct io_fixed_file___old *files =
			BPF_CORE_READ((struct io_ring_ctx___old *)ctx, file_table.files);

		bpf_probe_read_kernel(
			&file, sizeof(file),
			(void *)files + (__u64)n * bpf_core_type_size(struct io_fixed_file___old));
	}
	return (void *)(file & ~(unsigned long)FILE_BITS);
}

#endif
