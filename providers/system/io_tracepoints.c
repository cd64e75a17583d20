#include "providers/system/io_tracepoints.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define SECTOR 512

/* include/linux/blk_types.h */
enum { OP_READ, OP_WRITE, OP_FLUSH, OP_DISCARD };
enum {
	REQ_SYNC = 1 << 11,
	REQ_META = 1 << 12,
	REQ_FUA = 1 << 17,
	REQ_PREFLUSH = 1 << 18,
	REQ_RAHEAD = 1 << 19,
};

/* Where the members are, in the events that this file listens to. */
struct fields {
	const struct tpfield *dev, *sector, *nsectors, *rwbs;
	const struct tpfield *bytes, *error; /* NULL: the event has none */
};

enum block_event { MADE, QUEUED, ISSUED, COMPLETED, MERGED, REQUEUED, FAILED, NSOURCES };

/* A request between its making and its end, known by its place on the disk. */
struct request {
	pid_t pid, tid;
	uint64_t issued_ns, bytes, done;
};

struct io_tracepoints {
	struct world *world;
	struct perf *perf;
	struct blockdevs *devices;
	io_tracepoints_fn *fn;
	void *arg;
	unsigned rows;
	struct fields of[NSOURCES];
	struct hash requests; /* by place: struct request */
};

/* ---- what records say ---- */

struct seen {
	uint32_t dev;
	uint64_t sector, bytes;
	int error;
	uint64_t op_flags;
};

/* "WS", "RA", "FWFSM": block/blktrace, blk_fill_rwbs() */
static uint64_t flags_of(const char *text, size_t len)
{
	static const struct {
		char letter;
		uint64_t flag;
	} letters[] = {{'F', REQ_FUA}, {'A', REQ_RAHEAD}, {'S', REQ_SYNC}, {'M', REQ_META}};
	uint64_t flags = 0;
	size_t i = 0;

	if (len > 1 && text[0] == 'F' && strchr("RWDFN", text[1])) {
		flags |= REQ_PREFLUSH;
		i++;
	}
	if (i < len)
		flags |= text[i] == 'W'	  ? OP_WRITE
			 : text[i] == 'F' ? OP_FLUSH
			 : text[i] == 'D' ? OP_DISCARD
					  : OP_READ;
	for (i++; i < len; i++)
		for (unsigned k = 0; k < ARRAY_SIZE(letters); k++)
			if (text[i] == letters[k].letter)
				flags |= letters[k].flag;
	return flags;
}

static struct seen read_record(const struct fields *f, const struct perf_sample *sm)
{
	size_t len = 0;
	const char *rwbs = tpfield_bytes(f->rwbs, sm->raw, sm->rawlen, &len);
	struct seen s = {
		.dev = (uint32_t)tpfield_int(f->dev, sm->raw, sm->rawlen),
		.sector = tpfield_int(f->sector, sm->raw, sm->rawlen),
		.bytes = tpfield_int(f->nsectors, sm->raw, sm->rawlen) * SECTOR,
		.op_flags = rwbs ? flags_of(rwbs, len) : 0,
	};

	if (f->bytes)
		s.bytes = tpfield_int(f->bytes, sm->raw, sm->rawlen);
	if (f->error)
		s.error = -(int)tpfield_int(f->error, sm->raw, sm->rawlen);
	return s;
}

static uint64_t place_of(uint32_t dev, uint64_t sector)
{
	return ((uint64_t)dev << 44) ^ sector;
}

/* ---- telling ---- */

