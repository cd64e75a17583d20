/*
 * html.c: a page in one file, which asks nobody for anything: data as JSON, a script that draws
 * them (page.js), and a table for those who run no scripts.
 */
#include <stdlib.h>

#include "base/structout.h"
#include "base/utf8.h"
#include "command/report/baseline.h"
#include "command/report/page_hash.h"
#include "command/report/pagerun.h"
#include "command/report/pagetimes.h"
#include "command/report/report_priv.h"
#include "dlang/print/aggvalue.h"
#include "dlang/print/printagg.h"

#define ROWS_STATIC 20 /* of each aggregation, without scripts */

extern const char page_css[], page_css_end[], page_js[], page_js_end[]; /* pagefiles.S */

/* ---- texts ---- */

static void add_html(struct strbuf *out, const char *s, size_t n)
{
	so_text(out, SO_HTML, s, n);
}

/* Nothing in it ends the element that it stands in. */
void report_add_json_bytes(struct strbuf *out, const char *s, size_t n)
{
	struct strbuf text;

	strbuf_init(&text);
	so_text(&text, SO_JSON, s, n);
	strbuf_addc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		size_t len = utf8_length(text.s + i, text.len - i);
		uint32_t u = len == 3 ? utf8_char(text.s + i, len) : 0;

		if (u == 0x2028 || u == 0x2029) { /* ends of lines to scripts */
			strbuf_addf(out, "\\u%x", u);
			i += 2;
		} else if (text.s[i] == '<') {
			strbuf_adds(out, "\\u003c");
		} else {
			strbuf_addc(out, text.s[i]);
		}
	}
	strbuf_addc(out, '"');
	strbuf_release(&text);
}

void report_add_json(struct strbuf *out, const char *s)
{
	report_add_json_bytes(out, s, strlen(s));
}

void report_add_html(struct strbuf *out, const char *s)
{
	add_html(out, s, strlen(s));
}

/* ---- data ---- */

struct page {
	struct report *report;
	struct strbuf *out;
	struct printer pr;
	struct frame_numbers numbers;
	struct strbuf frames, rows; /* of the flame graph that is being made */
	bool is_first;
	struct baseline *baseline; /* NULL: there is none */
	/* of the flame graph that is being made */
	struct baseline_agg *before; /* NULL: nothing to compare with */
	struct strmap by_name;	     /* name of a frame → its number and 1 */
};

static unsigned number_of(struct page *p, const struct frame *f)
{
	bool is_new;
	unsigned number = frame_number(&p->numbers, f, &is_new);

	if (!is_new)
		return number;
	strbuf_adds(&p->frames, number ? ",[" : "[");
	report_add_json(&p->frames, f->name);
	strbuf_addc(&p->frames, ',');
	report_add_json(&p->frames, f->module);
	strbuf_addc(&p->frames, ']');
	if (p->before && !strmap_get(&p->by_name, f->name))
		strmap_put(&p->by_name, arena_strdup(&p->baseline->arena, f->name),
			   (void *)(uintptr_t)(number + 1));
	return number;
}

/* What there was of it in the baseline. */
static void add_before(struct page *p, const struct frame *frames, unsigned n)
{
	struct strbuf stack;
	uint64_t value;

	if (!p->before)
		return;
	strbuf_init(&stack);
	stack_add_frames(&stack, frames, n);
	value = baseline_take(p->before, stack.s);
	strbuf_release(&stack);
	if (!value)
		return;
	strbuf_adds(&p->rows, ",\"w\":");
	json_add_unsigned(&p->rows, value);
}

/* A frame of which the name alone is known. */
static unsigned number_of_name(struct page *p, const char *name, size_t n)
{
	char *text = arena_strndup(&p->baseline->arena, name, n);
	uintptr_t known = (uintptr_t)strmap_get(&p->by_name, text);
	const struct frame f = {.name = text, .module = ""};

	return known ? (unsigned)known - 1 : number_of(p, &f);
}

/* Stacks that only the baseline has: their values are 0. */
static void add_gone(struct page *p)
{
	for (const struct baseline_stack *s = p->before->stacks; s; s = s->next) {
		const char *end = s->frames + strlen(s->frames), *from;

		if (s->is_taken)
			continue;
		strbuf_adds(&p->rows, p->rows.len ? ",\n{\"s\":[" : "{\"s\":[");
		for (bool is_first = true;; is_first = false, end = from - 1) {
			for (from = end; from > s->frames && from[-1] != ';';)
				from--;
			strbuf_addf(&p->rows, is_first ? "%u" : ",%u",
				    number_of_name(p, from, (size_t)(end - from)));
			if (from == s->frames)
				break;
		}
		strbuf_adds(&p->rows, "],\"v\":0,\"w\":");
		json_add_unsigned(&p->rows, s->value);
		strbuf_addc(&p->rows, '}');
	}
}

