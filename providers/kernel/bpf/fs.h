/*
 * fs.h: operations on files as system calls make them: which file a call means, where that is, and
 * the records of it (struct bpf_fs). For the fsinfo and reg providers.
 */
#ifndef BPF_FS_H
#define BPF_FS_H

#include "providers/kernel/bpf/filter.h"
#include "providers/kernel/bpf/fsrec.h"

/* linux/bpf.h */
struct bpf_dynptr {
	__u64 words[2];
} __attribute__((aligned(8)));

struct qstr___fs {
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
	OPEN_CREAT = 0100,
	OPEN_EXCL = 0200,
	OPEN_TRUNC = 01000,
	OPEN_PATH = 010000000,
	ANON_INODES = 0x09041934,
	FD_CWD = -100,
};

/* ---- files ---- */

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

/* ---- where a file is ---- */

struct fs_scratch {
	struct bpf_fs rec;
	__u32 used; /* of rec.bytes */
	__u32 mounted;
	__u32 cut, root_of_none;
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
	struct dentry___fs *d = (void *)dentry, *up, *root;
	struct mount___fs *m;
	__u32 from, at;
	int is_mounted = 0;

	if (!s)
		return 0;
	m = (void *)vfsmount - bpf_core_field_offset(struct mount___fs, mnt);
	root = BPF_CORE_READ((struct vfsmount___fs *)vfsmount, mnt_root);
	from = at = s->used;
	s->cut = 1;
	s->root_of_none = 0;
	s->mounted = 0;
	for (int i = 0; i < WAY_STEPS; i++) {
		long n;

		if (d == root) {
			struct mount___fs *parent = BPF_CORE_READ(m, mnt_parent);

			if (!is_mounted)
				s->mounted = at - from;
			is_mounted = 1;
			if (parent == m || !parent) {
				s->cut = 0;
				break;
			}
			d = BPF_CORE_READ(m, mnt_mountpoint);
			m = parent;
			root = BPF_CORE_READ(m, mnt.mnt_root);
			continue;
		}
		up = BPF_CORE_READ(d, d_parent);
		if (at - from >= BPF_FS_WAY || at >= BPF_FS_BYTES)
			break;
		n = bpf_probe_read_kernel_str(s->rec.bytes + at, BPF_FS_PART,
					      BPF_CORE_READ(d, d_name.name));
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
		s->rec.flags |= BPF_FS_CUT;
	if (second) {
		s->rec.way2 = s->used - before;
	} else {
		s->rec.way = s->used - before;
		s->rec.mounted = s->mounted;
		if (s->root_of_none)
			s->rec.flags |= BPF_FS_ANON;
	}
}

/* A text of the process. False: its page is not there (yet). */
static __always_inline int put_text(struct fs_scratch *s, __u64 addr, int second)
{
	__u32 at = s->used;
	long n;

	if (at > BPF_FS_BYTES)
		return 0;
	n = bpf_probe_read_user_str(s->rec.bytes + at, BPF_FS_PATH, (void *)addr);
	if (n <= 0 || n > BPF_FS_PATH)
		return 0;
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
	r->device = BPF_CORE_READ(sb, s_dev);
	r->magic = BPF_CORE_READ(sb, s_magic);
	r->sharing = sharing_of(inode);
	bpf_probe_read_kernel_str(r->fs, 16, BPF_CORE_READ(sb, s_type, name));
}

/* The file and its place. */
static __always_inline void put_file(struct fs_scratch *s, struct file___fs *f)
{
	struct bpf_fs *r = &s->rec;

	r->flags |= BPF_FS_FILE;
	put_inode(r, BPF_CORE_READ(f, f_inode));
	r->oflags = BPF_CORE_READ(f, f_flags);
	r->offset = BPF_CORE_READ(f, f_pos);
	put_way(s, &f->f_path, 0);
}

/* ---- records ---- */

static __always_inline struct fs_scratch *begin_details(void)
{
	__u32 zero = 0;
	struct fs_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct bpf_fs *r;

	if (!s)
		return 0;
	r = &s->rec;
	r->flags = 0;
	r->result = 0;
	r->offset = r->bytes_asked = r->ino = 0;
	r->oflags = r->mode = r->device = r->magic = r->mntns = 0;
	r->cflags = r->way = r->mounted = r->way2 = r->text = r->text2 = 0;
	r->value = r->newvalue = 0;
	r->sharing = 7;
	r->fs[0] = '\0';
	s->used = 0;
	return s;
}

/* The scratch record with what it uses, in the name of pid and tid. */
static __always_inline void hand_over(struct fs_scratch *s, __u32 kind, __u64 time_ns)
{
	__u32 size = offsetof(struct bpf_fs, bytes) + s->used;
	__u64 id = bpf_get_current_pid_tgid();
	struct bpf_dynptr room;

	if (size > sizeof(s->rec))
		size = sizeof(s->rec);
	if (bpf_ringbuf_reserve_dynptr(&ring, size, 0, &room)) {
		bpf_ringbuf_discard_dynptr(&room, BPF_RB_NO_WAKEUP);
		count_lost();
		return;
	}
	s->rec.head.time_ns = time_ns ? time_ns : bpf_ktime_get_ns();
	s->rec.head.kind = kind;
	s->rec.head.counted = 0;
	s->rec.head.cpu = bpf_get_smp_processor_id();
	s->rec.head.pid = (__u32)(id >> 32);
	s->rec.head.tid = (__u32)id;
	bpf_dynptr_write(&room, 0, &s->rec, size, 0);
	bpf_ringbuf_submit_dynptr(&room, BPF_RB_NO_WAKEUP);
}

struct bpf_fs_short {
	struct bpf_head head;
	unsigned int row, flags;
	unsigned long long irp;
	long long result;
};

/* One without details. */
static __always_inline void hand_over_short(__u32 kind, __u32 row, __u32 flags, __u64 irp,
					    __s64 result, __u32 counted, __u64 time_ns)
{
	struct bpf_fs_short *r = reserve_at(sizeof(*r), kind, time_ns);

	if (!r)
		return;
	r->head.counted = counted;
	r->row = row;
	r->flags = flags;
	r->irp = irp;
	r->result = result;
	submit(r);
}

/* ---- what a call asks for ---- */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * BPF_SYSCALL_MAX); /* then the other half of some */
	__type(key, __u32);
	__type(value, struct bpf_fs_op);
} ops SEC(".maps");

