/*
 * io.bpf.c: requests of block devices. Who made one and for which file is known where it is made
 * (block_io_start); the device's own events come in anybody's name.
 */
#define COUNT_WORDS 15
#include "providers/kernel/bpf/clauses.h"
#include "providers/kernel/bpf/task.h"
#include "providers/kernel/bpf/files.h"

const volatile struct bpf_wants wants = {0};

struct gendisk {
	int major, first_minor;
	char disk_name[32];
} KERNEL;

struct block_device {
	unsigned long long bd_start_sect;
	unsigned int bd_dev;
	struct gendisk *bd_disk;
} KERNEL;

struct request_queue {
	struct gendisk *disk;
} KERNEL;

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

struct request {
	struct request_queue *q;
	unsigned int cmd_flags, __data_len;
	unsigned long long __sector;
	struct bio *bio;
	struct block_device *part;
	void *end_io;
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

/* What is kept of a request until it is done. */
struct made {
	__u64 issued_ns;
	__u64 task, start_ns; /* who made it, while it has that memory; since when it lives */
	__u32 pid, tid;
	struct bpf_file file;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct made);
} requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct made);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} waiting SEC(".maps"); /* threads, since when */

/* ---- whose data ---- */

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

/* Pages of the page cache lead to their file: page, or its head, mapping, inode, a name of it. */
static __always_inline void fill_owner(struct bpf_file *f, struct bio *bio)
{
	struct page *page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
	unsigned long head, mapping;
	struct hlist_node *alias;
	struct inode *inode;

	f->kind = BPF_FILE_NONE;
	f->nparts = f->flags = f->mode = f->device = f->is_direct = 0;
	f->offset = 0;
	f->fs[0] = '\0';
	if (!bio || !page)
		return;
	head = BPF_CORE_READ(page, compound_head);
	if (head & 1)
		page = (struct page *)(head - 1);
	mapping = (unsigned long)BPF_CORE_READ(page, mapping);
	if (mapping & 3) {
		fill_direct(f);
		return;
	}
	f->kind = BPF_FILE_META;
	if (!mapping)
		return;
	inode = BPF_CORE_READ((struct address_space *)mapping, host);
	alias = BPF_CORE_READ(inode, i_dentry.first);
	if (!alias)
		return;
	fill_file(f, inode, (void *)alias - bpf_core_field_offset(struct dentry, d_u.d_alias));
}

static __always_inline struct made *remember(struct request *rq, struct bio *bio)
{
	__u64 key = (__u64)rq, id = bpf_get_current_pid_tgid();
	struct task_struct *t = bpf_get_current_task_btf();
	__u32 zero = 0;
	struct made *m = bpf_map_lookup_elem(&scratch, &zero);

	if (!m)
		return 0;
	m->issued_ns = 0;
	m->task = (__u64)t;
	m->start_ns = t->start_time;
	m->pid = id >> 32;
	m->tid = (__u32)id;
	fill_owner(&m->file, bio);
	if (rq)
		bpf_map_update_elem(&requests, &key, m, BPF_ANY);
	return m;
}

/* ---- records ---- */

static __always_inline void fill_no_file(struct bpf_file *f)
{
	f->kind = BPF_FILE_NONE;
	f->nparts = f->flags = f->mode = f->device = 0;
	f->is_direct = 0;
	f->offset = 0;
	f->fs[0] = '\0';
}

/* In the name of pid and tid; m: 0 if it is about no request; next: the thread, if it is about to
 * be the current one. */
static __always_inline struct bpf_io *begin_of(void *ctx, unsigned int stacks, unsigned int row,
					       const struct made *m, __u32 pid, __u32 tid,
					       struct task_struct *next)
{
	struct bpf_io *io;
	__u64 time_ns;

	if (!ids_pass(&wants.filter, pid, tid))
		return 0;
	time_ns = next ? put_pieces(next, wants.stacks, 0) : 0;
	time_ns = put_stacks(ctx, stacks, pid, tid, time_ns);
	if (time_ns == NO_ROOM)
		return 0;
	io = reserve_at(sizeof(*io), BPF_KIND_IO, time_ns);
	if (!io)
		return 0;
	io->head.pid = pid;
	io->head.tid = tid;
	io->row = row;
	io->error = 0;
	io->left = io->took_ns = io->end_io = io->part_start = io->start_ns = 0;
	if (m)
		__builtin_memcpy(&io->file, &m->file, sizeof(io->file));
	else
		fill_no_file(&io->file);
	return io;
}

