/*
 * io.bpf.c: requests of block devices. Who made one and for which file is known where it is made
 * (block_io_start); the device's own events come in anybody's name.
 */
#define COUNT_WORDS 17
#define COUNT_NAME  15
#include "providers/kernel/bpf/clauses.h"
#include "providers/kernel/bpf/fs/iofile.h"

const volatile struct bpf_wants wants = {0};

CLAUSE_PROGRAM(start_clauses);
CLAUSE_PROGRAM(done_clauses);

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

struct request {
	struct request_queue *q;
	unsigned int cmd_flags, __data_len;
	unsigned long long __sector;
	struct bio *bio;
	struct block_device *part;
	void *end_io;
} KERNEL;

/* What is kept of a request until it is done. */
struct made {
	__u64 issued_ns;
	__u64 task, start_ns; /* who made it, while it has that memory; since when it lives */
	__u32 pid, tid;
	__u32 is_direct, padding;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct made);
} requests SEC(".maps");

/* And its file, if anybody may read that. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct bpf_file);
} files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_file);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} waiting SEC(".maps"); /* threads, since when */

/* ---- who asks for it ---- */

static __always_inline int are_on(void *events)
{
	const struct bpf_clause_event *ev;
	__u32 zero = 0;

	ev = bpf_map_lookup_elem(events, &zero);
	return ev && ev->is_on;
}

/* Records do. What is aggregated here, or done by clauses that run here, never does. */
static __always_inline int needs_file(void)
{
	const __u32 rows = wants.rows & ~wants.counts.rows;

	if (!rows)
		return 0;
	if (rows & ~wants.clauses)
		return 1;
	return rows & 1U << IO_START ? !are_on(&start_clauses_event) : !are_on(&done_clauses_event);
}

static __always_inline struct made made_now(struct bio *bio)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 id = bpf_get_current_pid_tgid();
	struct made m = {.task = (__u64)t, .start_ns = t->start_time};
	unsigned long mapping;

	m.pid = id >> 32;
	m.tid = (__u32)id;
	m.is_direct = kind_of_data(bio, &mapping) == BPF_FILE_DIRECT;
	return m;
}

/* NULL: nobody asks. */
static __always_inline struct bpf_file *file_now(struct bio *bio)
{
	struct bpf_file *f;
	__u32 zero = 0;

	f = needs_file() ? bpf_map_lookup_elem(&scratch, &zero) : 0;
	if (f)
		fill_owner(f, bio);
	return f;
}

static __always_inline void remember(struct request *rq, struct bio *bio)
{
	struct bpf_file *f = file_now(bio);
	struct made m = made_now(bio);
	__u64 key = (__u64)rq;

	bpf_map_update_elem(&requests, &key, &m, BPF_ANY);
	if (f)
		bpf_map_update_elem(&files, &key, f, BPF_ANY);
}

/* ---- records ---- */

/* In the name of pid and tid; f: NULL if it is about none; next: the thread, if it is about to be
 * the current one. */
static __always_inline struct bpf_io *begin_of(void *ctx, unsigned int stacks, unsigned int row,
					       const struct bpf_file *f, __u32 pid, __u32 tid,
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
	if (f)
		__builtin_memcpy(&io->file, f, sizeof(io->file));
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
static __always_inline struct bpf_io *begin(void *ctx, unsigned int row, const struct made *m,
					    const struct bpf_file *f)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 pid = m ? m->pid : (__u32)(id >> 32), tid = m ? m->tid : (__u32)id;
	struct bpf_io *io;

	if (tid == (__u32)id)
		return begin_of(ctx, wants.stacks, row, f, pid, tid, 0);
	io = begin_of(ctx, wants.stacks & BPF_WANT_KSTACK, row, f, pid, tid,
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
	remember(rq, rq->bio);
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

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct place);
	__type(value, struct bpf_file);
} queued_files SEC(".maps");

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queued, struct bio *bio)
{
	struct place at = {(__u64)BPF_CORE_READ(bio, bi_bdev, bd_disk),
			   BPF_CORE_READ(bio, bi_iter.bi_sector)};
	struct bpf_file *f = file_now(bio);
	struct made m = made_now(bio);

	bpf_map_update_elem(&queued, &at, &m, BPF_ANY);
	if (f)
		bpf_map_update_elem(&queued_files, &at, f, BPF_ANY);
	return 0;
}

