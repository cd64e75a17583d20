/*
 * pagetimes.c: data of the pictures over time in a page: what came in which bucket when (heat
 * maps), and how much a second (series). From what intervals.h holds.
 */
#include "command/report/pagetimes.h"

#include <stdlib.h>

#include "command/report/history.h"
#include "dlang/print/aggvalue.h"
#include "dlang/run/histogram.h"

#define LEAST_INTERVALS 3
#define SERIES_MAX	8

static const struct intervals *intervals_of(const struct report *r)
{
	const struct report_history *h = r->data->history;

	return h && h->intervals.n >= LEAST_INTERVALS ? &h->intervals : NULL;
}

/* Seconds from the start of the run to the end of the interval. */
static double seconds(const struct intervals *all, const struct interval *iv)
{
	return (double)(iv->to_ns - all->v[0].from_ns) / 1e9;
}

/* ---- heat maps ---- */

/* Where a bucket stands: a number, also for those that have no lower bound. */
static int64_t place_of(const struct aggvar *var, unsigned bucket)
{
	struct bucket_label l = var->func->hist->label(var->params, bucket);
	__int128 v = l.form == BUCKET_BELOW ? l.value - 1 : l.form == BUCKET_MIDDLE ? 0 : l.value;

	return (int64_t)MAX(MIN(v, INT64_MAX), INT64_MIN);
}

static void add_cells(struct strbuf *out, const struct aggvar *var, const struct aggcopy *copy,
		      uint64_t *sum)
{
	bool is_first = true;

	memset(sum, 0, var->nwords * sizeof(*sum));
	for (size_t i = 0; copy && i < copy->nents; i++)
		var->func->merge(sum, copy->ents[i]->data, var);
	for (unsigned i = 0; i < var->nwords; i++) {
		if (!sum[i])
			continue;
		strbuf_addf(out, "%s[%lld,%lld]", is_first ? "" : ",", (long long)place_of(var, i),
			    (long long)sum[i]);
		is_first = false;
	}
}

static void add_heat(const struct intervals *all, const struct aggvar *var, struct strbuf *out)
{
	uint64_t *sum = xcalloc(var->nwords, sizeof(*sum));

	strbuf_adds(out, ",\"times\":[");
	for (size_t i = 0; i < all->n; i++) {
		strbuf_addf(out, "%s{\"t\":%.3f,\"b\":[", i ? ",\n" : "", seconds(all, &all->v[i]));
		add_cells(out, var, interval_copy(&all->v[i], var), sum);
		strbuf_adds(out, "]}");
	}
	strbuf_addc(out, ']');
	free(sum);
}

/* ---- series ---- */

struct ranked {
	const struct aggvar *var;
	const struct aggent *ent;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int64_t p = (int64_t)x->ent->data[0], q = (int64_t)y->ent->data[0];

	return p != q ? (p < q ? 1 : -1) : aggkey_compare(x->var, x->ent->key, y->ent->key, 0);
}

static void add_keys(const struct report *r, const struct aggvar *var, const char *key,
		     struct strbuf *out)
{
	struct strbuf text;

	strbuf_init(&text);
	for (unsigned i = 0; i < var->nkeys; i++) {
		strbuf_clear(&text);
		keytext_add(&r->data->pr, &text, &var->keys[i], key + var->keys[i].offset);
		if (i)
			strbuf_addc(out, ',');
		report_add_json(out, text.s);
	}
	strbuf_release(&text);
}

/* A second, by the length of each interval. */
static void add_points(const struct intervals *all, const struct ranked *row, struct strbuf *out)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct interval *iv = &all->v[i];
		const struct aggcopy *copy = interval_copy(iv, row->var);
		const struct aggent *e = copy ? aggcopy_find(copy, row->ent->key) : NULL;
		double length = (double)(iv->to_ns - iv->from_ns) / 1e9;
		double value = e && length > 0 ? (double)(int64_t)e->data[0] / length : 0;

		strbuf_addf(out, "%s[%.3f,%.3f]", i ? "," : "", seconds(all, iv), value);
	}
}

static void add_series(const struct report *r, const struct intervals *all,
		       const struct aggcopy *copy, struct strbuf *out)
{
	struct ranked *rows = xcalloc(copy->nents + 1, sizeof(*rows));

	for (size_t i = 0; i < copy->nents; i++)
		rows[i] = (struct ranked){copy->var, copy->ents[i]};
	qsort(rows, copy->nents, sizeof(*rows), by_value);
	strbuf_adds(out, ",\"series\":[");
	for (size_t i = 0; i < MIN(copy->nents, SERIES_MAX); i++) {
		strbuf_adds(out, i ? ",\n{\"k\":[" : "{\"k\":[");
		add_keys(r, copy->var, rows[i].ent->key, out);
		strbuf_adds(out, "],\"p\":[");
		add_points(all, &rows[i], out);
		strbuf_adds(out, "]}");
	}
	strbuf_addc(out, ']');
	free(rows);
}

void page_add_times(const struct report *r, const struct aggcopy *copy, struct strbuf *out)
{
	const struct intervals *all = intervals_of(r);
	const struct aggvar *var = copy->var;

	if (!all || !copy->nents)
		return;
	if (var->func->is_hist)
		add_heat(all, var, out);
	else if (!agg_has_stack(var) && (var->func->id == AGG_COUNT || var->func->id == AGG_SUM))
		add_series(r, all, copy, out);
}