/* What 32-bit programs mean by their numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_SYSCALL_MAX / 2);
	__type(key, __u32);
	__type(value, __u32);
} numbers32 SEC(".maps");

static __always_inline __u32 fs_call_of(__u32 nr)
{
	__u32 *n;

	if (!is_compat())
		return nr;
	n = bpf_map_lookup_elem(&numbers32, &nr);
	return n ? *n : BPF_SYSCALL_MAX;
}

static __always_inline __u64 fs_arg(struct pt_regs *regs, __u32 n)
{
	return n == FS_OP_NONE ? 0 : call_arg(regs, n);
}

struct iovec64 {
	__u64 base, len;
};
struct iovec32 {
	__u32 base, len;
};

struct iov_sum {
	__u64 at, sum;
	__u32 is_32, failed;
};

static long add_iov(__u32 i, void *arg)
{
	struct iov_sum *s = arg;
	struct iovec64 v = {0, 0};
	struct iovec32 w = {0, 0};

	if (s->is_32) {
		s->failed |= !!bpf_probe_read_user(&w, sizeof(w), (void *)(s->at + i * sizeof(w)));
		v.len = w.len;
	} else {
		s->failed |= !!bpf_probe_read_user(&v, sizeof(v), (void *)(s->at + i * sizeof(v)));
	}
	s->sum += v.len;
	return s->failed ? 1 : 0;
}

/* 0: the list cannot be read. */
static __always_inline __u64 sum_of_iovec(__u64 at, __u32 n)
{
	struct iov_sum s = {at, 0, !!is_compat(), 0};

	bpf_loop(n > 1024 ? 1024 : n, add_iov, &s, 0);
	return s.failed ? 0 : s.sum;
}

struct how {
	__u64 flags, mode;
};

static __always_inline void put_open_flags(struct bpf_fs *r, const struct bpf_fs_op *op,
					   struct pt_regs *regs)
{
	__u32 flags = fs_arg(regs, op->oflags);
	struct how how = {0, 0};

