/*
 * otlp.c: all aggregations as a request of OpenTelemetry's protocol for metrics:
 * ExportMetricsServiceRequest (opentelemetry-proto, metrics/v1/metrics.proto; numbers of fields are
 * those of its files), as protocol buffers or as JSON: one tree, two ways to write it. Values are
 * those of the whole run (cumulative): a request that is lost takes nothing with it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "command/report/report_priv.h"
#include "dlang/dlang.h"
#include "dlang/print/aggvalue.h"
#include "dlang/run/histogram.h"

#define CUMULATIVE 2 /* AggregationTemporality */

struct tree {
	struct strbuf *out;
	bool is_json;
	struct report *report;
	uint64_t now_ns;
};

/* ---- the tree ---- */

/* JSON: what comes next is no first one. */
static void separate(const struct tree *t)
{
	char last = t->out->len ? t->out->s[t->out->len - 1] : '{';

	if (last != '{' && last != '[' && last != ':')
		strbuf_addc(t->out, ',');
}

static void name_it(const struct tree *t, const char *name)
{
	separate(t);
	if (name)
		strbuf_addf(t->out, "\"%s\":", name);
}

/* A message; name NULL: an element of a list. Returns what end() wants. */
static size_t begin(const struct tree *t, const char *name)
{
	if (t->is_json) {
		name_it(t, name);
		strbuf_addc(t->out, '{');
	}
	return t->out->len;
}

static void end(const struct tree *t, unsigned field, size_t from)
{
	if (t->is_json)
		strbuf_addc(t->out, '}');
	else
		protobuf_wrap(t->out, field, from);
}

static void begin_list(const struct tree *t, const char *name)
{
	if (!t->is_json)
		return;
	name_it(t, name);
	strbuf_addc(t->out, '[');
}

static void end_list(const struct tree *t)
{
	if (t->is_json)
		strbuf_addc(t->out, ']');
}

/* Strings of proto3 are UTF-8. */
static void add_text(const struct tree *t, unsigned field, const char *name, const char *s,
		     size_t n)
{
	struct strbuf clean;

	strbuf_init(&clean);
	while (n) {
		size_t len = utf8_length(s, n);

		if (len)
			strbuf_add(&clean, s, len);
		else
			strbuf_adds(&clean, "\357\277\275");
		s += len ? len : 1;
		n -= len ? len : 1;
	}
	if (t->is_json) {
		name_it(t, name);
		report_add_json(t->out, clean.len ? clean.s : "");
	} else {
		protobuf_add_bytes(t->out, field, clean.s, clean.len);
	}
	strbuf_release(&clean);
}

static void add_word(const struct tree *t, unsigned field, const char *name, const char *s)
{
	add_text(t, field, name, s, strlen(s));
}

/* An enumerator, or a truth. */
static void add_small(const struct tree *t, unsigned field, const char *name, unsigned v,
		      bool is_bool)
{
	if (!t->is_json) {
		protobuf_add_number(t->out, field, v);
		return;
	}
	name_it(t, name);
	if (is_bool)
		strbuf_adds(t->out, v ? "true" : "false");
	else
		strbuf_addf(t->out, "%u", v);
}

/* 64 bits are texts in JSON. name NULL: an element. */
static void add_count(const struct tree *t, unsigned field, const char *name, uint64_t v)
{
	if (!t->is_json) {
		protobuf_add_fixed(t->out, field, v);
		return;
	}
	name_it(t, name);
	strbuf_addf(t->out, "\"%llu\"", (unsigned long long)v);
}

static void add_signed(const struct tree *t, unsigned field, const char *name, int64_t v)
{
	if (!t->is_json) {
		protobuf_add_fixed(t->out, field, (uint64_t)v);
		return;
	}
	name_it(t, name);
	strbuf_addf(t->out, "\"%lld\"", (long long)v);
}

static void add_double(const struct tree *t, unsigned field, const char *name, double v)
{
	if (!t->is_json) {
		protobuf_add_double(t->out, field, v);
		return;
	}
	name_it(t, name);
	strbuf_addf(t->out, "%.17g", v);
}

