/*
 * fsring.h: requests of io_uring: what is known of one, and which file it means.
 */
#ifndef BPF_FSRING_H
#define BPF_FSRING_H

#include "providers/kernel/bpf/fsfile.h"

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

/* include/uapi/linux/io_uring.h */
enum {
	RING_READV = 1,
	RING_WRITEV,
	RING_FSYNC,
	RING_READ_FIXED,
	RING_WRITE_FIXED,
	RING_SYNC_RANGE = 8,
	RING_FALLOCATE = 17,
	RING_READ = 22,
	RING_WRITE
};
enum { FIXED_FILE = 1, FILE_BITS = 7 };

struct request {
	__u32 pid, tid;
};

/* Those that are under way: they are completed in anybody's name. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct request);
} requests SEC(".maps");

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
