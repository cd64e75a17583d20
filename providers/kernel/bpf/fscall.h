/*
 * fscall.h: what a system call that is an operation on a file asks for (struct bpf_fs_op).
 */
#ifndef BPF_FSCALL_H
#define BPF_FSCALL_H

#include "providers/kernel/bpf/callnr.h"
#include "providers/kernel/bpf/fs.h"

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
		if ((!first || !addr) && !(op->flags & (FS_OP_OPENS | FS_OP_MAKES))) {
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