static void tell(struct io_tracepoints *t, enum bpf_io_row row, const struct perf_sample *sm,
		 const struct seen *s, const struct request *r)
{
	struct bpf_io io = {.row = row,
			    .error = s->error,
			    .addr = place_of(s->dev, s->sector),
			    .op_flags = s->op_flags,
			    .sector = s->sector,
			    .bytes = r && r->bytes ? r->bytes : s->bytes,
			    .major = s->dev >> 20,
			    .minor = s->dev & 0xfffff,
			    .first_minor = s->dev & 0xfffff};
	struct perf_sample at = *sm;
	struct event ev;

	if (!(t->rows & 1U << row))
		return;
	if (r && r->tid) {
		at.user = r->tid == at.tid ? at.user : NULL;
		at.pid = r->pid;
		at.tid = r->tid;
	}
	if (row == IO_DONE && r && r->issued_ns)
		io.took_ns = sm->time_ns - r->issued_ns;
	io.file.kind = io.bytes ? BPF_FILE_UNKNOWN : BPF_FILE_NONE;
	snprintf(io.disk, sizeof(io.disk), "%s", blockdev_name(t->devices, io.major, io.minor));
	perf_event_init(t->perf, &ev, &at);
	t->fn(t->arg, &io, &ev);
}

/* ---- records ---- */

static struct request *remember(struct io_tracepoints *t, uint64_t place,
				const struct perf_sample *sm)
{
	struct request *r = hash_get(&t->requests, place);

	if (!r) {
		r = xcalloc(1, sizeof(*r));
		hash_put(&t->requests, place, r);
	}
	*r = (struct request){.pid = sm->pid, .tid = sm->tid};
	return r;
}

static void on_made(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[MADE], sm);

	remember(t, place_of(s.dev, s.sector), sm);
}

/* Before 6.5: the device is that of a partition, the place one on the whole disk. */
static void on_queued(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[QUEUED], sm);

	remember(t, place_of(0, s.sector), sm);
}

static struct request *take_queued(struct io_tracepoints *t, const struct seen *s,
				   const struct perf_sample *sm)
{
	struct request *r = hash_del(&t->requests, place_of(0, s->sector));

	if (!r)
		return remember(t, place_of(s->dev, s->sector), sm);
	free(hash_del(&t->requests, place_of(s->dev, s->sector)));
	hash_put(&t->requests, place_of(s->dev, s->sector), r);
	return r;
}

static void on_issued(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[ISSUED], sm);
	struct request *r = hash_get(&t->requests, place_of(s.dev, s.sector));

	if (!r)
		r = take_queued(t, &s, sm);
	if (r->issued_ns)
		return; /* again, after a requeue */
	r->issued_ns = sm->time_ns;
	r->bytes = s.bytes;
	tell(t, IO_START, sm, &s, r);
}

/* In pieces: the last one counts, or one that failed. */
static void on_completed(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[COMPLETED], sm);
	struct request *r = hash_del(&t->requests, place_of(s.dev, s.sector));

	if (r)
		r->done += s.bytes;
	if (r && !s.error && r->done < r->bytes) {
		free(hash_del(&t->requests, place_of(s.dev, s.sector + s.bytes / SECTOR)));
		hash_put(&t->requests, place_of(s.dev, s.sector + s.bytes / SECTOR), r);
		return;
	}
	tell(t, IO_DONE, sm, &s, r);
	free(r);
}

static void on_merged(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[MERGED], sm);

	tell(t, IO_MERGE, sm, &s, NULL);
}

static void on_requeued(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[REQUEUED], sm);

	tell(t, IO_REQUEUE, sm, &s, hash_get(&t->requests, place_of(s.dev, s.sector)));
}

static void on_failed(void *arg, const struct perf_sample *sm)
{
	struct io_tracepoints *t = arg;
	const struct seen s = read_record(&t->of[FAILED], sm);

	tell(t, IO_ERROR, sm, &s, hash_get(&t->requests, place_of(s.dev, s.sector)));
}

/* ---- listening ---- */

static const struct {
	const char *event;
	perf_fn *fn;
} sources[NSOURCES] = {
	[MADE] = {"block_io_start", on_made},
	[QUEUED] = {"block_bio_queue", on_queued},
	[ISSUED] = {"block_rq_issue", on_issued},
	[COMPLETED] = {"block_rq_complete", on_completed},
	[MERGED] = {"block_bio_backmerge", on_merged},
	[REQUEUED] = {"block_rq_requeue", on_requeued},
	[FAILED] = {"block_rq_error", on_failed},
};