static __always_inline void remember_queued(struct request *rq)
{
	struct place at = {(__u64)BPF_CORE_READ(rq, q, disk), BPF_CORE_READ(rq, __sector)};
	struct made *m = bpf_map_lookup_elem(&queued, &at);
	__u64 key = (__u64)rq;
	struct bpf_file *f;

	if (!m) {
		remember(rq, rq->bio);
		return;
	}
	bpf_map_update_elem(&requests, &key, m, BPF_ANY);
	bpf_map_delete_elem(&queued, &at);
	f = needs_file() ? bpf_map_lookup_elem(&queued_files, &at) : 0;
	if (f) {
		bpf_map_update_elem(&files, &key, f, BPF_ANY);
		bpf_map_delete_elem(&queued_files, &at);
	}
}

static __always_inline struct made *find(struct request *rq)
{
	__u64 key = (__u64)rq;

	return bpf_map_lookup_elem(&requests, &key);
}

static __always_inline struct bpf_file *find_file(struct request *rq)
{
	__u64 key = (__u64)rq;

	return bpf_map_lookup_elem(&files, &key);
}

enum { IS_RECORD, IS_COUNTED, IS_OF_CLAUSES };

/* By plain loads: a helper's copy costs more than all other words together. */
static __always_inline void put_name(__u64 *to, struct gendisk *disk)
{
	const __u64 *name = (const void *)disk + bpf_core_field_offset(struct gendisk, disk_name);
	__u64 has_ended = 0, zeros;

#pragma unroll
	for (int i = 0; i < (int)sizeof(disk->disk_name) / 8; i++) {
		to[i] = has_ended ? 0 : name[i];
		/* the lowest bit is the top one of the first zero byte */
		zeros = (to[i] - 0x0101010101010101) & ~to[i] & 0x8080808080808080;
		if (zeros)
			to[i] &= ((zeros & -zeros) >> 7) - 1;
		has_ended |= zeros;
	}
}

/* The words that prov_io.c names. */
static __always_inline int count_request(void *events, __u32 row, struct request *rq,
					 const struct made *m, unsigned int error, __u64 left,
					 __u64 took_ns)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 is_own = !m || m->tid == (__u32)id;
	struct count_words words = {.v = {0, 0, 0, took_ns, left, error, (__u64)rq}};
	struct block_device *part;
	struct gendisk *disk;

	if (!wants.counts.n && !wants.clauses)
		return IS_RECORD;
	disk = rq->q->disk;
	part = rq->part;
	words.v[0] = rq->__data_len;
	words.v[1] = rq->__sector;
	words.v[2] = disk->major;
	words.v[7] = part ? part->bd_dev & 0xfffff : disk->first_minor;
	words.v[8] = rq->cmd_flags;
	words.v[9] = m && m->is_direct;
	words.v[10] = words.v[2] << 20 | words.v[7];
	put_name(&words.v[11], disk);
	if (wants.names)
		get_name(&words.v[COUNT_NAME], is_own ? bpf_get_current_task_btf() : who_made(m));
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
	io = begin(ctx, IO_START, m, find_file(rq));
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
				rq->__data_len - bytes, m && m->issued_ns ? now - m->issued_ns : 0);

	if (how)
		return how;
	io = begin(ctx, IO_DONE, m, find_file(rq));
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

	if (!status && bytes < rq->__data_len)
		return 0;
	if (wants.rows & 1U << IO_DONE)
		how = done(ctx, rq, status & 0xff, bytes);
	bpf_map_delete_elem(&requests, &key);
	if (needs_file())
		bpf_map_delete_elem(&files, &key);
	if (how == IS_OF_CLAUSES)
		RUN_CLAUSES(ctx, done_clauses);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(on_requeue, struct request *rq)
{
	struct bpf_io *io = begin(ctx, IO_REQUEUE, find(rq), find_file(rq));

	if (!io)
		return 0;
	fill_request(io, rq);
	submit(io);
	return 0;
}

SEC("tp_btf/block_rq_error")
int BPF_PROG(on_error, struct request *rq, unsigned int status, unsigned int bytes)
{
	struct bpf_io *io = begin(ctx, IO_ERROR, find(rq), find_file(rq));

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
	struct bpf_file *f = file_now(bio);
	struct made m = made_now(bio);
	struct bpf_io *io = begin(ctx, IO_MERGE, &m, f);

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
