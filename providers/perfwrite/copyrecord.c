/*
 * copyrecord.c: records of a copy: those of the files, which change where several files are one or
 * events are added, and ours.
 */
#include "providers/perfwrite/perfcopy_priv.h"

/* ---- records of the files ---- */

/* Records of perf that speak of what a copy does not have, and what is none of them: all but
 * compressed ones are whole words. */
static bool is_left_out(const struct perfcopy *c, const struct perf_event_header *h)
{
	return h->size % sizeof(uint64_t) || h->type == PERFDATA_AUXTRACE_INFO ||
	       (h->type == PERFDATA_ID_INDEX && c->is_changed);
}

/* The words behind the header in which a kind of record has a time and an id besides those that all
 * have (man perf_event_open); 0: none. */
static const struct {
	uint8_t time, id; /* counted from 1 */
} bodies[] = {
	[PERF_RECORD_LOST] = {0, 1},	 [PERF_RECORD_EXIT] = {3, 0},
	[PERF_RECORD_THROTTLE] = {1, 2}, [PERF_RECORD_UNTHROTTLE] = {1, 2},
	[PERF_RECORD_FORK] = {3, 0},
};

static uint64_t *body_word(struct perf_event_header *h, unsigned n)
{
	return n && h->size >= sizeof(*h) + n * sizeof(uint64_t) ? (uint64_t *)(h + 1) + n - 1
								 : NULL;
}

static void shift_time(uint64_t *word, int64_t by)
{
	if (word && *word) /* without one it is what there was before */
		*word += (uint64_t)by;
}

static void change_id(const struct hash *ids, uint64_t *word)
{
	const void *new = word ? hash_get(ids, *word) : NULL;

	if (new)
		*word = (uint64_t)(uintptr_t) new;
}

/* Those of a group's counters. */
static void change_read(const struct hash *ids, const struct perf_layout *l,
			const struct perf_event_header *h, uint64_t *at)
{
	const uint64_t *end = (const void *)((const char *)h + h->size), f = l->read_format;
	const unsigned times = !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			       !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING),
		       stride = 2 + !!(f & PERF_FORMAT_LOST);
	uint64_t n = 1;

	if (!at || !(f & PERF_FORMAT_ID))
		return;
	if (f & PERF_FORMAT_GROUP) {
		n = *at;
		at += 1 + times + 1;
	} else {
		at += 1 + times;
	}
	for (; n && at < end; n--, at += stride)
		change_id(ids, at);
}

static void change_words(struct perfcopy *c, const struct perfdata_record *r,
			 const struct copy_event *of, struct perf_event_header *h)
{
	const int64_t shift = perfdata_shift(r->file);
	const struct hash *ids = &c->ids[copy_part_of(c, r->file)];
	struct perf_words words;

	perf_find_words(&of->layout, h, &words);
	if (h->type < ARRAY_SIZE(bodies) && bodies[h->type].time)
		shift_time(body_word(h, bodies[h->type].time), shift);
	shift_time(words.time, shift);
	if (h->type < ARRAY_SIZE(bodies) && bodies[h->type].id)
		change_id(ids, body_word(h, bodies[h->type].id));
	change_id(ids, words.id);
	change_read(ids, &of->layout, h, words.read);
	if (!of->is_tagged)
		change_id(ids, words.identifier);
}

/* A sample becomes a word shorter, at the far end of its piece of the stack. */
static bool shorten_stack(const struct perf_layout *l, struct perf_event_header *h)
{
	uint64_t *size = perf_find_stack(l, h), *end = (uint64_t *)((char *)h + h->size), *counted;

	if (!size)
		return false;
	*size -= sizeof(*size);
	counted = size + 1 + *size / sizeof(*size); /* moves to here */
	counted[0] = MIN(counted[1], *size);
	memmove(counted + 1, counted + 2, (size_t)((char *)end - (char *)(counted + 2)));
	h->size -= sizeof(*size);
	return true;
}

/* With the event's id: the first word of a sample, the last of another. False: it is too long. */
static bool tag(struct perfcopy *c, const struct perf_layout *was, const struct copy_event *of,
		struct perf_event_header *h)
{
	uint64_t *words = (void *)(h + 1);
	size_t n;

	if (!of->is_tagged || (h->type != PERF_RECORD_SAMPLE && !of->layout.has_trailer))
		return true;
	if (h->size + sizeof(*words) > PERFCOPY_RECORD_MAX && !shorten_stack(was, h)) {
		c->ntoo_long++;
		return false;
	}
	n = (h->size - sizeof(*h)) / sizeof(*words);
	h->size += sizeof(*words);
	if (h->type != PERF_RECORD_SAMPLE) {
		words[n] = of->id;
		return true;
	}
	memmove(words + 1, words, n * sizeof(*words));
	words[0] = of->id;
	return true;
}

/* A sample becomes one of another event. */
static void set_event(const struct copy_event *of, struct perf_event_header *h)
{
	struct perf_words words;

	perf_find_words(&of->layout, h, &words);
	if (words.identifier)
		*words.identifier = of->id;
	if (words.id)
		*words.id = of->id;
}

