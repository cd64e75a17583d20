#include "dlang/print/printagg.h"

#include <stdlib.h>

#include "base/stage.h"
#include "dlang/print/aggsame.h"
#include "dlang/print/printf.h"

/* ---- histograms ---- */

#define BAR 40

static const char bar_title[] = "------------- Distribution -------------";

enum bar_shape { BAR_RIGHT, BAR_LEFT, BAR_BOTH }; /* only counts >= 0, only < 0, both */

struct bars {
	enum bar_shape shape;
	double total; /* what a full bar stands for */
	bool is_utf8, is_painted;
};

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static void fill(struct strbuf *out, char c, unsigned n)
{
	while (n--)
		strbuf_addc(out, c);
}

/* What is filled of a bar. SGR 36 is the terminal's own cyan, which is read on dark and light. */
static void paint(struct strbuf *out, const struct bars *b, unsigned n)
{
	if (n && b->is_painted)
		strbuf_adds(out, "\033[36m");
	fill(out, '@', n);
	if (n && b->is_painted)
		strbuf_adds(out, "\033[39m");
}

/* The length of a bar, rounded half up. */
static unsigned bar_length(const struct bars *b, int64_t count, unsigned room)
{
	if (b->total <= 0)
		return 0;
	return MIN((unsigned)(room * (double)magnitude(count) / b->total + 0.5), room);
}

/* In eighths of a column: U+2588 is a full block, U+258F its left eighth. */
static void add_block_bar(struct strbuf *out, const struct bars *b, int64_t count)
{
	unsigned eighths = bar_length(b, count, BAR * 8), n = eighths / 8;

	strbuf_addc(out, '|');
	if (eighths && b->is_painted)
		strbuf_adds(out, "\033[36m");
	for (unsigned i = 0; i < n; i++)
		strbuf_adds(out, "\342\226\210");
	if (eighths % 8) {
		strbuf_adds(out, "\342\226");
		strbuf_addc(out, (char)(0x90 - eighths % 8));
		n++;
	}
	if (eighths && b->is_painted)
		strbuf_adds(out, "\033[39m");
	fill(out, ' ', BAR - n);
}

static void add_bar(struct strbuf *out, const struct bars *b, int64_t count)
{
	unsigned room = b->shape == BAR_BOTH ? BAR / 2 : BAR, n = bar_length(b, count, room);

	switch (b->shape) {
	case BAR_RIGHT:
		if (b->is_utf8) {
			add_block_bar(out, b, count);
			break;
		}
		strbuf_addc(out, '|');
		paint(out, b, n);
		fill(out, ' ', room - n);
		break;
	case BAR_LEFT:
		fill(out, ' ', room - n);
		paint(out, b, n);
		strbuf_addc(out, '|');
		break;
	case BAR_BOTH:
		fill(out, ' ', count > 0 ? room : room - n);
		paint(out, b, count > 0 ? 0 : n);
		strbuf_addc(out, '|');
		paint(out, b, count > 0 ? n : 0);
		fill(out, ' ', count > 0 ? room - n : room);
		break;
	}
}

/* Bars for n counts. */
static struct bars bars_of(const struct options *o, const int64_t *counts, size_t n)
{
	struct bars b = {BAR_RIGHT, 0, opt(o, OPT_ENCODING) == ENCODING_UTF8,
			 opt(o, OPT_COLOR) == COLOR_ALWAYS};
	bool positive = false, negative = false;
	double highest = 0;

	for (size_t i = 0; i < n; i++) {
		positive |= counts[i] > 0;
		negative |= counts[i] < 0;
		b.total += (double)magnitude(counts[i]);
		highest = MAX(highest, (double)magnitude(counts[i]));
	}
	if (negative)
		b.shape = positive ? BAR_BOTH : BAR_LEFT;
	if (opt_on(o, OPT_AGGZOOM))
		b.total = highest / 0.95;
	return b;
}

/* The buckets that have a row, first to last; those between that cannot hold an integer have none.
 */
struct span {
	unsigned first, last;
};

/* The next bucket that exists, in a direction; `from` itself if there is none. */
static unsigned neighbour(const struct aggvar *var, unsigned from, int step)
{
	const struct histogram *h = var->func->hist;

	for (unsigned i = from + (unsigned)step; i < var->nwords; i += (unsigned)step)
		if (h->exists(var->params, i))
			return i;
	return from;
}