/* Innermost first. */
static void add_flame_row(void *arg, const struct frame *frames, unsigned n, uint64_t value)
{
	struct page *p = arg;

	strbuf_adds(&p->rows, p->rows.len ? ",\n{\"s\":[" : "{\"s\":[");
	for (unsigned i = n; i-- > 0;)
		strbuf_addf(&p->rows, "%u%s", number_of(p, &frames[i]), i ? "," : "");
	strbuf_adds(&p->rows, "],\"v\":");
	json_add_unsigned(&p->rows, value);
	add_before(p, frames, n);
	strbuf_addc(&p->rows, '}');
}

static void add_flame(struct page *p, struct aggcopy *copy)
{
	const char *name = keytext_aggname(copy->var);
	uint64_t nleft;

	p->before = p->baseline ? baseline_find(p->baseline, name) : NULL;
	if (p->baseline && !p->before)
		report_note(p->report, "%s has no @%s by stacks: no difference to it",
			    p->report->data->session->options.text[OPT_BASELINE], name);
	strmap_init(&p->by_name);
	hash_init(&p->numbers.numbers);
	strbuf_init(&p->frames);
	strbuf_init(&p->rows);
	p->numbers.n = 0;
	nleft = stacks_each(p->report, copy, add_flame_row, p);
	stacks_note_left(p->report, copy->var, nleft);
	if (nleft)
		strbuf_addf(p->out, ",\"left\":%llu", (unsigned long long)nleft);
	if (p->before)
		add_gone(p);
	strbuf_addf(p->out, "%s,\"frames\":[%s],\"rows\":[%s]", p->before ? ",\"base\":true" : "",
		    p->frames.s, p->rows.s);
	strbuf_release(&p->frames);
	strbuf_release(&p->rows);
	strmap_release(&p->by_name);
	hash_release(&p->numbers.numbers);
}

static void add_keys(struct page *p, const struct aggvar *var, const char *key)
{
	struct strbuf text;

	strbuf_adds(p->out, p->is_first ? "{\"k\":[" : ",\n{\"k\":[");
	p->is_first = false;
	strbuf_init(&text);
	for (unsigned i = 0; i < var->nkeys; i++) {
		strbuf_clear(&text);
		keytext_add(&p->pr, &text, &var->keys[i], key + var->keys[i].offset);
		if (i)
			strbuf_addc(p->out, ',');
		report_add_json_bytes(p->out, text.s, text.len);
	}
	strbuf_release(&text);
	strbuf_addc(p->out, ']');
}

static void add_bucket(void *arg, const char *label, bool is_number, int64_t value, int64_t count)
{
	struct page *p = arg;

	strbuf_adds(p->out, p->is_first ? "[" : ",[");
	p->is_first = false;
	if (is_number)
		json_add_number(p->out, value);
	else
		report_add_json(p->out, label);
	strbuf_addc(p->out, ',');
	json_add_number(p->out, count);
	strbuf_addc(p->out, ']');
}

/* Of how many values avg() and stddev() tell, and what stddev() is the deviation from. */
static void add_mean(struct page *p, const struct aggvalue *v)
{
	enum aggfunc_id id = v->var->func->id;

	if (id != AGG_AVG && id != AGG_STDDEV)
		return;
	strbuf_adds(p->out, ",\"n\":");
	json_add_unsigned(p->out, v->data[0]);
	if (id == AGG_AVG)
		return;
	strbuf_adds(p->out, ",\"mean\":");
	json_add_number(p->out, v->data[0] ? (int64_t)v->data[1] / (int64_t)v->data[0] : 0);
}

static void add_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct page *p = arg;

	add_keys(p, v->var, key);
	if (v->var->func->is_hist) {
		strbuf_adds(p->out, ",\"b\":[");
		p->is_first = true;
		histogram_each(v, add_bucket, p);
		p->is_first = false;
		strbuf_addc(p->out, ']');
	} else {
		strbuf_adds(p->out, ",\"v\":");
		json_add_number(p->out, aggvalue_signed(v));
		add_mean(p, v);
	}
	strbuf_addc(p->out, '}');
}

static void add_aggregation(struct page *p, struct aggcopy *copy)
{
	const struct aggvar *var = copy->var;
	const char *names[AGG_MAX_KEYS];
	bool is_flame = stacks_are_keys(var);
	struct strbuf title;
	struct unit unit;

	strbuf_adds(p->out, "{\"name\":");
	report_add_json(p->out, keytext_aggname(var));
	strbuf_adds(p->out, ",\"title\":");
	strbuf_init(&title);
	unit_add_title(&p->report->data->session->options, var, &title);
	report_add_json(p->out, title.s);
	strbuf_release(&title);
	strbuf_addf(p->out, ",\"kind\":\"%s\",\"fn\":\"%s\",\"unit\":\"%s\",\"keys\":[",
		    is_flame		 ? "flame"
		    : var->func->is_hist ? "hist"
					 : "table",
		    var->func->name, unit_word(&p->report->data->session->options, var, &unit));
	keytext_names(p->report->data->session, var, names);
	for (unsigned i = 0; i < var->nkeys; i++) {
		if (i)
			strbuf_addc(p->out, ',');
		report_add_json(p->out, names[i]);
	}
	strbuf_addc(p->out, ']');
	if (is_flame) {
		add_flame(p, copy);
	} else {
		strbuf_adds(p->out, ",\"rows\":[");
		p->is_first = true;
		printer_each_row(&p->pr, &copy, 1, add_row, p);
		strbuf_addc(p->out, ']');
	}
	page_add_times(p->report, copy, p->out);
	strbuf_addc(p->out, '}');
}