/* ---- attributes (common.proto: KeyValue, AnyValue) ---- */

static size_t begin_attribute(const struct tree *t, const char *key, size_t *value)
{
	size_t pair = begin(t, NULL);

	add_word(t, 1, "key", key);
	*value = begin(t, "value");
	return pair;
}

static void end_attribute(const struct tree *t, unsigned field, size_t pair, size_t value)
{
	end(t, 2, value);
	end(t, field, pair);
}

static void add_text_attribute(const struct tree *t, unsigned field, const char *key,
			       const char *text, size_t n)
{
	size_t value, pair = begin_attribute(t, key, &value);

	add_text(t, 1, "stringValue", text, n);
	end_attribute(t, field, pair, value);
}

/* int_value is a varint. */
static void add_number_attribute(const struct tree *t, unsigned field, const char *key,
				 const char *digits)
{
	size_t value, pair = begin_attribute(t, key, &value);

	if (t->is_json) {
		name_it(t, "intValue");
		strbuf_addf(t->out, "\"%s\"", digits);
	} else {
		protobuf_add_varint(t->out, 3 << 3); /* 0 is there, too */
		protobuf_add_varint(t->out, (uint64_t)strtoll(digits, NULL, 10));
	}
	end_attribute(t, field, pair, value);
}

static void add_overflow(const struct tree *t, unsigned field)
{
	size_t value, pair = begin_attribute(t, "otel.metric.overflow", &value);

	add_small(t, 2, "boolValue", 1, true);
	end_attribute(t, field, pair, value);
}

/* Names of keys that are equal are told apart as those of metrics are. */
static void add_key_name(struct strbuf *out, const char *const *names, unsigned at)
{
	unsigned nsame = 0;

	for (unsigned i = 0; i < at; i++)
		nsame += !strcmp(names[i], names[at]);
	strbuf_clear(out);
	strbuf_adds(out, names[at]);
	if (nsame)
		strbuf_addf(out, "_%u", nsame + 1);
}

static void add_keys(const struct tree *t, unsigned field, const struct aggvar *var,
		     const char *key)
{
	const struct report_data *data = t->report->data;
	const char *names[AGG_MAX_KEYS];
	struct strbuf name, text;

	strbuf_init(&name);
	strbuf_init(&text);
	keytext_names(data->session, var, names);
	for (unsigned i = 0; i < var->nkeys; i++) {
		if (rec_is_stack(&var->keys[i]))
			continue;
		add_key_name(&name, names, i);
		strbuf_clear(&text);
		keytext_add(&data->pr, &text, &var->keys[i], key + var->keys[i].offset);
		if (var->keys[i].kind == REC_INT)
			add_number_attribute(t, field, name.s, text.s);
		else
			add_text_attribute(t, field, name.s, text.s, text.len);
	}
	strbuf_release(&name);
	strbuf_release(&text);
}

/* ---- points ---- */

struct point {
	const struct family *family;
	const char *key; /* NULL: the rest */
	const uint64_t *data;
	int64_t sum;
};

static void add_attributes(const struct tree *t, unsigned field, const struct point *p)
{
	if (!p->family->var->nkeys)
		return;
	begin_list(t, "attributes");
	if (p->key)
		add_keys(t, field, p->family->var, p->key);
	else
		add_overflow(t, field);
	end_list(t);
}

static void add_times(const struct tree *t)
{
	add_count(t, 2, "startTimeUnixNano", t->report->data->began_ns);
	add_count(t, 3, "timeUnixNano", t->now_ns);
}

typedef void point_fn(const struct tree *, const struct point *);

/* NumberDataPoint */
static void add_number_point(const struct tree *t, const struct point *p)
{
	add_attributes(t, 7, p);
	add_times(t);
	add_signed(t, 6, "asInt", (int64_t)p->data[0]);
}