static struct span span_of(const struct aggvalue *v)
{
	const struct aggvar *var = v->var;
	struct span s = {var->nwords, 0};

	for (unsigned i = 0; v->data && i < var->nwords; i++)
		if (v->data[i]) {
			s.first = MIN(s.first, i);
			s.last = i;
		}
	if (s.first == var->nwords) {
		s.first = var->func->hist->first_empty(var->params);
		s.last = neighbour(var, neighbour(var, s.first, 1), 1);
		return s;
	}
	s.first = neighbour(var, s.first, -1);
	s.last = neighbour(var, s.last, 1);
	return s;
}

static void label_text(char *buf, size_t size, struct bucket_label label, bool has_lower_row)
{
	static const char *const before[] = {
		[BUCKET_FROM] = "",	 [BUCKET_BELOW] = "< ",	 [BUCKET_ATLEAST] = ">= ",
		[BUCKET_ATMOST] = "<= ", [BUCKET_MIDDLE] = "< ",
	};
	const char *abs = label.form == BUCKET_MIDDLE && has_lower_row ? "abs() " : "";

	snprintf(buf, size, "%s%s%s%llu", abs, before[label.form], label.value < 0 ? "-" : "",
		 (unsigned long long)(label.value < 0 ? -label.value : label.value));
}

static int64_t count_at(const struct aggvalue *v, unsigned i)
{
	return v->data ? (int64_t)v->data[i] : 0;
}

void histogram_each(const struct aggvalue *v,
		    void (*fn)(void *arg, const char *label, bool is_number, int64_t value,
			       int64_t count),
		    void *arg)
{
	const struct histogram *h = v->var->func->hist;
	const int64_t *params = v->var->params;
	struct span s = span_of(v);

	for (unsigned i = s.first; i <= s.last; i++) {
		struct bucket_label label;
		char text[32];

		if (!h->exists(params, i))
			continue;
		label = h->label(params, i);
		label_text(text, sizeof(text), label, i > s.first);
		fn(arg, text, label.form == BUCKET_FROM && label.value == (int64_t)label.value,
		   (int64_t)label.value, divide_signed(count_at(v, i), v->normal));
	}
}

void printer_histogram(const struct printer *pr, const struct aggvalue *v)
{
	const struct histogram *h = v->var->func->hist;
	const int64_t *params = v->var->params;
	struct span s = span_of(v);
	static const uint64_t none[3];
	/* an empty histogram has three rows */
	const uint64_t *counts = v->data ? v->data + s.first : none;
	struct bars bars =
		bars_of(pr->options, (const int64_t *)counts, v->data ? s.last - s.first + 1 : 0);

	strbuf_addf(pr->out, "\n%16s %41s %-9s\n", "value", bar_title, "count");
	for (unsigned i = s.first; i <= s.last; i++) {
		int64_t count = count_at(v, i);
		char text[32];

		if (!h->exists(params, i))
			continue;
		label_text(text, sizeof(text), h->label(params, i), i > s.first);
		strbuf_addf(pr->out, "%16s ", text);
		add_bar(pr->out, &bars, count);
		strbuf_addf(pr->out, " %-9lld\n", (long long)divide_signed(count, v->normal));
	}
}

/* ---- rows: entries of all aggregations with one key ---- */

struct row {
	const char *key;
	struct cell {
		const uint64_t *data; /* NULL: this aggregation lacks the key */
		uint64_t *const *by_cpu;
		struct aggrank rank;
	} * cells;
};

struct table {
	const struct printer *pr;
	struct aggsame *same;
	struct aggcopy **copies; /* as they are printed */
	unsigned ncopies;
	struct row *rows;
	size_t nrows;
	struct cell *cells;
};

static int compare_values(const struct table *t, const struct row *a, const struct row *b)
{
	unsigned first = (unsigned)opt(t->pr->options, OPT_AGGSORTPOS);
	int rc = 0;

	if (first >= t->ncopies)
		first = 0;
	rc = aggrank_compare(&a->cells[first].rank, &b->cells[first].rank);
	for (unsigned i = 0; i < t->ncopies && rc == 0; i++)
		rc = aggrank_compare(&a->cells[i].rank, &b->cells[i].rank);
	return rc;
}

