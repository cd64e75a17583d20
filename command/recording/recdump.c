/*
 * recdump.c: the lines of a recording: columns, and who the processes are.
 */
#include "command/recording/recdump.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "command/recording/recfields.h"
#include "command/recording/recread.h"
#include "dlang/reportform.h"
#include "providers/kernel/perfdecode.h"
#include "providers/world/proctab.h"

#define WRITE_AT ((size_t)64 << 10)

struct recdump;

/* One event, of which columns are shown. */
struct line {
	const struct perfdata_record *r;
	const struct perfdata_event *event; /* of a member of a group not that of the record */
	const struct perf_sample *sm;
};

typedef void column_fn(struct recdump *, const struct line *, struct strbuf *);

struct column {
	const char *name;
	unsigned width;	 /* columns of the terminal */
	bool is_right;	 /* flush */
	column_fn *show; /* NULL: the field of that name */
};

struct recdump {
	struct recread read;
	struct recfields *fields;
	struct proctab *procs;
	struct groupread groups;
	struct column *columns;
	unsigned ncolumns;
	FILE *out;
	const char *out_name;
	/* -x report=FILE.csv: a table instead of lines for the eye; NULL: none. */
	void (*put_cell)(struct strbuf *, const char *text, size_t n);
	char divider; /* of its cells */
	FILE *table;  /* the file */
	bool is_live; /* what it comes from is being written: each line is wanted at once */
	uint64_t nlost;
	struct strbuf text, cell;
};

/* ---- columns ---- */

static void show_time(struct recdump *d UNUSED, const struct line *l, struct strbuf *out)
{
	const uint64_t ns = l->r->time_ns;

	strbuf_addf(out, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		    (unsigned long long)(ns % 1000000000));
}

static void show_cpu(struct recdump *d UNUSED, const struct line *l, struct strbuf *out)
{
	if (l->sm->cpu < 0)
		strbuf_addc(out, '-');
	else
		strbuf_addf(out, "%d", l->sm->cpu);
}

static void show_execname(struct recdump *d, const struct line *l, struct strbuf *out)
{
	const char *name = proctab_get(d->procs, l->sm->pid)->comm;

	recfields_clean(out, name, strlen(name));
}

static void show_pid(struct recdump *d UNUSED, const struct line *l, struct strbuf *out)
{
	strbuf_addf(out, "%d", (int)l->sm->pid);
}

static void show_tid(struct recdump *d UNUSED, const struct line *l, struct strbuf *out)
{
	strbuf_addf(out, "%d", (int)l->sm->tid);
}

static void show_process(struct recdump *d, const struct line *l, struct strbuf *out)
{
	show_execname(d, l, out);
	strbuf_addf(out, "/%d", (int)l->sm->pid);
	if (l->sm->tid != l->sm->pid)
		strbuf_addf(out, "/%d", (int)l->sm->tid);
}

static void show_event(struct recdump *d, const struct line *l, struct strbuf *out)
{
	strbuf_adds(out, recfields_name(d->fields, l->event));
}

static void show_fields(struct recdump *d, const struct line *l, struct strbuf *out)
{
	recfields_all(d->fields, l->event, l->sm, out);
}

static const struct column known[] = {
	{"time", 18, true, show_time},	      {"cpu", 3, true, show_cpu},
	{"process", 22, false, show_process}, {"event", 28, false, show_event},
	{"fields", 0, false, show_fields},    {"pid", 7, true, show_pid},
	{"tid", 7, true, show_tid},	      {"execname", 15, false, show_execname},
};
#define NDEFAULT 5 /* of them, without -x fields */

#define FIELD_WIDTH 12

static int add_column(struct recdump *d, const char *name, struct err *err)
{
	struct column c = {.name = name, .width = MAX((unsigned)strlen(name), FIELD_WIDTH)};

	for (unsigned i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].name, name) == 0)
			c = known[i];
	if (!c.show && !recfields_has(d->fields, name))
		return err_set(err, -EINVAL,
			       "-x fields: '%s' is neither a column (time, cpu, process, event, "
			       "fields, pid, tid, execname) nor a field of an event in %s",
			       name, perfdata_path(d->read.file));
	d->columns = xrealloc(d->columns, (d->ncolumns + 1) * sizeof(*d->columns));
	d->columns[d->ncolumns++] = c;
	return 0;
}

