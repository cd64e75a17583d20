/*
 * fsinfo.bpf.c: operations on files: one record when a system call begins, one when it returns.
 * What is no file of a directory (pipes, sockets) is left out unless it is asked for.
 */
#include "providers/kernel/bpf/fs/fscall.h"
#include "providers/kernel/bpf/fs/fsgather.h"
#include "providers/kernel/bpf/fs/fscloses.h"
#include "providers/kernel/bpf/fs/fskept.h"
#include "providers/kernel/bpf/fs/fsring.h"
#include "providers/kernel/bpf/fs/fstell.h"

enum { BPF_MAP_TYPE_TASK_STORAGE = 29, BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

/* One for each tracepoint, as these have different arguments. */
CLAUSE_PROGRAM(call_clauses);
CLAUSE_PROGRAM(ring_clauses);
CLAUSE_PROGRAM(sqe_clauses);

/* What a thread is about. */
struct doing {
	__u64 irp, time_ns;
	__u32 nr;
	unsigned char started; /* a bit for each operation of its call */
	unsigned char is_late; /* a path is to be read again */
	unsigned char opens, padding;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct doing);
} doing SEC(".maps");

/* Returns what has become of it, as the others. */
static __always_inline int tell_file(void *ctx, __u32 row, __u32 flags, __u64 irp,
				     struct file___fs *f, const struct bpf_fs_op *op,
				     struct pt_regs *regs)
{
	struct fs_scratch *s = begin_file(ctx, row, flags, irp, f);
	int becomes;

	if (!s)
		return IS_RECORD;
	if (op && regs)
		put_numbers(&s->rec, op, regs);
	if (f)
		fs_know_file(s, (__u64)f);
	else
		know_numbers(s);
	if (op && op->flags & FS_OP_OPENS && wants.rows & 1U << FS_DONE)
		s->known.known &= ~KNOWN_LATER;
	becomes = fs_judge(s, row);
	if (becomes != IS_RECORD)
		return becomes;
	if (f)
		put_place(s, f);
	return tell_rest(ctx, s);
}

/* By the text of a path, which costs less than where it begins; not of one that means the
 * descriptor. The record is left as it was. */
static __always_inline int judge_text(struct fs_scratch *s, __u32 row, const struct bpf_fs_op *op,
				      struct pt_regs *regs)
{
	int becomes = IS_RECORD;

	if (!is_asked(BIT(FS_WORD_NAME) | BIT(FS_WORD_TAIL)) ||
	    !put_text(s, fs_arg(regs, op->path), 0, 0))
		return IS_RECORD;
	if (s->rec.text > 1) {
		put_numbers(&s->rec, op, regs);
		fs_know_path(s, op->flags & FS_OP_OPENS);
		becomes = fs_judge(s, row);
	}
	s->rec.text = s->used = 0;
	return becomes;
}

/* is_late: its path is to be read again, of what was told at *time_ns. */
static __always_inline int tell_path(void *ctx, __u32 row, __u64 irp, const struct bpf_fs_op *op,
				     struct pt_regs *regs, struct doing *d)
{
	__u32 makes = op->flags & (FS_OP_OPENS | FS_OP_MAKES);
	struct fs_scratch *s;
	int becomes;

	if (!wants.details) {
		tell_short(ctx, row, 0, irp, 0);
		return IS_RECORD;
	}
	s = begin_details();
	if (!s)
		return IS_RECORD;
	s->rec.row = row;
	s->rec.irp = irp;
	if (makes) /* no file has these numbers yet */
		put_numbers(&s->rec, op, regs);
	if (makes && numbers_tell()) {
		know_numbers(s);
		if (op->flags & FS_OP_OPENS && wants.rows & 1U << FS_DONE)
			s->known.known &= ~KNOWN_LATER;
		becomes = fs_judge(s, row);
		if (becomes != IS_RECORD)
			return becomes;
	}
	becomes = judge_text(s, row, op, regs);
	if (becomes != IS_RECORD)
		return becomes;
	put_path(s, op, regs);
	if (!makes)
		put_numbers(&s->rec, op, regs);
	fs_know_path(s, op->flags & FS_OP_OPENS);
	becomes = fs_judge(s, row);
	if (becomes != IS_RECORD)
		return becomes;
	becomes = tell_rest(ctx, s);
	if (becomes == IS_RECORD && s->rec.flags & BPF_FS_NO_TEXT) {
		d->is_late = 1;
		d->time_ns = s->rec.head.time_ns;
	}
	return becomes;
}