/* 0: it is gone. */
static __always_inline struct task_struct *who_made(const struct made *m)
{
	struct task_struct *t = (void *)m->task;

	return BPF_CORE_READ(t, start_time) == m->start_ns && (__u32)BPF_CORE_READ(t, pid) == m->tid
		       ? t
		       : 0;
}

/* The stack of a process that was interrupted is not its own. */
static __always_inline struct bpf_io *begin(void *ctx, unsigned int row, const struct made *m)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 pid = m ? m->pid : (__u32)(id >> 32), tid = m ? m->tid : (__u32)id;
	struct bpf_io *io;

	if (tid == (__u32)id)
		return begin_of(ctx, wants.stacks, row, m, pid, tid, 0);
	io = begin_of(ctx, wants.stacks & BPF_WANT_KSTACK, row, m, pid, tid,
		      m && wants.stacks & BPF_WANT_PIECES ? who_made(m) : 0);
	if (io && m)
		io->start_ns = m->start_ns;
	return io;
}

static __always_inline void fill_device(struct bpf_io *io, struct gendisk *disk,
					struct block_device *part)
{
	io->major = BPF_CORE_READ(disk, major);
	io->first_minor = BPF_CORE_READ(disk, first_minor);
	io->minor = part ? BPF_CORE_READ(part, bd_dev) & 0xfffff : io->first_minor;
	io->part_minor = io->minor - io->first_minor;
	io->part_start = part ? BPF_CORE_READ(part, bd_start_sect) : 0;
	BPF_CORE_READ_STR_INTO(&io->disk, disk, disk_name);
}

static __always_inline void fill_request(struct bpf_io *io, struct request *rq)
{
	io->addr = (__u64)rq;
	io->op_flags = BPF_CORE_READ(rq, cmd_flags);
	io->sector = BPF_CORE_READ(rq, __sector);
	io->bytes = BPF_CORE_READ(rq, __data_len);
	io->end_io = (__u64)BPF_CORE_READ(rq, end_io);
	if (!io->end_io)
		io->end_io = (__u64)BPF_CORE_READ(rq, bio, bi_end_io);
	fill_device(io, BPF_CORE_READ(rq, q, disk), BPF_CORE_READ(rq, part));
}

SEC("tp_btf/block_io_start")
int BPF_PROG(on_made, struct request *rq)
{
	remember(rq, BPF_CORE_READ(rq, bio));
	return 0;
}

/* Kernels without block_io_start (before 6.5) tell of the thread where the data is queued, before
 * there is a request: it is known again by its place on the disk. */
struct place {
	__u64 disk, sector;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct place);
	__type(value, struct made);
} queued SEC(".maps");

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queued, struct bio *bio)
{
	struct place at = {(__u64)BPF_CORE_READ(bio, bi_bdev, bd_disk),
			   BPF_CORE_READ(bio, bi_iter.bi_sector)};
	struct made *m = remember(0, bio);

	if (m)
		bpf_map_update_elem(&queued, &at, m, BPF_ANY);
	return 0;
}

static __always_inline void remember_queued(struct request *rq)
{
	struct place at = {(__u64)BPF_CORE_READ(rq, q, disk), BPF_CORE_READ(rq, __sector)};
	struct made *m = bpf_map_lookup_elem(&queued, &at);
	__u64 key = (__u64)rq;

	if (m) {
		bpf_map_update_elem(&requests, &key, m, BPF_ANY);
		bpf_map_delete_elem(&queued, &at);
	} else {
		remember(rq, BPF_CORE_READ(rq, bio));
	}
}

static __always_inline struct made *find(struct request *rq)
{
	__u64 key = (__u64)rq;

	return bpf_map_lookup_elem(&requests, &key);
}

CLAUSE_PROGRAM(start_clauses);
CLAUSE_PROGRAM(done_clauses);

enum { IS_RECORD, IS_COUNTED, IS_OF_CLAUSES };

