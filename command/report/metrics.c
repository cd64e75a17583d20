/*
 * metrics.c: all aggregations as metrics: OpenMetrics 1.0, or the text format 0.0.4 of Prometheus
 * (files of its textfile collector). Keys are labels. Values of the whole run, whatever clear()
 * does to what lines show: a reader that comes each quarter of a minute misses none.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "command/report/metricnames.h"
#include "command/report/report_priv.h"
#include "dlang/dlang.h"
#include "dlang/print/aggvalue.h"
#include "dlang/run/histogram.h"

#define LE_SIZE 64

struct metrics {
	struct report *report;
	struct strbuf *out;
	bool is_openmetrics;
	struct printer pr;
	struct metric_names names; /* of what has been written */
};

/* ---- names ---- */

/* What Prometheus gives a meaning to is no name of a key. */
static void add_label_name(struct strbuf *out, const char *name)
{
	if (!strncmp(name, "__", 2) || !strcmp(name, "le") || !strcmp(name, "quantile") ||
	    !strcmp(name, "overflow"))
		strbuf_adds(out, "key_");
	metric_add_word(out, name);
}

/* ---- labels ---- */

static void add_label_value(struct strbuf *out, const char *s, size_t n)
{
	while (n) {
		size_t len = utf8_length(s, n);

		if (!len)
			strbuf_adds(out, "\357\277\275");
		else if (*s == '\n')
			strbuf_adds(out, "\\n");
		else if (*s == '\\' || *s == '"')
			strbuf_addf(out, "\\%c", *s);
		else
			strbuf_add(out, s, len);
		s += len ? len : 1;
		n -= len ? len : 1;
	}
}

/* How many keys in front of this one have its name. */
static unsigned same_before(const char *const *names, unsigned at)
{
	unsigned n = 0;

	for (unsigned i = 0; i < at; i++)
		n += !strcmp(names[i], names[at]);
	return n;
}

static char *labels_of(struct metrics *m, const struct aggvar *var, const char *const *names,
		       const char *key)
{
	struct strbuf labels, value;
	char *text;

	strbuf_init(&labels);
	strbuf_init(&value);
	for (unsigned i = 0; i < var->nkeys; i++) {
		unsigned nsame = same_before(names, i);

		if (rec_is_stack(&var->keys[i]))
			continue;
		if (labels.len)
			strbuf_addc(&labels, ',');
		add_label_name(&labels, names[i]);
		if (nsame)
			strbuf_addf(&labels, "_%u", nsame + 1);
		strbuf_adds(&labels, "=\"");
		strbuf_clear(&value);
		keytext_add(&m->pr, &value, &var->keys[i], key + var->keys[i].offset);
		add_label_value(&labels, value.s, value.len);
		strbuf_addc(&labels, '"');
	}
	text = strbuf_detach(&labels);
	strbuf_release(&labels);
	strbuf_release(&value);
	return text;
}

/* ---- rows ---- */

static uint64_t *copy_of(const struct aggvar *var, const uint64_t *data)
{
	uint64_t *copy = xmalloc(var->nwords * sizeof(*copy));

	memcpy(copy, data, var->nwords * sizeof(*copy));
	return copy;
}

/* New rows beyond the limit are added up: those that are shown stay the same ones. */
static void add_row(struct family *f, struct strmap *known, const struct metric_row *now,
		    size_t max)
{
	struct metric_row *row = strmap_get(known, now->labels);

	if (row) {
		f->var->func->merge(row->data, now->data, f->var);
		row->sum += now->sum;
	} else if (f->nrows < max) {
		row = &f->rows[f->nrows++];
		*row = (struct metric_row){now->labels, now->key, copy_of(f->var, now->data),
					   now->sum};
		strmap_put(known, now->labels, row);
		return;
	} else {
		if (f->rest.data)
			f->var->func->merge(f->rest.data, now->data, f->var);
		else
			f->rest.data = copy_of(f->var, now->data);
		f->rest.sum += now->sum;
	}
	free(now->labels);
}

static int64_t sum_of(const struct aggcopy *copy, const char *key)
{
	const uint64_t *sum = aggcopy_sum(copy, key);

	return sum ? (int64_t)*sum : 0;
}

static bool is_below_zero(const struct family *f, unsigned bucket)
{
	struct bucket_bounds b;

	bucket_bounds(f->var, bucket, &b);
	return *b.to == '-';
}

void family_range(const struct family *f, unsigned *from, unsigned *to)
{
	const struct histogram *h = f->var->func->hist;

	*from = f->var->nwords;
	*to = 0;
	for (size_t i = 0; i <= f->nrows; i++) {
		const uint64_t *data = i < f->nrows ? f->rows[i].data : f->rest.data;

		for (unsigned k = 0; data && k < f->var->nwords; k++) {
			if (!data[k])
				continue;
			*from = MIN(*from, k);
			*to = MAX(*to, k + 1);
		}
	}
	for (unsigned k = *from; k-- > 0 && *to;) {
		if (!h->exists(f->var->params, k))
			continue;
		if (is_below_zero(f, *from) || !is_below_zero(f, k))
			*from = k;
		break;
	}
}

