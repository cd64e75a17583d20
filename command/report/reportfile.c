/* reportfile.c: which reports are asked for, and their files. */
#include "command/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stage.h"
#include "base/utf8.h"
#include "command/report/baseline.h"
#include "command/report/metricnames.h"
#include "command/report/report_priv.h"
#include "dlang/reportform.h"

/* ---- which ---- */

static const struct form {
	report_fn *make;
	bool is_renewed; /* while the run goes on */
	unsigned needs;	 /* REPORT_* */
} forms[REPORT_NFORMS] = {
	[REPORT_FOLDED] = {report_folded, false, 0},
	[REPORT_HTML] = {report_html, false, REPORT_INTERVALS | REPORT_LAST},
	[REPORT_SVG] = {report_svg, false, 0},
	[REPORT_PPROF] = {report_pprof, false, 0},
	[REPORT_SPEEDSCOPE] = {report_speedscope, false, REPORT_RECORDS},
	[REPORT_PERFETTO] = {report_perfetto, false, REPORT_RECORDS | REPORT_INTERVALS},
	[REPORT_CHROME] = {report_chrome, false, REPORT_RECORDS | REPORT_INTERVALS},
	[REPORT_JSONL] = {report_jsonl, false, 0},
	[REPORT_JSON] = {report_json, false, 0},
	[REPORT_CSV] = {report_csv, false, 0},
	[REPORT_TSV] = {report_tsv, false, 0},
	[REPORT_PROM] = {report_prom, true, 0},
};

/* [F:]FILE; NULL: it says no form. */
static const struct form *form_of(const char *text, const char **path)
{
	const enum report_form f = report_form_of(text, path);

	return f < REPORT_NFORMS ? &forms[f] : NULL;
}

typedef int each_fn(void *arg, const char *text);

/* The values of the option, one a line. Ends with the first that is not 0. */
static int each_report(const struct options *o, each_fn *fn, void *arg)
{
	const char *list = o->text[OPT_REPORT];
	int rc = 0;

	while (list && *list && !rc) {
		size_t n = strcspn(list, "\n");
		char *text = strndup(list, n);

		rc = fn(arg, text);
		free(text);
		list += n + (list[n] == '\n');
	}
	return rc;
}

bool report_is_wanted(const struct options *o)
{
	return o->text[OPT_REPORT];
}

static int add_needs(void *arg, const char *text)
{
	const char *path;
	const struct form *form = form_of(text, &path);

	*(unsigned *)arg |= form ? form->needs : 0;
	return 0;
}

unsigned report_needs(const struct options *o)
{
	unsigned needs = 0;

	each_report(o, add_needs, &needs);
	return needs;
}

/* The output or the messages of this command (/dev/stdout): their descriptor; -1: neither. */
static int own_output(const struct stat *st)
{
	struct stat ours;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &ours) == 0 && ours.st_dev == st->st_dev && ours.st_ino == st->st_ino)
			return fd;
	return -1;
}

/* A link to a descriptor (/dev/stdout), wherever that leads: without /proc, or beside another one,
 * nowhere. */
static bool is_descriptor(const char *path)
{
	char to[sizeof("/proc/")];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	return n == (ssize_t)sizeof(to) - 1 && memcmp(to, "/proc/", sizeof(to) - 1) == 0;
}

/* It is there and no file of its own: that output, a FIFO, a device. It is not opened before it is
 * written to: who reads it would take that for the end. What has a name in /dev is never replaced.
 */
static bool is_straight(const char *path)
{
	struct stat st;

	if (is_descriptor(path) || !strncmp(path, "/dev/", 5))
		return true;
	return stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || own_output(&st) >= 0);
}

static int can_write(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir;
	int rc;

	if (is_straight(path))
		return access(path, W_OK) ? -errno : 0;
	dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	rc = access(dir, W_OK | X_OK) ? -errno : 0;
	free(dir);
	return rc;
}

static int unknown_form(const char *text, struct err *err)
{
	const char *slash = strrchr(text, '/'), *dot = strrchr(slash ? slash : text, '.');
	struct strbuf words;

	strbuf_init(&words);
	for (enum report_form f = 0; f < REPORT_NFORMS; f++)
		strbuf_addf(&words, "%s%s", f ? ", " : "", report_form_word(f));
	err_set(err, -EINVAL, "report %s: %s%s; say folded:%s, or one of %s", text,
		dot ? "unknown form " : "its name does not say which form", dot ? dot : "", text,
		words.s);
	strbuf_release(&words);
	return -EINVAL;
}

static int check_one(void *arg, const char *text)
{
	struct err *err = arg;
	const char *path;
	int rc;

	if (!form_of(text, &path))
		return unknown_form(text, err);
	rc = *path ? can_write(path) : -EINVAL;
	if (rc)
		err_set(err, rc, "report %s: it cannot be written: %s", path, strerror(-rc));
	return rc;
}

