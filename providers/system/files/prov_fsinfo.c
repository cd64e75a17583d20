/*
 * prov_fsinfo.c: operations on files (docs/spec/providers.md §4.5), seen by
 * providers/kernel/bpf/fsinfo.bpf.c where system calls begin and return. An end says little of its
 * own: the record of its start is kept until then.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "providers/kernel/bpfprobe.h"
#include "providers/kernel/kprog/eventclauses.h"
#include "providers/providers.h"
#include "providers/system/files/fsops.h"
#include "providers/system/files/fsrecord.h"
#include "providers/system/files/fsrecorded.h"
#include "providers/system/files/fsstops.h"
#include "providers/system/system.h"
#include "tracer/janitor/watchdog.h"

#define CALLS "on_enter"
#define RING  " on_ring|on_ring_sqe"
#define ENDS                                                                                       \
	" on_range on_gone on_exec|on_gone on_mapped" /* what closes without a call of its own */

/* clang-format off */
static const struct bpf_probe_row rows[FS_NROWS] = {
	[FS_CREATE] =    {"create",    CALLS RING, 1},
	[FS_CLEANUP] =   {"cleanup",   CALLS RING ENDS, 2},
	[FS_CLOSE] =     {"close",     CALLS RING ENDS, 2},
	[FS_READ] =      {"read",      CALLS RING, 1},
	[FS_WRITE] =     {"write",     CALLS RING, 1},
	[FS_SETINFO] =   {"setinfo",   CALLS RING, 1},
	[FS_DELETE] =    {"delete",    CALLS RING, 1},
	[FS_RENAME] =    {"rename",    CALLS RING, 1},
	[FS_DIRENUM] =   {"direnum",   CALLS, 1},
	[FS_FLUSH] =     {"flush",     CALLS RING, 1},
	[FS_QUERYINFO] = {"queryinfo", CALLS RING, 1},
	[FS_FSCONTROL] = {"fscontrol", CALLS, 1},
	[FS_DONE] =      {"done",      CALLS " on_exit" RING " on_ring_done" ENDS, 1},
	[FS_DIRNOTIFY] = {"dirnotify", CALLS RING, 1},
};
/* clang-format on */

/* What of a start can be asked for in the kernel; ends are the engine's. */
#define STARTS ((1U << FS_NROWS) - 1 - (1U << FS_DONE))
#define NUMBER(n, m, called)                                                                       \
	{                                                                                          \
		.rows = STARTS, .word = (n), .is_member = true,                                    \
		.off = offsetof(struct fs_record, m), .size = sizeof(((struct fs_record *)0)->m),  \
		.name = (called)                                                                   \
	}
#define TEXT(n, m, called)                                                                         \
	{                                                                                          \
		.rows = STARTS, .word = (n), .is_member = true,                                    \
		.off = offsetof(struct fs_record, m), .name = (called),                            \
		.is_way = (n) == FS_WORD_MOUNT                                                     \
	}
static const struct bpf_word words[] = {
	NUMBER(FS_WORD_OFFSET, offset, "fi_offset"),
	NUMBER(FS_WORD_BYTES, bytes, "fi_bcount"),
	NUMBER(FS_WORD_OFLAGS, oflags, "fi_oflags"),
	NUMBER(FS_WORD_CFLAGS, cflags, "fi_cflags"),
	NUMBER(FS_WORD_AFLAGS, aflags, "fi_aflags"),
	NUMBER(FS_WORD_SFLAGS, sflags, "fi_sflags"),
	NUMBER(FS_WORD_ROW, row, "row"),
	TEXT(FS_WORD_FS, fs, "fi_fs"),
	TEXT(FS_WORD_NAME, name, "fi_name"),
	TEXT(FS_WORD_MOUNT, mount, "fi_mount"),
	{.word = FS_WORD_TAIL,
	 .is_member = true,
	 .is_tail = true,
	 .name = "fi_pathname",
	 .off = offsetof(struct fs_record, path)},
};

