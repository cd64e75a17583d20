/*
 * table.c: all aggregations as one table (RFC 4180; or columns divided by tabs): a row for each
 * value, for each bucket that holds something in histograms.
 */
#include <stdlib.h>

#include "command/report/report_priv.h"
#include "dlang/print/aggvalue.h"
#include "dlang/print/printagg.h"
#include "dlang/run/histogram.h"

/* ---- fields ---- */

struct table {
	struct report *report;
	bool has_tabs; /* else it is of commas */
	struct printer pr;
	struct strbuf field;
	struct columns {
		const char **names; /* of keys, of all aggregations */
		unsigned n;
	} columns;
	const unsigned *at; /* of the aggregation: the column of each key */
};

static void put(struct table *t, const char *s, size_t n, bool is_first)
{
	struct strbuf *out = &t->report->out;

	if (!is_first)
		strbuf_addc(out, t->has_tabs ? '\t' : ',');
	if (t->has_tabs)
		strbuf_add_tsv(out, s, n);
	else
		strbuf_add_csv(out, s, n);
}

static void put_text(struct table *t, const char *s)
{
	put(t, s, strlen(s), false);
}

static void end_row(struct table *t)
{
	strbuf_adds(&t->report->out, t->has_tabs ? "\n" : "\r\n");
}

/* ---- columns of keys ---- */

static bool is_among(const unsigned *at, unsigned n, unsigned column)
{
	for (unsigned i = 0; i < n; i++)
		if (at[i] == column)
			return true;
	return false;
}

/* The column of that name that no other key of the same aggregation has. */
static unsigned column_of(struct columns *cs, const char *name, const unsigned *at, unsigned nat)
{
	for (unsigned i = 0; i < cs->n; i++)
		if (!strcmp(cs->names[i], name) && !is_among(at, nat, i))
			return i;
	cs->names = xrealloc(cs->names, (cs->n + 1) * sizeof(*cs->names));
	cs->names[cs->n] = name;
	return cs->n++;
}

static void place_keys(struct table *t, const struct aggvar *var, unsigned *at)
{
	const char *names[AGG_MAX_KEYS];

	keytext_names(t->report->data->session, var, names);
	for (unsigned i = 0; i < var->nkeys; i++)
		at[i] = column_of(&t->columns, names[i], at, i);
}

/* ---- rows ---- */

static void put_keys(struct table *t, const struct aggvar *var, const char *key)
{
	for (unsigned column = 0; column < t->columns.n; column++) {
		strbuf_clear(&t->field);
		for (unsigned i = 0; i < var->nkeys; i++)
			if (t->at[i] == column)
				keytext_add(&t->pr, &t->field, &var->keys[i],
					    key + var->keys[i].offset);
		put(t, t->field.s, t->field.len, false);
	}
	end_row(t);
}

static void begin_row(struct table *t, const struct aggvar *var)
{
	struct unit unit;

	put(t, keytext_aggname(var), strlen(keytext_aggname(var)), true);
	put_text(t, var->func->name);
	put_text(t, unit_word(&t->report->data->session->options, var, &unit));
}

static const char *as_text(char *buf, size_t size, int64_t v)
{
	snprintf(buf, size, "%lld", (long long)v);
	return buf;
}

static void add_buckets(struct table *t, const struct aggvalue *v, const char *key)
{
	struct bucket_bounds b;
	char value[48];

	for (unsigned i = 0; i < v->var->nwords; i++) {
		if (!v->data[i])
			continue;
		bucket_bounds(v->var, i, &b);
		begin_row(t, v->var);
		put_text(t, b.from);
		put_text(t, b.to);
		put_text(t, as_text(value, sizeof(value), (int64_t)v->data[i]));
		put_text(t, "");
		put_keys(t, v->var, key);
	}
}

static void add_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct table *t = arg;
	char text[48];

	if (v->var->func->is_hist) {
		add_buckets(t, v, key);
		return;
	}
	begin_row(t, v->var);
	put_text(t, "");
	put_text(t, "");
	put_text(t, as_text(text, sizeof(text), aggvalue_signed(v)));
	if (v->var->func->id == AGG_AVG || v->var->func->id == AGG_STDDEV)
		put_text(t, as_text(text, sizeof(text), (int64_t)v->data[0]));
	else
		put_text(t, "");
	put_keys(t, v->var, key);
}

static void make(struct report *r, bool has_tabs)
{
	static const char *const fixed[] = {"aggregation", "function", "unit", "from",
					    "to",	   "value",    "count"};
	struct table t = {.report = r, .has_tabs = has_tabs, .pr = r->data->pr};
	const struct aggstore *aggs = r->data->aggs;
	unsigned(*at)[AGG_MAX_KEYS] = xcalloc(aggs->ncopies + 1, sizeof(*at));

	strbuf_init(&t.field);
	t.pr.out = &t.field;
	for (uint32_t i = 0; i < aggs->ncopies; i++)
		if (aggs->copies[i])
			place_keys(&t, aggs->copies[i]->var, at[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(fixed); i++)
		put(&t, fixed[i], strlen(fixed[i]), i == 0);
	for (unsigned i = 0; i < t.columns.n; i++)
		put_text(&t, t.columns.names[i]);
	end_row(&t);
	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		struct aggcopy *copy = aggs->copies[i];

		t.at = at[i];
		if (copy)
			printer_each_row(&t.pr, &copy, 1, add_row, &t);
	}
	free(t.columns.names);
	free(at);
	strbuf_release(&t.field);
}

void report_csv(struct report *r)
{
	make(r, false);
}

void report_tsv(struct report *r)
{
	make(r, true);
}
