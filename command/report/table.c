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

static void add_escaped(struct strbuf *out, const char *s, size_t n)
{
	static const char special[] = "\t\n\r\\", letters[] = "tnr\\";

	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(special, s[i]) : NULL;

		if (at)
			strbuf_addc(out, '\\');
		strbuf_addc(out, (char)(at ? letters[at - special] : s[i]));
	}
}

static void add_quoted(struct strbuf *out, const char *s, size_t n)
{
	bool is_plain = true;

	for (size_t i = 0; i < n; i++)
		is_plain &= !strchr(",\"\r\n", s[i]) || !s[i];
	if (is_plain) {
		strbuf_add(out, s, n);
		return;
	}
	strbuf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			strbuf_addc(out, '"');
		strbuf_addc(out, s[i]);
	}
	strbuf_addc(out, '"');
}

static void put(struct table *t, const char *s, size_t n, bool is_first)
{
	struct strbuf *out = &t->report->out;

	if (!is_first)
		strbuf_addc(out, t->has_tabs ? '\t' : ',');
	if (t->has_tabs)
		add_escaped(out, s, n);
	else
		add_quoted(out, s, n);
}

static void put_text(struct table *t, const char *s)
{
	put(t, s, strlen(s), false);
}

static void end_row(struct table *t)
{
	strbuf_adds(&t->report->out, t->has_tabs ? "\n" : "\r\n");
}

/* ---- names of keys ---- */

struct naming {
	const struct aggvar *var;
	const char *names[AGG_MAX_KEYS];
	bool is_found;
};

/* A variable, or the only one that a function is called with. */
static const char *name_of_expr(const struct difo *d)
{
	bool is_call = false;

	for (unsigned i = 0; d && i < d->ninsns; i++)
		is_call |= DIF_OP(d->text[i]) == DIF_OP_CALL;
	return d && d->nvars == 1 && (d->ninsns == 2 || is_call) ? d->vars[0].name : NULL;
}

static void name_keys(struct naming *nm, const struct stmt *st)
{
	unsigned k = 0;

	if (nm->is_found || !st->naggs || st->aggs[0] != nm->var)
		return;
	for (unsigned i = 0; i < st->nacts && k < nm->var->nkeys; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind != ACT_AGGKEY)
			continue;
		nm->is_found = true;
		nm->names[k++] = act->rec.kind == REC_USTACK  ? "ustack"
				 : act->rec.kind == REC_STACK ? "stack"
							      : name_of_expr(act->difo);
	}
}

/* As the clause has them that was first to use it. */
static void find_names(const struct session *s, struct naming *nm)
{
	for (const struct program *p = s->programs; p; p = p->next)
		for (const struct clause *c = p->clauses; c; c = c->next)
			for (unsigned i = 0; i < c->nstmts; i++)
				name_keys(nm, &c->stmts[i]);
}

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

void report_key_names(const struct session *s, const struct aggvar *var,
		      const char *names[AGG_MAX_KEYS])
{
	static const char *const others[] = {"key1", "key2", "key3", "key4", "key5",
					     "key6", "key7", "key8", "key9"};
	struct naming nm = {.var = var};

	find_names(s, &nm);
	for (unsigned i = 0; i < var->nkeys; i++)
		names[i] = nm.names[i] ? nm.names[i] : i < ARRAY_SIZE(others) ? others[i] : "key";
}

static void place_keys(struct table *t, const struct aggvar *var, unsigned *at)
{
	const char *names[AGG_MAX_KEYS];

	report_key_names(t->report->data->session, var, names);
	for (unsigned i = 0; i < var->nkeys; i++)
		at[i] = column_of(&t->columns, names[i], at, i);
}

/* ---- rows ---- */

/* The lines of a stack, innermost first, the other way round. */
static void add_stack_text(const struct printer *pr, struct strbuf *out, const struct rec *rec,
			   const char *data)
{
	struct printer to = *pr;
	struct strbuf lines;
	const char *end;
	bool is_first = true;

	strbuf_init(&lines);
	to.out = &lines;
	printer_stack(&to, rec, data, 0);
	for (end = lines.s + lines.len; end > lines.s;) {
		const char *start = end - 1;

		while (start > lines.s && start[-1] != '\n')
			start--;
		if (end - start > 1) {
			if (!is_first)
				strbuf_addc(out, ';');
			is_first = false;
			report_add_text(out, start, (size_t)(end - start) - 1);
		}
		end = start;
	}
	strbuf_release(&lines);
}

