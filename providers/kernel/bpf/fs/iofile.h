/*
 * iofile.h: which file the data of a request of a disk is of.
 */
#ifndef BPF_IOFILE_H
#define BPF_IOFILE_H

#include "providers/kernel/bpf/files.h"
#include "providers/kernel/bpf/task.h"

struct block_device;

struct hlist_node {
	struct hlist_node *next;
} KERNEL;

struct qstr {
	unsigned int len;
	const unsigned char *name;
} KERNEL;

struct file_system_type {
	const char *name;
} KERNEL;

struct super_block {
	unsigned int s_dev;
	struct file_system_type *s_type;
} KERNEL;

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
} KERNEL;

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	struct {
		struct hlist_node *first;
	} i_dentry;
} KERNEL;

struct address_space {
	struct inode *host;
} KERNEL;

struct page {
	struct address_space *mapping;
	unsigned long compound_head;
} KERNEL;

struct folio {
	unsigned long index;
} KERNEL;

struct bio_vec {
	struct page *bv_page;
} KERNEL;

struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	struct {
		unsigned long long bi_sector;
		unsigned int bi_size;
	} bi_iter;
	struct bio_vec *bi_io_vec;
	void *bi_end_io;
} KERNEL;

struct path {
	struct dentry *dentry;
} KERNEL;

struct file {
	struct path f_path;
	unsigned int f_flags;
	long long f_pos;
	struct inode *f_inode;
} KERNEL;

static __always_inline void fill_path(struct bpf_file *f, struct dentry *d)
{
	struct dentry *parent;

	f->nparts = 0;
#pragma unroll
	for (int i = 0; i < BPF_FILE_PARTS; i++) {
		parent = BPF_CORE_READ(d, d_parent);
		if (!d || parent == d)
			return;
		bpf_probe_read_kernel_str(f->parts[i], BPF_FILE_NAME,
					  BPF_CORE_READ(d, d_name.name));
		f->nparts = i + 1;
		d = parent;
	}
}

static __always_inline void fill_file(struct bpf_file *f, struct inode *inode, struct dentry *d)
{
	struct super_block *sb = BPF_CORE_READ(inode, i_sb);

	f->kind = BPF_FILE_NAMED;
	f->mode = BPF_CORE_READ(inode, i_mode);
	f->device = BPF_CORE_READ(sb, s_dev);
	bpf_probe_read_kernel_str(f->fs, sizeof(f->fs), BPF_CORE_READ(sb, s_type, name));
	fill_path(f, d);
}

/* The file that the system call of the thread works on: read, write, pread64, readv ... */
static __always_inline struct file *file_of_call(void)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	long nr = BPF_CORE_READ(regs, orig_ax);

	if (BPF_CORE_READ((struct task_struct___task *)t, flags) & PF_KTHREAD || is_compat())
		return 0;
	if (nr != 0 && nr != 1 && nr != 17 && nr != 18 && nr != 19 && nr != 20 && nr != 295 &&
	    nr != 296 && nr != 327 && nr != 328)
		return 0;
	return file_of((__u32)BPF_CORE_READ(regs, di), 0);
}

static __always_inline void fill_direct(struct bpf_file *f)
{
	struct file *file = file_of_call();

	f->is_direct = 1;
	f->kind = BPF_FILE_DIRECT;
	if (!file)
		return;
	fill_file(f, BPF_CORE_READ(file, f_inode), BPF_CORE_READ(file, f_path.dentry));
	f->flags = BPF_CORE_READ(file, f_flags);
	f->offset = BPF_CORE_READ(file, f_pos);
}

static __always_inline void fill_no_file(struct bpf_file *f)
{
	f->kind = BPF_FILE_NONE;
	f->nparts = f->flags = f->mode = f->device = 0;
	f->is_direct = 0;
	f->offset = 0;
	f->fs[0] = '\0';
}

/* Of pages of the page cache it is the file system's own if they are of no file's mapping. */
static __always_inline __u32 kind_of_data(struct bio *bio, unsigned long *mapping)
{
	struct page *page = bio->bi_io_vec->bv_page;
	unsigned long head;

	*mapping = 0;
	if (!bio || !page)
		return BPF_FILE_NONE;
	head = BPF_CORE_READ(page, compound_head);
	if (head & 1)
		page = (struct page *)(head - 1);
	*mapping = (unsigned long)BPF_CORE_READ(page, mapping);
	return *mapping & 3 ? BPF_FILE_DIRECT : BPF_FILE_META;
}

/* Pages of the page cache lead to their file: page, or its head, mapping, inode, a name of it. */
static __always_inline void fill_owner(struct bpf_file *f, struct bio *bio)
{
	struct hlist_node *alias;
	unsigned long mapping;
	struct inode *inode;

	fill_no_file(f);
	f->kind = kind_of_data(bio, &mapping);
	if (f->kind == BPF_FILE_DIRECT)
		fill_direct(f);
	if (f->kind != BPF_FILE_META || !mapping)
		return;
	inode = BPF_CORE_READ((struct address_space *)mapping, host);
	alias = BPF_CORE_READ(inode, i_dentry.first);
	if (!alias)
		return;
	fill_file(f, inode, (void *)alias - bpf_core_field_offset(struct dentry, d_u.d_alias));
}

#endif
