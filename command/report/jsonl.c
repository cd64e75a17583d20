/*
 * jsonl.c: a line of JSON for each aggregation and each row, with what its value is made of and not
 * what is printed of it: lines of several runs can be added up.
 */
#include <stdlib.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/structout.h"
#include "base/utf8.h"
#include "command/report/report_priv.h"
#include "dlang/print/aggvalue.h"
#include "dlang/print/printagg.h"
#include "dlang/run/histogram.h"

struct lines {
	struct report *report;
	struct strbuf *out;
	struct printer pr;
	char run[17];
	uint64_t nrows;
};

static void begin_line(struct lines *l, const char *type)
{
	strbuf_addf(l->out, "{\"type\":\"%s\",\"run\":\"%s\"", type, l->run);
}

static void add_text(struct lines *l, const char *member, const char *text)
{
	strbuf_addf(l->out, ",\"%s\":", member);
	report_add_json(l->out, text);
}

static void add_member(struct lines *l, const char *member, int64_t v)
{
	strbuf_addf(l->out, ",\"%s\":", member);
	report_add_number(l->out, v);
}

/* ---- keys ---- */

static bool is_utf8(const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = utf8_length(s + i, n - i);
		if (!len)
			return false;
	}
	return true;
}

static void add_base64(struct strbuf *out, const char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	strbuf_adds(out, "{\"b64\":\"");
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = 0;

		for (unsigned k = 0; k < 3; k++)
			v = v << 8 | (i + k < n ? (unsigned char)s[i + k] : 0);
		for (unsigned k = 0; k < 4; k++)
			strbuf_addc(out, (char)(i + k <= n ? digits[v >> (18 - 6 * k) & 63] : '='));
	}
	strbuf_adds(out, "\"}");
}

/* Bytes are what they are: where they are no text they are not made one. */
static void add_bytes(struct strbuf *out, const char *s, size_t n)
{
	if (!is_utf8(s, n)) {
		add_base64(out, s, n);
		return;
	}
	strbuf_addc(out, '"');
	so_text(out, SO_JSON, s, n);
	strbuf_addc(out, '"');
}

static void add_frame(struct lines *l, const struct symname *name)
{
	strbuf_addc(l->out, '[');
	report_add_json(l->out, name->object ? name->object : "");
	strbuf_addc(l->out, ',');
	report_add_json(l->out, name->function ? name->function : "");
	strbuf_addf(l->out, ",%llu]", (unsigned long long)(name->function ? name->offset : 0));
}

/* Innermost first. */
static void add_stack(struct lines *l, const struct rec *rec, const char *data)
{
	unsigned n = stack_depth(rec, data);
	uint32_t pid = 0;

	if (rec->kind == REC_USTACK)
		memcpy(&pid, data, sizeof(pid)); /* the lower half of its first word */
	strbuf_adds(l->out, "{\"s\":[");
	for (unsigned i = 0; i < n; i++) {
		struct symname name;

		stack_name(&l->pr, rec, data, i, &name);
		if (i)
			strbuf_addc(l->out, ',');
		add_frame(l, &name);
	}
	strbuf_addf(l->out, "],\"p\":%u}", pid);
}

static void add_key(struct lines *l, const struct rec *rec, const char *data)
{
	struct strbuf text;
	bool is_signed;
	uint64_t v;

	if (report_is_stack(rec)) {
		add_stack(l, rec, data);
	} else if (rec->kind == REC_INT) {
		v = rec_int(rec, data, &is_signed);
		if (is_signed || v <= INT64_MAX)
			report_add_number(l->out, (int64_t)v);
		else
			strbuf_addf(l->out, "\"%llu\"", (unsigned long long)v);
	} else if (rec->kind == REC_STRING) {
		add_bytes(l->out, data, strnlen(data, rec->size));
	} else {
		strbuf_init(&text);
		report_add_key(&l->pr, &text, rec, data);
		add_bytes(l->out, text.s, text.len);
		strbuf_release(&text);
	}
}

static const char *kind_of(const struct rec *rec)
{
	switch (rec->kind) {
	case REC_INT:
		return "int";
	case REC_STRING:
		return "string";
	case REC_STACK:
		return "stack";
	case REC_USTACK:
		return "ustack";
	case REC_BYTES:
		return "bytes";
	default:
		return "symbol";
	}
}

/* ---- rows ---- */

