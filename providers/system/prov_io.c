/*
 * prov_io.c: requests of block devices (docs/spec/providers.md §4.2), seen by
 * providers/kernel/bpf/io.bpf.c. pid and execname are of the thread that made the request, not of
 * the one in whose name the device spoke.
 */
#include <stdlib.h>

#include "providers/system/blockdev.h"
#include "providers/kernel/kprog/eventclauses.h"
#include "providers/system/io_tracepoints.h"
#include "providers/providers.h"

#define PATH_ROOM 1024

/* of XFS where there is one */
#define WAITS "on_submitted on_switch on_xfs_wait|on_switch on_xfs_waited|on_switch"

/* clang-format off */
static const struct bpf_probe_row rows[IO_NROWS] = {
	[IO_START] =      {"start",      "on_made|on_queued on_issue on_complete", 3},
	[IO_DONE] =       {"done",       "on_made|on_queued on_issue on_complete", 3},
	[IO_WAIT_START] = {"wait-start", WAITS, 3},
	[IO_WAIT_DONE] =  {"wait-done",  WAITS, 3},
	[IO_MERGE] =      {"merge",      "on_merge", 3},
	[IO_REQUEUE] =    {"requeue",    "on_made|on_queued on_requeue on_complete", 3},
	[IO_ERROR] =      {"error",      "on_made|on_queued on_error on_complete", 3},
};
/* clang-format on */

/* What D reads; dscripts/lib/io.d has the same structure. */
struct io_record {
	uint64_t addr, op_flags, sector, part_start, bytes, left, end_io, took_ns;
	uint64_t offset;
	int32_t error;
	uint32_t major, minor, instance;
	uint32_t file_kind, file_flags, file_mode, is_direct;
	char driver[32], disk[32];
	char fs[16];
	char mount[256], dir[PATH_ROOM], name[64], path[PATH_ROOM];
};

/* arg0 is the address of the request, arg1 the number of its device; args[] lead to the record. */
enum { BUFFER = 3, DEVICE, FILE_OF, NARGS };

/* What of a request can be counted by. */
#define REQUESTS (1U << IO_START | 1U << IO_DONE)
#define WORD(n, a, m)                                                                              \
	{                                                                                          \
		.rows = REQUESTS, .word = (n), .arg = (a), .is_member = true,                      \
		.off = offsetof(struct io_record, m), .size = sizeof(((struct io_record *)0)->m)   \
	}
static const struct bpf_word request_words[] = {
	WORD(0, BUFFER, bytes),
	WORD(1, BUFFER, sector),
	WORD(2, DEVICE, major),
	WORD(2, BUFFER, major),
	WORD(3, BUFFER, took_ns),
	WORD(4, BUFFER, left),
	WORD(5, BUFFER, error),
	WORD(6, BUFFER, addr),
	{.rows = REQUESTS, .word = 6, .arg = 0},
	WORD(7, DEVICE, minor),
	WORD(7, BUFFER, minor),
	WORD(8, BUFFER, op_flags),
	WORD(9, BUFFER, is_direct),
	{.rows = REQUESTS, .word = 10, .arg = 1},
	{.rows = REQUESTS,
	 .word = 11,
	 .arg = DEVICE,
	 .is_member = true,
	 .off = offsetof(struct io_record, disk),
	 .ntext = sizeof(((struct io_record *)0)->disk) / 8},
};

/* Those whose clauses may run in the kernel. */
static const struct event_row clause_rows[] = {
	{1U << IO_START, "block_rq_issue", "start_clauses", false},
	{1U << IO_DONE, "block_rq_complete", "done_clauses", false},
};

struct io_world {
	struct bpf_probes probes;
	struct blockdevs *devices;
	struct io_tracepoints *tracepoints; /* NULL: BPF tells */
	struct io_record copy;
};

static struct io_world *io_of(const struct session *s)
{
	return world_of(s)->io;
}

/* ---- files ---- */

static void set_words(struct io_record *r, const char *words)
{
	snprintf(r->name, sizeof(r->name), "%s", words);
	snprintf(r->dir, sizeof(r->dir), "%s", words);
	snprintf(r->path, sizeof(r->path), "%s", words);
}

static void set_path(struct io_world *w, const struct bpf_file *f)
{
	struct io_record *r = &w->copy;
	uint32_t n = MIN(f->nparts, (uint32_t)BPF_FILE_PARTS);
	size_t at, dir;

	snprintf(r->mount, sizeof(r->mount), "%s",
		 blockdev_mount(w->devices, f->device >> 20, f->device & 0xfffff));
	at = (size_t)snprintf(r->path, sizeof(r->path), "%s",
			      strcmp(r->mount, "/") ? r->mount : "");
	dir = at;
	for (uint32_t i = n; i-- > 0 && at < sizeof(r->path);) {
		dir = at;
		at += (size_t)snprintf(r->path + at, sizeof(r->path) - at, "/%.*s",
				       BPF_FILE_NAME - 1, f->parts[i]);
	}
	snprintf(r->name, sizeof(r->name), "%.*s", BPF_FILE_NAME - 1, n ? f->parts[0] : "/");
	snprintf(r->dir, sizeof(r->dir), "%.*s", (int)dir, r->path);
	if (!r->dir[0])
		snprintf(r->dir, sizeof(r->dir), "/");
	if (!r->path[0])
		snprintf(r->path, sizeof(r->path), "/");
}