/* A sum that can fall is none to those who take rates of it. */
static bool has_negatives(const struct family *f)
{
	unsigned from, to;

	family_range(f, &from, &to);
	return from < to && is_below_zero(f, from);
}

static void collect_rows(struct metrics *m, struct family *f, const struct aggcopy *copy)
{
	const struct session *s = m->report->data->session;
	int64_t max = opt(&s->options, OPT_METRICSMAX);
	const char *names[AGG_MAX_KEYS];
	struct strmap known;

	keytext_names(s, f->var, names);
	f->rows = xcalloc(copy->nents + 1, sizeof(*f->rows));
	strmap_init(&known);
	for (size_t i = 0; i < copy->nents; i++)
		add_row(f, &known,
			&(struct metric_row){labels_of(m, f->var, names, copy->ents[i]->key),
					     copy->ents[i]->key, copy->ents[i]->data,
					     sum_of(copy, copy->ents[i]->key)},
			max > 0 ? (size_t)max : 0);
	strmap_release(&known);
	f->has_sums = copy->sums;
	f->sums_grow = copy->sums && !has_negatives(f);
}

void family_collect(struct report *r, struct family *f, const struct aggcopy *copy)
{
	struct metrics m = {.report = r, .pr = r->data->pr};

	f->var = copy->var;
	strbuf_init(&f->name);
	metric_add_name(&f->name, &r->data->session->options, f->var, &f->unit);
	collect_rows(&m, f, copy);
}

void family_release(struct family *f)
{
	for (size_t i = 0; i < f->nrows; i++) {
		free(f->rows[i].labels);
		free(f->rows[i].data);
	}
	free(f->rows);
	free(f->rest.data);
	strbuf_release(&f->name);
}

/* ---- samples ---- */

static void begin_sample(struct metrics *m, const struct family *f, const char *suffix,
			 const char *labels, const char *le)
{
	strbuf_adds(m->out, f->name.s);
	strbuf_adds(m->out, suffix);
	if (*labels || le)
		strbuf_addf(m->out, "{%s%s", labels, *labels && le ? "," : "");
	if (le)
		strbuf_addf(m->out, "le=\"%s\"", le);
	strbuf_adds(m->out, *labels || le ? "} " : " ");
}

static void add_number(struct metrics *m, const struct family *f, const char *suffix,
		       const char *labels, int64_t v, unsigned shift)
{
	char digits[32];

	begin_sample(m, f, suffix, labels, NULL);
	snprintf(digits, sizeof(digits), "%lld", (long long)v);
	unit_add_shifted(m->out, digits, shift, false);
	strbuf_addc(m->out, '\n');
}

static void add_count(struct metrics *m, const struct family *f, const char *suffix,
		      const char *labels, uint64_t v)
{
	begin_sample(m, f, suffix, labels, NULL);
	strbuf_addf(m->out, "%llu\n", (unsigned long long)v);
}

/* When what counts up began: the run did. */
static void add_created(struct metrics *m, const struct family *f, const char *labels)
{
	uint64_t ns = m->report->data->began_ns;

	if (!m->is_openmetrics)
		return;
	begin_sample(m, f, "_created", labels, NULL);
	strbuf_addf(m->out, "%llu.%03llu\n", (unsigned long long)(ns / 1000000000),
		    (unsigned long long)(ns / 1000000 % 1000));
}

static void add_counter(struct metrics *m, const struct family *f, const struct metric_row *row)
{
	add_count(m, f, "_total", row->labels, row->data[0]);
	add_created(m, f, row->labels);
}

static void add_gauge(struct metrics *m, const struct family *f, const struct metric_row *row)
{
	add_number(m, f, "", row->labels, (int64_t)row->data[0], f->unit.shift);
}

static void add_summary(struct metrics *m, const struct family *f, const struct metric_row *row)
{
	add_count(m, f, "_count", row->labels, row->data[0]);
	add_number(m, f, "_sum", row->labels, (int64_t)row->data[1], f->unit.shift);
	add_created(m, f, row->labels);
}

/* Of stddev(): the sum of the squares, two words. As a number that any reader takes. */
static void add_squares(struct metrics *m, const struct family *f, const struct metric_row *row)
{
	long double squares = (long double)(int64_t)row->data[3] * 18446744073709551616.0L +
			      (long double)row->data[2];

	begin_sample(m, f, "_squares", row->labels, NULL);
	strbuf_addf(m->out, "%.17Lg\n", squares);
}

