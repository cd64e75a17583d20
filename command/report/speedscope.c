/*
 * speedscope.c: stacks as speedscope reads them
 * (https://www.speedscope.app/file-format-schema.json): a sampled profile.
 */
#include "base/hash.h"
#include "command/report/report_priv.h"

struct speedscope {
	struct strbuf frames, samples, weights;
	struct hash numbers; /* of frames: hash → number + 1 */
	unsigned nframes;
	uint64_t total;
};

static unsigned frame_number(struct speedscope *s, const struct frame *f)
{
	uint64_t key = hash_bytes(f->name, strlen(f->name) + 1) * 31 +
		       hash_bytes(f->module, strlen(f->module) + 1);
	uintptr_t number = (uintptr_t)hash_get(&s->numbers, key);

	if (number)
		return (unsigned)number - 1;
	hash_put(&s->numbers, key, (void *)(uintptr_t)(s->nframes + 1));
	strbuf_adds(&s->frames, s->nframes ? ",\n{\"name\":" : "{\"name\":");
	report_add_json(&s->frames, f->name);
	if (*f->module) {
		strbuf_adds(&s->frames, ",\"file\":");
		report_add_json(&s->frames, f->module);
	}
	strbuf_addc(&s->frames, '}');
	return s->nframes++;
}

static void add_sample(void *arg, const struct frame *frames, unsigned n, uint64_t value)
{
	struct speedscope *s = arg;

	strbuf_adds(&s->samples, s->samples.len ? ",\n[" : "[");
	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&s->samples, i ? ",%u" : "%u", frame_number(s, &frames[i]));
	strbuf_addc(&s->samples, ']');
	strbuf_addf(&s->weights, s->weights.len ? ",%llu" : "%llu", (unsigned long long)value);
	s->total += value;
}

void report_speedscope(struct report *r)
{
	struct speedscope s = {.total = 0};
	struct aggcopy *copy = stacks_choose(r);

	strbuf_init(&s.frames);
	strbuf_init(&s.samples);
	strbuf_init(&s.weights);
	hash_init(&s.numbers);
	if (copy)
		stacks_note_left(r, copy->var, stacks_each(r, copy, add_sample, &s));
	strbuf_adds(&r->out,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		    "\"exporter\":\"dtrace\",\"profiles\":[");
	if (copy) {
		strbuf_adds(&r->out, "{\"type\":\"sampled\",\"name\":");
		report_add_json(&r->out,
				*report_name(copy->var) ? copy->var->name : copy->var->func->name);
		strbuf_addf(&r->out,
			    ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%llu,\n"
			    "\"samples\":[%s],\n\"weights\":[%s]}",
			    (unsigned long long)s.total, s.samples.s, s.weights.s);
	}
	strbuf_addf(&r->out, "],\n\"shared\":{\"frames\":[%s]}}\n", s.frames.s);
	strbuf_release(&s.frames);
	strbuf_release(&s.samples);
	strbuf_release(&s.weights);
	hash_release(&s.numbers);
}
