/*
 * perfrecords.c: from the stream to the queue: what is for us alone (attributes and features of a
 * pipe, ends of rounds) is taken in, the rest waits for its turn.
 */
#include <errno.h>
#include <stdlib.h>

#include "providers/perfdata/perfdata_priv.h"

/* ---- of whom it is ---- */

struct perfdata_event *perfdata_event_of_id(struct perfdata *d, uint64_t id)
{
	const size_t at = id % ARRAY_SIZE(d->seen);

	if (d->seen[at].id != id || !d->seen[at].event) {
		d->seen[at].id = id;
		d->seen[at].event = hash_get(&d->by_id, id);
	}
	return d->seen[at].event;
}

/* Where all have one layout as far as the id: that of the first. */
static uint64_t id_of(const struct perfdata *d, const struct perf_event_header *h, bool *has_id)
{
	const struct perf_layout *first = &d->events[0]->layout;
	struct perf_place p;
	uint64_t id = 0;

	*has_id = first->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
	if (!(first->sample_type & PERF_SAMPLE_IDENTIFIER)) {
		perf_place(first, h, &p);
		return p.id;
	}
	if (h->size >= sizeof(*h) + sizeof(id))
		memcpy(&id,
		       h->type == PERF_RECORD_SAMPLE ? (const char *)(h + 1)
						     : (const char *)h + h->size - sizeof(id),
		       sizeof(id));
	return id;
}

/*
 * Of a record that is no sample: the first that ends its records with a place. Those of perf itself
 * end with none, and may have any size.
 */
static struct perfdata_event *event_of(struct perfdata *d, const struct perf_event_header *h)
{
	struct perfdata_event *e;
	bool has_id;
	uint64_t id;

	if (!d->nevents)
		return NULL;
	if (h->type >= PERFDATA_HEADER_ATTR)
		return d->events[0];
	id = id_of(d, h, &has_id);
	if (!has_id || (h->type != PERF_RECORD_SAMPLE && !id)) /* synthesised: of no event */
		return d->events[0];
	e = perfdata_event_of_id(d, id);
	return e || h->type == PERF_RECORD_SAMPLE ? e : d->events[0];
}

/* ---- records of a pipe ---- */

static int take_attr(struct perfdata *d, const struct perf_event_header *h, struct err *err)
{
	const char *at = (const char *)(h + 1);
	const size_t room = h->size - sizeof(*h);
	uint32_t size = 0;

	if (room >= 8)
		memcpy(&size, at + 4, sizeof(size)); /* perf_event_attr.size */
	if (size < PERF_ATTR_SIZE_VER0 || size > room)
		return err_set(err, -EBADMSG, "a HEADER_ATTR record has an impossible size");
	return perfdata_add_event(d, at, size, at + size, (room - size) / 8, err);
}

static void take_feature(struct perfdata *d, const struct perf_event_header *h)
{
	const size_t room = h->size - sizeof(*h);
	uint64_t bit;
	char *bytes;

	if (room < sizeof(bit))
		return;
	memcpy(&bit, h + 1, sizeof(bit));
	bytes = xmalloc(room - sizeof(bit) + 1);
	memcpy(bytes, (const char *)(h + 1) + sizeof(bit), room - sizeof(bit));
	perfdata_keep_feature(d, bit, bytes, room - sizeof(bit));
}

/* The number behind the header, of bytes that follow the record. */
static uint64_t payload(const struct perf_event_header *h)
{
	uint64_t n = 0;

	if (h->size >= sizeof(*h) + sizeof(n))
		memcpy(&n, h + 1, sizeof(n));
	return h->type == PERFDATA_TRACING_DATA ? ROUND_UP((uint64_t)(uint32_t)n, 8) : n;
}

#define TRACING_MAX ((uint64_t)256 << 20)