/* ---- histograms ---- */

/* The last integer of a bucket; the last of all has none. */
static void add_bucket(struct metrics *m, const struct family *f, const char *labels,
		       const char *last, uint64_t n)
{
	struct strbuf le;

	strbuf_init(&le);
	if (*last)
		unit_add_shifted(&le, last, f->unit.shift, m->is_openmetrics);
	else
		strbuf_adds(&le, "+Inf");
	begin_sample(m, f, "_bucket", labels, le.s);
	strbuf_addf(m->out, "%llu\n", (unsigned long long)n);
	strbuf_release(&le);
}

/*
 * The type of a metric is the same for a whole run, whatever values come. In the text format, where
 * a histogram without a sum would be read as one of sum 0, it has one whenever sums are kept; in
 * OpenMetrics a sum that can fall, of values below 0, is none.
 */
static bool has_sum(const struct metrics *m, const struct family *f)
{
	return m->is_openmetrics ? f->sums_grow : f->has_sums;
}

static void add_histogram(struct metrics *m, const struct family *f, const struct metric_row *row)
{
	const struct histogram *h = f->var->func->hist;
	unsigned from, to;
	uint64_t n = 0;

	family_range(f, &from, &to);
	for (unsigned i = from; i < to; i++) {
		struct bucket_bounds b;

		if (!h->exists(f->var->params, i))
			continue;
		bucket_bounds(f->var, i, &b);
		n += row->data[i];
		if (*b.to)
			add_bucket(m, f, row->labels, b.to, n);
	}
	add_bucket(m, f, row->labels, "", n);
	if (has_sum(m, f)) { /* a count goes with it: to readers they are one thing */
		add_count(m, f, "_count", row->labels, n);
		add_number(m, f, "_sum", row->labels, row->sum, f->unit.shift);
	}
	add_created(m, f, row->labels);
}

/* ---- families ---- */

typedef void sample_fn(struct metrics *, const struct family *, const struct metric_row *);

static const struct kind {
	const char *suffix;			  /* of the family's name */
	const char *type, *old_suffix, *old_type; /* of OpenMetrics, and of the text format */
	sample_fn *add;
} kinds[] =
	{
		[AGG_COUNT] = {"", "counter", "_total", "counter", add_counter},
		[AGG_SUM] = {"", "gauge", "", "gauge", add_gauge},
		[AGG_MIN] = {"", "gauge", "", "gauge", add_gauge},
		[AGG_MAX] = {"", "gauge", "", "gauge", add_gauge},
		[AGG_AVG] = {"", "summary", "", "summary", add_summary},
		[AGG_STDDEV] = {"", "summary", "", "summary", add_summary},
		/* a histogram without a sum: who reads the text format would make it 0 */
		[AGG_QUANTIZE] = {"", "histogram", "_bucket", "untyped", add_histogram},
		[AGG_LQUANTIZE] = {"", "histogram", "_bucket", "untyped", add_histogram},
		[AGG_LLQUANTIZE] = {"", "histogram", "_bucket", "untyped", add_histogram},
},
  with_sums = {"", "histogram", "", "histogram", add_histogram},
  squares = {"_squares", "gauge", "_squares", "gauge", add_squares};

static void add_head(struct metrics *m, const struct family *f, const struct kind *k)
{
	const char *suffix = m->is_openmetrics ? k->suffix : k->old_suffix;
	struct strbuf title;

	strbuf_addf(m->out, "# TYPE %s%s %s\n", f->name.s, suffix,
		    m->is_openmetrics ? k->type : k->old_type);
	if (m->is_openmetrics && *f->unit.base && !*k->suffix)
		strbuf_addf(m->out, "# UNIT %s %s\n", f->name.s, f->unit.base);
	strbuf_init(&title);
	unit_add_title(&m->report->data->session->options, f->var, &title);
	strbuf_addf(m->out, "# HELP %s%s ", f->name.s, suffix);
	add_label_value(m->out, title.s, title.len);
	strbuf_addc(m->out, '\n');
	strbuf_release(&title);
}

static void add_samples(struct metrics *m, const struct family *f, const struct kind *k)
{
	struct metric_row rest = f->rest;
	char overflow[] = "overflow=\"true\"";

	add_head(m, f, k);
	for (size_t i = 0; i < f->nrows; i++)
		k->add(m, f, &f->rows[i]);
	rest.labels = overflow;
	if (rest.data)
		k->add(m, f, &rest);
}

