/*
 * fsplace.h: where a file is, on which file system, and who else may use it: into a record that is
 * put together in scratch memory.
 */
#ifndef BPF_FSPLACE_H
#define BPF_FSPLACE_H

#include "providers/kernel/bpf/fs/fsfile.h"

/* The paths of an operation: texts of the process, or the kernel's copies. */
struct fs_paths {
	__u64 path, path2;
	__u32 dirfd, dirfd2; /* where they begin */
	unsigned char is_kernel, has_second;
	unsigned char is_new; /* it opens or makes: no path of nothing means the descriptor */
};

struct fs_scratch {
	struct bpf_fs rec;
	struct fs_paths paths;
	__u32 used; /* of rec.bytes */
	__u32 mounted;
	__u32 cut, root_of_none;
	__u32 nmapped, padding;	  /* fslast.h */
	char name[BPF_FS_PART];	  /* a part of a path that is looked at */
	__u32 counted, is_judged; /* fsjudge.h */
	struct bpf_known known;
	__u32 kept, told; /* fskept.h: rows whose clauses run here; those of this call */
	__u32 ngathered, rounds, goes_on, resumes_at; /* fsgather.h */
	__u64 words[FS_CLAUSE_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct fs_scratch);
} scratch SEC(".maps");

/*
 * The parts of a path from its end to its beginning, over the places where file systems are
 * mounted. Adds to s->used; s->mounted: how many bytes of it until the first such place.
 */
#define WAY_STEPS 48
__noinline int fs_way(struct fs_scratch *s, __u64 dentry, __u64 vfsmount)
{
	struct dentry___fs *d = AT(struct dentry___fs, dentry), *up, *root;
	struct mount___fs *m, *parent;
	__u32 from, at;
	int is_mounted = 0;

	if (!s)
		return 0;
	m = AT(struct mount___fs, vfsmount - bpf_core_field_offset(struct mount___fs, mnt));
	root = GET(m, mnt.mnt_root);
	from = at = s->used;
	s->cut = 1;
	s->root_of_none = 0;
	s->mounted = 0;
	for (int i = 0; i < WAY_STEPS; i++) {
		long n;

		if (d == root) {
			parent = GET(m, mnt_parent);
			if (!is_mounted)
				s->mounted = at - from;
			is_mounted = 1;
			if (parent == m || !parent) {
				s->cut = 0;
				break;
			}
			d = GET(m, mnt_mountpoint);
			m = parent;
			root = GET(m, mnt.mnt_root);
			continue;
		}
		up = GET(d, d_parent);
		if (at - from >= BPF_FS_WAY || at >= BPF_FS_BYTES)
			break;
		n = bpf_probe_read_kernel_str(s->rec.bytes + at, BPF_FS_PART, GET(d, d_name.name));
		if (n > 0 && n <= BPF_FS_PART)
			at += n;
		if (up == d || !up) {
			s->root_of_none = 1;
			s->cut = 0;
			break;
		}
		d = up;
	}
	if (!is_mounted)
		s->mounted = at - from;
	s->used = at;
	return 0;
}

static __always_inline void put_way(struct fs_scratch *s, struct path___fs *p, int second)
{
	__u32 before = s->used;

	fs_way(s, (__u64)BPF_CORE_READ(p, dentry), (__u64)BPF_CORE_READ(p, mnt));
	if (s->cut)
		s->rec.flags |= second ? BPF_FS_CUT2 : BPF_FS_CUT;
	if (second) {
		s->rec.way2 = s->used - before;
	} else {
		s->rec.way = s->used - before;
		s->rec.mounted = s->mounted;
		if (s->root_of_none)
			s->rec.flags |= BPF_FS_ANON;
	}
}

/* A text of the process, or of the kernel. False: its page is not there (yet). */
static __always_inline int put_text(struct fs_scratch *s, __u64 addr, __u32 is_kernel, int second)
{
	__u32 at = s->used;
	long n;

	if (at > BPF_FS_BYTES)
		return 0;
	n = is_kernel ? bpf_probe_read_kernel_str(s->rec.bytes + at, BPF_FS_PATH, (void *)addr)
		      : bpf_probe_read_user_str(s->rec.bytes + at, BPF_FS_PATH, (void *)addr);
	if (n < 0 || n > BPF_FS_PATH)
		return 0;
	if (!n) /* Linux 6.1 does not count the end of an empty text */
		n = 1;
	s->used = at + n;
	if (second)
		s->rec.text2 = n;
	else
		s->rec.text = n;
	return 1;
}

/* Locks and leases say who else may use it: 1 read, 2 write, 4 delete. */
struct file_lock___old {
	unsigned char fl_type;
} KERNEL;
struct file_lock_core___new {
	struct list_head___fs flc_list;
	unsigned char flc_type;
} KERNEL;
struct file_lock___list {
	struct list_head___fs fl_list;
	unsigned char fl_type;
} KERNEL;
enum { LOCK_WRITE = 1 };

static __always_inline __u32 shared_by(struct list_head___fs *head)
{
	struct list_head___fs *first = BPF_CORE_READ(head, next);
	unsigned char type;

	if (!first || first == head)
		return 7;
	if (bpf_core_type_exists(struct file_lock_core___new))
		type = BPF_CORE_READ(
			(struct file_lock_core___new *)((void *)first -
							bpf_core_field_offset(
								struct file_lock_core___new,
								flc_list)),
			flc_type);
	else
		type = BPF_CORE_READ(
			(struct file_lock___list *)((void *)first -
						    bpf_core_field_offset(struct file_lock___list,
									  fl_list)),
			fl_type);
	return type == LOCK_WRITE ? 4 : 5;
}

static __always_inline __u32 sharing_of(struct inode___fs *inode)
{
	struct file_lock_context___fs *c = BPF_CORE_READ(inode, i_flctx);

	if (!c)
		return 7;
	return shared_by(&c->flc_flock) & shared_by(&c->flc_lease);
}

static __always_inline void put_inode(struct bpf_fs *r, struct inode___fs *inode)
{
	struct super_block___fs *sb = BPF_CORE_READ(inode, i_sb);

	r->mode = BPF_CORE_READ(inode, i_mode);
	r->ino = BPF_CORE_READ(inode, i_ino);
	r->sharing = sharing_of(inode);
	bpf_probe_read_kernel_str(r->fs, 16, BPF_CORE_READ(sb, s_type, name));
}

static __always_inline void put_open(struct bpf_fs *r, struct file___fs *file)
{
	struct file___fs *f = AT(struct file___fs, file);

	r->flags |= BPF_FS_FILE;
	r->oflags = GET(f, f_flags);
	r->offset = GET(f, f_pos);
}

static __always_inline void put_place(struct fs_scratch *s, struct file___fs *f)
{
	put_inode(&s->rec, BPF_CORE_READ(f, f_inode));
	put_way(s, &f->f_path, 0);
}

/* The file and its place. */
static __always_inline void put_file(struct fs_scratch *s, struct file___fs *f)
{
	put_open(&s->rec, f);
	put_place(s, f);
}

#endif
