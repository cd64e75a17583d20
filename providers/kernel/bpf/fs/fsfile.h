/*
 * fsfile.h: files of processes: which one a descriptor means.
 */
#ifndef BPF_FSFILE_H
#define BPF_FSFILE_H

#include "providers/kernel/bpf/files.h"
#include "providers/kernel/bpf/filter.h"
#include "providers/kernel/bpf/fsrec.h"

/* In this order: the engine fills them as one structure. */
const volatile struct bpf_wants wants = {0};
const volatile struct bpf_fs_who who = {0};

struct qstr___fs {
	unsigned int len;
	const unsigned char *name;
} KERNEL;

struct dentry___fs {
	struct dentry___fs *d_parent;
	struct qstr___fs d_name;
	struct inode___fs *d_inode;
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

struct address_space___fs {
	struct {
		struct {
			void *rb_node;
		} rb_root;
	} i_mmap; /* what is mapped of it */
} KERNEL;

struct file___fs {
	struct path___fs f_path;
	unsigned int f_flags;
	long long f_pos;
	struct inode___fs *f_inode;
	struct address_space___fs *f_mapping;
	struct {
		struct {
			long counter;
		} refcnt;
	} f_ref;
} KERNEL;

struct fdtable___fs {
	unsigned int max_fds;
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
	unsigned long long event; /* another one after each change */
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
	TYPE_FILE = 0100000,
	TYPE_LINK = 0120000,
	OPEN_CREAT = 0100,
	OPEN_EXCL = 0200,
	OPEN_TRUNC = 01000,
	OPEN_LARGE = 0100000,
	OPEN_TMPFILE = 020000000,
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
	return (void *)file_of(fd, wants.can_cast);
}

/* Of the file system that it is on. */
static __always_inline unsigned long magic_of(struct file___fs *file)
{
	struct file___fs *f = AT(struct file___fs, file);
	struct inode___fs *inode = GET(f, f_inode);
	struct super_block___fs *sb = GET(inode, i_sb);

	return GET(sb, s_magic);
}

#endif