static int choose_columns(struct recdump *d, struct err *err)
{
	const char *names = d->read.session->options.text[OPT_FIELDS];
	int rc = 0;

	for (unsigned i = 0; !names && rc == 0 && i < NDEFAULT; i++)
		rc = add_column(d, known[i].name, err);
	while (names && rc == 0) {
		const size_t n = strcspn(names, ",");

		rc = add_column(d, arena_strndup(d->read.session->arena, names, n), err);
		names = names[n] ? names + n + 1 : NULL;
	}
	return rc;
}

/* The last has no blanks behind it. */
static void add_cell(struct recdump *d, const struct column *c, const char *text, size_t len)
{
	const size_t width = utf8_columns(text, len),
		     blanks = width < c->width ? c->width - width : 0;

	if (c != d->columns)
		strbuf_addc(&d->text, d->put_cell ? d->divider : ' ');
	if (d->put_cell) {
		d->put_cell(&d->text, text, len);
		return;
	}
	if (c->is_right)
		strbuf_addf(&d->text, "%*s", (int)blanks, "");
	strbuf_add(&d->text, text, len);
	if (!c->is_right && c != d->columns + d->ncolumns - 1)
		strbuf_addf(&d->text, "%*s", (int)blanks, "");
}

static void end_line(struct recdump *d)
{
	strbuf_adds(&d->text, d->put_cell == strbuf_add_csv ? "\r\n" : "\n");
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static void add_header(struct recdump *d)
{
	for (unsigned i = 0; i < d->ncolumns; i++) {
		strbuf_clear(&d->cell);
		for (const char *p = d->columns[i].name; *p; p++)
			strbuf_addc(&d->cell,
				    is_lower(*p) && !d->put_cell ? (char)(*p - 'a' + 'A') : *p);
		add_cell(d, &d->columns[i], d->cell.s, d->cell.len);
	}
	end_line(d);
}

/* In a table a text has no quotes of its own, and what an event does not have is empty. */
static void add_field(struct recdump *d, const struct line *l, const struct column *c)
{
	const bool has_it = recfields_one(d->fields, l->event, l->sm, c->name, &d->cell),
		   is_text = d->cell.len > 1 && d->cell.s[0] == '"';

	if (!d->put_cell)
		add_cell(d, c, has_it ? d->cell.s : "-", has_it ? d->cell.len : 1);
	else if (is_text)
		add_cell(d, c, d->cell.s + 1, d->cell.len - 2);
	else
		add_cell(d, c, d->cell.s, d->cell.len);
}

static void add_line(struct recdump *d, const struct line *l)
{
	for (unsigned i = 0; i < d->ncolumns; i++) {
		const struct column *c = &d->columns[i];

		strbuf_clear(&d->cell);
		if (c->show) {
			c->show(d, l, &d->cell);
			add_cell(d, c, d->cell.s, d->cell.len);
		} else {
			add_field(d, l, c);
		}
	}
	end_line(d);
}

/* ---- the file ---- */

/* What it tells of processes. */
static void take_other(struct recdump *d, const struct perfdata_record *r)
{
	struct perf_record other;

	if (!perf_decode_record(r->h, &r->event->layout, &other))
		return;
	switch (other.type) {
	case PERF_RECORD_COMM:
		proctab_comm(d->procs, other.pid, other.tid, other.comm.name, other.comm.is_exec);
		return;
	case PERF_RECORD_FORK:
		if (r->time_ns) /* else it is perf's account of what there was before */
			proctab_fork(d->procs, other.pid, other.parent.pid, other.tid,
				     other.parent.tid);
		return;
	case PERF_RECORD_EXIT:
		proctab_exit(d->procs, other.pid, other.tid);
		return;
	case PERF_RECORD_LOST:
		d->nlost += other.lost;
		return;
	default:
		return;
	}
}

static int write_text(struct recdump *d)
{
	const bool is_written =
		fwrite(d->text.s, 1, d->text.len, d->out) == d->text.len && fflush(d->out) == 0;

	strbuf_clear(&d->text);
	return is_written ? 0 : -errno;
}

struct of_group {
	struct recdump *dump;
	const struct perfdata_record *r;
};

static void add_member(void *arg, struct perfdata_event *e, const struct perf_sample *sm)
{
	const struct of_group *g = arg;
	const struct line l = {g->r, e, sm};

	add_line(g->dump, &l);
}

/* Errors: the output is broken. */
static int take_record(void *arg, const struct perfdata_record *r)
{
	struct recdump *d = arg;
	struct userstack user = {0};
	struct perf_sample sm;

	if (r->event && r->h->type == PERF_RECORD_SAMPLE) {
		const struct line l = {r, r->event, &sm};
		struct of_group g = {d, r};

		perf_decode(r->h, &r->event->layout, &sm, &user);
		add_line(d, &l);
		if (groupread_has_members(r->event))
			groupread_each(&d->groups, r, &sm, add_member, &g);
	} else if (r->event && r->h->type < PERFDATA_HEADER_ATTR) {
		take_other(d, r);
	}
	return d->text.len >= (d->is_live ? 1 : WRITE_AT) ? write_text(d) : 0;
}

/* ---- messages ---- */

static void tell_lost(const struct recdump *d)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "%llu events were lost when it was recorded: larger rings (perf record -m) lose "
		 "less",
		 (unsigned long long)d->nlost);
	if (d->nlost)
		recread_say(&d->read, text);
}