static int listen_to(struct io_tracepoints *t, enum block_event which, unsigned flags,
		     struct err *err)
{
	const struct tpformat *fmt =
		tracefs_format(world_tracefs(t->world), "block", sources[which].event);
	const struct perf_want want = {.type = PERF_TYPE_TRACEPOINT,
				       .config = fmt ? fmt->id : 0,
				       .scope = PERF_SYSTEM,
				       .flags = PERF_RAW | flags,
				       .fn = sources[which].fn,
				       .arg = t};

	if (!fmt)
		return perf_lacks(t->world, "block", sources[which].event, err);
	t->of[which] =
		(struct fields){tpformat_field(fmt, "dev"),	  tpformat_field(fmt, "sector"),
				tpformat_field(fmt, "nr_sector"), tpformat_field(fmt, "rwbs"),
				tpformat_field(fmt, "bytes"),	  tpformat_field(fmt, "error")};
	if (!t->of[which].dev || !t->of[which].sector || !t->of[which].nsectors ||
	    !t->of[which].rwbs)
		return -ENOENT;
	return perf_add(t->perf, &want, err);
}

/* A file tells as much as it has: of a start it is enough that it was issued, of an end that it was
 * completed. */
static bool is_missing(const struct io_tracepoints *t, int rc)
{
	return rc == -ENOENT && t->world->recording;
}

/* From the making of a request to its end; stacks are taken where a probe fires. */
static int listen_to_requests(struct io_tracepoints *t, enum bpf_io_row row, unsigned flags,
			      struct err *err)
{
	int rc = listen_to(t, MADE, 0, err);

	if (rc == -ENOENT)
		rc = listen_to(t, QUEUED, 0, err);
	if (rc < 0 && !is_missing(t, rc))
		return rc;
	rc = listen_to(t, ISSUED, row == IO_START ? flags : 0, err);
	if (rc < 0 && (row == IO_START || !is_missing(t, rc)))
		return rc;
	rc = listen_to(t, COMPLETED, row == IO_DONE ? flags : 0, err);
	return row == IO_START && is_missing(t, rc) ? 0 : rc;
}

int io_tracepoints_add(struct io_tracepoints *t, enum bpf_io_row row, unsigned needs,
		       struct err *err)
{
	static const enum block_event by_row[IO_NROWS] = {
		[IO_MERGE] = MERGED, [IO_REQUEUE] = REQUEUED, [IO_ERROR] = FAILED};
	unsigned flags = perf_flags(needs);
	int rc = 0;

	if (!perf_sees_all(t->perf) || row == IO_WAIT_START || row == IO_WAIT_DONE)
		return -ENOENT;
	if (row != IO_MERGE)
		rc = listen_to_requests(t, row, flags, err);
	if (rc == 0 && row != IO_START && row != IO_DONE)
		rc = listen_to(t, by_row[row], flags, err);
	if (rc < 0)
		return rc;
	t->rows |= 1U << row;
	perf_note_needs(t->perf, needs);
	return 0;
}

struct io_tracepoints *io_tracepoints_new(struct world *w, struct perf *p,
					  struct blockdevs *devices, io_tracepoints_fn *fn,
					  void *arg)
{
	struct io_tracepoints *t = xcalloc(1, sizeof(*t));

	t->world = w;
	t->perf = p;
	t->devices = devices;
	t->fn = fn;
	t->arg = arg;
	hash_init(&t->requests);
	return t;
}

void io_tracepoints_free(struct io_tracepoints *t)
{
	void *r;

	if (!t)
		return;
	for (size_t i = 0; (r = hash_each(&t->requests, &i, NULL));)
		free(r);
	hash_release(&t->requests);
	free(t);
}
