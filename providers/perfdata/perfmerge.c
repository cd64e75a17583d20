/*
 * perfmerge.c: several recordings as one. Their clocks are put on one by what they tell of the time
 * of day (CLOCK_DATA), unless they are of one machine and one clock; a tracepoint has one number in
 * all of them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "providers/perfdata/perfdata_priv.h"

#define PARTS_MAX 256
/* By so much the time of day may be corrected between two recordings of one machine. */
#define SAME_CLOCK_NS ((int64_t)1000000000)

static void note(struct perfdata *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(struct perfdata *d, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	d->notes = xrealloc(d->notes, (d->nnotes + 1) * sizeof(*d->notes));
	d->notes[d->nnotes++] = strbuf_detach(&text);
	strbuf_release(&text);
}

const char *perfdata_note(const struct perfdata *d, unsigned i)
{
	return i < d->nnotes ? d->notes[i] : NULL;
}

/* ---- clocks ---- */

bool perfdata_wall_offset(const struct perfdata *d, int64_t *offset)
{
	struct {
		uint32_t version, clock;
		uint64_t wall_ns, clock_ns;
	} both;
	const struct perffeature *f = &d->features[PERFDATA_F_CLOCK_DATA];

	if (!f->bytes || f->size < sizeof(both))
		return false;
	memcpy(&both, f->bytes, sizeof(both));
	*offset = (int64_t)(both.wall_ns - both.clock_ns);
	return true;
}

/* -1: the scheduler's, which perf takes without -k. */
static int clock_of(const struct perfdata *d)
{
	const struct perf_event_attr *a = &d->events[0]->attr;

	return a->use_clockid ? (int)a->clockid : -1;
}

static bool is_same_text(const struct perfdata *a, const struct perfdata *b,
			 enum perfdata_feature which)
{
	const char *x = perfdata_text(a, which), *y = perfdata_text(b, which);

	return x && y && strcmp(x, y) == 0;
}

static bool is_same_machine(const struct perfdata *a, const struct perfdata *b)
{
	return is_same_text(a, b, PERFDATA_F_HOSTNAME);
}

/* Of one that tells its time of day and one that does not, or of two that do not. */
static int trust_clocks(struct perfdata *whole, const struct perfdata *base,
			const struct perfdata *d, struct err *err)
{
	if (clock_of(base) != clock_of(d))
		return err_set(err, -ENOTSUP,
			       "%s and %s have different clocks, and do not both tell the time of "
			       "day (perf record -k mono): they cannot be read as one",
			       base->path, d->path);
	if (!is_same_machine(base, d))
		return err_set(err, -ENOTSUP,
			       "%s and %s are of different machines, and do not both tell the time "
			       "of day (perf record -k mono): they cannot be read as one",
			       base->path, d->path);
	if (clock_of(d) < 0)
		note(whole,
		     "%s and %s do not tell what clock they have (perf record -k mono): it is "
		     "taken to be one, of one run of the machine",
		     base->path, d->path);
	return 0;
}

/* The clock of all is that whose time 0 was the earliest, so that none gets below 0. */
static struct perfdata *earliest(const struct perfdata *whole)
{
	struct perfdata *base = whole->parts[0];
	int64_t first = 0, offset;

	if (!perfdata_wall_offset(base, &first))
		return base;
	for (unsigned i = 1; i < whole->nparts; i++)
		if (perfdata_wall_offset(whole->parts[i], &offset) && offset < first) {
			base = whole->parts[i];
			first = offset;
		}
	return base;
}

static int put_on_one_clock(struct perfdata *whole, const struct perfdata *base, struct perfdata *d,
			    struct err *err)
{
	int64_t mine, theirs;

	if (d == base)
		return 0;
	if (!perfdata_wall_offset(base, &theirs) || !perfdata_wall_offset(d, &mine))
		return trust_clocks(whole, base, d, err);
	if (is_same_machine(base, d) && clock_of(base) == clock_of(d) &&
	    llabs(mine - theirs) < SAME_CLOCK_NS)
		return 0;
	d->shift_ns = mine - theirs;
	note(whole, "%s: %lld.%09lld s are added to its times, to be those of %s (CLOCK_DATA)",
	     d->path, (long long)(d->shift_ns / 1000000000), (long long)(d->shift_ns % 1000000000),
	     base->path);
	return 0;
}

/* ---- tracepoints ---- */

/* Where the format tells its own number; *rest: where it goes on behind that. NULL: nowhere. */
static const char *find_number(const char *text, uint32_t *number, const char **rest)
{
	const char *at = strncmp(text, "ID:", 3) == 0 ? text : strstr(text, "\nID:");
	char *end;

	if (!at)
		return NULL;
	at += *at == '\n';
	*number = (uint32_t)strtoul(at + 3, &end, 10);
	*rest = end;
	return at;
}

bool perfdata_format_number(const char *text, uint32_t *number, const char **rest)
{
	return find_number(text, number, rest);
}

/* Above those of any kernel; records have 16 bits for it. */
#define FREE_NUMBERS 0x8000U

static uint32_t free_number(const struct perfdata *whole, uint32_t wanted)
{
	while (hash_get(&whole->numbers, wanted))
		wanted = wanted < FREE_NUMBERS ? FREE_NUMBERS : wanted + 1;
	return wanted;
}

struct taking {
	struct perfdata *whole, *part;
	struct hash renumbered; /* config → the new one and 1 more */
};

/* What find_number() has found of a format. */
struct numbered {
	const char *text, *at, *rest;
	uint32_t number;
};

static struct perfformat *new_format(struct taking *t, const char *system, const struct numbered *n)
{
	struct perfdata *whole = t->whole;
	struct perfformat *f = arena_alloc(&whole->arena, sizeof(*f));
	struct strbuf s;

	*f = (struct perfformat){
		.part = t->part,
		.its_number = n->number,
		.number = free_number(whole, n->number),
		.system = arena_strdup(&whole->arena, system),
	};
	strbuf_init(&s);
	strbuf_addf(&s, "%.*sID: %u%s", (int)(n->at - n->text), n->text, f->number, n->rest);
	f->text = arena_strdup(&whole->arena, s.s);
	strbuf_release(&s);
	hash_put(&whole->numbers, f->number, f);
	*whole->formats_tail = f;
	whole->formats_tail = &f->next;
	return f;
}

/* An event whose format is not that of the first file with it cannot be read by that one: it is
 * left out where events are read. */
static struct perfformat *odd_format(struct taking *t, const char *key, const char *system,
				     const struct numbered *n)
{
	struct perfformat *f = new_format(t, system, n);

	f->is_odd = true;
	note(t->whole,
	     "%s: the fields of %s are others than in the files before it: its events are left out",
	     t->part->path, key);
	return f;
}

static void take_format(void *arg, const char *system, const char *text)
{
	struct taking *t = arg;
	const char *name = strncmp(text, "name:", 5) == 0 ? text + 5 : NULL, *known;
	struct numbered n = {.text = text};
	struct perfformat *f;
	uint32_t theirs;
	char key[256];

	n.at = find_number(text, &n.number, &n.rest);
	if (!name || !n.at || !system)
		return;
	name += strspn(name, " ");
	snprintf(key, sizeof(key), "%s:%.*s", system, (int)strcspn(name, "\n"), name);
	f = strmap_get(&t->whole->formats, key);
	if (!f) {
		f = new_format(t, system, &n);
		strmap_put(&t->whole->formats, arena_strdup(&t->whole->arena, key), f);
	}
	if (!find_number(f->text, &theirs, &known) || strcmp(known, n.rest) != 0)
		f = odd_format(t, key, system, &n);
	hash_put(&t->renumbered, n.number, (void *)(uintptr_t)((uint64_t)f->number + 1));
}

static void take_formats(struct perfdata *whole, struct perfdata *part)
{
	struct taking t = {.whole = whole, .part = part};
	struct err err;

	hash_init(&t.renumbered);
	perfdata_each_format(part, take_format, &t, &err);
	for (unsigned i = 0; i < part->nevents; i++) {
		struct perf_event_attr *a = &part->events[i]->attr;
		const void *number = hash_get(&t.renumbered, a->config);

		if (a->type == PERF_TYPE_TRACEPOINT && number)
			a->config = (uint64_t)(uintptr_t)number - 1;
	}
	hash_release(&t.renumbered);
}

int perfdata_each_of_all(const struct perfdata *d,
			 void (*fn)(void *arg, const char *system, const char *text), void *arg,
			 struct err *err UNUSED)
{
	for (const struct perfformat *f = d->first_format; f; f = f->next)
		if (!f->is_odd)
			fn(arg, f->system, f->text);
	return 0;
}

void perfdata_each_other_format(const struct perfdata *d, const struct perfdata *part,
				void (*fn)(void *arg, const char *system, const char *text),
				void *arg)
{
	for (const struct perfformat *f = d->first_format; f; f = f->next)
		if (f->part != part || f->number != f->its_number)
			fn(arg, f->system, f->text);
}

/* ---- the whole ---- */

/* Of the machine: what the file tells whose clock is that of all; CPUs: of that which has most. */
static void take_features(struct perfdata *whole, const struct perfdata *base)
{
	const struct perfdata *from;
	uint32_t most = 0, n;

	for (unsigned bit = 0; bit < PERFDATA_FEATURES; bit++) {
		char *copy;

		from = base;
		for (unsigned i = 0; bit == PERFDATA_F_NRCPUS && i < whole->nparts; i++) {
			const struct perffeature *f = &whole->parts[i]->features[bit];

			if (!f->bytes || f->size < sizeof(n))
				continue;
			memcpy(&n, f->bytes, sizeof(n));
			if (n <= most)
				continue;
			most = n;
			from = whole->parts[i];
		}
		if (!from->features[bit].bytes || bit == PERFDATA_F_TRACING_DATA)
			continue;
		copy = xmalloc(from->features[bit].size + 1);
		memcpy(copy, from->features[bit].bytes, from->features[bit].size);
		perfdata_keep_feature(whole, bit, copy, from->features[bit].size);
	}
	whole->mtime_ns = base->mtime_ns;
}

static void take_events(struct perfdata *whole, const struct perfdata *part)
{
	const unsigned n = whole->nevents + part->nevents;

	whole->events = xrealloc(whole->events, n * sizeof(struct perfdata_event *));
	memcpy(whole->events + whole->nevents, part->events,
	       part->nevents * sizeof(struct perfdata_event *));
	whole->nevents = n;
}

/* Processes of two machines may have one number, which is all by which events know them. */
static void tell_machines(struct perfdata *whole)
{
	const struct perfdata *first = whole->parts[0];

	for (unsigned i = 1; i < whole->nparts; i++) {
		const struct perfdata *d = whole->parts[i];

		if (!is_same_machine(first, d)) {
			note(whole,
			     "%s and %s are of different machines: processes that have the same "
			     "number are taken for one",
			     first->path, d->path);
			return;
		}
	}
}

static int join(struct perfdata *whole, struct err *err)
{
	const struct perfdata *base = earliest(whole);
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < whole->nparts; i++) {
		struct perfdata *d = whole->parts[i];

		rc = put_on_one_clock(whole, base, d, err);
		d->begin_ns = perfdata_first_ns(d) + (uint64_t)d->shift_ns;
		take_formats(whole, d);
		take_events(whole, d);
	}
	take_features(whole, base);
	tell_machines(whole);
	return rc;
}