static int tell_output(const struct recdump *d, int rc)
{
	if (rc != -EPIPE) /* `| head` is how it is read */
		fprintf(stderr, "%s: failed to write to %s: %s\n", d->read.session->progname,
			d->out_name, strerror(-rc));
	return 1;
}

/* ---- the end of it ---- */

/* Of a table; NULL: it is none. */
typedef void put_cell_fn(struct strbuf *, const char *text, size_t n);
static put_cell_fn *put_cell_of(const char *report, const char **path, char *divider)
{
	const enum report_form f = report_form_of(report, path);

	*divider = f == REPORT_CSV ? ',' : '\t';
	return strchr(report, '\n') ? NULL
	       : f == REPORT_CSV    ? strbuf_add_csv
	       : f == REPORT_TSV    ? strbuf_add_tsv
				    : NULL;
}

/* -x report=FILE.csv: the file takes what would be printed. */
static int open_table(struct recdump *d, struct err *err)
{
	const char *report = d->read.session->options.text[OPT_REPORT], *path;

	if (!report)
		return 0;
	d->put_cell = put_cell_of(report, &path, &d->divider);
	if (!d->put_cell)
		return err_set(err, -EINVAL,
			       "-x report: without a program the events of %s are one table: "
			       "-x report=FILE.csv, or .tsv",
			       perfdata_path(d->read.file));
	d->table = fopen(path, "we");
	if (!d->table)
		return err_set(err, -errno, "-x report: cannot write %s: %s", path,
			       strerror(errno));
	d->out = d->table;
	d->out_name = path;
	return 0;
}

static int open_file(struct recdump *d, const struct cmdline *cmd, struct err *err)
{
	int rc;

	if (opt_on(&d->read.session->options, OPT_OFORMAT))
		return err_set(err, -EINVAL,
			       "-x oformat: without a program the events of %s are lines of text; "
			       "with one they are what it prints",
			       cmd->recording);
	rc = recread_open(&d->read, cmd, err);
	if (rc < 0)
		return rc;
	d->is_live = perfdata_mtime_ns(d->read.file) == 0;
	d->fields = recfields_new(d->read.file);
	rc = choose_columns(d, err);
	return rc < 0 ? rc : open_table(d, err);
}

/* After the last line; returns the exit status. */
static int finish(struct recdump *d, int rc)
{
	if (rc == 0)
		rc = write_text(d);
	if (rc < 0)
		return tell_output(d, rc);
	if (!recread_was_ended())
		tell_lost(d);
	return recread_status(&d->read);
}

bool recdump_is_meant(const struct cmdline *cmd)
{
	return cmd->recording && cmd->mode == MODE_TRACE && !cmd->nsources;
}

int recdump(const struct cmdline *cmd, struct session *s, FILE *out, const char *out_name)
{
	struct recdump d = {.out = out, .out_name = out_name};
	struct err err;
	int status = 1;

	recread_init(&d.read, s);
	d.read.progress.is_drawn &= !isatty(fileno(out)); /* it sees the lines themselves */
	d.procs = proctab_new();
	groupread_init(&d.groups);
	strbuf_init(&d.text);
	strbuf_init(&d.cell);
	if (open_file(&d, cmd, &err) == 0) {
		if (d.put_cell || !opt_on(&s->options, OPT_QUIET))
			add_header(&d);
		status = finish(&d, recread_all(&d.read, take_record, &d));
	} else {
		recread_say(&d.read, err.text);
	}
	if (d.table)
		fclose(d.table);
	if (d.fields)
		recfields_free(d.fields);
	recread_release(&d.read);
	proctab_free(d.procs);
	groupread_release(&d.groups);
	strbuf_release(&d.text);
	strbuf_release(&d.cell);
	free(d.columns);
	return status;
}
