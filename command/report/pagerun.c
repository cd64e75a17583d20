#include "command/report/pagerun.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/procfile.h"
#include "command/report/history.h"
#include "dlang/dlang.h"

#define COMMAND_MAX    (128U << 10)
#define RECORDS_STATIC 20 /* without scripts */

/* ---- the run ---- */

/* A word as a shell reads it. */
static void add_word(struct strbuf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%";

	if (*word && !word[strspn(word, plain)]) {
		strbuf_adds(out, word);
		return;
	}
	strbuf_addc(out, '\'');
	for (; *word; word++)
		strbuf_adds(out, *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
	strbuf_addc(out, '\'');
}

/* This command, as it can be given to a shell again. */
static void add_command(struct strbuf *out)
{
	char *buf = xmalloc(COMMAND_MAX);
	ssize_t n = slurp_start("/proc/self/cmdline", buf, COMMAND_MAX);

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(buf + i) + 1) {
		if (i)
			strbuf_addc(out, ' ');
		add_word(out, buf + i);
	}
	free(buf);
}

/* By the clock of its events; 0: nobody knows. */
static uint64_t length_ns(const struct report *r)
{
	const struct report_history *h = r->data->history;

	return h && h->began_ns > h->run_ns ? h->began_ns - h->run_ns : 0;
}

static void add_entry(struct strbuf *out, const char *what, const char *text)
{
	strbuf_addf(out, "<div><dt>%s</dt><dd>", what);
	report_add_html(out, text);
	strbuf_adds(out, "</dd></div>\n");
}

static void add_number(struct strbuf *out, const char *what, uint64_t n)
{
	strbuf_addf(out, "<div><dt>%s</dt><dd>%llu</dd></div>\n", what, (unsigned long long)n);
}

static void add_moment(struct strbuf *out, const char *what, time_t at)
{
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&at, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	add_entry(out, what, text);
}

static void add_length(struct strbuf *out, uint64_t ns)
{
	if (ns)
		strbuf_addf(out, "<div><dt>length</dt><dd>%llu.%03llu s</dd></div>\n",
			    (unsigned long long)(ns / 1000000000),
			    (unsigned long long)(ns / 1000000 % 1000));
}

void page_add_head(struct report *r)
{
	const struct report_data *data = r->data;
	uint64_t n = report_drops(r);
	struct utsname u = {.nodename = ""};
	struct strbuf command;
	char text[128];

	uname(&u);
	strbuf_adds(&r->out, "<dl>\n");
	snprintf(text, sizeof(text), "%llu hits or records were dropped: numbers are too low",
		 (unsigned long long)n);
	add_entry(&r->out, "drops", n ? text : "none");
	strbuf_init(&command);
	add_command(&command);
	strbuf_adds(&r->out, "<div class=\"line\"><dt>command</dt><dd class=\"mono\">");
	report_add_html(&r->out, command.s);
	strbuf_adds(&r->out, "</dd></div>\n");
	strbuf_release(&command);
	if (data->targets)
		add_entry(&r->out, "targets", data->targets);
	if (data->history)
		add_number(&r->out, "records", data->nrecords);
	add_entry(&r->out, "host", u.nodename);
	add_entry(&r->out, "kernel", u.release);
	add_entry(&r->out, "version", DTRACE_VERSION);
	if (data->began_ns)
		add_moment(&r->out, "began", (time_t)(data->began_ns / 1000000000));
	add_length(&r->out, length_ns(r));
	add_moment(&r->out, "written", time(NULL));
	strbuf_adds(&r->out, "</dl>\n");
}

static void add_json(struct strbuf *out, const char *member, const char *text)
{
	strbuf_addf(out, "\"%s\":", member);
	report_add_json(out, text);
	strbuf_addc(out, ',');
}

