/*
 * speedscope.c: a file of speedscope (https://www.speedscope.app/file-format-schema.json): each
 * aggregation by stacks is a sampled profile, what entries and returns of a thread tell is an
 * evented one.
 */
#include <stdlib.h>

#include "command/report/history.h"
#include "command/report/report_priv.h"

struct speedscope {
	struct strbuf frames, samples, weights;
	struct frame_numbers numbers;
	uint64_t total;
	unsigned nprofiles;
};

static unsigned number_of(struct speedscope *s, const struct frame *f)
{
	bool is_new;
	unsigned number = frame_number(&s->numbers, f, &is_new);

	if (!is_new)
		return number;
	strbuf_adds(&s->frames, number ? ",\n{\"name\":" : "{\"name\":");
	report_add_json(&s->frames, f->name);
	if (*f->module) {
		strbuf_adds(&s->frames, ",\"file\":");
		report_add_json(&s->frames, f->module);
	}
	strbuf_addc(&s->frames, '}');
	return number;
}

static void add_sample(void *arg, const struct frame *frames, unsigned n, uint64_t value)
{
	struct speedscope *s = arg;

	strbuf_adds(&s->samples, s->samples.len ? ",\n[" : "[");
	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&s->samples, i ? ",%u" : "%u", number_of(s, &frames[i]));
	strbuf_addc(&s->samples, ']');
	strbuf_addf(&s->weights, s->weights.len ? ",%llu" : "%llu", (unsigned long long)value);
	s->total += value;
}

/* As its schema calls it. */
static const char *unit_name(const struct report *r, const struct aggvar *var)
{
	static const char *const names[][2] = {{"ns", "nanoseconds"},
					       {"us", "microseconds"},
					       {"ms", "milliseconds"},
					       {"s", "seconds"},
					       {"bytes", "bytes"}};
	struct unit unit;
	const char *word = unit_word(&r->data->session->options, var, &unit);

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i][0], word))
			return names[i][1];
	return "none";
}

static void begin_profile(struct report *r, struct speedscope *s, const char *type,
			  const char *name, const char *unit, uint64_t end)
{
	strbuf_addf(&r->out, "%s{\"type\":\"%s\",\"name\":", s->nprofiles++ ? ",\n" : "", type);
	report_add_json(&r->out, name);
	strbuf_addf(&r->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n", unit,
		    (unsigned long long)end);
}

static void add_sampled(struct report *r, struct speedscope *s, struct aggcopy *copy)
{
	const struct aggvar *var = copy->var;

	strbuf_clear(&s->samples);
	strbuf_clear(&s->weights);
	s->total = 0;
	stacks_note_left(r, var, stacks_each(r, copy, add_sample, s));
	begin_profile(r, s, "sampled", *keytext_aggname(var) ? var->name : var->func->name,
		      unit_name(r, var), s->total);
	strbuf_addf(&r->out, "\"samples\":[%s],\n\"weights\":[%s]}", s->samples.s, s->weights.s);
}

/* ---- slices in time ---- */

/* Events of a track; the time of the first, or of the last, is *from_ns and *to_ns. */
static void add_slices(struct speedscope *s, const struct timeline *t, const struct tl_track *track,
		       uint64_t *from_ns, uint64_t *to_ns)
{
	unsigned *open = NULL, nopen = 0, room = 0;

	strbuf_clear(&s->samples);
	for (size_t i = track->first; i; i = t->events[i - 1].next) {
		const struct tl_event *e = &t->events[i - 1];

		if (e->kind == TL_INSTANT)
			continue;
		if (!s->samples.len)
			*from_ns = e->time_ns;
		*to_ns = e->time_ns;
		if (e->kind == TL_BEGIN && nopen == room) {
			room = MAX(2 * room, 64);
			open = xrealloc(open, room * sizeof(*open));
		}
		if (e->kind == TL_BEGIN)
			open[nopen++] =
				number_of(s, &(struct frame){.name = e->name, .module = ""});
		else
			nopen--;
		strbuf_addf(&s->samples, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}",
			    s->samples.len ? ",\n" : "", e->kind == TL_BEGIN ? 'O' : 'C',
			    open[e->kind == TL_BEGIN ? nopen - 1 : nopen],
			    (unsigned long long)(e->time_ns - *from_ns));
	}
	free(open);
}

static void add_evented(struct report *r, struct speedscope *s, const struct tl_track *track)
{
	uint64_t from_ns = 0, to_ns = 0;
	struct strbuf name;

	add_slices(s, &r->data->history->timeline, track, &from_ns, &to_ns);
	if (!s->samples.len)
		return;
	strbuf_init(&name);
	strbuf_adds(&name, track->name);
	if (track->kind == TL_THREAD)
		strbuf_addf(&name, "%s%u", *track->name ? " " : "", track->tid);
	begin_profile(r, s, "evented", name.s, "nanoseconds", to_ns - from_ns);
	strbuf_addf(&r->out, "\"events\":[%s]}", s->samples.s);
	strbuf_release(&name);
}

/* ---- both ---- */

static void add_profiles(struct report *r, struct speedscope *s)
{
	const struct report_history *h = r->data->history;
	struct aggcopy **chosen;
	unsigned n = stacks_choose_all(r, &chosen);

	for (unsigned i = 0; i < n; i++)
		add_sampled(r, s, chosen[i]);
	free(chosen);
	for (const struct tl_track *track = h ? h->timeline.first : NULL; track;
	     track = track->next)
		add_evented(r, s, track);
	if (!s->nprofiles)
		stacks_note_none(r);
	records_note_left(r);
}

void report_speedscope(struct report *r)
{
	struct speedscope s = {.total = 0};

	strbuf_init(&s.frames);
	strbuf_init(&s.samples);
	strbuf_init(&s.weights);
	hash_init(&s.numbers.numbers);
	strbuf_adds(&r->out,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		    "\"exporter\":\"dtrace\",\"profiles\":[");
	add_profiles(r, &s);
	strbuf_addf(&r->out, "],\n\"shared\":{\"frames\":[%s]}}\n", s.frames.s);
	strbuf_release(&s.frames);
	strbuf_release(&s.samples);
	strbuf_release(&s.weights);
	hash_release(&s.numbers.numbers);
}
