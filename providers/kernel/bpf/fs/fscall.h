/*
 * fscall.h: what a system call that is an operation on a file asks for (struct bpf_fs_op).
 */
#ifndef BPF_FSCALL_H
#define BPF_FSCALL_H

#include "providers/kernel/bpf/callnr.h"
#include "providers/kernel/bpf/fs/fs.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * BPF_SYSCALL_MAX); /* then the other half of some */
	__type(key, __u32);
	__type(value, struct bpf_fs_op);
} ops SEC(".maps");

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

static __always_inline void set_open_flags(struct bpf_fs *r, __u32 flags)
{
	r->oflags = flags;
	r->cflags = (flags & OPEN_EXCL && flags & OPEN_CREAT) || flags & OPEN_TMPFILE ? 2
		    : flags & OPEN_TRUNC					      ? 3
		    : flags & OPEN_CREAT					      ? 1
										      : 0;
	if (!(flags & (OPEN_CREAT | OPEN_TMPFILE)))
		r->mode = 0;
}

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
	set_open_flags(r, flags);
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
		r->mode = fs_arg(regs, op->mode) & (op->flags & FS_OP_NODE ? 0177777 : 07777);
	if (op->flags & FS_OP_NODE && !(r->mode & TYPE_MASK))
		r->mode |= TYPE_FILE;
	if (op->flags & FS_OP_MAKES) {
		r->cflags = 2;
		r->mode |= op->type;
	}
	if (op->flags & FS_OP_OPENS)
		put_open_flags(r, op, regs);
	if (op->extra != FS_OP_NONE)
		r->result = (__s64)fs_arg(regs, op->extra);
}

/* The first character of a text; '?': its page is not there, so nobody knows. */
static __always_inline char first_of(__u64 addr, __u32 is_kernel)
{
	char first = '?';

	if (is_kernel)
		bpf_probe_read_kernel(&first, 1, (void *)addr);
	else
		bpf_probe_read_user(&first, 1, (void *)addr);
	return first;
}

/* Where a path with that first character begins. 0: at no open descriptor. */
static __always_inline struct path___fs *start_of(char first, __u32 dirfd)
{
	struct task_struct___fs *t = current_fs();
	struct file___fs *f;

	if (first == '/')
		return &t->fs->root;
	if ((__s32)dirfd == FD_CWD)
		return &t->fs->pwd;
	f = fs_file_of(dirfd);
	return f ? &f->f_path : 0;
}

static __always_inline void put_one_path(struct fs_scratch *s, char first, int second)
{
	const struct fs_paths *p = &s->paths;
	struct path___fs *start = start_of(first, second ? p->dirfd2 : p->dirfd);

	if (first == '?') {
		s->rec.flags |= BPF_FS_NO_TEXT;
		return;
	}
	if (start)
		put_way(s, start, second);
	else if (!second)
		s->rec.flags |= BPF_FS_NOWHERE;
}

/* The paths in s->paths, as far as they can be read. A path of nothing (AT_EMPTY_PATH) means the
 * descriptor. (Verified once, not where it is called: it is not static.) */
__noinline int fs_put_paths(struct fs_scratch *s)
{
	struct mnt_namespace___fs *mounts = current_fs()->nsproxy->mnt_ns;
	char first, first2 = '?';
	const struct fs_paths *p;
	struct file___fs *f;
	struct bpf_fs *r;

	if (!s)
		return 0;
	p = &s->paths;
	r = &s->rec;
	r->flags |= BPF_FS_TEXT;
	r->mntns = mounts->ns.inum;
	r->nmounts = mounts->event;
	first = p->path ? first_of(p->path, p->is_kernel) : '\0';
	if (!first && !p->is_new) {
		f = fs_file_of(p->dirfd);
		if (f) {
			r->flags &= ~BPF_FS_TEXT;
			put_file(s, f);
			return 0;
		}
	}
	put_one_path(s, first, 0);
	if (p->has_second) {
		r->flags |= BPF_FS_TEXT2;
		first2 = first_of(p->path2, p->is_kernel);
		put_one_path(s, first2, 1);
	}
	if (first != '?' && !put_text(s, p->path, p->is_kernel, 0))
		r->flags |= BPF_FS_NO_TEXT;
	if (first2 != '?' && !put_text(s, p->path2, p->is_kernel, 1))
		r->flags |= BPF_FS_NO_TEXT;
	return 0;
}

static __always_inline void put_path(struct fs_scratch *s, const struct bpf_fs_op *op,
				     struct pt_regs *regs)
{
	struct fs_paths *p = &s->paths;

	p->path = fs_arg(regs, op->path);
	p->path2 = fs_arg(regs, op->path2);
	p->dirfd = op->dirfd == FS_OP_NONE ? (__u32)FD_CWD : (__u32)fs_arg(regs, op->dirfd);
	p->dirfd2 = op->dirfd2 == FS_OP_NONE ? (__u32)FD_CWD : (__u32)fs_arg(regs, op->dirfd2);
	p->is_kernel = 0;
	p->has_second = op->path2 != FS_OP_NONE;
	p->is_new = (op->flags & (FS_OP_OPENS | FS_OP_MAKES)) != 0;
	fs_put_paths(s);
}

#endif
