/*
 * perfdata.c: the head of a file: which events it has, and what is said behind the records.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "providers/perfdata/perfdata_priv.h"

#define MAGIC	      0x32454c4946524550ULL /* "PERFILE2" */
#define MAGIC_SWAPPED 0x50455246494c4532ULL
#define MAGIC_V1      0x454c494646524550ULL /* "PERFFILE" */
#define FEATURE_MAX   ((uint64_t)256 << 20)

struct section {
	uint64_t offset, size;
};

struct head {
	uint64_t magic, size, attr_size;
	struct section attrs, data, types;
	uint64_t features[PERFDATA_FEATURES / 64];
};

#define PIPE_HEAD offsetof(struct head, attr_size)

/* ---- events ---- */

int perfdata_add_event(struct perfdata *d, const char *bytes, size_t size, const char *ids,
		       uint64_t nids, struct err *err)
{
	struct perfdata_event *e;

	if (d->nevents >= PERFDATA_MAX_EVENTS || nids > PERFDATA_MAX_IDS)
		return err_set(err, -E2BIG, "it has more events than can be");
	e = arena_alloc(&d->arena, sizeof(*e));
	*e = (struct perfdata_event){
		.bytes = arena_memdup(&d->arena, bytes, size),
		.nbytes = size,
		.ids = arena_memdup(&d->arena, ids, nids * sizeof(uint64_t)),
		.nids = (unsigned)nids,
	};
	memcpy(&e->attr, bytes, MIN(size, sizeof(e->attr)));
	e->layout = perf_layout_of(&e->attr);
	d->events = xrealloc(d->events, (d->nevents + 1) * sizeof(struct perfdata_event *));
	d->events[d->nevents++] = e;
	for (unsigned i = 0; i < e->nids; i++)
		hash_put(&d->by_id, e->ids[i], e);
	return 0;
}

/* All of it, or why not. */
static int read_at(struct perfdata *d, uint64_t offset, void *to, uint64_t n, const char *what,
		   struct err *err)
{
	if (offset > d->size || n > d->size - offset ||
	    pread(d->fd, to, n, (off_t)offset) != (ssize_t)n)
		return err_set(err, -EBADMSG,
			       "%s: %s at offset %llu: it reaches beyond the end of the file",
			       d->path, what, (unsigned long long)offset);
	return 0;
}

static int read_event(struct perfdata *d, uint64_t offset, uint64_t entry, struct err *err)
{
	const uint64_t size = entry - sizeof(struct section);
	struct section ids;
	char bytes[4096], *list = NULL;
	int rc;

	rc = read_at(d, offset, bytes, entry, "an event", err);
	if (rc < 0)
		return rc;
	memcpy(&ids, bytes + size, sizeof(ids));
	if (ids.size / 8 > PERFDATA_MAX_IDS)
		return err_set(err, -EBADMSG,
			       "%s: an event at offset %llu has more numbers than can be", d->path,
			       (unsigned long long)offset);
	list = xmalloc(ids.size + 1);
	rc = read_at(d, ids.offset, list, ids.size, "the numbers of an event", err);
	if (rc == 0)
		rc = perfdata_add_event(d, bytes, size, list, ids.size / 8, err);
	free(list);
	return rc;
}

static int read_events(struct perfdata *d, const struct head *h, struct err *err)
{
	const uint64_t entry = h->attr_size;
	int rc = 0;

	if (entry < PERF_ATTR_SIZE_VER0 + sizeof(struct section) || entry > 4096 ||
	    h->attrs.size / entry > PERFDATA_MAX_EVENTS)
		return err_set(err, -EBADMSG, "%s: its list of events has an impossible size",
			       d->path);
	for (uint64_t at = 0; rc == 0 && at + entry <= h->attrs.size; at += entry)
		rc = read_event(d, h->attrs.offset + at, entry, err);
	return rc;
}

/* ---- features ---- */

void perfdata_keep_feature(struct perfdata *d, uint64_t bit, char *bytes, size_t size)
{
	if (bit >= PERFDATA_FEATURES) {
		free(bytes);
		return;
	}
	free(d->features[bit].bytes);
	bytes[size] = '\0';
	d->features[bit] = (struct perffeature){bytes, size};
}

static bool has_feature(const struct head *h, enum perfdata_feature which)
{
	return h->features[which / 64] >> (which % 64) & 1;
}