static void write_record(struct perfcopy *c, const struct perfdata_record *r,
			 const struct perf_event_header *h)
{
	write_bytes(c->w, h, h->size);
	if (h->type == PERF_RECORD_SAMPLE)
		write_count(c->w, r->time_ns);
	write_round(c->w);
}

/* The program that had mapped it is gone, or the process is. */
static void note_end(struct perfcopy *c, const struct perf_event_header *h,
		     const struct perf_place *at)
{
	if ((h->type == PERF_RECORD_EXIT && at->pid == at->tid) ||
	    (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC))
		copy_maps_gone(c, at->pid);
}

static bool is_unchanged(const struct perfcopy *c, const struct perfdata_record *r)
{
	return perfdata_nparts(c->from) == 1 && !c->tags && !perfdata_shift(r->file);
}

void perfcopy_record(struct perfcopy *c, const struct perfdata_record *r, unsigned other)
{
	struct perf_event_header *h = (void *)c->words;
	const struct copy_event *of;
	struct perf_place at;

	if (is_left_out(c, r->h))
		return;
	if (!r->event || r->h->type >= PERFDATA_HEADER_ATTR) { /* nobody's, or perf's own */
		if (r->h->type >= PERFDATA_HEADER_ATTR || !c->is_changed)
			write_record(c, r, r->h);
		return;
	}
	of = copy_event_of(c, r);
	if (c->maps) {
		perf_place(&r->event->layout, r->h, &at);
		note_end(c, r->h, &at);
		if (r->h->type == PERF_RECORD_SAMPLE)
			copy_maps_before(c, at.pid, r->time_ns);
	}
	if (is_unchanged(c, r) && !other) {
		write_record(c, r, r->h);
		return;
	}
	memcpy(h, r->h, r->h->size);
	if (!tag(c, &r->event->layout, of, h))
		return;
	change_words(c, r, of, h);
	if (other)
		set_event(c->added[other - 1], h);
	write_record(c, r, h);
}

/* ---- ours ---- */

static size_t add_word(char *record, size_t n, uint64_t word)
{
	memcpy(record + n, &word, sizeof(word));
	return n + sizeof(word);
}

void copy_finish(struct perfcopy *c, struct perf_event_header *h, size_t n, pid_t pid, pid_t tid,
		 uint64_t time_ns)
{
	const struct copy_event *of = c->carrier;
	char *to = (void *)h;
	struct perf_words words;

	memset(to + n, 0, perf_trailer_size(&of->layout));
	h->size = (uint16_t)(n + perf_trailer_size(&of->layout));
	perf_find_words(&of->layout, h, &words);
	if (words.thread)
		*words.thread = (uint64_t)(uint32_t)tid << 32 | (uint32_t)pid;
	if (words.time)
		*words.time = time_ns;
	if (words.id)
		*words.id = of->id;
	if (words.identifier)
		*words.identifier = of->id;
}

void perfcopy_sample(struct perfcopy *c, unsigned event, const struct perfcopy_sample *s)
{
	const struct copy_event *of = c->added[event];
	const uint32_t raw = (uint32_t)ROUND_UP(s->rawlen + sizeof(uint32_t), 8) - 4;
	struct perf_event_header *h = (void *)c->words;
	char *to = (void *)c->words;
	size_t n = sizeof(*h);

	if (n + 6 * sizeof(uint64_t) + sizeof(raw) + raw > PERFCOPY_RECORD_MAX) {
		c->ntoo_long++;
		return;
	}
	n = add_word(to, n, of->id); /* in the order of man perf_event_open */
	n = add_word(to, n, 0);	     /* no address */
	n = add_word(to, n, (uint64_t)(uint32_t)s->tid << 32 | (uint32_t)s->pid);
	n = add_word(to, n, s->time_ns);
	n = add_word(to, n, (uint64_t)(uint32_t)s->cpu);
	n = add_word(to, n, 1); /* period */
	memset(to + n, 0, sizeof(raw) + raw);
	memcpy(to + n, &raw, sizeof(raw));
	memcpy(to + n + sizeof(raw), s->raw, s->rawlen);
	*h = (struct perf_event_header){PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
					(uint16_t)(n + sizeof(raw) + raw)};
	write_bytes(c->w, h, h->size);
	write_count(c->w, s->time_ns);
	write_round(c->w);
}

void perfcopy_name(struct perfcopy *c, pid_t pid, pid_t tid, const char *name, uint64_t time_ns)
{
	union {
		struct {
			struct perf_event_header h;
			int32_t pid, tid;
			char name[16];
		} r;
		uint64_t words[16];
	} u = {.r = {{PERF_RECORD_COMM, 0, 0}, pid, tid, ""}};

	snprintf(u.r.name, sizeof(u.r.name), "%s", name);
	copy_finish(c, &u.r.h, sizeof(u.r), pid, tid, time_ns);
	write_bytes(c->w, &u, u.r.h.size);
}