static int open_parts(struct perfdata *whole, const char *names, struct err *err)
{
	int rc = 0;

	while (rc == 0 && *names) {
		const size_t n = strcspn(names, ",");
		char *name = xasprintf("%.*s", (int)n, names);
		struct perfdata *d = NULL;

		rc = whole->nparts == PARTS_MAX
			     ? err_set(err, -E2BIG, "-E: %u files at most", PARTS_MAX)
			     : perfdata_open(name, &d, err);
		free(name);
		if (rc < 0)
			return rc;
		whole->parts =
			xrealloc(whole->parts, (whole->nparts + 1) * sizeof(struct perfdata *));
		whole->parts[whole->nparts++] = d;
		names += n + (names[n] == ',');
	}
	return whole->nparts ? 0 : err_set(err, -EINVAL, "-E: no file is named");
}

int perfdata_open_several(const char *names, struct perfdata **out, struct err *err)
{
	struct perfdata *d = xcalloc(1, sizeof(*d));
	int rc;

	d->fd = -1;
	arena_init(&d->arena);
	hash_init(&d->by_id);
	hash_init(&d->numbers);
	strmap_init(&d->files);
	strmap_init(&d->formats);
	d->formats_tail = &d->first_format;
	d->path = arena_strdup(&d->arena, names);
	rc = open_parts(d, names, err);
	if (rc == 0)
		rc = join(d, err);
	if (rc < 0) {
		perfdata_free(d);
		return rc;
	}
	*out = d;
	return 0;
}