/* The sections of all features follow the records, in the order of their bits. */
static int read_features(struct perfdata *d, const struct head *h, struct err *err)
{
	const uint64_t end = h->data.offset + h->data.size;
	uint64_t at = end;
	int rc = 0;

	if (!h->data.size || end < h->data.offset || end > d->size) /* it was cut: there are none */
		return 0;
	for (unsigned bit = 0; rc == 0 && bit < PERFDATA_FEATURES; bit++) {
		struct section sec = {0};
		char *bytes;

		if (!has_feature(h, bit))
			continue;
		rc = read_at(d, at, &sec, sizeof(sec), "the table of features", err);
		at += sizeof(sec);
		if (rc < 0)
			return rc;
		if (sec.size > FEATURE_MAX)
			continue;
		bytes = xmalloc(sec.size + 1);
		rc = read_at(d, sec.offset, bytes, sec.size, "a feature", err);
		if (rc < 0)
			free(bytes);
		else
			perfdata_keep_feature(d, bit, bytes, sec.size);
	}
	return rc;
}

const char *perfdata_feature(const struct perfdata *d, enum perfdata_feature which, size_t *size)
{
	*size = d->features[which].size;
	return d->features[which].bytes;
}

const char *perfdata_text(const struct perfdata *d, enum perfdata_feature which)
{
	const struct perffeature *f = &d->features[which];

	/* its length, then the text, which has a NUL behind it at the latest */
	return f->bytes && f->size > sizeof(uint32_t) ? f->bytes + sizeof(uint32_t) : NULL;
}

const char *perfdata_foreign(const struct perfdata *d)
{
	const char *arch = perfdata_text(d, PERFDATA_F_ARCH);

	for (unsigned i = 0; i < d->nparts; i++)
		if (perfdata_foreign(d->parts[i]))
			return perfdata_foreign(d->parts[i]);
	return arch && *arch && strcmp(arch, "x86_64") != 0 ? arch : NULL;
}

struct reader {
	const char *at, *end;
};

static const char *take(struct reader *r, uint64_t n)
{
	const char *at = r->at;

	if (n > (uint64_t)(r->end - at))
		return NULL;
	r->at += n;
	return at;
}

