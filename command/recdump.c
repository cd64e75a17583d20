/*
 * recdump.c: the lines of a recording: columns, and who the processes are.
 */
#include "command/recdump.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/clock.h"
#include "base/endreq.h"
#include "base/procfile.h"
#include "base/utf8.h"
#include "command/progress.h"
#include "command/recfields.h"
#include "providers/kernel/perfdecode.h"
#include "providers/world/proctab.h"

#define WRITE_AT ((size_t)64 << 10)

struct recdump;

/* One event, of which columns are shown. */
struct line {
	const struct perfdata_record *r;
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
	struct session *session;
	struct perfdata *file;
	struct recfields *fields;
	struct proctab *procs;
	struct column *columns;
	unsigned ncolumns;
	FILE *out;
	const char *out_name;
	bool is_live; /* what it comes from is being written: each line is wanted at once */
	bool is_bad;  /* something has been said of the file */
	uint64_t nlost;
	struct strbuf text, cell;
	struct progress progress;
	uint64_t progress_ns; /* when it is next looked at */
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
	strbuf_adds(out, recfields_name(d->fields, l->r->event));
}

static void show_fields(struct recdump *d, const struct line *l, struct strbuf *out)
{
	recfields_all(d->fields, l->r->event, l->sm, out);
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
			       name, perfdata_path(d->file));
	d->columns = xrealloc(d->columns, (d->ncolumns + 1) * sizeof(*d->columns));
	d->columns[d->ncolumns++] = c;
	return 0;
}

static int choose_columns(struct recdump *d, struct err *err)
{
	const char *names = d->session->options.text[OPT_FIELDS];
	int rc = 0;

	for (unsigned i = 0; !names && rc == 0 && i < NDEFAULT; i++)
		rc = add_column(d, known[i].name, err);
	while (names && rc == 0) {
		const size_t n = strcspn(names, ",");

		rc = add_column(d, arena_strndup(d->session->arena, names, n), err);
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
		strbuf_addc(&d->text, ' ');
	if (c->is_right)
		strbuf_addf(&d->text, "%*s", (int)blanks, "");
	strbuf_add(&d->text, text, len);
	if (!c->is_right && c != d->columns + d->ncolumns - 1)
		strbuf_addf(&d->text, "%*s", (int)blanks, "");
}

static void add_header(struct recdump *d)
{
	for (unsigned i = 0; i < d->ncolumns; i++) {
		strbuf_clear(&d->cell);
		for (const char *p = d->columns[i].name; *p; p++)
			strbuf_addc(&d->cell, (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p));
		add_cell(d, &d->columns[i], d->cell.s, d->cell.len);
	}
	strbuf_addc(&d->text, '\n');
}

static void add_line(struct recdump *d, const struct line *l)
{
	for (unsigned i = 0; i < d->ncolumns; i++) {
		const struct column *c = &d->columns[i];

		strbuf_clear(&d->cell);
		if (c->show)
			c->show(d, l, &d->cell);
		else if (!recfields_one(d->fields, l->r->event, l->sm, c->name, &d->cell))
			strbuf_addc(&d->cell, '-');
		add_cell(d, c, d->cell.s, d->cell.len);
	}
	strbuf_addc(&d->text, '\n');
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

/* A terminal sees the lines themselves. */
static void show_progress(struct recdump *d)
{
	uint64_t of;
	const uint64_t n = perfdata_nread(d->file, &of);

	if (now_mono() >= d->progress_ns)
		d->progress_ns = progress_read(&d->progress, d->session->progname, n, of);
}

/* Ends early when it is asked to, or when the output is broken. */
static int print_all(struct recdump *d)
{
	struct userstack user = {0};
	struct perfdata_record r;
	struct perf_sample sm;
	int rc = 0;

	while (rc == 0 && !endreq_asked() && perfdata_peek(d->file, &r)) {
		if (r.event && r.h->type == PERF_RECORD_SAMPLE) {
			const struct line l = {&r, &sm};

			perf_decode(r.h, &r.event->layout, &sm, &user);
			add_line(d, &l);
		} else if (r.event && r.h->type < PERFDATA_HEADER_ATTR) {
			take_other(d, &r);
		}
		perfdata_skip(d->file);
		if (d->text.len >= (d->is_live ? 1 : WRITE_AT))
			rc = write_text(d);
		if (d->text.len == 0)
			show_progress(d);
	}
	progress_clear(&d->progress);
	return rc ? rc : write_text(d);
}

/* ---- messages ---- */

static void say(const struct recdump *d, const char *text)
{
	char *clean = text_cleaned(text);

	fprintf(stderr, "%s: %s\n", d->session->progname, clean);
	free(clean);
}

static void tell_trouble(void *arg, const char *text)
{
	struct recdump *d = arg;

	say(d, text);
	d->is_bad = true;
}

static void tell_lost(const struct recdump *d)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "%llu events were lost when it was recorded: larger rings (perf record -m) lose "
		 "less",
		 (unsigned long long)d->nlost);
	if (d->nlost)
		say(d, text);
}