/* HistogramDataPoint without buckets: of avg() and stddev() */
static void add_sum_point(const struct tree *t, const struct point *p)
{
	add_attributes(t, 9, p);
	add_times(t);
	add_count(t, 4, "count", p->data[0]);
	add_double(t, 5, "sum", (double)(int64_t)p->data[1]);
}

/* The counts of buckets, and the bounds between them: packed, or lists. */
static void add_buckets(const struct tree *t, const struct point *p, uint64_t *total)
{
	const struct aggvar *var = p->family->var;
	struct strbuf counts, bounds;
	struct tree c = *t, b = *t;
	unsigned from, to;
	uint64_t rest = 0;

	strbuf_init(&counts);
	strbuf_init(&bounds);
	c.out = &counts;
	b.out = &bounds;
	*total = 0;
	family_range(p->family, &from, &to);
	for (unsigned i = from; i < to; i++) {
		struct bucket_bounds limits;
		double bound;

		if (!var->func->hist->exists(var->params, i))
			continue;
		bucket_bounds(var, i, &limits);
		*total += p->data[i];
		rest += p->data[i];
		if (!*limits.to)
			continue;
		bound = strtod(limits.to, NULL);
		if (t->is_json) {
			add_count(&c, 0, NULL, rest);
			add_double(&b, 0, NULL, bound);
		} else {
			strbuf_add(&counts, &rest, sizeof(rest));
			strbuf_add(&bounds, &bound, sizeof(bound));
		}
		rest = 0;
	}
	if (t->is_json) {
		add_count(&c, 0, NULL, rest);
		strbuf_addf(t->out, ",\"bucketCounts\":[%s],\"explicitBounds\":[%s]", counts.s,
			    bounds.len ? bounds.s : "");
	} else {
		strbuf_add(&counts, &rest, sizeof(rest));
		protobuf_add_bytes(t->out, 6, counts.s, counts.len);
		protobuf_add_bytes(t->out, 7, bounds.s, bounds.len);
	}
	strbuf_release(&counts);
	strbuf_release(&bounds);
}

static void add_histogram_point(const struct tree *t, const struct point *p)
{
	uint64_t total;

	add_attributes(t, 9, p);
	add_times(t);
	add_buckets(t, p, &total);
	add_count(t, 4, "count", total);
	if (p->family->sums_grow)
		add_double(t, 5, "sum", (double)p->sum);
}

/* ---- metrics ---- */

/* Of which kind a metric is: the field of Metric, whether its values are sums since the beginning,
 * and only grow. */
static const struct kind {
	unsigned field;
	const char *name;
	bool is_cumulative, is_monotonic;
	point_fn *add;
} kinds[] = {
	[AGG_COUNT] = {7, "sum", true, true, add_number_point},
	[AGG_SUM] = {7, "sum", true, false, add_number_point},
	[AGG_MIN] = {5, "gauge", false, false, add_number_point},
	[AGG_MAX] = {5, "gauge", false, false, add_number_point},
	[AGG_AVG] = {9, "histogram", true, false, add_sum_point},
	[AGG_STDDEV] = {9, "histogram", true, false, add_sum_point},
	[AGG_QUANTIZE] = {9, "histogram", true, false, add_histogram_point},
	[AGG_LQUANTIZE] = {9, "histogram", true, false, add_histogram_point},
	[AGG_LLQUANTIZE] = {9, "histogram", true, false, add_histogram_point},
};

static void add_point(const struct tree *t, const struct kind *k, const struct point *p)
{
	size_t from = begin(t, NULL);

	k->add(t, p);
	end(t, 1, from);
}

static void add_points(const struct tree *t, const struct kind *k, const struct family *f)
{
	size_t from = begin(t, k->name);

	begin_list(t, "dataPoints");
	for (size_t i = 0; i < f->nrows; i++)
		add_point(t, k,
			  &(struct point){f, f->rows[i].key, f->rows[i].data, f->rows[i].sum});
	if (f->rest.data)
		add_point(t, k, &(struct point){f, NULL, f->rest.data, f->rest.sum});
	end_list(t);
	if (k->is_cumulative)
		add_small(t, 2, "aggregationTemporality", CUMULATIVE, false);
	if (k->is_monotonic)
		add_small(t, 3, "isMonotonic", 1, true);
	end(t, k->field, from);
}

