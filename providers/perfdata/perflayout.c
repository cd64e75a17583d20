#include "providers/perfdata/perflayout.h"

/* More than a record has. */
#define PERF_WORDS_MAX 8192U

static const uint64_t trailer[] = {PERF_SAMPLE_TID,	  PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
				   PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

struct perf_layout perf_layout_of(const struct perf_event_attr *a)
{
	return (struct perf_layout){
		.sample_type = a->sample_type,
		.read_format = a->read_format,
		.branch_type = a->branch_sample_type,
		.regs_user = a->sample_regs_user,
		.has_trailer = a->sample_id_all,
	};
}

size_t perf_trailer_size(const struct perf_layout *l)
{
	size_t n = 0;

	for (unsigned i = 0; l->has_trailer && i < ARRAY_SIZE(trailer); i++)
		n += l->sample_type & trailer[i] ? sizeof(uint64_t) : 0;
	return n;
}

struct words {
	const uint64_t *at, *end;
};

static uint64_t take(struct words *w)
{
	return w->at < w->end ? *w->at++ : 0;
}

static void take_thread(struct words *w, struct perf_place *p)
{
	const uint64_t word = take(w);

	p->pid = (pid_t)(uint32_t)word;
	p->tid = (pid_t)(word >> 32);
}

/* Which of its kind, and where. */
static void take_numbers(uint64_t st, struct words *w, struct perf_place *p)
{
	if (st & PERF_SAMPLE_ID)
		p->id = take(w);
	if (st & PERF_SAMPLE_STREAM_ID)
		take(w);
	if (st & PERF_SAMPLE_CPU && w->at < w->end)
		p->cpu = (int)(uint32_t)take(w);
}

static void place_sample(uint64_t st, struct words *w, struct perf_place *p)
{
	if (st & PERF_SAMPLE_IDENTIFIER)
		p->id = take(w);
	if (st & PERF_SAMPLE_IP)
		p->ip = take(w);
	if (st & PERF_SAMPLE_TID)
		take_thread(w, p);
	if (st & PERF_SAMPLE_TIME)
		p->time_ns = take(w);
	if (st & PERF_SAMPLE_ADDR)
		p->addr = take(w);
	take_numbers(st, w, p);
}

static void place_other(uint64_t st, struct words *w, struct perf_place *p)
{
	if (st & PERF_SAMPLE_TID)
		take_thread(w, p);
	if (st & PERF_SAMPLE_TIME)
		p->time_ns = take(w);
	take_numbers(st, w, p);
	if (st & PERF_SAMPLE_IDENTIFIER)
		p->id = take(w);
}

const uint64_t *perf_place(const struct perf_layout *l, const struct perf_event_header *h,
			   struct perf_place *p)
{
	struct words w = {(const void *)(h + 1), (const void *)((const char *)h + h->size)};
	size_t size;

	*p = (struct perf_place){.cpu = -1};
	if (h->type == PERF_RECORD_SAMPLE) {
		place_sample(l->sample_type, &w, p);
		return w.at;
	}
	size = perf_trailer_size(l);
	if (!size || h->size < sizeof(*h) + size)
		return w.end;
	w.at = w.end - size / sizeof(*w.end);
	place_other(l->sample_type, &w, p);
	return w.end - size / sizeof(*w.end);
}

/* A word of a record, and which of perf_words it is: its place there; NOWHERE: none. */
#define NOWHERE	     SIZE_MAX
#define WORD(member) offsetof(struct perf_words, member)
struct word_row {
	uint64_t bit;
	size_t place;
};

static void find_words(const struct word_row *rows, unsigned n, uint64_t st, uint64_t *at,
		       const uint64_t *end, struct perf_words *out)
{
	for (unsigned i = 0; i < n && at < end; i++) {
		if (!(st & rows[i].bit))
			continue;
		if (rows[i].place != NOWHERE)
			*(uint64_t **)(void *)((char *)out + rows[i].place) = at;
		at++;
	}
}

void perf_find_words(const struct perf_layout *l, struct perf_event_header *h,
		     struct perf_words *out)
{
	static const struct word_row sample[] = {
		{PERF_SAMPLE_IDENTIFIER, WORD(identifier)},
		{PERF_SAMPLE_IP, NOWHERE},
		{PERF_SAMPLE_TID, WORD(thread)},
		{PERF_SAMPLE_TIME, WORD(time)},
		{PERF_SAMPLE_ADDR, NOWHERE},
		{PERF_SAMPLE_ID, WORD(id)},
		{PERF_SAMPLE_STREAM_ID, NOWHERE},
		{PERF_SAMPLE_CPU, WORD(cpu)},
		{PERF_SAMPLE_PERIOD, NOWHERE},
		{PERF_SAMPLE_READ, WORD(read)},
	};
	static const struct word_row other[] = {
		{PERF_SAMPLE_TID, WORD(thread)}, {PERF_SAMPLE_TIME, WORD(time)},
		{PERF_SAMPLE_ID, WORD(id)},	 {PERF_SAMPLE_STREAM_ID, NOWHERE},
		{PERF_SAMPLE_CPU, WORD(cpu)},	 {PERF_SAMPLE_IDENTIFIER, WORD(identifier)},
	};
	uint64_t *words = (void *)(h + 1), *end = words + (h->size - sizeof(*h)) / sizeof(*words);
	const size_t size = perf_trailer_size(l);

	*out = (struct perf_words){0};
	if (h->type == PERF_RECORD_SAMPLE)
		find_words(sample, ARRAY_SIZE(sample), l->sample_type, words, end, out);
	else if (size && h->size >= sizeof(*h) + size)
		find_words(other, ARRAY_SIZE(other), l->sample_type, end - size / sizeof(*end), end,
			   out);
}

/* Words of a counter, or of those of a group. */
static uint64_t words_of_counts(uint64_t format, const uint64_t *at)
{
	const uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING),
		       each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (!(format & PERF_FORMAT_GROUP))
		return each + times;
	return *at > PERF_WORDS_MAX ? PERF_WORDS_MAX : 1 + times + *at * each;
}

