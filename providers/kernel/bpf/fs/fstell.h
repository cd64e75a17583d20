/*
 * fstell.h: what the fsinfo provider tells of a start, and whether: a record, a short one where
 * nobody asks for members, or a count.
 */
#ifndef BPF_FSTELL_H
#define BPF_FSTELL_H

#include "providers/kernel/bpf/fs/fsjudge.h"

static __always_inline int is_wanted(__u32 row)
{
	__u32 rows = 1U << row;

	if (row == FS_CLEANUP)
		rows |= 1U << FS_CLOSE;
	return (wants.rows & rows) != 0;
}

/* Records of starts are wanted for the sake of their ends, too: they say which file it was. */
static __always_inline int is_told(__u32 row)
{
	return is_wanted(row) || (wants.rows & 1U << FS_DONE && wants.details);
}

/* The file is one of those that nobody asks for. */
static __always_inline int is_left_out(struct file___fs *file)
{
	struct file___fs *f = AT(struct file___fs, file);
	struct inode___fs *inode = GET(f, f_inode);
	__u32 type = GET(inode, i_mode) & TYPE_MASK;

	return !who.sockets && (type == TYPE_FIFO || type == TYPE_SOCK);
}

/* Reads of inotify and fanotify descriptors wait for changes of directories. */
#define NAME_INOTIFY  0x796669746f6e69ULL /* "inotify" */
#define NAME_FANOTIFY 0x69746f6e61665bULL /* "[fanotify]", as much of it as there is room for */

static __always_inline int tells_of_changes(struct file___fs *f)
{
	__u64 name = 0;

	if (magic_of(f) != ANON_INODES)
		return 0;
	bpf_probe_read_kernel_str(&name, sizeof(name),
				  BPF_CORE_READ(f, f_path.dentry, d_name.name));
	return name == NAME_INOTIFY || name == NAME_FANOTIFY;
}

/* A start or an end without details: a record, unless all who ask for it count. Where a filter asks
 * for the file the start has told, and the engine asks it again. No inline function for the sake of
 * the stack. */
static __noinline void tell_short(void *ctx, __u32 row, __u32 flags, __u64 irp, __s64 result)
{
	__u32 rows = wants.rows & (1U << row | (row == FS_CLEANUP ? 1U << FS_CLOSE : 0));
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 counted = 0;

	if (!wants.filter_asks && rows & 1U << row && count_row(&wants, row, task, 0))
		counted = 1U << row;
	if (row == FS_CLEANUP && rows & 1U << FS_CLOSE && count_row(&wants, FS_CLOSE, task, 0))
		counted |= 1U << FS_CLOSE;
	if (rows && !(rows & ~counted))
		return;
	hand_over_short(BPF_KIND_FS, row, flags, irp, result, counted,
			put_own_stacks(ctx, wants.stacks, 0));
}

/* The rest of a record that is wanted as far as is known: not if the rest says otherwise. */
static __always_inline int tell_rest(void *ctx, struct fs_scratch *s)
{
	int becomes = IS_RECORD;

	if (is_asked(BIT(FS_WORD_MOUNT))) {
		know_mount(s);
		becomes = fs_judge(s, s->rec.row);
	}
	if (becomes == IS_RECORD)
		hand_over(s, BPF_KIND_FS, put_own_stacks(ctx, wants.stacks, 0));
	return becomes;
}

/* The record of a file, or of none. NULL: without details it has been told, or there is no room for
 * them. */
static __always_inline struct fs_scratch *begin_file(void *ctx, __u32 row, __u32 flags, __u64 irp,
						     struct file___fs *f)
{
	struct fs_scratch *s;

	if (!wants.details) {
		tell_short(ctx, row, flags, irp, 0);
		return 0;
	}
	s = begin_details();
	if (!s)
		return 0;
	s->rec.row = row;
	s->rec.flags = flags;
	s->rec.irp = irp;
	if (f)
		put_open(&s->rec, f);
	else
		s->rec.flags |= BPF_FS_NO_FILE;
	return s;
}

#endif