/* The words that prov_io.c names. */
static __always_inline int count_request(void *events, __u32 row, struct request *rq,
					 const struct made *m, unsigned int error, __u64 left,
					 __u64 took_ns)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct count_words words = {.v = {0, 0, 0, took_ns, left, error, (__u64)rq}};
	struct block_device *part;
	struct gendisk *disk;

	if (!wants.counts.n && !wants.clauses)
		return IS_RECORD;
	disk = BPF_CORE_READ(rq, q, disk);
	part = BPF_CORE_READ(rq, part);
	words.v[0] = BPF_CORE_READ(rq, __data_len);
	words.v[1] = BPF_CORE_READ(rq, __sector);
	words.v[2] = BPF_CORE_READ(disk, major);
	words.v[7] =
		part ? BPF_CORE_READ(part, bd_dev) & 0xfffff : BPF_CORE_READ(disk, first_minor);
	words.v[8] = BPF_CORE_READ(rq, cmd_flags);
	words.v[9] = m && m->file.is_direct;
	words.v[10] = words.v[2] << 20 | words.v[7];
	bpf_probe_read_kernel_str(&words.v[11], 32, disk->disk_name);
	if (tell_clauses(events, &wants, 1U << row, m ? m->pid : (__u32)(id >> 32),
			 m ? m->tid : (__u32)id, &words))
		return IS_OF_CLAUSES;
	return count_row_of(&wants, row, m ? m->pid : (__u32)(id >> 32), m ? m->tid : (__u32)id,
			    &words);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *rq)
{
	struct made *m = find(rq);
	struct bpf_io *io;
	int how;

	if (!m) {
		remember_queued(rq);
		m = find(rq);
	}
	if (m && m->issued_ns)
		return 0; /* again, after a requeue */
	if (m)
		m->issued_ns = bpf_ktime_get_ns();
	if (!(wants.rows & 1U << IO_START))
		return 0;
	how = count_request(&start_clauses_event, IO_START, rq, m, 0, 0, 0);
	if (how == IS_OF_CLAUSES)
		RUN_CLAUSES(ctx, start_clauses);
	if (how)
		return 0;
	io = begin(ctx, IO_START, m);
	if (!io)
		return 0;
	fill_request(io, rq);
	submit(io);
	return 0;
}

/* blk_status_t: those that a disk gives, as errno (block/blk-core.c, blk_errors). */
/* clang-format off */
static __always_inline int to_errno(unsigned int status)
{
	switch (status) {
	case 0: return 0;
	case 1: return 95;   /* NOTSUPP */
	case 2: return 110;  /* TIMEOUT */
	case 3: return 28;   /* NOSPC */
	case 4: return 67;   /* TRANSPORT: ENOLINK */
	case 5: return 121;  /* TARGET */
	case 6: return 52;   /* RESV_CONFLICT: EBADE */
	case 7: return 61;   /* MEDIUM: ENODATA */
	case 8: return 84;   /* PROTECTION: EILSEQ */
	case 9: return 12;   /* RESOURCE */
	default: return 5;
	}
}
/* clang-format on */

static __always_inline int done(void *ctx, struct request *rq, unsigned int status,
				unsigned int bytes)
{
	struct made *m = find(rq);
	__u64 now = bpf_ktime_get_ns();
	struct bpf_io *io;
	int how = count_request(&done_clauses_event, IO_DONE, rq, m, to_errno(status),
				BPF_CORE_READ(rq, __data_len) - bytes,
				m && m->issued_ns ? now - m->issued_ns : 0);

	if (how)
		return how;
	io = begin(ctx, IO_DONE, m);
	if (!io)
		return how;
	fill_request(io, rq);
	io->error = to_errno(status);
	io->left = io->bytes - bytes;
	io->took_ns = m && m->issued_ns ? io->head.time_ns - m->issued_ns : 0;
	submit(io);
	return how;
}

/* A request may be completed in pieces: the last one counts, or one that failed. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *rq, unsigned int status, unsigned int bytes)
{
	__u64 key = (__u64)rq;
	int how = IS_RECORD;

	if (!status && bytes < BPF_CORE_READ(rq, __data_len))
		return 0;
	if (wants.rows & 1U << IO_DONE)
		how = done(ctx, rq, status & 0xff, bytes);
	bpf_map_delete_elem(&requests, &key);
	if (how == IS_OF_CLAUSES)
		RUN_CLAUSES(ctx, done_clauses);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(on_requeue, struct request *rq)
{
	struct bpf_io *io = begin(ctx, IO_REQUEUE, find(rq));

	if (!io)
		return 0;
	fill_request(io, rq);
	submit(io);
	return 0;
}

SEC("tp_btf/block_rq_error")
int BPF_PROG(on_error, struct request *rq, unsigned int status, unsigned int bytes)
{
	struct bpf_io *io = begin(ctx, IO_ERROR, find(rq));

	if (!io)
		return 0;
	fill_request(io, rq);
	io->error = to_errno(status & 0xff);
	io->left = io->bytes - bytes;
	submit(io);
	return 0;
}

static __always_inline void fill_bio(struct bpf_io *io, struct bio *bio)
{
	struct block_device *part = BPF_CORE_READ(bio, bi_bdev);

	io->addr = (__u64)bio;
	io->op_flags = BPF_CORE_READ(bio, bi_opf);
	io->sector = BPF_CORE_READ(bio, bi_iter.bi_sector);
	io->bytes = BPF_CORE_READ(bio, bi_iter.bi_size);
	io->end_io = (__u64)BPF_CORE_READ(bio, bi_end_io);
	fill_device(io, BPF_CORE_READ(part, bd_disk), part);
}

SEC("tp_btf/block_bio_backmerge")
int BPF_PROG(on_merge, struct bio *bio)
{
	struct made *m = remember(0, bio);
	struct bpf_io *io;

	if (!m)
		return 0;
	io = begin(ctx, IO_MERGE, m);
	if (!io)
		return 0;
	fill_bio(io, bio);
	submit(io);
	return 0;
}

/* ---- threads that wait for a device ---- */