static uint64_t words_of_branches(const struct perf_layout *l, const uint64_t *at)
{
	const uint64_t hw = l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 1 : 0;

	return *at > PERF_WORDS_MAX ? PERF_WORDS_MAX : 1 + hw + 3 * *at;
}

/* How many words of that kind begin at `at`. */
static uint64_t words_of(const struct perf_layout *l, uint64_t bit, const uint64_t *at)
{
	switch (bit) {
	case PERF_SAMPLE_READ:
		return words_of_counts(l->read_format, at);
	case PERF_SAMPLE_CALLCHAIN:
		return *at > PERF_WORDS_MAX ? PERF_WORDS_MAX : 1 + *at;
	case PERF_SAMPLE_RAW:
		return (sizeof(uint32_t) + (uint64_t)(uint32_t)*at + 7) / 8;
	case PERF_SAMPLE_BRANCH_STACK:
		return words_of_branches(l, at);
	case PERF_SAMPLE_REGS_USER:
		return *at ? 1 + (uint64_t)__builtin_popcountll(l->regs_user) : 1;
	default:
		return 1;
	}
}

uint64_t *perf_find_stack(const struct perf_layout *l, struct perf_event_header *h)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER,	  PERF_SAMPLE_IP,	 PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	  PERF_SAMPLE_ADDR,	 PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	  PERF_SAMPLE_CPU,	 PERF_SAMPLE_PERIOD,
		PERF_SAMPLE_READ,	  PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW,
		PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_REGS_USER,
	};
	uint64_t *at = (void *)(h + 1), left = (h->size - sizeof(*h)) / sizeof(*at), n;

	if (h->type != PERF_RECORD_SAMPLE || !(l->sample_type & PERF_SAMPLE_STACK_USER))
		return NULL;
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		if (!(l->sample_type & order[i]))
			continue;
		n = left ? words_of(l, order[i], at) : 1;
		if (n >= left)
			return NULL;
		at += n;
		left -= n;
	}
	return *at && *at % sizeof(*at) == 0 && *at / sizeof(*at) < left - 1 ? at : NULL;
}