/* Whose clauses run in the kernel. */
#define CLOSES	 (1U << FS_CLEANUP | 1U << FS_CLOSE)
#define KEPT	 STARTS
#define OF_RINGS (KEPT & ~(1U << FS_DIRENUM | 1U << FS_FSCONTROL))
#define KEPT_NUMBER(n, m)                                                                          \
	{.rows = KEPT & ~(1U << FS_WRITE),                                                         \
	 .word = (n),                                                                              \
	 .is_member = true,                                                                        \
	 .off = offsetof(struct fs_record, m),                                                     \
	 .size = sizeof(((struct fs_record *)0)->m)},                                              \
	{                                                                                          \
		.rows = 1U << FS_WRITE, .word = FS_CLAUSE_WRITE + (n), .is_member = true,          \
		.off = offsetof(struct fs_record, m), .size = sizeof(((struct fs_record *)0)->m)   \
	}
/* A text, of operations on descriptors alone: a path may be one that cannot be read yet. */
#define WITH_FILES (1U << FS_READ | 1U << FS_WRITE | 1U << FS_DIRENUM | 1U << FS_FLUSH | CLOSES)
#define KEPT_TEXT(m)                                                                               \
	{.rows = WITH_FILES & ~(1U << FS_WRITE),                                                   \
	 .word = FS_CLAUSE_FILE,                                                                   \
	 .is_member = true,                                                                        \
	 .is_interned = true,                                                                      \
	 .off = offsetof(struct fs_record, m)},                                                    \
	{                                                                                          \
		.rows = 1U << FS_WRITE, .word = FS_CLAUSE_WRITE + FS_CLAUSE_FILE,                  \
		.is_member = true, .is_interned = true, .off = offsetof(struct fs_record, m)       \
	}
static const struct bpf_word clause_words[] = {
	KEPT_NUMBER(FS_WORD_OFFSET, offset),
	KEPT_NUMBER(FS_WORD_BYTES, bytes),
	KEPT_NUMBER(FS_WORD_OFLAGS, oflags),
	KEPT_NUMBER(FS_WORD_CFLAGS, cflags),
	KEPT_NUMBER(FS_WORD_ROW, row),
	KEPT_TEXT(fs),
	KEPT_TEXT(mount),
	KEPT_TEXT(name),
	KEPT_TEXT(dir),
	KEPT_TEXT(path),
	KEPT_TEXT(newname),
	{.rows = CLOSES, .word = FS_CLAUSE_MAPPED, .arg = 1},
};
static const struct event_row clause_rows[] = {
	{KEPT, "sys_enter", "call_clauses", true},
	{OF_RINGS, "io_uring_submit_req", "ring_clauses", true},
	{OF_RINGS, "io_uring_submit_sqe", "sqe_clauses", true}, /* before Linux 6.5 */
	{CLOSES, "sys_enter", "range_clauses", true},
	{CLOSES, "sched_process_exit", "gone_clauses", true},
	{CLOSES, "sched_prepare_exec", "exec_clauses", true},
};

static const char *const gathering[] = {NULL, NULL, NULL, "on_range", "on_gone", "on_exec"};
_Static_assert(ARRAY_SIZE(gathering) == ARRAY_SIZE(clause_rows), "rows");

_Static_assert(offsetof(struct bpf_fs, offset) == BPF_FS_SHORT, "short records");

/* An operation that has begun, for its end. */
struct started {
	struct fs_record record;
	uint64_t awaits_ns; /* its path has not come yet: the time of its record; 0: it has */
	struct started *next_free;
};

struct fsinfo_world {
	struct bpf_probes probes;
	struct mounttab *mounts;
	struct hash started; /* by irp */
	struct started *unused;
	struct fs_record copy;
	/* where programs cannot be: */
	bool by_stops, has_sockets;
	bool listens[2]; /* to a recording: where calls return, and begin */
	struct call_watcher watcher;
	struct hash calls; /* by thread: what has begun, enum begun */
	struct bpf_fs raw;
};

static struct fsinfo_world *fsinfo_of(const struct session *s)
{
	return world_of(s)->fsinfo;
}

/* ---- starts that are kept ---- */

static struct started *keep(struct fsinfo_world *w, uint64_t irp)
{
	struct started *st = hash_get(&w->started, irp);

	if (st)
		return st; /* it has ended without a word */
	st = w->unused;
	if (st)
		w->unused = st->next_free;
	else
		st = xcalloc(1, sizeof(*st));
	hash_put(&w->started, irp, st);
	return st;
}