static bool take_tracing(struct perfdata *d, const struct perf_event_header *h, uint64_t offset)
{
	const uint64_t n = payload(h);
	char *bytes;

	if (n > TRACING_MAX || (!d->is_pipe && n > d->size)) {
		perfstream_fail(&d->stream, -EBADMSG, "TRACING_DATA has an impossible size",
				offset);
		return false;
	}
	bytes = xmalloc(n + 1);
	if (!perfstream_take(&d->stream, n, bytes)) {
		free(bytes);
		return false;
	}
	perfdata_keep_feature(d, PERFDATA_F_TRACING_DATA, bytes, n);
	return true;
}

/* Their number, then each with 16 bytes of name; -1: all that there are. */
static void take_threads(struct perfdata *d, const struct perf_event_header *h)
{
	uint64_t words[2] = {0};

	if (h->size < sizeof(*h) + sizeof(words))
		return;
	memcpy(words, h + 1, sizeof(words));
	if (words[0] && !d->target && words[1] <= INT32_MAX)
		d->target = (pid_t)words[1];
}

pid_t perfdata_target(const struct perfdata *d)
{
	pid_t pid = d->target;

	for (unsigned i = 0; i < d->nparts && !pid; i++)
		pid = d->parts[i]->target;
	return pid;
}

#define BUILDS_MAX ((size_t)16 << 20)

/* What a pipe tells of builds, a record each, as the feature of a file has them. */
static void take_build(struct perfdata *d, const struct perf_event_header *h)
{
	struct perffeature *f = &d->features[PERFDATA_F_BUILD_ID];

	if (!d->is_pipe || f->size + h->size > BUILDS_MAX)
		return;
	f->bytes = xrealloc(f->bytes, f->size + h->size + 1);
	memcpy(f->bytes + f->size, h, h->size);
	f->size += h->size;
	f->bytes[f->size] = '\0';
}

/* ---- the stream ---- */

/* True: it was for us alone, or has ended the reading. */
static bool take_own(struct perfdata *d, const struct perf_event_header *h, struct perfblock *b)
{
	const uint64_t offset = perfblock_offset(b, h);
	const char *what;
	struct err err;
	int code;

	switch (h->type) {
	case PERFDATA_FINISHED_ROUND:
		perforder_round(&d->order, false);
		return true;
	case PERFDATA_HEADER_ATTR:
		if (take_attr(d, h, &err) < 0)
			perfstream_fail(&d->stream, err.code, err.text, offset);
		return true;
	case PERFDATA_THREAD_MAP:
		take_threads(d, h);
		return false;
	case PERFDATA_BUILD_ID:
		take_build(d, h);
		return false;
	case PERFDATA_HEADER_FEATURE:
		take_feature(d, h);
		return true;
	case PERFDATA_TRACING_DATA:
		take_tracing(d, h, offset);
		return true;
	case PERFDATA_AUXTRACE:
		perfcount_add(&d->aux, offset);
		perfstream_take(&d->stream, payload(h), NULL);
		return true;
	case PERFDATA_COMPRESSED:
	case PERFDATA_COMPRESSED2:
		code = perfzip_take(&d->zip, h, b, &what);
		if (code < 0)
			perfstream_fail(&d->stream, code, what, offset);
		return true;
	default:
		return false;
	}
}

static void add_untimed(struct perfdata *d, const struct perfentry *e)
{
	if (d->next_untimed == d->nuntimed)
		d->next_untimed = d->nuntimed = 0;
	if (d->nuntimed == d->untimed_room) {
		d->untimed_room = d->untimed_room ? 2 * d->untimed_room : 256;
		d->untimed = xrealloc(d->untimed, d->untimed_room * sizeof(*d->untimed));
	}
	d->untimed[d->nuntimed++] = *e;
}

/* The next record, of what was compressed before that of the file. */
static const struct perf_event_header *next_record(struct perfdata *d, struct perfblock **b)
{
	const struct perf_event_header *h;
	const char *what;
	int code = 0;

	if (d->stream.is_over)
		return NULL;
	h = perfzip_next(&d->zip, b, &code, &what);
	if (code < 0) {
		perfstream_fail(&d->stream, code, what, d->zip.offset);
		return NULL;
	}
	if (h)
		return h;
	h = perfstream_next(&d->stream, b);
	if (!h && !d->stream.why.code && perfzip_is_cut(&d->zip))
		perfstream_fail(&d->stream, -ENODATA, "a compressed record is cut off",
				d->zip.offset);
	return h;
}