/* ---- without scripts ---- */

/* Rows come in ascending order: of the last ones. */
struct last_rows {
	struct page *page;
	struct strbuf rows[ROWS_STATIC];
	unsigned n;
};

static void keep_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct last_rows *l = arg;
	struct strbuf *row = &l->rows[l->n++ % ROWS_STATIC], text;
	int64_t value = aggvalue_signed(v);

	strbuf_clear(row);
	strbuf_init(&text);
	strbuf_adds(row, "<tr>");
	for (unsigned i = 0; i < v->var->nkeys; i++) {
		strbuf_clear(&text);
		keytext_add(&l->page->pr, &text, &v->var->keys[i], key + v->var->keys[i].offset);
		strbuf_adds(row, "<td>");
		add_html(row, text.s, text.len);
		strbuf_adds(row, "</td>");
	}
	if (v->var->func->is_hist) {
		value = 0;
		for (unsigned i = 0; i < v->var->nwords; i++)
			value += (int64_t)v->data[i];
	}
	strbuf_addf(row, "<td class=\"n\">%lld</td></tr>\n", (long long)value);
	strbuf_release(&text);
}

static void add_static(struct page *p, struct aggcopy *copy)
{
	struct last_rows l = {.page = p};
	unsigned shown;

	for (unsigned i = 0; i < ROWS_STATIC; i++)
		strbuf_init(&l.rows[i]);
	strbuf_addf(p->out, "<h2>@");
	report_add_html(p->out, keytext_aggname(copy->var));
	strbuf_addf(p->out, " (%s)</h2>\n<table>\n", copy->var->func->name);
	printer_each_row(&p->pr, &copy, 1, keep_row, &l);
	shown = MIN(l.n, ROWS_STATIC);
	for (unsigned i = 0; i < shown; i++)
		strbuf_adds(p->out, l.rows[(l.n - 1 - i) % ROWS_STATIC].s);
	strbuf_adds(p->out, "</table>\n");
	if (l.n > shown)
		strbuf_addf(p->out, "<p>The %u largest of %u rows.</p>\n", shown, l.n);
	for (unsigned i = 0; i < ROWS_STATIC; i++)
		strbuf_release(&l.rows[i]);
}

/* ---- the page ---- */

static void each_aggregation(struct page *p, void (*fn)(struct page *, struct aggcopy *),
			     const char *between)
{
	const struct aggstore *aggs = p->report->data->aggs;
	bool is_first = true;

	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		if (!aggs->copies[i])
			continue;
		if (!is_first)
			strbuf_adds(p->out, between);
		is_first = false;
		fn(p, aggs->copies[i]);
	}
}

/* Read before the run, unless a pragma names it. */
static struct baseline *open_baseline(const struct report *r)
{
	const struct report_data *data = r->data;
	const char *path = data->session->options.text[OPT_BASELINE];
	struct baseline *b;
	struct err err;

	if (data->baseline || !path)
		return data->baseline;
	b = baseline_open(data->session, path, &err);
	if (!b)
		report_note(r, "%s", err.text);
	return b;
}

void report_html(struct report *r)
{
	struct page p = {.report = r, .out = &r->out, .pr = r->data->pr};

	p.baseline = open_baseline(r);
	strbuf_adds(p.out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "script-src 'sha256-" PAGE_JS_SHA256 "'; style-src 'unsafe-inline'; "
		    "base-uri 'none'; form-action 'none'\">\n<title>dtrace");
	if (r->data->targets) {
		strbuf_adds(p.out, ": ");
		report_add_html(p.out, r->data->targets);
	}
	strbuf_adds(p.out, "</title>\n<style>");
	strbuf_add(p.out, page_css, (size_t)(page_css_end - page_css));
	strbuf_adds(p.out,
		    "</style>\n</head>\n<body>\n<main>\n<div class=\"top\"><h1>dtrace</h1>\n"
		    "<button type=\"button\" id=\"theme\" hidden>light or dark</button></div>\n");
	page_add_head(r);
	strbuf_adds(p.out, "<div id=\"static\">\n");
	each_aggregation(&p, add_static, "");
	page_add_static_records(r);
	strbuf_adds(p.out, "</div>\n</main>\n<script type=\"application/json\" id=\"data\">"
			   "{\"v\":" REPORT_PAGE_VERSION ",\n\"run\":");
	page_add_run(r);
	strbuf_adds(p.out, ",\n\"aggs\":[\n");
	each_aggregation(&p, add_aggregation, ",\n");
	strbuf_adds(p.out, "]");
	page_add_records(r);
	strbuf_adds(p.out, "}</script>\n<script>");
	strbuf_add(p.out, page_js, (size_t)(page_js_end - page_js));
	strbuf_adds(p.out, "</script>\n</body>\n</html>\n");
	if (p.baseline != r->data->baseline)
		baseline_close(p.baseline);
}