static int compare_keys(const struct table *t, const struct row *a, const struct row *b)
{
	unsigned first = (unsigned)opt(t->pr->options, OPT_AGGSORTKEYPOS);
	const struct aggvar *var = t->copies[0]->var;

	return aggkey_compare(var, a->key, b->key, first < var->nkeys ? first : 0);
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct table *t = arg;
	bool by_key = opt_on(t->pr->options, OPT_AGGSORTKEY);
	int rc = by_key ? compare_keys(t, a, b) : compare_values(t, a, b);

	if (rc == 0)
		rc = by_key ? compare_values(t, a, b) : compare_keys(t, a, b);
	return opt_on(t->pr->options, OPT_AGGSORTREV) ? -rc : rc;
}

static bool is_in_earlier(const struct table *t, unsigned nth, const char *key)
{
	for (unsigned i = 0; i < nth; i++)
		if (aggcopy_find(t->copies[i], key))
			return true;
	return false;
}

static bool is_zero(const struct table *t, const struct row *row)
{
	struct aggrank none = aggrank_of(t->copies[0]->var, NULL);

	return aggrank_compare(&row->cells[0].rank, &none) == 0;
}

static void add_row(struct table *t, const char *key)
{
	struct row *row = &t->rows[t->nrows];

	row->key = key;
	row->cells = t->cells + t->nrows * t->ncopies;
	for (unsigned i = 0; i < t->ncopies; i++) {
		const struct aggent *e = aggcopy_find(t->copies[i], key);

		row->cells[i].data = e ? e->data : NULL;
		row->cells[i].by_cpu = e ? e->by_cpu : NULL;
		row->cells[i].rank = aggrank_of(t->copies[i]->var, row->cells[i].data);
	}
	if (!opt_on(t->pr->options, OPT_AGGNONZERO) || !is_zero(t, row))
		t->nrows++;
}

static void make_rows(struct table *t)
{
	size_t room = 1;

	for (unsigned i = 0; i < t->ncopies; i++)
		room += t->copies[i]->nents;
	t->rows = xcalloc(room, sizeof(*t->rows));
	t->cells = xcalloc(room * t->ncopies, sizeof(*t->cells));
	for (unsigned i = 0; i < t->ncopies; i++)
		for (size_t j = 0; j < t->copies[i]->nents; j++) {
			const char *key = t->copies[i]->ents[j]->key;

			if (!is_in_earlier(t, i, key))
				add_row(t, key);
		}
	qsort_r(t->rows, t->nrows, sizeof(*t->rows), compare_rows, t);
}

/* ---- agghist: counts and sums as bars ---- */

#define TEXT_KEY 16 /* columns of keys that are not numbers */

static int key_width(const struct rec *rec)
{
	if (rec->kind != REC_INT)
		return TEXT_KEY;
	return rec->size == 1 ? 3 : rec->size == 2 ? 5 : rec->size == 4 ? 8 : 16;
}

static int keys_width(const struct aggvar *var)
{
	int width = 0;

	for (unsigned i = 0; i < var->nkeys; i++)
		width += key_width(&var->keys[i]) + 1;
	return width;
}

/* Keys in columns: text to the right. */
static void add_column_keys(const struct printer *pr, const struct aggvar *var, const char *key)
{
	for (unsigned i = 0; i < var->nkeys; i++) {
		const struct rec *rec = &var->keys[i];
		const char *data = key + rec->offset;

		if (rec->kind == REC_STRING || rec->kind == REC_BYTES)
			strbuf_addf(pr->out, " %*.*s", TEXT_KEY, (int)rec->size, data);
		else
			printer_key(pr, rec, data);
	}
}

static void print_bars(const struct table *t)
{
	const struct printer *pr = t->pr;
	const struct aggcopy *copy = t->copies[0];
	int64_t *values = xcalloc(t->nrows, sizeof(*values));
	struct bars bars;

	for (size_t i = 0; i < t->nrows; i++)
		values[i] = (int64_t)t->rows[i].cells[0].data[0];
	bars = bars_of(pr->options, values, t->nrows);
	strbuf_addf(pr->out, "\n%*s %41s %-9s\n", keys_width(copy->var), "key", bar_title, "count");
	for (size_t i = 0; i < t->nrows; i++) {
		add_column_keys(pr, copy->var, t->rows[i].key);
		strbuf_addc(pr->out, ' ');
		add_bar(pr->out, &bars, values[i]);
		strbuf_addf(pr->out, " %-9lld\n",
			    (long long)divide_signed(values[i], copy->normal));
	}
	free(values);
}