/* By lower bounds; "under" and "over" where there is none, or no upper one. */
static void add_buckets(struct lines *l, const struct aggvalue *v)
{
	const struct aggvar *var = v->var;
	int64_t under = 0, over = 0;
	bool is_first = true;

	strbuf_adds(l->out, ",\"b\":{");
	for (unsigned i = 0; i < var->nwords; i++) {
		struct report_bounds b;

		if (!v->data[i])
			continue;
		report_bounds(var, i, &b);
		if (!*b.from || !*b.to) {
			*(*b.from ? &over : &under) += (int64_t)v->data[i];
			continue;
		}
		strbuf_addf(l->out, is_first ? "\"%s\":" : ",\"%s\":", b.from);
		report_add_number(l->out, (int64_t)v->data[i]);
		is_first = false;
	}
	strbuf_addc(l->out, '}');
	add_member(l, "under", under);
	add_member(l, "over", over);
}

static void add_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct lines *l = arg;
	const struct aggvar *var = v->var;

	begin_line(l, "row");
	add_text(l, "agg", report_name(var));
	strbuf_adds(l->out, ",\"seq\":1,\"k\":[");
	for (unsigned i = 0; i < var->nkeys; i++) {
		if (i)
			strbuf_addc(l->out, ',');
		add_key(l, &var->keys[i], key + var->keys[i].offset);
	}
	strbuf_addc(l->out, ']');
	if (var->func->is_hist) {
		add_buckets(l, v);
	} else if (var->func->id == AGG_AVG || var->func->id == AGG_STDDEV) {
		add_member(l, "n", (int64_t)v->data[0]);
		add_member(l, "raw", (int64_t)v->data[1]);
	} else {
		add_member(l, "raw", (int64_t)v->data[0]);
	}
	if (var->func->id == AGG_STDDEV)
		strbuf_addf(l->out, ",\"sq\":\"%016llx%016llx\"", (unsigned long long)v->data[3],
			    (unsigned long long)v->data[2]);
	strbuf_adds(l->out, "}\n");
	l->nrows++;
}

static void add_aggregation(struct lines *l, struct aggcopy *copy)
{
	const struct aggvar *var = copy->var;
	const char *names[AGG_MAX_KEYS];
	struct unit unit;
	unsigned nparams = var->func->id == AGG_LQUANTIZE    ? 3
			   : var->func->id == AGG_LLQUANTIZE ? 4
							     : 0;

	begin_line(l, "agg");
	add_text(l, "name", report_name(var));
	add_text(l, "func", var->func->name);
	strbuf_adds(l->out, ",\"params\":[");
	for (unsigned i = 0; i < nparams; i++) {
		if (i)
			strbuf_addc(l->out, ',');
		report_add_number(l->out, var->params[i]);
	}
	strbuf_adds(l->out, "],\"keys\":[");
	report_key_names(l->report->data->session, var, names);
	for (unsigned i = 0; i < var->nkeys; i++) {
		strbuf_adds(l->out, i ? ",{\"name\":" : "{\"name\":");
		report_add_json(l->out, names[i]);
		strbuf_addf(l->out, ",\"kind\":\"%s\"}", kind_of(&var->keys[i]));
	}
	strbuf_addf(l->out, "],\"unit\":\"%s\",\"seq\":1,\"final\":true}\n",
		    unit_word(&l->report->data->session->options, var, &unit));
	printer_each_row(&l->pr, &copy, 1, add_row, l);
}

/* ---- the file ---- */

static int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void add_run(struct lines *l)
{
	struct utsname u;

	begin_line(l, "run");
	add_member(l, "v", 1);
	if (uname(&u) == 0) {
		add_text(l, "host", u.nodename);
		add_text(l, "kernel", u.release);
	}
	add_member(l, "wall_ns", wall_ns());
	strbuf_adds(l->out, "}\n");
}

/* Different ones for different runs, of all machines. */
static void name_run(struct lines *l)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = (uint64_t)wall_ns();
	snprintf(l->run, sizeof(l->run), "%016llx", (unsigned long long)number);
}

void report_jsonl(struct report *r)
{
	struct lines l = {.report = r, .out = &r->out, .pr = r->data->pr};
	const struct aggstore *aggs = r->data->aggs;

	name_run(&l);
	add_run(&l);
	for (uint32_t i = 0; i < aggs->ncopies; i++)
		if (aggs->copies[i])
			add_aggregation(&l, aggs->copies[i]);
	begin_line(&l, "end");
	add_member(&l, "rows", (int64_t)l.nrows);
	add_member(&l, "drops", (int64_t)report_drops(r));
	strbuf_adds(&r->out, "}\n");
}
