/*
 * speedscope.c: stacks as speedscope reads them
 * (https://www.speedscope.app/file-format-schema.json): a sampled profile.
 */
#include "command/report/report_priv.h"

struct speedscope {
	struct strbuf frames, samples, weights;
	struct frame_numbers numbers;
	uint64_t total;
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

void report_speedscope(struct report *r)
{
	struct speedscope s = {.total = 0};
	struct aggcopy *copy = stacks_choose(r);

	strbuf_init(&s.frames);
	strbuf_init(&s.samples);
	strbuf_init(&s.weights);
	hash_init(&s.numbers.numbers);
	if (copy)
		stacks_note_left(r, copy->var, stacks_each(r, copy, add_sample, &s));
	strbuf_adds(&r->out,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		    "\"exporter\":\"dtrace\",\"profiles\":[");
	if (copy) {
		strbuf_adds(&r->out, "{\"type\":\"sampled\",\"name\":");
		report_add_json(&r->out, *keytext_aggname(copy->var) ? copy->var->name
								     : copy->var->func->name);
		strbuf_addf(&r->out,
			    ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n"
			    "\"samples\":[%s],\n\"weights\":[%s]}",
			    unit_name(r, copy->var), (unsigned long long)s.total, s.samples.s,
			    s.weights.s);
	}
	strbuf_addf(&r->out, "],\n\"shared\":{\"frames\":[%s]}}\n", s.frames.s);
	strbuf_release(&s.frames);
	strbuf_release(&s.samples);
	strbuf_release(&s.weights);
	hash_release(&s.numbers.numbers);
}