/* ---- calls ---- */

/* The operation that a call is that has no path, if it is one of those that are wanted. Returns
 * whether it has begun. */
static __always_inline int start(void *ctx, struct pt_regs *regs, const struct bpf_fs_op *op,
				 __u64 irp)
{
	__u32 row = op->row, flags = 0;
	struct file___fs *f = 0;
	__u32 fd;

	if (op->fd != FS_OP_NONE) {
		fd = (__u32)fs_arg(regs, op->fd);
		f = fs_file_of(fd);
		if (op->flags & FS_OP_REPLACES &&
		    ((__u32)call_arg(regs, 0) == fd || !fs_file_of((__u32)call_arg(regs, 0))))
			return 0;
		if (f) {
			if (is_left_out(f))
				return 0;
			if (row == FS_READ && tells_of_changes(f))
				row = FS_DIRNOTIFY;
		}
	}
	if (op->flags & FS_OP_CONTROL && (__u32)call_arg(regs, 1) == 4) /* F_SETFL */
		row = FS_SETINFO;
	if (row == FS_CLEANUP) {
		int last = f ? last_descriptor(f) : IS_HELD;

		if (last == IS_HELD)
			return 0;
		if (last == IS_LAST_AND_MAPPED)
			flags = BPF_FS_MAPPED;
	}
	if (is_kept(row) && keep_call(row, f, op, regs, flags))
		return 0;
	return !is_told(row) || tell_file(ctx, row, flags, irp, f, op, regs) != IS_NOTHING;
}

/* The operation that a call is that has a path. */
static __always_inline int start_path(void *ctx, struct pt_regs *regs, const struct bpf_fs_op *op,
				      __u64 irp, struct doing *did)
{
	if (is_kept(op->row) && keep_call(op->row, 0, op, regs, 0))
		return 0;
	return !is_told(op->row) || tell_path(ctx, op->row, irp, op, regs, did) != IS_NOTHING;
}