/* Data of a device itself: its file system's own, or of one that is used without. */
static void set_device(struct io_world *w)
{
	struct io_record *r = &w->copy;

	if (!r->disk[0] || blockdev_mount(w->devices, r->major, r->minor)[0]) {
		r->file_kind = BPF_FILE_META;
		set_words(r, "<meta>");
		return;
	}
	snprintf(r->name, sizeof(r->name), "%s", r->disk);
	snprintf(r->dir, sizeof(r->dir), "/dev");
	snprintf(r->path, sizeof(r->path), "/dev/%s", r->disk);
}

static void set_file(struct io_world *w, const struct bpf_file *f)
{
	struct io_record *r = &w->copy;

	r->file_kind = f->kind;
	r->file_flags = f->flags;
	r->file_mode = f->mode;
	r->is_direct = f->is_direct;
	r->offset = f->offset;
	snprintf(r->fs, sizeof(r->fs), "%.15s", f->fs);
	r->mount[0] = '\0';
	switch ((enum bpf_file_kind)f->kind) {
	case BPF_FILE_NAMED:
		if (strcmp(r->fs, "bdev") == 0)
			set_device(w);
		else
			set_path(w, f);
		break;
	case BPF_FILE_DIRECT:
		set_words(r, "<direct>");
		break;
	case BPF_FILE_META:
		set_words(r, "<meta>");
		break;
	case BPF_FILE_UNKNOWN:
		set_words(r, "<unknown>");
		break;
	case BPF_FILE_NONE:
		set_words(r, "<none>");
		break;
	}
}

/* ---- records ---- */

static void set_record(struct io_world *w, const struct bpf_io *io)
{
	struct io_record *r = &w->copy;

	r->addr = io->addr;
	r->op_flags = io->op_flags;
	r->sector = io->sector;
	r->part_start = io->part_start;
	r->bytes = io->bytes;
	r->left = io->left;
	r->end_io = io->end_io;
	r->took_ns = io->took_ns;
	r->error = io->error;
	r->major = io->major;
	r->minor = io->minor;
	r->instance = io->part_minor;
	snprintf(r->driver, sizeof(r->driver), "%s",
		 io->disk[0] ? blockdev_driver(w->devices, io->major, io->minor) : "");
	snprintf(r->disk, sizeof(r->disk), "%.31s", io->disk);
	set_file(w, &io->file);
}

static void tell(void *arg, const struct bpf_io *io, struct event *ev)
{
	struct io_world *w = arg;

	ev->raw = NULL;
	if (w->probes.probes[io->row]->needs & (NEED_ARGS | NEED_MEM)) {
		set_record(w, io);
		ev->raw = &w->copy;
		ev->rawlen = sizeof(w->copy);
		ev->args[0] = io->addr;
		ev->args[1] = (uint64_t)io->major << 20 | io->minor;
		ev->args[2] = 0;
		for (unsigned i = BUFFER; i < NARGS; i++)
			ev->args[i] = (uintptr_t)&w->copy;
	}
	bpf_probes_fire(&w->probes, io->row, ev);
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct io_world *w = arg;
	const struct bpf_io *io = (const void *)h;
	struct event ev;

	if (len < sizeof(*io) || io->row >= IO_NROWS || !w->probes.probes[io->row])
		return;
	bpf_event_init(w->probes.bpf, &ev, h);
	ev.start_ns = io->start_ns;
	tell(w, io, &ev);
}

/* ---- without programs in the kernel ---- */

/* The reason why BPF cannot stays in err where nothing else can either. */
static int use_tracepoints(struct io_world *w, struct probe *p, struct err *err)
{
	struct world *world = world_of(p->session);
	unsigned row = bpf_probes_row(p);
	struct err why = {0};
	struct perf *perf;

	if (world_perf(world, &perf, &why) < 0)
		return err->code;
	if (!w->tracepoints)
		w->tracepoints = io_tracepoints_new(world, perf, w->devices, tell, w);
	if (io_tracepoints_add(w->tracepoints, row, p->needs, &why) < 0) {
		if (world->recording && why.code)
			*err = why;
		return err->code;
	}
	bpf_probes_do_without(p, "fi_name, fi_pathname, fi_fs");
	return 0;
}

/* ---- enabling ---- */

static int io_enable(struct probe *p, struct err *err)
{
	struct io_world *w = io_of(p->session);
	int rc;

	if (!w->devices)
		w->devices = blockdevs_new();
	rc = bpf_probes_enable(p, err);
	if (rc < 0)
		return use_tracepoints(w, p, err);
	event_clauses_use(&w->probes, clause_rows, ARRAY_SIZE(clause_rows));
	bpf_on(w->probes.bpf, BPF_KIND_IO, on_record, w);
	return 0;
}

static int io_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
		      struct err *err UNUSED)
{
	struct io_world *w;

	if (d || world_of(s)->io)
		return 0;
	w = world_of(s)->io = xcalloc(1, sizeof(*w));
	w->probes = (struct bpf_probes){.provider = &prov_io,
					.object = "io",
					.rows = rows,
					.nrows = IO_NROWS,
					.args_at = BUFFER,
					.without_bpf = 1U << IO_START | 1U << IO_DONE,
					.here = REQUESTS,
					.knows = BPF_KNOWS_IDS,
					.words = request_words,
					.nwords = ARRAY_SIZE(request_words),
					.session = s};
	bpf_probes_create(&w->probes);
	return 0;
}

static void io_free(struct session *s)
{
	struct io_world *w = io_of(s);

	if (!w)
		return;
	io_tracepoints_free(w->tracepoints);
	blockdevs_free(w->devices);
	free(w);
	world_of(s)->io = NULL;
}

const struct provider prov_io = {
	.name = "io",
	.is_of_kernel = true,
	.provide = io_provide,
	.enable = io_enable,
	.argtypes = bpf_probes_argtypes,
	.free = io_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
