#include "providers/perfwrite/perfwrite_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pulse.h"
#include "providers/perfdata/perfdata.h"

/* Written at once; what is lost of a file that has no more room. */
#define BUF_SIZE   (1U << 20)
#define RING_MAX   (256U << 20)
#define IMAGES_MAX 16384

struct perfwrite *perfwrite_new(const char *path)
{
	struct perfwrite *w = xcalloc(1, sizeof(*w));

	w->path = path;
	w->fd = -1;
	w->attr_size = WRITE_ATTR_SIZE;
	w->add_feature = write_live_feature;
	w->formats_tail = &w->formats;
	w->images_tail = &w->images;
	strmap_init(&w->texts);
	strmap_init(&w->known);
	arena_init(&w->arena);
	return w;
}

void perfwrite_free(struct perfwrite *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->nevents; i++) {
		free(w->events[i].attr);
		free(w->events[i].name);
		free(w->events[i].ids);
	}
	free(w->events);
	if (w->fd >= 0)
		close(w->fd);
	write_ring_free(w);
	write_zip_free(w);
	free(w->held);
	strmap_release(&w->texts);
	strmap_release(&w->known);
	arena_release(&w->arena);
	free(w->buf);
	free(w);
}

const char *perfwrite_path(const struct perfwrite *w)
{
	return w->path;
}

uint64_t perfwrite_nsamples(const struct perfwrite *w)
{
	return w->nwritten;
}

uint64_t perfwrite_size(const struct perfwrite *w)
{
	return w->size;
}

bool perfwrite_is_full(const struct perfwrite *w)
{
	return w->why.code != 0 || (w->nleft_out && !w->ring_ns);
}

uint64_t perfwrite_nleft_out(const struct perfwrite *w)
{
	return w->nleft_out;
}

void perfwrite_limit(struct perfwrite *w, uint64_t max, uint64_t ring_ns)
{
	w->max = max || !ring_ns ? max : RING_MAX;
	w->ring_ns = ring_ns;
}

/* ---- what is recorded ---- */

unsigned write_add_event(struct perfwrite *w, const void *attr, const char *name)
{
	struct write_event *e;

	w->events = xrealloc(w->events, (w->nevents + 1) * sizeof(*w->events));
	e = &w->events[w->nevents];
	*e = (struct write_event){.attr = xmalloc(w->attr_size), .name = xstrdup(name)};
	memcpy(e->attr, attr, w->attr_size);
	return w->nevents++;
}

unsigned perfwrite_event(struct perfwrite *w, const struct perf_event_attr *of, const char *name)
{
	union {
		struct perf_event_attr attr;
		char bytes[MAX(sizeof(struct perf_event_attr), WRITE_ATTR_SIZE)];
	} u = {.bytes = {0}};

	u.attr = *of;
	u.attr.size = WRITE_ATTR_SIZE;
	u.attr.disabled = 0;
	u.attr.exclude_guest = 1; /* else perf adds to the name that it is not */
	return write_add_event(w, &u, name);
}

void perfwrite_id(struct perfwrite *w, unsigned event, uint64_t id)
{
	struct write_event *e = &w->events[event];

	if (e->nids == e->room) {
		e->room = e->room ? e->room * 2 : 16;
		e->ids = xrealloc(e->ids, e->room * sizeof(*e->ids));
	}
	e->ids[e->nids++] = id;
}

void perfwrite_format(struct perfwrite *w, const char *system, const char *text)
{
	struct write_format *f = ARENA_NEW(&w->arena, struct write_format);

	f->system = arena_strdup(&w->arena, system);
	f->text = arena_strdup(&w->arena, text);
	*w->formats_tail = f;
	w->formats_tail = &f->next;
}

void perfwrite_clock(struct perfwrite *w, uint64_t time_ns)
{
	w->begin_ns = time_ns;
}

void perfwrite_text(struct perfwrite *w, const char *name, const char *text)
{
	strmap_put(&w->texts, arena_strdup(&w->arena, name), arena_strdup(&w->arena, text));
}

/* ---- bytes ---- */