	if (op->flags & FS_OP_HOW) {
		bpf_probe_read_user(&how, sizeof(how), (void *)fs_arg(regs, op->oflags));
		flags = how.flags;
		r->mode = how.mode;
	}
	if (op->flags & FS_OP_CREAT)
		flags = OPEN_CREAT | OPEN_TRUNC | 1;
	r->oflags = flags;
	r->cflags = flags & OPEN_EXCL && flags & OPEN_CREAT ? 2
		    : flags & OPEN_TRUNC		    ? 3
		    : flags & OPEN_CREAT		    ? 1
							    : 0;
	if (!(flags & OPEN_CREAT))
		r->mode = 0;
}

/* What the numbers of a call say. */
static __always_inline void put_numbers(struct bpf_fs *r, const struct bpf_fs_op *op,
					struct pt_regs *regs)
{
	__u64 v;

	if (op->len != FS_OP_NONE) {
		r->bytes_asked = fs_arg(regs, op->len);
		if (op->flags & FS_OP_IOVEC)
			r->bytes_asked = sum_of_iovec(fs_arg(regs, 1), (__u32)r->bytes_asked);
	}
	if (op->off != FS_OP_NONE) {
		v = fs_arg(regs, op->off);
		if (op->flags & FS_OP_OFF_AT) {
			if (v)
				bpf_probe_read_user(&r->offset, 8, (void *)v);
		} else {
			if (op->flags & FS_OP_POS64 && is_compat())
				v |= fs_arg(regs, op->off + 1) << 32;
			if (v != ~0ULL) /* preadv2: the file's own */
				r->offset = v;
		}
	}
	if (op->mode != FS_OP_NONE)
		r->mode = fs_arg(regs, op->mode) & 07777;
	if (op->flags & FS_OP_MAKES) {
		r->cflags = 2;
		r->mode |= op->type;
	}
	if (op->flags & FS_OP_OPENS)
		put_open_flags(r, op, regs);
	if (op->extra != FS_OP_NONE)
		r->result = (__s64)fs_arg(regs, op->extra);
}

/* Where a path of the process begins that does not begin with a slash. */
static __always_inline void put_start(struct fs_scratch *s, __u32 dirfd, int second)
{
	struct task_struct___fs *t = current_fs();
	struct file___fs *f;

	if ((__s32)dirfd == FD_CWD) {
		put_way(s, &t->fs->pwd, second);
		return;
	}
	f = fs_file_of(dirfd);
	if (f)
		put_way(s, &f->f_path, second);
}

/* The path of a call, as far as it can be read. A path of nothing (AT_EMPTY_PATH) means the
 * descriptor. */
static __always_inline void put_path(struct fs_scratch *s, const struct bpf_fs_op *op,
				     struct pt_regs *regs)
{
	__u32 dirfd = op->dirfd == FS_OP_NONE ? (__u32)FD_CWD : (__u32)fs_arg(regs, op->dirfd);
	__u64 addr = fs_arg(regs, op->path), addr2 = fs_arg(regs, op->path2);
	struct bpf_fs *r = &s->rec;
	struct file___fs *f;
	char first = '/';

	r->flags |= BPF_FS_TEXT;
	r->mntns = current_fs()->nsproxy->mnt_ns->ns.inum;
	if (bpf_probe_read_user(&first, 1, (void *)addr) && addr)
		first = 'x';
	if (first != '/' || !addr) {
		if (!first || !addr) {
			f = fs_file_of(dirfd);
			if (f) {
				r->flags &= ~BPF_FS_TEXT;
				put_file(s, f);
				return;
			}
		}
		put_start(s, dirfd, 0);
	}
	if (op->path2 != FS_OP_NONE) {
		__u32 dirfd2 =
			op->dirfd2 == FS_OP_NONE ? (__u32)FD_CWD : (__u32)fs_arg(regs, op->dirfd2);

		first = 'x';
		r->flags |= BPF_FS_TEXT2;
		bpf_probe_read_user(&first, 1, (void *)addr2);
		if (first != '/')
			put_start(s, dirfd2, 1);
	}
	if (!put_text(s, addr, 0))
		r->flags |= BPF_FS_NO_TEXT;
	if (op->path2 != FS_OP_NONE && !put_text(s, addr2, 1))
		r->flags |= BPF_FS_NO_TEXT;
}

#endif