static void let_go(struct fsinfo_world *w, uint64_t irp)
{
	struct started *st = hash_del(&w->started, irp);

	if (!st)
		return;
	st->next_free = w->unused;
	w->unused = st;
}

static const struct bpf_fs *find_late(const struct fsinfo_world *w, const struct bpf_fs *start,
				      size_t *len)
{
	const struct bpf_fs *late =
		(const void *)bpf_ahead(w->probes.bpf, BPF_KIND_FS_LATE, start->head.tid, len);

	return late && *len >= offsetof(struct bpf_fs, bytes) &&
			       (uint64_t)late->result == start->head.time_ns
		       ? late
		       : NULL;
}

/* The names and numbers of a start, in what its end will find. */
static struct fs_record *record_of_start(struct fsinfo_world *w, const struct bpf_fs *f, size_t len)
{
	struct started *st = w->probes.probes[FS_DONE] ? keep(w, f->irp) : NULL;
	struct fs_record *r = st ? &st->record : &w->copy;
	const struct bpf_fs *late;
	size_t late_len;

	fs_record_set(r, w->mounts, f, len);
	if (st)
		st->awaits_ns = 0;
	if (!(f->flags & BPF_FS_NO_TEXT))
		return r;
	late = find_late(w, f, &late_len);
	if (late)
		fs_record_set_late(r, w->mounts, late, late_len);
	else if (st)
		st->awaits_ns = f->head.time_ns;
	return r;
}

/* The path of a start that has been fired without. */
static void on_late(void *arg, const struct bpf_head *h, size_t len)
{
	struct fsinfo_world *w = arg;
	const struct bpf_fs *late = (const void *)h;
	struct started *st;

	if (len < offsetof(struct bpf_fs, bytes))
		return;
	st = hash_get(&w->started, late->irp);
	if (!st || !st->awaits_ns || (uint64_t)late->result != st->awaits_ns)
		return;
	fs_record_set_late(&st->record, w->mounts, late, len);
	st->awaits_ns = 0;
}

/* ---- records ---- */

static void fire(struct fsinfo_world *w, unsigned row, struct event *ev, const struct fs_record *r,
		 unsigned flags)
{
	ev->raw = r;
	ev->rawlen = r ? sizeof(*r) : 0;
	ev->args[0] = (uintptr_t)r;
	ev->args[1] = (flags & BPF_FS_MAPPED) != 0;
	bpf_probes_fire(&w->probes, row, ev);
}

static bool has_readers(const struct fsinfo_world *w)
{
	return w->by_stops || w->listens[true] || w->probes.wants->details;
}

static void on_end(struct fsinfo_world *w, const struct bpf_fs *f, size_t len, struct event *ev)
{
	struct started *st = hash_get(&w->started, f->irp);
	struct fs_record *r = &w->copy;

	if (!w->probes.probes[FS_DONE])
		return;
	if (!has_readers(w)) {
		fire(w, FS_DONE, ev, NULL, 0);
		return;
	}
	if (st)
		r = &st->record;
	else /* its record was lost, or it began before we did */
		fs_record_set(r, w->mounts, f, BPF_FS_SHORT);
	if (f->flags & BPF_FS_FILE) /* it has been opened: now that is known */
		fs_record_opened(r, f, len);
	r->status = f->result < 0 && f->result >= -4095 ? (int32_t)f->result : 0;
	r->extinfo = r->status ? 0 : f->result;
	fire(w, FS_DONE, ev, r, 0);
	let_go(w, f->irp);
}

static void on_event(struct fsinfo_world *w, const struct bpf_fs *f, size_t len, struct event *ev)
{
	const struct fs_record *r = NULL;

	if (f->row == FS_DONE) {
		on_end(w, f, len, ev);
		return;
	}
	if (has_readers(w))
		r = record_of_start(w, f, len);
	fire(w, f->row, ev, r, f->flags);
	if (f->row == FS_CLEANUP)
		fire(w, FS_CLOSE, ev, r, f->flags);
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct fsinfo_world *w = arg;
	const struct bpf_fs *f = (const void *)h;
	struct event ev;

	if (len < BPF_FS_SHORT || f->row >= FS_NROWS)
		return;
	bpf_event_init(w->probes.bpf, &ev, h);
	on_event(w, f, len, &ev);
}

/* ---- stops ---- */

