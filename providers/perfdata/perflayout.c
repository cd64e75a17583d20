#include "providers/perfdata/perflayout.h"

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
