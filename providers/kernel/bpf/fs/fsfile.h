/*
 * fsfile.h: files of processes: which one a descriptor means, whether it is the last one of its
 * file.
 */
#ifndef BPF_FSFILE_H
#define BPF_FSFILE_H

#include "providers/kernel/bpf/filter.h"
#include "providers/kernel/bpf/fsrec.h"

struct qstr___fs {
	unsigned int len;
	const unsigned char *name;
} KERNEL;

struct dentry___fs {
	struct dentry___fs *d_parent;
	struct qstr___fs d_name;
	struct inode___fs *d_inode;
	struct {
		void *pprev;
	} d_hash;
} KERNEL;

struct vfsmount___fs {
	struct dentry___fs *mnt_root;
} KERNEL;

struct mount___fs {
	struct mount___fs *mnt_parent;
	struct dentry___fs *mnt_mountpoint;
	struct vfsmount___fs mnt;
} KERNEL;

struct mount {
	struct vfsmount___fs mnt;
} KERNEL;

struct path___fs {
	struct vfsmount___fs *mnt;
	struct dentry___fs *dentry;
} KERNEL;

struct file_system_type___fs {
	const char *name;
} KERNEL;

struct super_block___fs {
	unsigned int s_dev;
	unsigned long s_magic;
	struct file_system_type___fs *s_type;
} KERNEL;

struct list_head___fs {
	struct list_head___fs *next;
} KERNEL;

struct file_lock_context___fs {
	struct list_head___fs flc_flock, flc_lease;
} KERNEL;

struct inode___fs {
	unsigned short i_mode;
	unsigned long i_ino;
	unsigned int i_generation;
	struct super_block___fs *i_sb;
	struct file_lock_context___fs *i_flctx;
} KERNEL;

/* References to a file: before 6.13 a plain number, then one that counts from 0. */
struct file___old {
	struct {
		long counter;
	} f_count;
} KERNEL;

struct file___fs {
	struct path___fs f_path;
	unsigned int f_flags;
	long long f_pos;
	struct inode___fs *f_inode;
	struct {
		struct {
			long counter;
		} refcnt;
	} f_ref;
} KERNEL;

struct fdtable___fs {
	unsigned int max_fds;
	struct file___fs **fd;
	unsigned long *close_on_exec;
} KERNEL;

struct files_struct___fs {
	struct {
		int counter;
	} count;
	struct fdtable___fs *fdt;
} KERNEL;

struct fs_struct___fs {
	struct path___fs pwd, root;
} KERNEL;

struct ns_common___fs {
	unsigned int inum;
} KERNEL;

struct mnt_namespace___fs {
	struct ns_common___fs ns;
} KERNEL;

struct nsproxy___fs {
	struct mnt_namespace___fs *mnt_ns;
} KERNEL;

struct signal_struct___fs {
	int nr_threads;
} KERNEL;

struct task_struct___fs {
	struct files_struct___fs *files;
	struct fs_struct___fs *fs;
	struct nsproxy___fs *nsproxy;
	struct signal_struct___fs *signal;
} KERNEL;

/* include/uapi/linux/stat.h, fcntl.h, magic.h */
enum {
	TYPE_MASK = 0170000,
	TYPE_FIFO = 0010000,
	TYPE_SOCK = 0140000,
	TYPE_DIR = 0040000,
	TYPE_LINK = 0120000,
	OPEN_CREAT = 0100,
	OPEN_EXCL = 0200,
	OPEN_TRUNC = 01000,
	OPEN_LARGE = 0100000,
	OPEN_PATH = 010000000,
	ANON_INODES = 0x09041934,
	FD_CWD = -100,
};

static __always_inline struct task_struct___fs *current_fs(void)
{
	return (void *)bpf_get_current_task_btf();
}

/* Of the current process; 0: there is none of this number. */
static __always_inline struct file___fs *fs_file_of(__u32 fd)
{
	struct task_struct___fs *t = current_fs();
	struct fdtable___fs *fdt;
	struct file___fs **fds, *f = 0;

	if (!t->files)
		return 0;
	fdt = t->files->fdt;
	if (!fdt || fd >= fdt->max_fds)
		return 0;
	fds = fdt->fd;
	bpf_probe_read_kernel(&f, sizeof(void *), fds + fd);
	return f;
}

static __always_inline long references(struct file___fs *f)
{
	if (bpf_core_field_exists(f->f_ref))
		return BPF_CORE_READ(f, f_ref.refcnt.counter) + 1;
	return BPF_CORE_READ((struct file___old *)f, f_count.counter);
}

/* How often a file has been mapped: each mapping holds it, but is no descriptor. Its address may
 * be another file's by now. */
struct mappings {
	__u64 of, times;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct mappings);
} mapped SEC(".maps");

static __always_inline __u64 identity_of(struct file___fs *f)
{
	struct inode___fs *inode = BPF_CORE_READ(f, f_inode);

	return (__u64)inode ^ (__u64)BPF_CORE_READ(inode, i_ino) << 24 ^
	       (__u64)BPF_CORE_READ(inode, i_generation) << 32;
}

enum { IS_HELD, IS_LAST, IS_LAST_AND_MAPPED };

static __always_inline int last_descriptor(struct file___fs *f)
{
	__u64 key = (__u64)f;
	long n = references(f);
	struct mappings *m;

	if (n <= 1)
		return IS_LAST;
	m = bpf_map_lookup_elem(&mapped, &key);
	return m && n - 1 <= (long)m->times && m->of == identity_of(f) ? IS_LAST_AND_MAPPED
								       : IS_HELD;
}
#endif