/* The last that each has submitted: it is taken for what it waits for. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, __u32);
	__type(value, struct bpf_io);
} submitted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_io);
} submission SEC(".maps");

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_submitted, struct bio *bio)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), zero = 0;
	struct bpf_io *io = bpf_map_lookup_elem(&submission, &zero);

	if (!io)
		return 0;
	fill_bio(io, bio);
	fill_owner(&io->file, bio);
	bpf_map_update_elem(&submitted, &tid, io, BPF_ANY);
	return 0;
}

static __always_inline void fill_last(struct bpf_io *io, const struct bpf_io *last)
{
	io->addr = last->addr;
	io->op_flags = last->op_flags;
	io->sector = last->sector;
	io->bytes = last->bytes;
	io->end_io = last->end_io;
	io->part_start = last->part_start;
	io->major = last->major;
	io->minor = last->minor;
	io->first_minor = last->first_minor;
	io->part_minor = last->part_minor;
	__builtin_memcpy(io->disk, last->disk, sizeof(io->disk));
	__builtin_memcpy(&io->file, &last->file, sizeof(io->file));
}

static __always_inline void waits(void *ctx, unsigned int row, struct task_struct *t, __u64 since)
{
	__u32 stacks = since ? 0 : wants.stacks; /* it is that of the thread that leaves */
	__u32 tid = BPF_CORE_READ(t, pid);
	const struct bpf_io *last;
	struct bpf_io *io;

	if (!(wants.rows & 1U << row))
		return;
	last = bpf_map_lookup_elem(&submitted, &tid);
	io = begin_of(ctx, stacks, row, 0, BPF_CORE_READ(t, tgid), tid, since ? t : 0);
	if (!io)
		return;
	io->addr = io->op_flags = io->sector = io->bytes = 0;
	io->major = io->minor = io->first_minor = io->part_minor = 0;
	io->disk[0] = '\0';
	if (last)
		fill_last(io, last);
	io->took_ns = since ? io->head.time_ns - since : 0;
	submit(io);
}

/* XFS waits for its buffers in a way that the scheduler does not take for a wait for a device. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, __u32);
	__type(value, __u64);
} waiting_xfs SEC(".maps");

SEC("tp_btf/xfs_buf_iowait")
int BPF_PROG(on_xfs_wait)
{
	struct task_struct *t = (struct task_struct *)bpf_get_current_task_btf();
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 now = bpf_ktime_get_ns();

	bpf_map_update_elem(&waiting_xfs, &tid, &now, BPF_ANY);
	waits(ctx, IO_WAIT_START, t, 0);
	return 0;
}

SEC("tp_btf/xfs_buf_iowait_done")
int BPF_PROG(on_xfs_waited)
{
	struct task_struct *t = (struct task_struct *)bpf_get_current_task_btf();
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 *since = bpf_map_lookup_elem(&waiting_xfs, &tid);

	if (!since)
		return 0;
	waits(ctx, IO_WAIT_DONE, t, *since);
	bpf_map_delete_elem(&waiting_xfs, &tid);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 tid = BPF_CORE_READ(prev, pid);
	__u64 now = bpf_ktime_get_ns(), *since;

	if (BPF_CORE_READ_BITFIELD_PROBED((struct task_struct___task *)prev, in_iowait)) {
		bpf_map_update_elem(&waiting, &tid, &now, BPF_ANY);
		waits(ctx, IO_WAIT_START, prev, 0);
	}
	tid = BPF_CORE_READ(next, pid);
	since = bpf_map_lookup_elem(&waiting, &tid);
	if (since) {
		waits(ctx, IO_WAIT_DONE, next, *since);
		bpf_map_delete_elem(&waiting, &tid);
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