static int tell_output(const struct recdump *d, int rc)
{
	if (rc != -EPIPE) /* `| head` is how it is read */
		fprintf(stderr, "%s: failed to write to %s: %s\n", d->session->progname,
			d->out_name, strerror(-rc));
	return 1;
}

/* ---- the end of it ---- */

/* One per process by nature: what signal handlers can reach. */
static volatile sig_atomic_t ending_signal;

static void on_signal(int sig)
{
	ending_signal = sig;
}

static bool is_ending(void *arg UNUSED)
{
	return ending_signal;
}

/* What has been read when ^C comes is printed first. */
static void set_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sa = (struct sigaction){.sa_handler = SIG_IGN}; /* seen as EPIPE */
	sigaction(SIGPIPE, &sa, NULL);
	endreq_set(is_ending, NULL);
}

static int open_file(struct recdump *d, const struct cmdline *cmd, struct err *err)
{
	int rc = 0;

	if (cmd->ntargets)
		return err_set(err, -EINVAL,
			       "-E: events come from %s: there is nothing to trace with -c or -p",
			       cmd->recording);
	if (opt_on(&d->session->options, OPT_OFORMAT))
		return err_set(err, -EINVAL,
			       "-x oformat: without a program the events of %s are lines of text; "
			       "with one they are what it prints",
			       cmd->recording);
	if (opt_on(&d->session->options, OPT_STRICT))
		rc = perfdata_check(cmd->recording, tell_trouble, d, err);
	if (rc == 0)
		rc = perfdata_open(cmd->recording, &d->file, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; perfdata_note(d->file, i); i++)
		say(d, perfdata_note(d->file, i));
	d->is_live = perfdata_mtime_ns(d->file) == 0;
	d->fields = recfields_new(d->file);
	return choose_columns(d, err);
}

/* After the last line; returns the exit status. */
static int finish(struct recdump *d, int rc)
{
	if (rc < 0)
		return tell_output(d, rc);
	if (ending_signal) { /* the default action ends us, as whoever sent it expects */
		raise(ending_signal);
		return 1;
	}
	tell_lost(d);
	perfdata_each_trouble(d->file, ": what comes before has been read", tell_trouble, d);
	return d->is_bad;
}

bool recdump_is_meant(const struct cmdline *cmd)
{
	return cmd->recording && cmd->mode == MODE_TRACE && !cmd->nsources;
}

int recdump(const struct cmdline *cmd, struct session *s, FILE *out, const char *out_name)
{
	struct recdump d = {.session = s, .out = out, .out_name = out_name};
	struct err err;
	int status = 1;

	set_signals();
	procfile_hide_others();
	progress_init(&d.progress, s);
	d.progress.is_wanted &= !isatty(fileno(out));
	d.procs = proctab_new();
	strbuf_init(&d.text);
	strbuf_init(&d.cell);
	if (open_file(&d, cmd, &err) == 0) {
		if (!opt_on(&s->options, OPT_QUIET))
			add_header(&d);
		status = finish(&d, print_all(&d));
	} else {
		say(&d, err.text);
	}
	if (d.fields)
		recfields_free(d.fields);
	perfdata_free(d.file);
	proctab_free(d.procs);
	strbuf_release(&d.text);
	strbuf_release(&d.cell);
	free(d.columns);
	return status;
}