enum begun { BEGUN_ONE = 1, BEGUN_SECOND = 2, BEGUN_OPEN = 4 };

struct stopped {
	struct fsinfo_world *world;
	struct fsstops at;
	struct event ev;
};

static uint64_t irp_of(const struct call_stop *c, bool is_second)
{
	return (uint64_t)c->tid << 32 | (is_second ? 2 : 1);
}

static void end_by_stop(struct stopped *st, uint64_t irp, int64_t result)
{
	struct bpf_fs *r = &st->world->raw;

	memset(r, 0, BPF_FS_SHORT);
	r->row = FS_DONE;
	r->irp = irp;
	r->result = result;
	on_event(st->world, r, BPF_FS_SHORT, &st->ev);
}

static void close_by_stop(void *arg, struct fsstops *at)
{
	struct stopped *st = arg;
	uint64_t irp = at->record->irp;

	on_event(st->world, at->record, at->len, &st->ev);
	end_by_stop(st, irp, 0);
}

static unsigned begin_by_stop(struct stopped *st, unsigned nr, bool is_second)
{
	const struct bpf_fs_op *op = fsops_of(nr, is_second);

	if (!op || op->flags & FS_OP_RANGE ||
	    !fsstops_start(&st->at, op, irp_of(st->at.call, is_second)))
		return 0;
	on_event(st->world, st->at.record, st->at.len, &st->ev);
	return is_second ? BEGUN_SECOND : BEGUN_ONE | (op->flags & FS_OP_OPENS ? BEGUN_OPEN : 0);
}

static void called(struct stopped *st, unsigned nr)
{
	const struct fsinfo_world *w = st->world;
	uintptr_t begun = begin_by_stop(st, nr, false) | begin_by_stop(st, nr, true);

	fsstops_closes(&st->at, (int)nr, close_by_stop, st);
	if (begun && w->probes.probes[FS_DONE])
		hash_put(&st->world->calls, (uint64_t)st->ev.tid, (void *)begun);
}

static void returned(struct stopped *st)
{
	const struct call_stop *c = st->at.call;
	uintptr_t begun = (uintptr_t)hash_del(&st->world->calls, (uint64_t)c->tid);

	if (begun & BEGUN_OPEN && c->ret >= 0 &&
	    fsstops_opened(&st->at, irp_of(c, false), (int)c->ret))
		on_event(st->world, st->at.record, st->at.len, &st->ev);
	else if (begun & BEGUN_ONE)
		end_by_stop(st, irp_of(c, false), c->ret);
	if (begun & BEGUN_SECOND)
		end_by_stop(st, irp_of(c, true), c->ret);
}

static void on_call(void *arg, const struct call_stop *c)
{
	struct fsinfo_world *w = arg;
	struct stopped st = {.world = w};
	struct hit at;
	int nr = sys_stops_event(c, &at, &st.ev);

	st.at = (struct fsstops){
		.call = c, .mounts = w->mounts, .sockets = w->has_sockets, .record = &w->raw};
	if (!c->is_entry)
		returned(&st);
	else if (nr >= 0)
		called(&st, (unsigned)nr);
}

/* ---- a recording ---- */

static void begin_recorded(struct fsinfo_world *w, struct recorded_call *c, bool is_second)
{
	const uint64_t irp = (uint64_t)(uint32_t)c->ev.tid << 32 | (is_second ? 2 : 1);
	const struct bpf_fs_op *op = fsops_of(c->nr, is_second);
	struct started *st;

	if (!op || !fsrecorded_start(&w->copy, op, c, irp))
		return;
	fire(w, w->copy.row, &c->ev, &w->copy, 0);
	if (w->copy.row == FS_CLEANUP)
		fire(w, FS_CLOSE, &c->ev, &w->copy, 0);
	if (!w->probes.probes[FS_DONE])
		return;
	st = keep(w, irp);
	st->record = w->copy;
}

static void end_recorded(struct fsinfo_world *w, struct recorded_call *c, bool is_second)
{
	const uint64_t irp = (uint64_t)(uint32_t)c->ev.tid << 32 | (is_second ? 2 : 1);
	struct started *st = hash_get(&w->started, irp);

	if (!st)
		return;
	st->record.status = recorded_call_failed(c) ? (int32_t)c->result : 0;
	st->record.extinfo = st->record.status ? 0 : c->result;
	fire(w, FS_DONE, &c->ev, &st->record, 0);
	let_go(w, irp);
}