static uint32_t take_u32(struct reader *r)
{
	const char *at = take(r, sizeof(uint32_t));
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

/* EVENT_DESC: of each event its attribute, the number of its ids, its name, its ids. */
static void name_events(struct perfdata *d)
{
	const struct perffeature *f = &d->features[PERFDATA_F_EVENT_DESC];
	struct reader r;
	uint32_t n, attr_size;

	if (!f->bytes)
		return;
	r = (struct reader){f->bytes, f->bytes + f->size};
	n = take_u32(&r);
	attr_size = take_u32(&r);
	for (uint32_t i = 0; i < MIN(n, d->nevents) && take(&r, attr_size); i++) {
		const uint32_t nids = take_u32(&r), len = take_u32(&r);
		const char *name = take(&r, len);

		if (!name || !take(&r, 8ULL * nids))
			return;
		d->events[i]->name = arena_strndup(&d->arena, name, strnlen(name, len));
	}
}

/* ---- the file ---- */

static int refuse(const struct perfdata *d, const struct head *h, struct err *err)
{
	if (h->magic == MAGIC_SWAPPED)
		return err_set(err, -ENOTSUP,
			       "%s: it was recorded on a machine of the other byte order, which is "
			       "not read: perf script -i %s prints it",
			       d->path, d->path);
	if (h->magic == MAGIC_V1)
		return err_set(err, -ENOTSUP,
			       "%s: it is of the first version of the format, which perf wrote "
			       "before Linux 3.2: record it again",
			       d->path);
	return err_set(err, -EBADMSG,
		       "%s: it is no trace file (perf record writes them; they begin with "
		       "PERFILE2)",
		       d->path);
}

/* What stands elsewhere, or is no event. */
static int refuse_kind(const struct perfdata *d, const struct head *h, struct err *err)
{
	if (has_feature(h, PERFDATA_F_DIR_FORMAT))
		return err_set(err, -ENOTSUP,
			       "%s: it is the head of a recording of perf record --threads, whose "
			       "records are in other files of its folder, and are not read: record "
			       "without it",
			       d->path);
	if (has_feature(h, PERFDATA_F_STAT))
		return err_set(err, -ENOTSUP,
			       "%s: perf stat record has made it: it has counts and no events: "
			       "perf stat report -i %s prints them",
			       d->path, d->path);
	return 0;
}

static ssize_t read_all(int fd, char *to, size_t n)
{
	size_t got = 0;
	ssize_t r = 1;

	while (got < n && r > 0) {
		r = read(fd, to + got, n - got);
		if (r < 0 && errno == EINTR)
			r = 1;
		else if (r > 0)
			got += (size_t)r;
	}
	return r < 0 ? -errno : (ssize_t)got;
}

static int read_head(struct perfdata *d, struct err *err)
{
	struct head h = {0};
	ssize_t got = read_all(d->fd, (char *)&h, PIPE_HEAD);
	int rc;

	if (got < 0)
		return err_set(err, (int)got, "%s: %s", d->path, strerror((int)-got));
	if ((size_t)got < PIPE_HEAD || h.magic != MAGIC)
		return refuse(d, &h, err);
	if (h.size == PIPE_HEAD) { /* what a pipe was given may have been kept in a file */
		d->is_pipe = true;
		perfstream_init(&d->stream, d->fd, PIPE_HEAD, UINT64_MAX, true);
		return 0;
	}
	if (d->is_pipe || h.size < sizeof(h))
		return err_set(err, -EBADMSG,
			       d->is_pipe
				       ? "%s: what comes through it is a file: give its name to -E"
				       : "%s: its header has an impossible size",
			       d->path);
	rc = read_at(d, 0, &h, sizeof(h), "its header", err);
	if (rc == 0)
		rc = refuse_kind(d, &h, err);
	if (rc == 0)
		rc = read_events(d, &h, err);
	if (rc < 0)
		return rc;
	if (h.data.offset > d->size)
		return err_set(err, -EBADMSG, "%s: its records are beyond the end of the file",
			       d->path);
	read_features(d, &h, &d->damage); /* what is missing is missed where it is needed */
	if (!h.data.size)
		err_set(&d->damage, -ENODATA,
			"%s: who recorded it has not written its end (killed?), at offset %llu",
			d->path, (unsigned long long)d->size);
	if (!h.data.size || h.data.size > d->size - h.data.offset)
		h.data.size = d->size - h.data.offset;
	perfstream_init(&d->stream, d->fd, h.data.offset, h.data.size, false);
	return 0;
}

static int open_file(struct perfdata *d, struct err *err)
{
	struct stat st;

	d->fd = strcmp(d->path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					  : open(d->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (d->fd < 0 || fstat(d->fd, &st) < 0)
		return err_set(err, -errno, "cannot read %s: %s%s", d->path, strerror(errno),
			       errno == ENOENT
				       ? " (perf record makes one; so does -E with a program)"
				       : "");
	if (S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR,
			       "%s: it is a folder: recordings of perf record --threads are not "
			       "read: record without it",
			       d->path);
	d->is_pipe = !S_ISREG(st.st_mode);
	d->size = d->is_pipe ? 0 : (uint64_t)st.st_size;
	if (!d->is_pipe)
		d->mtime_ns =
			(uint64_t)st.st_mtim.tv_sec * 1000000000U + (uint64_t)st.st_mtim.tv_nsec;
	return 0;
}

int perfdata_open(const char *path, struct perfdata **out, struct err *err)
{
	struct perfdata *d;
	int rc;

	if (strchr(path, ',') && access(path, F_OK) < 0)
		return perfdata_open_several(path, out, err);
	d = xcalloc(1, sizeof(*d));
	d->fd = -1;
	arena_init(&d->arena);
	hash_init(&d->by_id);
	strmap_init(&d->files);
	d->path = arena_strndup(&d->arena, path, strlen(path));
	rc = open_file(d, err);
	if (rc == 0)
		rc = read_head(d, err);
	if (rc == 0)
		rc = perfdata_read_head(d, err);
	if (rc < 0) {
		perfdata_free(d);
		return rc;
	}
	name_events(d);
	*out = d;
	return 0;
}

void perfdata_free(struct perfdata *d)
{
	if (!d)
		return;
	perfdata_free_parts(d);
	for (size_t i = d->order.next; i < d->order.n; i++)
		perfblock_drop(d->order.v[i].block);
	if (d->order.passed.h)
		perfblock_drop(d->order.passed.block);
	for (size_t i = d->next_untimed; i < d->nuntimed; i++)
		perfblock_drop(d->untimed[i].block);
	free(d->untimed);
	perfstream_release(&d->stream);
	perfzip_release(&d->zip);
	for (unsigned i = 0; i < PERFDATA_FEATURES; i++)
		free(d->features[i].bytes);
	free(d->order.v);
	free(d->order.other);
	free(d->events);
	hash_release(&d->by_id);
	strmap_release(&d->files);
	arena_release(&d->arena);
	if (d->fd >= 0)
		close(d->fd);
	free(d);
}

unsigned perfdata_nevents(const struct perfdata *d)
{
	return d->nevents;
}

struct perfdata_event *perfdata_event(const struct perfdata *d, unsigned i)
{
	return d->events[i];
}

unsigned perfdata_nparts(const struct perfdata *d)
{
	return MAX(d->nparts, 1);
}

struct perfdata *perfdata_part(struct perfdata *d, unsigned i)
{
	return d->nparts ? d->parts[i] : d;
}

int64_t perfdata_shift(const struct perfdata *part)
{
	return part->shift_ns;
}

/* 0, or why the reading ended where it did, with the offset. */
static int result_of(const struct perfdata *d, struct err *err)
{
	if (!d->stream.why.code && d->damage.code)
		return err_set(err, d->damage.code, "%s", d->damage.text);
	if (!d->stream.why.code)
		return 0;
	return err_set(err, d->stream.why.code, "%s: %s", d->path, d->stream.why.text);
}

uint64_t perfdata_nread(const struct perfdata *d, uint64_t *of)
{
	uint64_t n = d->stream.read, all = d->stream.read + d->stream.left, its;
	bool is_known = !d->is_pipe;

	for (unsigned i = 0; i < d->nparts; i++) {
		n += perfdata_nread(d->parts[i], &its);
		all += its;
		is_known &= its != 0;
	}
	*of = is_known ? all : 0;
	return n;
}

uint64_t perfdata_nlate(const struct perfdata *d, uint64_t *offset)
{
	uint64_t n = d->late.n, first = d->late.offset;

	for (unsigned i = 0; i < d->nparts; i++) {
		if (!n)
			first = d->parts[i]->late.offset;
		n += d->parts[i]->late.n;
	}
	*offset = first;
	return n;
}

static void tell(void (*fn)(void *, const char *), void *arg, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void tell(void (*fn)(void *, const char *), void *arg, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	fn(arg, text ? text : "no memory");
	free(text);
}

static void tell_part(const struct perfdata *d, const char *done, void (*fn)(void *, const char *),
		      void *arg)
{
	const struct {
		const struct perfcount *count;
		const char *one, *several;
	} rows[] = {
		{&d->late, "event came later than younger ones",
		 "events came later than younger ones"},
		{&d->strange, "sample of an event that it does not declare is left out",
		 "samples of events that it does not declare are left out"},
		{&d->aux, "piece of AUX data (of a processor's trace) is left out",
		 "pieces of AUX data (of a processor's trace) are left out"},
	};
	struct err err;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct perfcount *c = rows[i].count;

		if (c->n)
			tell(fn, arg, "%s: %llu %s, the first at offset %llu", d->path,
			     (unsigned long long)c->n, c->n == 1 ? rows[i].one : rows[i].several,
			     (unsigned long long)c->offset);
	}
	if (result_of(d, &err) < 0)
		tell(fn, arg, "%s%s", err.text, done);
}

void perfdata_each_trouble(const struct perfdata *d, const char *done,
			   void (*fn)(void *arg, const char *text), void *arg)
{
	if (!d->nparts)
		tell_part(d, done, fn, arg);
	for (unsigned i = 0; i < d->nparts; i++)
		tell_part(d->parts[i], done, fn, arg);
}

struct troubles {
	unsigned n;
	void (*fn)(void *arg, const char *text);
	void *arg;
};

static void count_trouble(void *arg, const char *text)
{
	struct troubles *t = arg;

	t->n++;
	t->fn(t->arg, text);
}

int perfdata_check(const char *path, void (*fn)(void *arg, const char *text), void *arg,
		   struct err *err)
{
	struct troubles t = {0, fn, arg};
	struct perfdata_record r;
	struct perfdata *d = NULL;
	int rc;

	if (strcmp(path, "-") == 0)
		return err_set(err, -EINVAL,
			       "-x strict: what comes through a pipe cannot be read twice: keep it "
			       "in a file");
	rc = perfdata_open(path, &d, err);
	if (rc < 0)
		return rc;
	while (perfdata_peek(d, &r))
		perfdata_skip(d);
	perfdata_each_trouble(d, "", count_trouble, &t);
	perfdata_free(d);
	return t.n ? err_set(err, -EBADMSG, "-x strict: nothing of %s has been processed", path)
		   : 0;
}

const char *perfdata_path(const struct perfdata *d)
{
	return d->path;
}

uint64_t perfdata_mtime_ns(const struct perfdata *d)
{
	return d->mtime_ns;
}