/* ---- aggpack: a histogram in one line ---- */

/* By the terminal, if no option says so. */
static bool packs_in_utf8(const struct options *o)
{
	static const char *const plain[] = {"sun", "sun-color", "dumb"};
	const char *term = getenv("TERM");

	if (opt_on(o, OPT_ENCODING))
		return opt(o, OPT_ENCODING) == ENCODING_UTF8;
	for (unsigned i = 0; term && i < ARRAY_SIZE(plain); i++)
		if (!strcmp(term, plain[i]))
			return false;
	return term != NULL;
}

static void add_cell(struct strbuf *out, const struct bars *b, int64_t count)
{
	if (count == 0) {
		strbuf_addc(out, ' ');
	} else if (count < 0) {
		strbuf_addc(out, "vvvvVV"[bar_length(b, count, 5)]);
	} else if (b->is_utf8) {
		strbuf_adds(out, "\342\226");
		strbuf_addc(out, (char)(0x81 + bar_length(b, count, 7)));
	} else {
		strbuf_addc(out, "__xxxxXX"[bar_length(b, count, 7)]);
	}
}

/* The columns of one packed table. */
struct pack {
	struct span span; /* of all rows together */
	long long min, max;
	int min_width, max_width;
	bool is_utf8;
};

static int number_width(long long v)
{
	return MAX(snprintf(NULL, 0, "%lld", v), 3); /* "min", "max" */
}

static struct pack pack_of(const struct table *t)
{
	const struct aggvar *var = t->copies[0]->var;
	const struct histogram *h = var->func->hist;
	struct pack p = {.span = {var->nwords, 0}};

	for (size_t i = 0; i < t->nrows; i++) {
		const struct aggvalue v = {
			.var = var, .data = t->rows[i].cells[0].data, .normal = 1};
		struct span s = span_of(&v);

		p.span.first = MIN(p.span.first, s.first);
		p.span.last = MAX(p.span.last, s.last);
	}
	p.min = (long long)h->label(var->params, p.span.first).value;
	p.max = (long long)h->label(var->params, p.span.last).value;
	p.min_width = number_width(p.min);
	p.max_width = number_width(p.max);
	p.is_utf8 = packs_in_utf8(t->pr->options);
	return p;
}

static void add_packed_row(const struct table *t, const struct pack *p, const struct row *row)
{
	const struct aggcopy *copy = t->copies[0];
	struct strbuf *out = t->pr->out;
	const int64_t *counts = (const int64_t *)row->cells[0].data + p->span.first;
	unsigned n = p->span.last - p->span.first + 1;
	struct bars bars = bars_of(t->pr->options, counts, n);
	uint64_t total = 0;

	bars.is_utf8 = p->is_utf8;
	add_column_keys(t->pr, copy->var, row->key);
	strbuf_addf(out, " %*lld :", p->min_width, p->min);
	for (unsigned i = 0; i < n; i++) {
		add_cell(out, &bars, counts[i]);
		total += (uint64_t)counts[i];
	}
	strbuf_addf(out, ": %*lld | %lld\n", p->max_width, p->max,
		    (long long)divide_signed((int64_t)total, copy->normal));
}

static void print_packed(const struct table *t)
{
	struct strbuf *out = t->pr->out;
	struct pack p = pack_of(t);

	strbuf_addf(out, "\n%*s %*s .", keys_width(t->copies[0]->var), "key", p.min_width, "min");
	fill(out, '-', p.span.last - p.span.first + 1);
	strbuf_addf(out, ". %*s | count\n", p.max_width, "max");
	for (size_t i = 0; i < t->nrows; i++)
		add_packed_row(t, &p, &t->rows[i]);
}

/* Prints the rows in one of the forms that options ask for. False: they do not. */
static bool print_specially(const struct table *t)
{
	const struct aggfunc *func = t->copies[0]->var->func;
	const struct options *o = t->pr->options;

	if (t->ncopies > 1 || t->nrows == 0)
		return false;
	if (opt_on(o, OPT_AGGHIST) && func->has_bars)
		print_bars(t);
	else if (opt_on(o, OPT_AGGPACK) && func->is_packed)
		print_packed(t);
	else
		return false;
	return true;
}