static void on_recorded(void *arg, struct recorded_call *c)
{
	void (*const tell)(struct fsinfo_world *, struct recorded_call *, bool) =
		c->is_entry ? begin_recorded : end_recorded;

	tell(arg, c, false);
	tell(arg, c, true);
}

static int listen_once(struct fsinfo_world *w, struct world *world, bool is_entry, struct err *err)
{
	const struct call_listener l = {.is_entry = is_entry, .fn = on_recorded, .arg = w};
	int rc = w->listens[is_entry] ? 0 : call_tracepoints_listen(world, &l, err);

	if (rc == 0)
		w->listens[is_entry] = true;
	return rc;
}

static int use_recording(struct fsinfo_world *w, struct probe *p, struct err *err)
{
	struct world *world = world_of(p->session);
	int rc = listen_once(w, world, true, err);

	if (rc == 0 && bpf_probes_row(p) == FS_DONE)
		rc = listen_once(w, world, false, err);
	if (rc < 0)
		return rc;
	bpf_probes_do_without(p, "fi_fs, fi_mount, fi_dirname, fi_pathname, fi_newname");
	return 0;
}

static int fsinfo_start(struct session *s, struct err *err UNUSED)
{
	struct fsinfo_world *w = fsinfo_of(s);

	if (!w || !w->by_stops)
		return 0;
	w->watcher = (struct call_watcher){.called = on_call, .arg = w};
	sys_stops_watch(s, &w->watcher);
	return 0;
}

/* ---- enabling ---- */

static int fill_maps(void *arg, struct err *err)
{
	struct fsinfo_world *w = arg;
	unsigned wanted = w->probes.wants->rows;

	if (wanted & 1U << FS_CLOSE)
		wanted |= 1U << FS_CLEANUP;
	if (wanted & 1U << FS_DIRNOTIFY)
		wanted |= 1U << FS_READ;
	if (wanted & 1U << FS_WRITE)
		wanted |= 1U << FS_READ;
	if (wanted & 1U << FS_SETINFO)
		wanted |= 1U << FS_FSCONTROL;
	if (wanted & 1U << FS_DONE)
		wanted = ~0U;
	return fsops_fill(bpf_map(w->probes.bpf, "fsinfo", "ops"),
			  bpf_map(w->probes.bpf, "fsinfo", "numbers32"), wanted, err);
}

static int say_who(struct fsinfo_world *w, const struct session *s, struct err *err)
{
	size_t size;
	struct {
		struct bpf_wants wants;
		struct bpf_fs_who who;
	} *constants = bpf_rodata(w->probes.opened, &size);

	if (size < sizeof(*constants))
		return err_set(err, -EINVAL, "the BPF object fsinfo has other constants");
	constants->who.own[0] = (uint32_t)s->engine_pid;
	constants->who.own[1] = s->watchdog ? (uint32_t)s->watchdog->pid : 0;
	constants->who.sockets = opt_on(&s->options, OPT_FSINFOSOCK);
	if (constants->wants.can_iterate) /* mappings need not be followed */
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(w->probes.opened, "on_mapped"), false);
	return 0;
}

/* ---- files that are kept in the kernel ---- */

/* As many of them as aggsize has room for. */
static void make_room(void *arg)
{
	const struct bpf_probes *bp = &((struct fsinfo_world *)arg)->probes;
	const uint64_t size = (uint64_t)opt(&bp->session->options, OPT_AGGSIZE);

	bpf_map__set_max_entries(bpf_object__find_map_by_name(bp->opened, "files"),
				 (uint32_t)MAX(MIN(size / BPF_FS_USUAL, 65536), 64));
	bpf_map__set_max_entries(bpf_object__find_map_by_name(bp->opened, "long_files"),
				 (uint32_t)MAX(MIN(size / sizeof(struct bpf_fs), 65536), 16));
}

