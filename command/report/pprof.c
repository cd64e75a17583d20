/*
 * pprof.c: stacks as pprof reads them: perftools.profiles.Profile (google/pprof,
 * proto/profile.proto) in gzip. Numbers of fields are those of that file.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/gzip.h"
#include "base/protobuf.h"
#include "command/report/report_priv.h"

/* ---- tables ---- */

/* Texts by numbers in order of first use; the text with number 0 is "". */
struct strings {
	struct hash numbers; /* hash of the text → number */
	struct strbuf out;   /* field 6 of Profile, so far */
	uint64_t n;
};

static uint64_t string_number(struct strings *s, const char *text)
{
	uint64_t key = hash_bytes(text, strlen(text)), number;

	if (!*text)
		return 0;
	number = (uintptr_t)hash_get(&s->numbers, key);
	if (number)
		return number;
	protobuf_add_bytes(&s->out, 6, text, strlen(text));
	hash_put(&s->numbers, key, (void *)(uintptr_t)s->n);
	return s->n++;
}

struct profile {
	struct report *report;
	struct strings strings;
	struct strbuf samples, mappings, locations, functions; /* fields 2 to 5 */
	struct strbuf part, inner;
	struct hash modules, frames; /* number of a text, or of two → number */
	uint64_t nmodules, nframes;
	unsigned ntypes, type; /* of values, and the one that samples are of */
	uint64_t period;       /* nanoseconds between samples; 0: they are none of time */
};

/* Of a file that is mapped; the first one is what the profile is called after. */
static uint64_t mapping_of(struct profile *p, const char *module)
{
	uint64_t text = string_number(&p->strings, module);
	uint64_t number = (uintptr_t)hash_get(&p->modules, text);

	if (!text || number)
		return number;
	number = ++p->nmodules;
	hash_put(&p->modules, text, (void *)(uintptr_t)number);
	protobuf_add_number(&p->part, 1, number);
	protobuf_add_number(&p->part, 5, text);
	protobuf_add_number(&p->part, 7, 1); /* its functions are known */
	protobuf_add_message(&p->mappings, 3, &p->part);
	return number;
}

/* Its location, and its function, which has the same number. */
static uint64_t location_of(struct profile *p, const struct frame *f)
{
	uint64_t name = string_number(&p->strings, f->name), mapping = mapping_of(p, f->module);
	uint64_t key = name << 24 | mapping, number = (uintptr_t)hash_get(&p->frames, key + 1);

	if (number)
		return number;
	number = ++p->nframes;
	hash_put(&p->frames, key + 1, (void *)(uintptr_t)number);
	protobuf_add_number(&p->part, 1, number);
	protobuf_add_number(&p->part, 2, name);
	protobuf_add_number(&p->part, 3, name);
	protobuf_add_message(&p->functions, 5, &p->part);
	protobuf_add_number(&p->inner, 1, number); /* Line: function_id */
	protobuf_add_number(&p->part, 1, number);
	protobuf_add_number(&p->part, 2, mapping);
	protobuf_add_message(&p->part, 4, &p->inner);
	protobuf_add_message(&p->locations, 4, &p->part);
	return number;
}

static void add_label(struct profile *p, struct strbuf *sample, const struct frame *f)
{
	struct strbuf label;

	strbuf_init(&label);
	protobuf_add_number(&label, 1, string_number(&p->strings, f->key));
	if (f->is_number)
		protobuf_add_number(&label, 3, strtoull(f->name, NULL, 10));
	else
		protobuf_add_number(&label, 2, string_number(&p->strings, f->name));
	protobuf_add_message(sample, 3, &label);
	strbuf_release(&label);
}

/* Innermost first. */
static void add_sample(void *arg, const struct frame *frames, unsigned n, uint64_t value)
{
	struct profile *p = arg;
	struct strbuf sample, ids;

	strbuf_init(&sample);
	strbuf_init(&ids);
	for (unsigned i = n; i-- > 0;)
		if (!frames[i].key)
			protobuf_add_varint(&ids, location_of(p, &frames[i]));
	protobuf_add_message(&sample, 1, &ids);
	for (unsigned i = 0; i < p->ntypes; i++)
		protobuf_add_varint(&ids, p->period	 ? value * (i ? p->period : 1)
					  : i == p->type ? value
							 : 0);
	protobuf_add_message(&sample, 2, &ids);
	for (unsigned i = 0; i < n; i++)
		if (frames[i].key)
			add_label(p, &sample, &frames[i]);
	protobuf_add_message(&p->samples, 2, &sample);
	strbuf_release(&sample);
	strbuf_release(&ids);
}

/* ---- the file ---- */

/* The program comes first among what is mapped: libraries are named so. */
static void note_program(void *arg, const struct frame *frames, unsigned n, uint64_t value UNUSED)
{
	struct profile *p = arg;

	for (unsigned i = 0; i < n && !p->nmodules; i++)
		if (*frames[i].module && *frames[i].module != '[' &&
		    !strstr(frames[i].module, ".so") && strcmp(frames[i].module, "kernel") != 0)
			mapping_of(p, frames[i].module);
}