/* As write_at; *done: so many have been written. */
static int write_some(const struct perfwrite *w, const void *bytes, size_t n, uint64_t at,
		      size_t *done)
{
	*done = 0;
	while (*done < n) {
		ssize_t got =
			pwrite(w->fd, (const char *)bytes + *done, n - *done, (off_t)(at + *done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENOSPC;
		*done += (size_t)got;
	}
	return 0;
}

int write_at(const struct perfwrite *w, const void *bytes, size_t n, uint64_t at)
{
	size_t done;

	return write_some(w, bytes, n, at, &done);
}

/* What follows the records needs room, too: it gets that of the last of them. */
#define TAIL_ROOM (128U << 10)

/* So many bytes of the buffer have been written: what of them are whole records stays, as far as
 * there is room for the tail; else what has been written the time before goes, too. */
static void give_up(struct perfwrite *w, int rc, size_t done)
{
	size_t keep = 0, held = 0;

	err_set(&w->why, rc, "%s", strerror(-rc));
	while (keep < done) {
		const struct perf_event_header *h = (const void *)(w->buf + keep);

		if (h->size < sizeof(*h) || keep + h->size + TAIL_ROOM > done)
			break;
		w->nwritten += h->type == PERF_RECORD_SAMPLE;
		keep += h->size;
		if (held < w->nheld && w->held[held].end == keep)
			w->nwritten += w->held[held++].nsamples;
	}
	if (keep) {
		w->at += keep;
	} else {
		w->at = w->safe;
		w->nwritten = w->nsafe;
	}
	if (ftruncate(w->fd, (off_t)w->at) < 0)
		w->why.code = -errno; /* then it is overwritten */
}

/* What has been given is written. */
static void write_flush(struct perfwrite *w)
{
	const size_t n = w->len;
	size_t done;
	int rc;

	w->len = 0;
	if (!n || w->why.code)
		return;
	rc = write_some(w, w->buf, n, w->at, &done);
	if (rc < 0) {
		give_up(w, rc, done);
		return;
	}
	w->safe = w->at;
	w->nsafe = w->nwritten;
	w->at += n;
	w->nwritten += w->nbuffered;
	w->nheld = w->nbuffered = 0;
}

void write_bytes(struct perfwrite *w, const void *bytes, size_t n)
{
	if (n > BUF_SIZE - w->len)
		write_flush(w);
	memcpy(w->buf + w->len, bytes, n);
	w->len += n;
}

void write_packed(struct perfwrite *w, const void *bytes, size_t n, uint32_t nsamples)
{
	write_bytes(w, bytes, n);
	w->nbuffered += nsamples;
	if (w->nheld == w->held_room) {
		w->held_room = MAX(2 * w->held_room, 64);
		w->held = xrealloc(w->held, w->held_room * sizeof(*w->held));
	}
	w->held[w->nheld++] = (struct write_held){w->len, nsamples};
}

static bool is_packing(const struct perfwrite *w)
{
	return w->zip && !w->is_copy;
}

/* As it came from the kernel, or would have. */
static void put_record(struct perfwrite *w, const struct perf_event_header *h)
{
	if (is_packing(w))
		write_zip_add(w, h);
	else
		write_bytes(w, h, h->size);
}

/* ---- records ---- */

/* Of every record. */
static const struct perf_layout prefix = {.sample_type = PERFWRITE_PREFIX, .has_trailer = true};

void write_note_image(struct perfwrite *w, const char *path, uint64_t ino)
{
	struct write_image *i = strmap_get(&w->known, path);

	if (i && i->ino != ino)
		i->ino = 0; /* of two files none is the one of that name */
	if (i || path[0] != '/' || path[1] == '/' || w->nimages == IMAGES_MAX)
		return;
	i = ARENA_NEW(&w->arena, struct write_image);
	i->path = arena_strdup(&w->arena, path);
	i->ino = ino;
	*w->images_tail = i;
	w->images_tail = &i->next;
	w->nimages++;
	strmap_put(&w->known, i->path, i);
}

/* PERF_RECORD_MMAP2 without a build-id (man perf_event_open). */
struct mapped {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t major, minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

static void note_mapped(struct perfwrite *w, const struct perf_event_header *h)
{
	const struct mapped *m = (const void *)h;
	char path[4096];
	size_t n;

	if (h->size <= sizeof(*m) + sizeof(struct write_trailer))
		return;
	n = strnlen(m->path, h->size - sizeof(*m) - sizeof(struct write_trailer));
	if (n >= sizeof(path))
		return;
	memcpy(path, m->path, n);
	path[n] = '\0';
	write_note_image(w, path, m->ino);
}

uint64_t write_time_of(const struct perf_event_header *h)
{
	struct perf_place at;

	perf_place(&prefix, h, &at);
	return at.time_ns;
}

void write_sample(struct perfwrite *w, const struct perf_event_header *h)
{
	put_record(w, h);
	write_count(w, write_time_of(h));
}

void write_count(struct perfwrite *w, uint64_t time_ns)
{
	w->nbuffered += !is_packing(w); /* else with what holds it */
	w->nsamples++;
	if (!w->first_ns)
		w->first_ns = time_ns;
	w->first_ns = MIN(w->first_ns, time_ns);
	w->last_ns = MAX(w->last_ns, time_ns);
}

static bool has_room(const struct perfwrite *w, size_t size)
{
	return !w->max || w->at + w->len + write_zip_waiting(w) + size <= w->max;
}

/* What the kernel has written into it may be the number of another tool's event. */
static void add_sample(struct perfwrite *w, const struct perf_event_header *h, uint64_t id)
{
	uint64_t record[UINT16_MAX / 8 + 1];

	if (!id) {
		write_sample(w, h);
		return;
	}
	memcpy(record, h, h->size);
	record[1] = id; /* the first of a sample */
	write_sample(w, (const void *)record);
}

void perfwrite_add(struct perfwrite *w, const struct perf_event_header *h, uint64_t id)
{
	if (w->fd < 0)
		return;
	if (h->type == PERF_RECORD_MMAP2)
		note_mapped(w, h);
	if (h->type != PERF_RECORD_SAMPLE)
		put_record(w, h);
	else if (w->ring_ns)
		write_ring_add(w, h, id, write_time_of(h));
	else if (has_room(w, h->size) && !w->nleft_out)
		add_sample(w, h, id);
	else
		w->nleft_out++;
}

void perfwrite_keep(struct perfwrite *w, const struct perf_event_header *h)
{
	if (w->fd >= 0 && w->ring_ns)
		write_sample(w, h);
	else
		perfwrite_add(w, h, 0);
}

struct write_trailer write_trailer_at(const struct perfwrite *w, uint64_t time_ns)
{
	struct write_trailer t = {.time_ns = time_ns};

	for (unsigned i = 0; i < w->nevents && !t.id; i++)
		if (w->events[i].nids)
			t.id = w->events[i].ids[0];
	return t;
}

void perfwrite_lost(struct perfwrite *w, uint64_t n, uint64_t time_ns)
{
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
		struct write_trailer trailer;
	} r = {.h = {PERF_RECORD_LOST, 0, sizeof(r)},
	       .lost = n,
	       .trailer = write_trailer_at(w, time_ns)};

	if (w->fd < 0)
		return;
	r.id = r.trailer.id;
	put_record(w, &r.h);
}

#define ROUND_BYTES (256U << 10)

static void end_round(struct perfwrite *w)
{
	const struct perf_event_header h = {PERFDATA_FINISHED_ROUND, 0, sizeof(h)};

	write_zip_flush(w);
	write_bytes(w, &h, sizeof(h));
	w->round_at = w->at + w->len;
}

#define FLUSH_NS 1000000000U

void write_round(struct perfwrite *w)
{
	if (w->at + w->len >= w->round_at + ROUND_BYTES)
		end_round(w);
}

void perfwrite_round(struct perfwrite *w)
{
	const uint64_t now = now_mono();

	if (!w->has_begun)
		return;
	/* what a ring has is older than what comes now: all is one round then */
	if (!w->ring_ns)
		write_round(w);
	if (now < w->flush_ns) /* what is rare is not kept back for long */
		return;
	w->flush_ns = now + FLUSH_NS;
	write_zip_flush(w);
	write_flush(w);
}

/* ---- begin and end ---- */

int perfwrite_make(struct perfwrite *w, struct err *err)
{
	w->fd = open(w->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0)
		return err_set(err, -errno, "cannot create %s: %s", w->path, strerror(errno));
	w->buf = xmalloc(BUF_SIZE);
	return 0;
}

void write_begin(struct perfwrite *w)
{
	const int rc = write_head(w);

	w->at = w->safe = w->round_at = w->data;
	if (rc < 0)
		give_up(w, rc, 0);
}

void perfwrite_begin(struct perfwrite *w, const struct perfwrite_start *start)
{
	write_begin(w);
	w->self = start->self;
	w->pair.clock_ns = now_mono();
	w->pair.wall_ns = clock_ns(CLOCK_REALTIME);
	write_state(w, start);
	write_mark(w, w->begin_ns);
	w->has_begun = true;
}

static int fail(const struct perfwrite *w, struct err *err)
{
	return err_set(err, w->why.code,
		       "writing %s has failed: %s; it ends after %llu of %llu events, and can be "
		       "read so far",
		       w->path, w->why.text, (unsigned long long)w->nwritten,
		       (unsigned long long)w->nsamples);
}

int write_finish(struct perfwrite *w, struct err *err)
{
	int rc;

	end_round(w);
	write_flush(w);
	rc = write_tail(w, true);
	if (rc < 0) {
		if (!w->why.code) {
			give_up(w, rc, 0);
			rc = write_tail(w, true);
		}
		if (rc < 0)
			write_tail(w, false);
	}
	if (close(w->fd) < 0 && !w->why.code)
		err_set(&w->why, -errno, "%s", strerror(errno));
	w->fd = -1;
	return w->why.code ? fail(w, err) : 0;
}

int perfwrite_end(struct perfwrite *w, uint64_t time_ns, struct err *err)
{
	if (w->fd < 0)
		return 0;
	if (!w->has_begun) {
		perfwrite_undo(w);
		return 0;
	}
	write_ring_write(w, time_ns);
	write_ring_free(w);
	write_mark(w, time_ns);
	return write_finish(w, err);
}

/* What has been written so far. */
static int copy_bytes(const struct perfwrite *from, const struct perfwrite *to)
{
	char part[65536];
	uint64_t at = 0;

	while (at < from->at) {
		ssize_t got = pread(from->fd, part, MIN(sizeof(part), from->at - at), (off_t)at);
		int rc;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		rc = write_at(to, part, (size_t)got, at);
		if (rc < 0)
			return rc;
		at += (uint64_t)got;
		pulse();
	}
	return 0;
}

int perfwrite_copy(struct perfwrite *w, const char *path, uint64_t *nsamples, struct err *err)
{
	struct perfwrite copy;
	int rc;

	write_zip_flush(w);
	write_flush(w);
	copy = *w;
	copy.path = path;
	copy.held = NULL;
	copy.held_room = 0;
	copy.is_copy = true; /* the stream goes on elsewhere */
	rc = perfwrite_make(&copy, err);
	if (rc < 0)
		return rc;
	rc = copy_bytes(w, &copy);
	if (rc < 0)
		err_set(&copy.why, rc, "%s", strerror(-rc));
	if (rc == 0)
		write_ring_write(&copy, now_mono());
	write_mark(&copy, now_mono());
	rc = write_finish(&copy, err);
	*nsamples = copy.nwritten;
	if (rc < 0) {
		err_set(err, rc, "writing %s has failed: %s", path, copy.why.text);
		unlink(path);
	}
	free(copy.held);
	free(copy.buf);
	return rc;
}

void perfwrite_undo(struct perfwrite *w)
{
	if (w->fd < 0)
		return;
	close(w->fd);
	w->fd = -1;
	unlink(w->path);
}