void page_add_run(struct report *r)
{
	struct utsname u = {.nodename = ""};
	struct strbuf command;

	uname(&u);
	strbuf_init(&command);
	add_command(&command);
	strbuf_addc(&r->out, '{');
	add_json(&r->out, "version", DTRACE_VERSION);
	add_json(&r->out, "host", u.nodename);
	add_json(&r->out, "kernel", u.release);
	add_json(&r->out, "command", command.s);
	if (r->data->targets)
		add_json(&r->out, "targets", r->data->targets);
	strbuf_addf(&r->out, "\"began_ns\":\"%llu\",\"length_ns\":%llu,\"records\":",
		    (unsigned long long)r->data->began_ns, (unsigned long long)length_ns(r));
	json_add_unsigned(&r->out, r->data->nrecords);
	strbuf_adds(&r->out, ",\"drops\":");
	json_add_unsigned(&r->out, report_drops(r));
	strbuf_addc(&r->out, '}');
	strbuf_release(&command);
}

/* ---- the last records ---- */

struct rows {
	const struct report *report;
	struct strbuf *out, text;
	uint64_t n, nskipped;
};

typedef void row_fn(struct rows *, const struct last_record *);

/* Seconds since the run began; what BEGIN did came a little earlier. */
static double seconds(const struct rows *rows, const struct last_record *r)
{
	uint64_t from_ns = rows->report->data->history->run_ns;

	return r->head.time_ns > from_ns ? (double)(r->head.time_ns - from_ns) / 1e9 : 0;
}

/* Its text is made. False: it has none, and did something else: printa(), clear() ... */
static bool has_text(struct rows *rows, const struct last_record *r)
{
	strbuf_clear(&rows->text);
	last_record_add_text(&rows->report->data->pr, &rows->text, r);
	return rows->text.len || clause_is_empty(r->ecb->clause);
}

static void add_row(void *arg, const struct last_record *r)
{
	const struct probe *p = r->ecb->probe;
	struct rows *rows = arg;
	char name[512];

	if (!has_text(rows, r))
		return;
	snprintf(name, sizeof(name), "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	strbuf_addf(rows->out, "%s[%.6f,%d,%u,%u,", rows->n++ ? ",\n" : "", seconds(rows, r),
		    r->head.cpu, r->head.pid, r->head.tid);
	report_add_json(rows->out, name);
	strbuf_addc(rows->out, ',');
	report_add_json_bytes(rows->out, rows->text.s, rows->text.len);
	strbuf_addc(rows->out, ']');
}

static const struct last_records *last_of(const struct report *r)
{
	return r->data->history ? r->data->history->last : NULL;
}

void page_add_records(struct report *r)
{
	struct rows rows = {.report = r, .out = &r->out};
	size_t before = r->out.len;

	if (!last_of(r))
		return;
	strbuf_init(&rows.text);
	strbuf_adds(&r->out, ",\n\"records\":[\n");
	last_records_each(last_of(r), add_row, &rows);
	strbuf_addc(&r->out, ']');
	if (!rows.n)
		strbuf_cut(&r->out, before);
	strbuf_release(&rows.text);
}

/* ---- without scripts ---- */

static void count_row(void *arg, const struct last_record *r)
{
	struct rows *rows = arg;

	rows->n += has_text(rows, r);
}

static void add_static_row(void *arg, const struct last_record *r)
{
	const struct probe *p = r->ecb->probe;
	struct rows *rows = arg;

	if (!has_text(rows, r) || rows->nskipped++ + RECORDS_STATIC < rows->n)
		return;
	strbuf_addf(rows->out, "<tr><td class=\"n\">%.6f s</td><td>", seconds(rows, r));
	report_add_html(rows->out, p->func);
	strbuf_addf(rows->out, "%s", *p->func ? ":" : "");
	report_add_html(rows->out, p->name);
	strbuf_adds(rows->out, "</td><td>");
	report_add_html(rows->out, rows->text.s);
	strbuf_adds(rows->out, "</td></tr>\n");
}

void page_add_static_records(struct report *r)
{
	struct rows rows = {.report = r, .out = &r->out};

	if (!last_of(r))
		return;
	strbuf_init(&rows.text);
	last_records_each(last_of(r), count_row, &rows);
	if (rows.n) {
		strbuf_adds(&r->out, "<h2>records</h2>\n<table>\n");
		last_records_each(last_of(r), add_static_row, &rows);
		strbuf_addf(&r->out, "</table>\n<p>The last of %llu records.</p>\n",
			    (unsigned long long)r->data->nrecords);
	}
	strbuf_release(&rows.text);
}