static void put_all(struct strbuf *out, const struct strbuf *part)
{
	strbuf_add(out, part->s, part->len);
}

static void add_type(struct profile *p, unsigned field, const char *type, const char *unit,
		     struct strbuf *to)
{
	protobuf_add_number(&p->part, 1, string_number(&p->strings, type));
	protobuf_add_number(&p->part, 2, string_number(&p->strings, unit));
	protobuf_add_message(to, field, &p->part);
}

/* As pprof calls it. */
static const char *unit_for(const struct profile *p, const struct aggvar *var, struct unit *u)
{
	const char *word = unit_word(&p->report->data->session->options, var, u);

	return !strcmp(word, "ns")   ? "nanoseconds"
	       : !strcmp(word, "us") ? "microseconds"
	       : !strcmp(word, "ms") ? "milliseconds"
	       : !strcmp(word, "s")  ? "seconds"
				     : word;
}

/* How often the probe of a clause fires, in Hz: of profile-N, in whatever unit; 0: of no such
 * probe. */
static uint64_t rate_of(const struct clause *c)
{
	char *end;
	uint64_t n;

	if (c->nprobes != 1 || strcmp(c->probes[0]->prov, "profile") != 0 ||
	    strncmp(c->probes[0]->name, "profile-", 8) != 0)
		return 0;
	n = strtoull(c->probes[0]->name + 8, &end, 10);
	return !*end || !strcmp(end, "hz") ? n : 0;
}

/* Samples of one profile-N alone, each of which counts one: how many nanoseconds lie between them;
 * 0: no. */
static uint64_t period_of(const struct session *s, const struct aggvar *var)
{
	uint64_t rate = 0;

	if (var->func->id != AGG_COUNT)
		return 0;
	for (const struct program *p = s->programs; p; p = p->next)
		for (const struct clause *c = p->clauses; c; c = c->next)
			for (unsigned i = 0; i < c->nstmts; i++) {
				const struct stmt *st = &c->stmts[i];
				uint64_t n = rate_of(c);

				if (!st->naggs || st->aggs[0] != var || st->kind != STMT_PLAIN)
					continue;
				if (!n || (rate && rate != n))
					return 0;
				rate = n;
			}
	return rate ? 1000000000 / rate : 0;
}

/* Each aggregation is a type of values; what is sampled by time is a number of samples, and time.
 */
static void add_types(struct profile *p, struct aggcopy *const *v, unsigned n, struct strbuf *to)
{
	struct unit unit;

	p->period = n == 1 ? period_of(p->report->data->session, v[0]->var) : 0;
	p->ntypes = p->period ? 2 : n;
	if (p->period) {
		add_type(p, 1, "samples", "count", to);
		add_type(p, 1, "cpu", "nanoseconds", to);
		add_type(p, 11, "cpu", "nanoseconds", to);
		protobuf_add_number(to, 12, p->period);
		protobuf_add_number(to, 14, string_number(&p->strings, "cpu"));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct aggvar *var = v[i]->var;

		add_type(p, 1, *keytext_aggname(var) ? var->name : var->func->name,
			 unit_for(p, var, &unit), to);
	}
}

static void make(struct profile *p, struct aggcopy *const *v, unsigned n)
{
	struct strbuf all;

	strbuf_init(&all);
	protobuf_add_bytes(&p->strings.out, 6, "", 0);
	p->strings.n = 1;
	stacks_each(p->report, v[0], note_program, p);
	add_types(p, v, n, &all);
	for (p->type = 0; p->type < n; p->type++)
		stacks_note_left(p->report, v[p->type]->var,
				 stacks_each(p->report, v[p->type], add_sample, p));
	protobuf_add_number(&all, 9, p->report->data->began_ns); /* time_nanos */
	put_all(&all, &p->samples);
	put_all(&all, &p->mappings);
	put_all(&all, &p->locations);
	put_all(&all, &p->functions);
	put_all(&all, &p->strings.out);
	gzip_add(&p->report->out, &all);
	strbuf_release(&all);
}

void report_pprof(struct report *r)
{
	struct profile p = {.report = r};
	struct strbuf *const bufs[] = {&p.strings.out, &p.samples, &p.mappings, &p.locations,
				       &p.functions,   &p.part,	   &p.inner};
	struct aggcopy **v;
	unsigned n = stacks_choose_alike(r, &v);

	for (unsigned i = 0; i < ARRAY_SIZE(bufs); i++)
		strbuf_init(bufs[i]);
	hash_init(&p.strings.numbers);
	hash_init(&p.modules);
	hash_init(&p.frames);
	if (n)
		make(&p, v, n);
	else
		gzip_add(&r->out, &p.part); /* of nothing */
	for (unsigned i = 0; i < ARRAY_SIZE(bufs); i++)
		strbuf_release(bufs[i]);
	hash_release(&p.strings.numbers);
	hash_release(&p.modules);
	hash_release(&p.frames);
	free(v);
}