int report_check(struct session *s, struct baseline **baseline, struct err *err)
{
	const struct options *o = &s->options;
	int rc = units_check(o, err);

	*baseline = NULL;
	if (!rc)
		rc = each_report(o, check_one, err);
	if (rc || !o->text[OPT_BASELINE])
		return rc;
	*baseline = baseline_open(s, o->text[OPT_BASELINE], err);
	return *baseline ? 0 : -EINVAL;
}

static int is_metrics(void *arg UNUSED, const char *text)
{
	const char *path;
	const struct form *form = form_of(text, &path);

	return form && form->make == report_prom;
}

int report_check_names(const struct session *s, struct err *err)
{
	struct metric_names names;
	int rc = 0;

	if (!s->options.text[OPT_METRICS] && !each_report(&s->options, is_metrics, NULL))
		return 0;
	metric_names_init(&names);
	for (const struct aggvar *var = s->aggvars; var && !rc; var = var->next)
		if (!var->sums_of)
			rc = metric_names_take(&names, &s->options, var, err);
	metric_names_release(&names);
	return rc;
}

/* ---- text ---- */

void report_note(const struct report *r, const char *fmt, ...)
{
	va_list ap;

	if (r->data->is_silent)
		return;
	stage_hide();
	fprintf(stderr, "%s: report %s: ", r->data->session->progname, r->path);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

uint64_t report_drops(const struct report *r)
{
	return session_drops(r->data->session);
}

/* ---- files ---- */

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		p += MAX(done, 0);
		n -= (size_t)MAX(done, 0);
	}
	return 0;
}

/* A reader sees the old file or the new one, and no link leads elsewhere. */
static int replace(const char *path, const struct strbuf *text)
{
	struct strbuf tmp;
	int fd, rc;

	strbuf_init(&tmp);
	strbuf_addf(&tmp, "%s.%d.tmp", path, (int)getpid());
	fd = open(tmp.s, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	rc = fd < 0 ? -errno : write_all(fd, text->s, text->len);
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(tmp.s, path))
		rc = -errno;
	if (rc && fd >= 0)
		unlink(tmp.s);
	strbuf_release(&tmp);
	return rc;
}

/* Nobody is waited for who has not begun to read. */
static int open_other(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int write_straight(const char *path, const struct strbuf *text)
{
	struct stat st;
	int own = stat(path, &st) ? -1 : own_output(&st);
	int fd = own < 0 ? open_other(path) : own, rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, text->s, text->len);
	return fd != own && close(fd) && !rc ? -errno : rc;
}

struct writing {
	const struct report_data *data;
	bool has_failed;
	uint64_t nfiles, ndone, nrows; /* of each: what is told of how far it is */
};

static int count_one(void *arg, const char *text UNUSED)
{
	*(uint64_t *)arg += 1;
	return 0;
}

static uint64_t count_rows(const struct aggstore *aggs)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < aggs->ncopies; i++)
		n += aggs->copies[i] ? aggs->copies[i]->nents : 0;
	return n;
}

static int write_one(void *arg, const char *text)
{
	struct writing *w = arg;
	struct report r = {.data = w->data};
	const struct form *form = form_of(text, &r.path);
	struct err err;
	int rc;

	if (!form) {
		unknown_form(text, &err);
		fprintf(stderr, "%s: %s\n", w->data->session->progname, err.text);
		w->has_failed = true;
		return 0;
	}
	strbuf_init(&r.out);
	stage_reach(w->ndone++ * w->nrows, w->nfiles * w->nrows, r.path);
	form->make(&r);
	stage_reach(w->ndone * w->nrows, w->nfiles * w->nrows, NULL);
	rc = is_straight(r.path) ? write_straight(r.path, &r.out) : replace(r.path, &r.out);
	if (rc)
		report_note(&r, "it could not be written: %s", strerror(-rc));
	w->has_failed |= rc != 0;
	strbuf_release(&r.out);
	return 0;
}

bool report_write(const struct report_data *data)
{
	struct writing w = {.data = data, .nrows = count_rows(data->aggs)};

	each_report(&data->session->options, count_one, &w.nfiles);
	stage_begin(STAGE_WRITING, w.nfiles * w.nrows);
	each_report(&data->session->options, write_one, &w);
	stage_end();
	return !w.has_failed;
}

static int is_renewed(void *arg UNUSED, const char *text)
{
	const char *path;
	const struct form *form = form_of(text, &path);

	return form && form->is_renewed && !is_straight(path);
}

bool report_is_renewed(const struct options *o)
{
	return each_report(o, is_renewed, NULL);
}

static int renew_one(void *arg, const char *text)
{
	return is_renewed(NULL, text) ? write_one(arg, text) : 0;
}

void report_renew(const struct report_data *data)
{
	struct writing w = {.data = data};

	each_report(&data->session->options, renew_one, &w);
}

void report_metrics(const struct report_data *data, bool is_openmetrics, struct strbuf *out)
{
	struct report r = {.data = data, .path = "metrics"};

	strbuf_init(&r.out);
	(is_openmetrics ? report_openmetrics : report_prom)(&r);
	strbuf_add(out, r.out.s, r.out.len);
	strbuf_release(&r.out);
}