void perfdata_free_parts(struct perfdata *d)
{
	for (unsigned i = 0; i < d->nparts; i++)
		perfdata_free(d->parts[i]);
	free(d->parts);
	for (unsigned i = 0; i < d->nnotes; i++)
		free(d->notes[i]);
	free(d->notes);
	hash_release(&d->numbers);
	strmap_release(&d->formats);
}

/* ---- records ---- */

/* What has no time is perf's account of what was there when its recording began. */
static bool peek_at(struct perfdata *d, struct perfdata_record *r, uint64_t *when)
{
	if (!perfdata_peek(d, r))
		return false;
	if (r->time_ns)
		r->time_ns += (uint64_t)d->shift_ns;
	*when = r->time_ns ? r->time_ns : d->begin_ns;
	return true;
}

struct perfdata *perfdata_oldest(struct perfdata *d, struct perfdata_record *r)
{
	uint64_t first = UINT64_MAX, when;
	struct perfdata_record its;

	if (d->current && peek_at(d->current, r, &when))
		return d->current;
	d->current = NULL;
	for (unsigned i = 0; i < d->nparts; i++) {
		if (!peek_at(d->parts[i], &its, &when) || (d->current && when >= first))
			continue;
		first = when;
		*r = its;
		d->current = d->parts[i];
	}
	return d->current;
}