/* In UCUM, as OpenTelemetry has units. */
static void add_unit(const struct tree *t, const struct aggvar *var)
{
	static const char *const same[] = {"ns", "us", "ms", "s"};
	struct unit unit;
	const char *word = unit_word(&t->report->data->session->options, var, &unit);
	char text[UNIT_SIZE + 2];

	if (!*word)
		return;
	snprintf(text, sizeof(text), "{%s}", word);
	for (unsigned i = 0; i < ARRAY_SIZE(same); i++)
		if (!strcmp(word, same[i]))
			snprintf(text, sizeof(text), "%s", word);
	if (!strcmp(word, "bytes"))
		snprintf(text, sizeof(text), "By");
	if (!strcmp(word, "count"))
		snprintf(text, sizeof(text), "1");
	add_word(t, 3, "unit", text);
}

static void add_metric(const struct tree *t, const struct aggcopy *copy)
{
	const struct options *o = &t->report->data->session->options;
	const char *prefix = o->text[OPT_METRICSPREFIX];
	struct family f = {0};
	struct strbuf text;
	size_t from = begin(t, NULL);

	strbuf_init(&text);
	strbuf_addf(&text, "%s%s", prefix ? prefix : "dtrace.",
		    *keytext_aggname(copy->var) ? keytext_aggname(copy->var) : "unnamed");
	add_text(t, 1, "name", text.s, text.len);
	strbuf_clear(&text);
	unit_add_title(o, copy->var, &text);
	add_text(t, 2, "description", text.s, text.len);
	strbuf_release(&text);
	add_unit(t, copy->var);
	family_collect(t->report, &f, copy);
	add_points(t, &kinds[copy->var->func->id], &f);
	family_release(&f);
	end(t, 2, from);
}

/* ---- the request ---- */

static void add_resource(const struct tree *t)
{
	size_t from = begin(t, "resource");
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	begin_list(t, "attributes");
	add_text_attribute(t, 1, "service.name", "dtrace", strlen("dtrace"));
	add_text_attribute(t, 1, "service.version", DTRACE_VERSION, strlen(DTRACE_VERSION));
	add_text_attribute(t, 1, "host.name", host, strlen(host));
	end_list(t);
	end(t, 1, from);
}

static void add_scope(const struct tree *t)
{
	size_t from = begin(t, "scope");

	add_word(t, 1, "name", "dtrace");
	add_word(t, 2, "version", DTRACE_VERSION);
	end(t, 1, from);
}

static void make(struct report *r, bool is_json)
{
	const struct tree t = {&r->out, is_json, r, clock_ns(CLOCK_REALTIME)};
	const struct aggstore *aggs = r->data->aggs;
	size_t from, scope;

	if (is_json)
		strbuf_addc(t.out, '{');
	begin_list(&t, "resourceMetrics");
	from = begin(&t, NULL);
	add_resource(&t);
	begin_list(&t, "scopeMetrics");
	scope = begin(&t, NULL);
	add_scope(&t);
	begin_list(&t, "metrics");
	for (uint32_t i = 0; i < aggs->ncopies; i++)
		if (aggs->copies[i])
			add_metric(&t, aggs->copies[i]);
	end_list(&t);
	end(&t, 2, scope);
	end_list(&t);
	end(&t, 1, from);
	end_list(&t);
	if (is_json)
		strbuf_addc(t.out, '}');
}

void report_otlp(const struct report_data *data, bool is_json, struct strbuf *out)
{
	struct report r = {.data = data, .path = "otlp"};

	strbuf_init(&r.out);
	make(&r, is_json);
	strbuf_add(out, r.out.s, r.out.len);
	strbuf_release(&r.out);
}