void report_add_key(const struct printer *pr, struct strbuf *out, const struct rec *rec,
		    const char *data)
{
	struct printer to = *pr;
	bool is_signed;
	uint64_t v;

	to.out = out;
	if (report_is_stack(rec)) {
		add_stack_text(pr, out, rec, data);
	} else if (rec->kind == REC_INT) {
		v = rec_int(rec, data, &is_signed);
		if (is_signed)
			strbuf_addf(out, "%lld", (long long)v);
		else
			strbuf_addf(out, "%llu", (unsigned long long)v);
	} else if (rec->kind == REC_STRING) {
		strbuf_add(out, data, strnlen(data, rec->size));
	} else if (rec->kind == REC_BYTES) {
		for (uint32_t i = 0; i < rec->size; i++)
			strbuf_addf(out, "%02x", (unsigned char)data[i]);
	} else {
		printer_symbol(&to, rec, data);
	}
}

static void put_keys(struct table *t, const struct aggvar *var, const char *key)
{
	for (unsigned column = 0; column < t->columns.n; column++) {
		strbuf_clear(&t->field);
		for (unsigned i = 0; i < var->nkeys; i++)
			if (t->at[i] == column)
				report_add_key(&t->pr, &t->field, &var->keys[i],
					       key + var->keys[i].offset);
		put(t, t->field.s, t->field.len, false);
	}
	end_row(t);
}

static void begin_row(struct table *t, const struct aggvar *var)
{
	struct unit unit;

	put(t, report_name(var), strlen(report_name(var)), true);
	put_text(t, var->func->name);
	put_text(t, unit_word(&t->report->data->session->options, var, &unit));
}

static const char *as_text(char *buf, size_t size, __int128 v)
{
	bool fits = v >= INT64_MIN && v <= INT64_MAX;

	if (fits)
		snprintf(buf, size, "%lld", (long long)v);
	else
		snprintf(buf, size, "%s%llu", v < 0 ? "-" : "",
			 (unsigned long long)(v < 0 ? -v : v));
	return buf;
}

void report_bounds(const struct aggvar *var, unsigned i, struct report_bounds *out)
{
	const size_t size = sizeof(out->from);
	char *from = out->from, *to = out->to;
	const struct histogram *h = var->func->hist;
	struct bucket_label l = h->label(var->params, i), next = l, before = l;
	bool is_upper = l.value < 0 && var->func->id != AGG_LQUANTIZE;

	for (unsigned k = i + 1; k < var->nwords && next.value == l.value; k++)
		if (h->exists(var->params, k))
			next = h->label(var->params, k);
	for (unsigned k = i; k-- > 0 && before.value == l.value;)
		if (h->exists(var->params, k))
			before = h->label(var->params, k);
	*from = *to = '\0';
	switch (l.form) {
	case BUCKET_BELOW:
		as_text(to, size, l.value - 1);
		break;
	case BUCKET_ATMOST:
		as_text(to, size, l.value);
		break;
	case BUCKET_ATLEAST:
		as_text(from, size, l.value);
		break;
	case BUCKET_MIDDLE:
		as_text(from, size, -(l.value - 1));
		as_text(to, size, l.value - 1);
		break;
	case BUCKET_FROM:
		as_text(from, size,
			is_upper && before.value != l.value ? before.value + 1 : l.value);
		as_text(to, size,
			is_upper		? l.value
			: next.value != l.value ? next.value - 1
						: INT64_MAX);
		break;
	}
}

static void add_buckets(struct table *t, const struct aggvalue *v, const char *key)
{
	struct report_bounds b;
	char value[48];

	for (unsigned i = 0; i < v->var->nwords; i++) {
		if (!v->data[i])
			continue;
		report_bounds(v->var, i, &b);
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