/* ---- printing rows ---- */

/* What prints a row. */
struct rowform {
	const struct printer *pr;
	const struct pfmt *fmt; /* NULL: the default */
};

void printer_each_cpu(const struct printer *pr, const struct aggvalue *v,
		      void (*fn)(const struct printer *, const void *arg, const struct aggvalue *),
		      const void *arg)
{
	uint64_t start[AGGVALUE_START];

	for (unsigned cpu = 0; cpu < v->ncpus; cpu++) {
		const struct aggvalue part = aggvalue_of_cpu(v, cpu, start);

		strbuf_addf(pr->out, "\n    [CPU %u]", cpu);
		fn(pr, arg, &part);
	}
}

static void default_value(const struct printer *pr, const void *arg UNUSED,
			  const struct aggvalue *v)
{
	if (v->var->func->is_hist)
		printer_histogram(pr, v);
	else
		strbuf_addf(pr->out, " %16lld", (long long)aggvalue_signed(v));
}

static void default_row(const struct printer *pr, const struct aggvalue *values, unsigned n,
			const char *key)
{
	const struct aggvar *var = values[0].var;

	for (unsigned i = 0; i < var->nkeys; i++)
		printer_key(pr, &var->keys[i], key + var->keys[i].offset);
	for (unsigned i = 0; i < n; i++) {
		default_value(pr, NULL, &values[i]);
		printer_each_cpu(pr, &values[i], default_value, NULL);
	}
	strbuf_addc(pr->out, '\n');
}

static void format_row(const struct printer *pr, const struct aggvalue *values, unsigned n,
		       const char *key, const struct pfmt *fmt)
{
	const struct aggvar *var = values[0].var;
	const struct pargs args = {
		.recs = var->keys,
		.n = var->nkeys,
		.data = key,
		.aggs = values,
		.naggs = n,
	};

	pfmt_print(pr, fmt, &args);
}

static void print_row(void *arg, const struct aggvalue *values, unsigned n, const char *key)
{
	const struct rowform *form = arg;

	if (form->fmt)
		format_row(form->pr, values, n, key, form->fmt);
	else
		default_row(form->pr, values, n, key);
}

static struct aggvalue value_at(const struct aggcopy *copy, const struct cell *cell)
{
	return (struct aggvalue){
		.var = copy->var,
		.data = cell->data,
		.normal = copy->normal,
		.by_cpu = cell->by_cpu,
		.ncpus = cell->by_cpu ? copy->ncpus : 0,
	};
}

static void each_row(const struct table *t,
		     void (*fn)(void *arg, const struct aggvalue *, unsigned n, const char *key),
		     void *arg)
{
	struct aggvalue *values = xcalloc(t->ncopies, sizeof(*values));

	for (size_t i = 0; i < t->nrows; i++) {
		for (unsigned j = 0; j < t->ncopies; j++)
			values[j] = value_at(t->copies[j], &t->rows[i].cells[j]);
		fn(arg, values, t->ncopies, t->rows[i].key);
		stage_step();
	}
	free(values);
}

static void open_table(struct table *t, const struct printer *pr, struct aggcopy *const *copies,
		       unsigned ncopies)
{
	*t = (struct table){.pr = pr, .ncopies = ncopies};
	t->same = aggsame_new(pr);
	t->copies = xcalloc(ncopies + 1, sizeof(struct aggcopy *));
	for (unsigned i = 0; i < ncopies; i++)
		t->copies[i] = aggsame_view(t->same, copies[i]);
	make_rows(t);
}

static void release(struct table *t)
{
	free(t->rows);
	free(t->cells);
	free(t->copies);
	aggsame_free(t->same);
}

void printer_each_row(const struct printer *pr, struct aggcopy *const *copies, unsigned ncopies,
		      void (*fn)(void *arg, const struct aggvalue *, unsigned n, const char *key),
		      void *arg)
{
	struct table t;

	open_table(&t, pr, copies, ncopies);
	each_row(&t, fn, arg);
	release(&t);
}

void printer_rows(const struct printer *pr, struct aggcopy *const *copies, unsigned ncopies,
		  const struct pfmt *fmt)
{
	struct rowform form = {pr, fmt};
	struct table t;

	open_table(&t, pr, copies, ncopies);
	if (fmt || !print_specially(&t))
		each_row(&t, print_row, &form);
	release(&t);
}