static void add_aggregation(struct metrics *m, const struct aggcopy *copy, struct strbuf *sizes)
{
	struct family f = {.var = copy->var};
	const struct kind *k = &kinds[copy->var->func->id];
	struct err err;

	if (metric_names_take(&m->names, &m->report->data->session->options, f.var, &err)) {
		report_note(m->report, "%s", err.text);
		return;
	}
	family_collect(m->report, &f, copy);
	if (f.has_sums)
		k = &with_sums;
	if (agg_has_stack(f.var))
		report_note(m->report, "@%s: stacks are no labels, rows are added up without them",
			    keytext_aggname(f.var));
	add_samples(m, &f, k);
	if (f.var->func->id == AGG_STDDEV)
		add_samples(m, &f, &squares);
	strbuf_addf(sizes, "dtrace_metric_rows{aggregation=\"%s\"} %zu\n", keytext_aggname(f.var),
		    f.nrows + (f.rest.data != NULL));
	family_release(&f);
}

/* ---- the run ---- */

static void add_type(struct metrics *m, const char *name, const char *suffix, const char *type,
		     const char *help)
{
	if (m->is_openmetrics && !strcmp(suffix, "_total"))
		suffix = "";
	strbuf_addf(m->out, "# TYPE %s%s %s\n# HELP %s%s %s\n", name, suffix, type, name, suffix,
		    help);
}

/* The first file of a program; one of the command line has none. */
static void add_script(struct metrics *m)
{
	for (const struct program *p = m->report->data->session->programs; p; p = p->next) {
		if (!p->src || p->src->kind != SOURCE_SCRIPT || !p->nclauses)
			continue;
		strbuf_adds(m->out, ",script=\"");
		add_label_value(m->out, p->src->name, strlen(p->src->name));
		strbuf_addc(m->out, '"');
		return;
	}
}

static void add_run(struct metrics *m)
{
	const struct session *s = m->report->data->session;
	static const char *const kind_names[DROP_NKINDS] = {
		[DROP_DYNAMIC] = "dynamic variables",
		[DROP_SPEC] = "speculations",
		[DROP_SPECUNAVAIL] = "speculations unavailable",
		[DROP_DBLERROR] = "errors in ERROR",
		[DROP_STKSTROVERFLOW] = "string tables of stacks",
		[DROP_UNRECORDED] = "unrecorded events",
		[DROP_HIDDEN] = "hidden events",
	};
	uint64_t nrecords = 0, naggs = 0;

	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++) {
		nrecords += s->buffer_drops[i];
		naggs += s->agg_drops[i];
	}
	add_type(m, "dtrace_drops", "_total", "counter", "what was lost, by kind");
	strbuf_addf(m->out, "dtrace_drops_total{kind=\"records\"} %llu\n",
		    (unsigned long long)nrecords);
	strbuf_addf(m->out, "dtrace_drops_total{kind=\"aggregations\"} %llu\n",
		    (unsigned long long)naggs);
	for (unsigned i = 0; i < DROP_NKINDS; i++)
		strbuf_addf(m->out, "dtrace_drops_total{kind=\"%s\"} %llu\n", kind_names[i],
			    (unsigned long long)s->drops[i]);
	if (m->is_openmetrics)
		add_type(m, "dtrace_build", "", "info", "the command that traces");
	else
		add_type(m, "dtrace_build_info", "", "gauge", "the command that traces");
	strbuf_adds(m->out, "dtrace_build_info{version=\"" DTRACE_VERSION "\"");
	add_script(m);
	strbuf_adds(m->out, "} 1\n");
}

static void add_resets(struct metrics *m)
{
	const struct aggstore *lines = m->report->data->lines;

	add_type(m, "dtrace_resets", "_total", "counter",
		 "clear() and trunc() of an aggregation, which do not act on its metrics");
	for (uint32_t i = 0; lines && i < lines->ncopies; i++)
		if (lines->copies[i])
			strbuf_addf(m->out, "dtrace_resets_total{aggregation=\"%s\"} %llu\n",
				    keytext_aggname(lines->copies[i]->var),
				    (unsigned long long)lines->copies[i]->nresets);
}

static void make(struct report *r, bool is_openmetrics)
{
	struct metrics m = {
		.report = r, .out = &r->out, .is_openmetrics = is_openmetrics, .pr = r->data->pr};
	const struct aggstore *aggs = r->data->aggs;
	struct strbuf sizes;

	strbuf_init(&sizes);
	metric_names_init(&m.names);
	for (uint32_t i = 0; i < aggs->ncopies; i++)
		if (aggs->copies[i])
			add_aggregation(&m, aggs->copies[i], &sizes);
	add_type(&m, "dtrace_metric_rows", "", "gauge", "rows of an aggregation that are metrics");
	strbuf_add(m.out, sizes.s, sizes.len);
	add_resets(&m);
	add_run(&m);
	if (is_openmetrics)
		strbuf_adds(m.out, "# EOF\n");
	metric_names_release(&m.names);
	strbuf_release(&sizes);
}

void report_prom(struct report *r)
{
	make(r, false);
}

void report_openmetrics(struct report *r)
{
	make(r, true);
}