static __always_inline void begin_call(void *ctx, struct pt_regs *regs, unsigned long id)
{
	__u32 nr = call_of((__u32)id);
	struct bpf_fs_op *op = bpf_map_lookup_elem(&ops, &nr);
	struct doing did = {0}, *d;
	__u64 irp = (__u64)regs;

	if (!op || op->row == FS_OP_NONE || op->flags & FS_OP_RANGE || is_own() ||
	    !current_passes(&wants.filter))
		return;
	did.irp = irp;
	did.nr = nr;
	if (op->path != FS_OP_NONE)
		did.started = start_path(ctx, regs, op, irp, &did);
	else
		did.started = start(ctx, regs, op, irp);
	if (op->flags & FS_OP_SECOND && wants.rows & (1U << FS_WRITE | 1U << FS_DONE)) {
		nr += BPF_SYSCALL_MAX;
		op = bpf_map_lookup_elem(&ops, &nr);
		if (op && start(ctx, regs, op, irp + 1))
			did.started |= 2;
	}
	if (!(wants.rows & 1U << FS_DONE) && !did.is_late)
		return;
	if (!did.started)
		return;
	d = bpf_task_storage_get(&doing, bpf_get_current_task_btf(), 0,
				 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (d) {
		did.opens = op && op->flags & FS_OP_OPENS;
		*d = did;
	} else {
		count_lost(); /* its end will not be told */
	}
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, unsigned long id)
{
	begin_kept(&call_clauses_event);
	begin_call(ctx, regs, id);
	RUN_KEPT(ctx, call_clauses);
	return 0;
}

/* What could not be read when the call was made can be now. */
static __always_inline void tell_late(struct doing *d, struct pt_regs *regs)
{
	struct fs_scratch *s = begin_details();
	__u32 nr = d->nr;
	struct bpf_fs_op *op = bpf_map_lookup_elem(&ops, &nr);

	if (!s || !op)
		return;
	s->rec.row = FS_DONE;
	s->rec.irp = d->irp;
	s->rec.result = (__s64)d->time_ns;
	put_path(s, op, regs);
	hand_over(s, BPF_KIND_FS_LATE, 0);
}

/* The end of an open, in the name of that thread: which file it is is known now. */
static __always_inline void tell_opened(struct file___fs *f, __u64 irp, __s64 fd, __u64 thread,
					__u64 time_ns)
{
	struct fs_scratch *s = begin_details();

	if (!s)
		return;
	s->rec.row = FS_DONE;
	s->rec.irp = irp;
	put_file(s, f);
	s->rec.result = fd;
	hand_over_as(s, BPF_KIND_FS, thread, time_ns);
}

static __always_inline void tell_end(void *ctx, struct doing *d, __s64 ret)
{
	struct file___fs *f = 0;

	if (wants.details && d->opens && ret >= 0)
		f = fs_file_of((__u32)ret);
	if (f) {
		tell_opened(f, d->irp, ret, bpf_get_current_pid_tgid(),
			    put_own_stacks(ctx, wants.stacks, 0));
		return;
	}
	if (d->started & 1)
		tell_short(ctx, FS_DONE, 0, d->irp, ret);
	if (d->started & 2)
		tell_short(ctx, FS_DONE, 0, d->irp + 1, ret);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long ret)
{
	struct doing *d = bpf_task_storage_get(&doing, bpf_get_current_task_btf(), 0, 0);

	if (!d || !d->started || d->irp != (__u64)regs)
		return 0;
	if (d->is_late)
		tell_late(d, regs);
	if (wants.rows & 1U << FS_DONE)
		tell_end(ctx, d, ret);
	d->started = 0;
	return 0;
}

/* ---- what closes without a call of its own ---- */

/* It ends as soon as it is told, and cannot fail. */
static __always_inline int close_file(void *ctx, void *events, struct file___fs *f)
{
	__u64 key = (__u64)f;
	int last = last_descriptor(f), becomes;
	__u32 flags;

	if (last == IS_HELD || is_left_out(f))
		return 0;
	flags = last == IS_LAST_AND_MAPPED ? BPF_FS_MAPPED : 0;
	becomes = is_kept(FS_CLEANUP) ? gather(events, f, flags) : IS_RECORD;
	if (becomes == FINDS_NO_ROOM)
		return 1;
	bpf_map_delete_elem(&mapped, &key);
	if (becomes != IS_RECORD)
		return 0;
	if (is_told(FS_CLEANUP) && tell_file(ctx, FS_CLEANUP, flags, key, f, 0, 0) == IS_NOTHING)
		return 0;
	if (wants.rows & 1U << FS_DONE)
		tell_short(ctx, FS_DONE, 0, key, 0);
	return 0;
}

/* Each mapping of a file holds it: see last_descriptor(). */
enum { NR_mmap = 9, NR_mmap_32 = 192, MAP_ANONYMOUS = 0x20 };

SEC("tp_btf/sys_exit")
int BPF_PROG(on_mapped, struct pt_regs *regs, long ret)
{
	struct file___fs *f;
	struct mappings first = {0, 1}, *m;
	__u64 key;

	if (!is_call(regs->orig_ax, NR_mmap, NR_mmap_32) || (ret < 0 && ret > -4096) ||
	    call_arg(regs, 3) & MAP_ANONYMOUS)
		return 0;
	f = fs_file_of((__u32)call_arg(regs, 4));
	if (!f)
		return 0;
	key = (__u64)f;
	first.of = identity_of(f);
	m = bpf_map_lookup_elem(&mapped, &key);
	if (m && m->of == first.of && references(f) > 2)
		__sync_fetch_and_add(&m->times, 1);
	else
		bpf_map_update_elem(&mapped, &key, &first, BPF_ANY);
	return 0;
}

/* ---- io_uring ---- */

/* What a request about a descriptor brings. */
static __always_inline void put_request(struct bpf_fs *r, struct io_kiocb___fs *req,
					__u32 is_second)
{
	__u32 opcode = BPF_CORE_READ(req, opcode);
	struct io_splice *splice = (void *)req;
	struct io_sync *sync = (void *)req;
	struct io_rw *rw = (void *)req;
	long long pos;

	switch (opcode) {
	case RING_FSYNC:
	case RING_CLOSE:
		return;
	case RING_SYNC_RANGE:
	case RING_FALLOCATE:
		r->offset = BPF_CORE_READ(sync, off);
		r->bytes_asked = BPF_CORE_READ(sync, len);
		if (opcode == RING_FALLOCATE)
			r->result = BPF_CORE_READ(sync, mode);
		return;
	case RING_FTRUNCATE:
		if (bpf_core_type_exists(struct io_ftrunc)) /* since Linux 6.9 */
			r->result = BPF_CORE_READ((struct io_ftrunc *)(void *)req, len);
		return;
	case RING_FSETXATTR:
	case RING_FGETXATTR:
		r->bytes_asked = BPF_CORE_READ((struct io_xattr *)(void *)req, ctx.size);
		return;
	case RING_SPLICE:
		r->bytes_asked = BPF_CORE_READ(splice, len);
		pos = is_second ? BPF_CORE_READ(splice, off_out) : BPF_CORE_READ(splice, off_in);
		break;
	default:
		r->bytes_asked = BPF_CORE_READ(rw, len);
		if (opcode == RING_READV || opcode == RING_WRITEV || opcode == RING_READV_FIXED ||
		    opcode == RING_WRITEV_FIXED)
			r->bytes_asked = sum_of_iovec(BPF_CORE_READ(rw, addr), r->bytes_asked);
		pos = BPF_CORE_READ(rw, kiocb.ki_pos);
	}
	if (pos != -1)
		r->offset = pos;
}

static __always_inline __u64 name_of(struct filename___ring *name)
{
	return (__u64)BPF_CORE_READ(name, name);
}

/* What a request with paths brings; the numbers after the paths, as these may name a descriptor. */
static __always_inline void put_path_request(struct fs_scratch *s, struct io_kiocb___fs *req,
					     __u32 opcode)
{
	struct io_rename *moves = (void *)req;
	struct io_unlink *unlink = (void *)req;
	struct io_statx *statx = (void *)req;
	struct io_mkdir *mkdir = (void *)req;
	struct io_open *open = (void *)req;
	struct io_link *link = (void *)req;
	struct io_xattr *xattr = (void *)req;
	struct fs_paths *p = &s->paths;
	struct bpf_fs *r = &s->rec;

	p->is_kernel = p->is_new = 1;
	p->has_second = 0;
	switch (opcode) {
	case RING_OPENAT:
	case RING_OPENAT2:
		p->dirfd = BPF_CORE_READ(open, dfd);
		p->path = name_of(BPF_CORE_READ(open, filename));
		r->mode = BPF_CORE_READ(open, how.mode) & 07777;
		set_open_flags(r, BPF_CORE_READ(open, how.flags) & ~OPEN_LARGE);
		break;
	case RING_MKDIRAT:
		p->dirfd = BPF_CORE_READ(mkdir, dfd);
		p->path = name_of(BPF_CORE_READ(mkdir, filename));
		r->mode = (BPF_CORE_READ(mkdir, mode) & 07777) | TYPE_DIR;
		r->cflags = 2;
		break;
	case RING_SYMLINKAT:
	case RING_LINKAT:
		p->dirfd = BPF_CORE_READ(link, new_dfd);
		p->path = name_of(BPF_CORE_READ(link, newpath));
		r->mode = opcode == RING_SYMLINKAT ? TYPE_LINK : 0;
		r->cflags = 2;
		break;
	default:
		p->is_new = 0;
	}
	switch (opcode) {
	case RING_STATX:
		p->dirfd = BPF_CORE_READ(statx, dfd);
		p->path = name_of(BPF_CORE_READ(statx, filename));
		break;
	case RING_UNLINKAT:
		p->dirfd = BPF_CORE_READ(unlink, dfd);
		p->path = name_of(BPF_CORE_READ(unlink, filename));
		r->result = BPF_CORE_READ(unlink, flags);
		break;
	case RING_RENAMEAT:
		p->dirfd = BPF_CORE_READ(moves, old_dfd);
		p->path = name_of(BPF_CORE_READ(moves, oldpath));
		p->dirfd2 = BPF_CORE_READ(moves, new_dfd);
		p->path2 = name_of(BPF_CORE_READ(moves, newpath));
		p->has_second = 1;
		break;
	case RING_SETXATTR:
	case RING_GETXATTR:
		p->dirfd = (__u32)FD_CWD;
		p->path = name_of(BPF_CORE_READ(xattr, filename));
		r->bytes_asked = BPF_CORE_READ(xattr, ctx.size);
	}
}

/* As keep_call(). */
static __noinline int keep_request(struct io_kiocb___fs *req, __u32 row, __u32 is_second,
				   struct file___fs *f, __u32 flags)
{
	struct fs_scratch *s = keep(row, f);

	if (!s)
		return 0;
	s->rec.flags |= flags;
	put_request(&s->rec, req, is_second);
	return is_told_to_clauses(s);
}

static __noinline int keep_path_request(struct io_kiocb___fs *req, __u32 row, __u32 opcode)
{
	struct fs_scratch *s = keep(row, 0);

	if (!s)
		return 0;
	put_path_request(s, req, opcode);
	if (!s->paths.is_new)
		put_meant(s, s->paths.path, s->paths.dirfd, 1);
	return is_told_to_clauses(s);
}

/* These return what has become of it, as the others. */
static __noinline int tell_path_request(void *ctx, struct io_kiocb___fs *req, __u32 row,
					__u32 opcode)
{
	__u32 opens = opcode == RING_OPENAT || opcode == RING_OPENAT2;
	struct fs_scratch *s;
	int becomes;

	if (is_kept(row) && keep_path_request(req, row, opcode))
		return IS_NOTHING;
	s = begin_file(ctx, row, 0, (__u64)req, 0);
	if (!s)
		return IS_RECORD;
	s->rec.flags = 0;
	put_path_request(s, req, opcode);
	fs_put_paths(s);
	fs_know_path(s, opens);
	becomes = fs_judge(s, row);
	return becomes == IS_RECORD ? tell_rest(ctx, s) : becomes;
}

static __noinline int tell_request(void *ctx, struct io_kiocb___fs *req, __u32 row, __u32 is_second,
				   __u64 file)
{
	struct file___fs *f = (void *)file;
	struct fs_scratch *s;
	__u32 flags = 0;
	int becomes;

	if (f && is_left_out(f))
		return IS_NOTHING;
	if (f && row == FS_READ && tells_of_changes(f))
		row = FS_DIRNOTIFY;
	if (row == FS_CLEANUP) {
		becomes = f ? last_descriptor(f) : IS_HELD;
		if (becomes == IS_HELD)
			return IS_NOTHING;
		flags = becomes == IS_LAST_AND_MAPPED ? BPF_FS_MAPPED : 0;
	}
	if (!is_told(row))
		return IS_RECORD;
	if (is_kept(row) && keep_request(req, row, is_second, f, flags))
		return IS_NOTHING;
	s = begin_file(ctx, row, flags, (__u64)req + is_second, f);
	if (!s)
		return IS_RECORD;
	put_request(&s->rec, req, is_second);
	if (f)
		fs_know_file(s, (__u64)f);
	else
		know_numbers(s);
	becomes = fs_judge(s, row);
	if (becomes != IS_RECORD)
		return becomes;
	if (f)
		put_place(s, f);
	return tell_rest(ctx, s);
}

static __always_inline struct file___fs *file_of_request(struct io_kiocb___fs *req, __u32 fd,
							 __u32 is_registered)
{
	return is_registered ? registered_file(BPF_CORE_READ(req, ctx), fd) : fs_file_of(fd);
}

/* Returns a bit for each operation that has begun. */
static __always_inline __u32 begin_request(void *ctx, struct io_kiocb___fs *req, __u32 opcode)
{
	__u32 fd = (__u32)BPF_CORE_READ(req, cqe.fd), row = row_of_request(opcode);
	__u32 is_registered = BPF_CORE_READ(req, flags) & FIXED_FILE, slot, begun;
	struct io_splice *splice = (void *)req;
	struct io_close *closes = (void *)req;
	struct file___fs *f, *from;

	if (row == FS_NROWS)
		return 0;
	if (has_paths(opcode))
		return !is_told(row) || tell_path_request(ctx, req, row, opcode) != IS_NOTHING;
	if (opcode == RING_CLOSE) { /* the only one that says itself which */
		slot = BPF_CORE_READ(closes, file_slot);
		is_registered = slot != 0;
		fd = slot ? slot - 1 : (__u32)BPF_CORE_READ(closes, fd);
	}
	f = file_of_request(req, fd, is_registered);
	if (opcode != RING_SPLICE)
		return tell_request(ctx, req, row, 0, (__u64)f) != IS_NOTHING;
	from = file_of_request(req, BPF_CORE_READ(splice, splice_fd_in),
			       BPF_CORE_READ(splice, flags) & SPLICE_FIXED_IN);
	begun = tell_request(ctx, req, FS_READ, 0, (__u64)from) != IS_NOTHING;
	return begun | (tell_request(ctx, req, FS_WRITE, 1, (__u64)f) != IS_NOTHING ? 2 : 0);
}

static __always_inline void submit_request(void *ctx, struct io_kiocb___fs *req)
{
	__u64 key = (__u64)req, id = bpf_get_current_pid_tgid();
	__u32 opcode = BPF_CORE_READ(req, opcode);
	struct request who_asks = {(__u32)(id >> 32), (__u32)id};

	who_asks.started = begin_request(ctx, req, opcode);
	if (!who_asks.started || !(wants.rows & 1U << FS_DONE))
		return;
	who_asks.opens = (opcode == RING_OPENAT || opcode == RING_OPENAT2) &&
			 !BPF_CORE_READ((struct io_open *)(void *)req, file_slot);
	bpf_map_update_elem(&requests, &key, &who_asks, BPF_ANY);
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(on_ring, struct io_kiocb___fs *req)
{
	begin_kept(&ring_clauses_event);
	if (!is_own() && current_passes(&wants.filter))
		submit_request(ctx, req);
	RUN_KEPT(ctx, ring_clauses);
	return 0;
}

/* Before Linux 6.5. */
SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(on_ring_sqe, struct io_kiocb___fs *req)
{
	begin_kept(&sqe_clauses_event);
	if (!is_own() && current_passes(&wants.filter))
		submit_request(ctx, req);
	RUN_KEPT(ctx, sqe_clauses);
	return 0;
}

static __always_inline void end_request(const struct request *asked, __u64 irp, __s64 result)
{
	struct bpf_fs_short *r = reserve(sizeof(*r), BPF_KIND_FS);

	if (!r)
		return;
	r->head.pid = asked->pid;
	r->head.tid = asked->tid;
	r->row = FS_DONE;
	r->flags = 0;
	r->irp = irp;
	r->result = result;
	submit(r);
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(on_ring_done, void *ring_ctx, void *req)
{
	__s64 result = BPF_CORE_READ((struct io_kiocb___fs *)req, cqe.res);
	__u64 key = (__u64)req;
	struct request *found = bpf_map_lookup_elem(&requests, &key), asked;
	struct file___fs *f = 0;

	if (!found)
		return 0;
	asked = *found;
	bpf_map_delete_elem(&requests, &key);
	if (wants.details && asked.opens && result >= 0 && asked.pid == current_pid())
		f = fs_file_of((__u32)result);
	if (f) {
		tell_opened(f, key, result, (__u64)asked.pid << 32 | asked.tid, 0);
		return 0;
	}
	if (asked.started & 1)
		end_request(&asked, key, result);
	if (asked.started & 2)
		end_request(&asked, key + 1, result);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