/* Reads the next one into its place. False: there is none. */
static bool read_one(struct perfdata *d)
{
	struct perfentry e = {0};
	struct perf_place at;

	e.h = next_record(d, &e.block);
	if (!e.h)
		return false;
	if (take_own(d, e.h, e.block))
		return !d->stream.is_over;
	e.event = event_of(d, e.h);
	if (e.event && e.h->type < PERFDATA_HEADER_ATTR) {
		perf_place(&e.event->layout, e.h, &at);
		e.time_ns = at.time_ns;
	}
	if (e.h->type == PERF_RECORD_SAMPLE && e.event)
		e.event->nsamples++;
	else if (e.h->type == PERF_RECORD_SAMPLE)
		perfcount_add(&d->strange, perfblock_offset(e.block, e.h));
	if (e.time_ns && e.time_ns < d->order.given_ns)
		perfcount_add(&d->late, perfblock_offset(e.block, e.h));
	if (e.time_ns && e.event->is_unasked && e.h->type == PERF_RECORD_SAMPLE) {
		perforder_pass(&d->order, &e);
		return true;
	}
	perfblock_hold(e.block);
	if (e.time_ns)
		perforder_add(&d->order, &e);
	else
		add_untimed(d, &e);
	return true;
}

int perfdata_read_head(struct perfdata *d, struct err *err)
{
	/* features follow the attributes; a record of the kernel's ends both */
	while (d->is_pipe && d->nuntimed == 0 && d->order.n == 0 && read_one(d))
		;
	if (d->stream.why.code && !d->nevents)
		return err_set(err, d->stream.why.code, "%s: %s", d->path, d->stream.why.text);
	if (!d->nevents)
		return err_set(err, -EBADMSG, "%s: it has no events", d->path);
	return 0;
}

static struct perfentry *first(struct perfdata *d)
{
	struct perforder *o = &d->order;

	for (;;) {
		if (d->next_untimed < d->nuntimed)
			return &d->untimed[d->next_untimed];
		if (o->next < o->nready)
			return &o->v[o->next];
		if (d->is_read)
			return NULL;
		if (!read_one(d)) {
			d->is_read = true;
			perforder_round(o, true);
		}
	}
}

bool perfdata_peek(struct perfdata *d, struct perfdata_record *r)
{
	const struct perfentry *e;

	if (d->nparts)
		return perfdata_oldest(d, r) != NULL;
	e = first(d);
	if (!e)
		return false;
	*r = (struct perfdata_record){
		.h = e->h,
		.event = e->event,
		.time_ns = e->time_ns,
		.file = d,
	};
	return true;
}

#define FIRST_MAX 65536

/* It is in the first round: nothing older than that is there, whatever has been read. */
uint64_t perfdata_first_ns(struct perfdata *d)
{
	uint64_t first_ns = UINT64_MAX;

	for (unsigned i = 0; i < d->nparts; i++)
		first_ns = MIN(first_ns, d->parts[i]->begin_ns);
	while (!d->nparts && d->order.nready == 0 && d->order.n < FIRST_MAX && read_one(d))
		;
	for (size_t i = d->order.next; i < d->order.n; i++)
		first_ns = MIN(first_ns, d->order.v[i].time_ns);
	d->first_ns = first_ns == UINT64_MAX ? 1 : first_ns;
	return d->first_ns;
}

void perfdata_skip(struct perfdata *d)
{
	struct perforder *o = &d->order;
	struct perfdata_record r;
	struct perfentry *e;

	if (d->nparts) {
		if (perfdata_oldest(d, &r))
			perfdata_skip(r.file);
		d->current = NULL;
		return;
	}
	e = first(d);
	if (!e)
		return;
	perfblock_drop(e->block);
	if (!e->time_ns) {
		d->next_untimed++;
		return;
	}
	o->next++;
}