static void find_interned(void *arg, const void *of, struct event *ev)
{
	struct fsinfo_world *w = arg;
	size_t len = BPF_FS_USUAL;

	if (bpf_map_lookup_elem(bpf_map(w->probes.bpf, "fsinfo", "files"), of, &w->raw) < 0) {
		len = sizeof(w->raw);
		if (bpf_map_lookup_elem(bpf_map(w->probes.bpf, "fsinfo", "long_files"), of,
					&w->raw) < 0)
			len = 0;
	}
	if (!len)
		memset(&w->raw, 0, sizeof(w->raw));
	fs_record_set(&w->copy, w->mounts, &w->raw, len);
	ev->raw = &w->copy;
	ev->rawlen = sizeof(w->copy);
	ev->args[0] = (uintptr_t)&w->copy;
}

/* The calls of the traced processes, where nothing else is allowed. */
static void use_stops(struct fsinfo_world *w, struct probe *p)
{
	w->by_stops = true;
	w->has_sockets = opt_on(&p->session->options, OPT_FSINFOSOCK);
	bpf_probes_do_without(p, NULL);
}

static int fsinfo_enable(struct probe *p, struct err *err)
{
	struct fsinfo_world *w = fsinfo_of(p->session);
	const bool is_recorded = world_of(p->session)->recording;
	int rc = is_recorded ? 0 : bpf_probes_enable(p, err);
	bool can_stop = (rc == -EACCES || rc == -EPERM) && world_can_stop(world_of(p->session));

	if (rc < 0 && !can_stop)
		return rc;
	if (!w->mounts) {
		w->mounts = mounttab_new();
		hash_init(&w->started);
		hash_init(&w->calls);
	}
	if (is_recorded)
		return use_recording(w, p, err);
	if (can_stop) {
		use_stops(w, p);
		return 0;
	}
	bpf_on(w->probes.bpf, BPF_KIND_FS, on_record, w);
	bpf_on(w->probes.bpf, BPF_KIND_FS_LATE, on_late, w);
	event_clauses_use(&w->probes, clause_rows, ARRAY_SIZE(clause_rows));
	return say_who(w, p->session, err);
}

/* Of a path that cannot be read when the call begins; not of a descriptor. */
static void choose_late_paths(void *arg)
{
	struct bpf_probes *bp = &((struct fsinfo_world *)arg)->probes;

	if (bp->probes[FS_DONE]) /* which finds what the start has told */
		bp->unclaimed = STARTS;
	if (bp->wants->details && bp->wants->rows & fsops_with_paths())
		bpf_program__set_autoload(bpf_object__find_program_by_name(bp->opened, "on_exit"),
					  true);
}

static int fsinfo_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			  struct err *err UNUSED)
{
	struct fsinfo_world *w;

	if (d || world_of(s)->fsinfo)
		return 0;
	w = world_of(s)->fsinfo = xcalloc(1, sizeof(*w));
	w->probes = (struct bpf_probes){.provider = &prov_fsinfo,
					.object = "fsinfo",
					.rows = rows,
					.nrows = FS_NROWS,
					.knows = BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME |
						 BPF_KNOWS_WORDS,
					.words = words,
					.nwords = ARRAY_SIZE(words),
					.words_are_partial = true,
					.clause_words = clause_words,
					.nclause_words = ARRAY_SIZE(clause_words),
					.gathering = gathering,
					.interned = find_interned,
					.make_room = make_room,
					.loaded = fill_maps,
					.prepare = choose_late_paths,
					.loaded_arg = w,
					.session = s};
	bpf_probes_create(&w->probes);
	return 0;
}

static void fsinfo_free(struct session *s)
{
	struct fsinfo_world *w = fsinfo_of(s);
	struct started *st;
	uint64_t irp;

	if (!w)
		return;
	for (size_t i = 0; w->mounts && (st = hash_each(&w->started, &i, &irp));)
		free(st);
	while ((st = w->unused)) {
		w->unused = st->next_free;
		free(st);
	}
	if (w->mounts) {
		hash_release(&w->started);
		hash_release(&w->calls);
	}
	mounttab_free(w->mounts);
	free(w);
	world_of(s)->fsinfo = NULL;
}

const struct provider prov_fsinfo = {
	.name = "fsinfo",
	.is_of_kernel = true,
	.provide = fsinfo_provide,
	.enable = fsinfo_enable,
	.argtypes = bpf_probes_argtypes,
	.ustack = sys_stops_ustack,
	.start = fsinfo_start,
	.free = fsinfo_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
