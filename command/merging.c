#include "command/merging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/merge/mergebuild.h"
#include "command/report/report.h"
#include "dlang/print/keytext.h"
#include "dlang/print/printagg.h"

static int complain(const struct session *s, const char *text)
{
	fprintf(stderr, "%s: %s\n", s->progname, text);
	return 1;
}

/* ---- reading ---- */

static int read_file(struct merge_input *in, const char *path, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	int rc;

	if (!f)
		return err_set(err, -errno, "failed to open %s: %s", path, strerror(errno));
	rc = merge_read(in, f, is_stdin ? "<stdin>" : path, err);
	fclose(f);
	return rc;
}

static int read_all(const struct cmdline *cmd, struct merge_input *in, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < cmd->nobjects && !rc; i++)
		rc = read_file(in, cmd->objects[i], err);
	if (!rc && !in->runs)
		rc = err_set(err, -EINVAL,
			     "nothing to merge: no line of a run (-x oformat=jsonl, or -x "
			     "report=FILE.jsonl, "
			     "writes them)");
	return rc;
}

/* ---- writing ---- */

static void tell_notes(const struct session *s, const struct merge_input *in,
		       const struct merged *m)
{
	for (const char *p = m->notes; *p; p += strcspn(p, "\n") + 1)
		fprintf(stderr, "%s: %.*s\n", s->progname, (int)strcspn(p, "\n"), p);
	if (in->ncut)
		fprintf(stderr, "%s: %u files end within a line, which is left out\n", s->progname,
			in->ncut);
}

/* Units of the runs, where this command has given none: the last of a name counts. */
static void take_units(struct session *s, const struct merged *m)
{
	struct strbuf all;

	strbuf_init(&all);
	for (uint32_t i = 0; i < m->aggs.ncopies; i++) {
		const struct aggvar *var = m->aggs.copies[i] ? m->aggs.copies[i]->var : NULL;

		if (var && *m->units[i] && !var->func->counts_calls && !strpbrk(m->units[i], "\n:"))
			strbuf_addf(&all, "%s%s:%s", all.len ? "\n" : "", keytext_aggname(var),
				    m->units[i]);
	}
	if (s->options.text[OPT_AGGUNIT])
		strbuf_addf(&all, "%s%s", all.len ? "\n" : "", s->options.text[OPT_AGGUNIT]);
	if (all.len)
		s->options.text[OPT_AGGUNIT] = arena_strdup(s->arena, all.s);
	strbuf_release(&all);
}

static void set_normals(struct aggstore *aggs, const struct merged *m, bool is_on)
{
	for (uint32_t i = 0; i < aggs->ncopies; i++)
		if (aggs->copies[i])
			aggs->copies[i]->normal = is_on ? m->normals[i] : 1;
}

/* As at the end of a run that has printed nothing. */
static int print_lines(const struct session *s, struct merged *m, const struct printer *pr,
		       FILE *out, const char *out_name)
{
	struct printer to = *pr;
	struct strbuf text;
	uint32_t n = m->aggs.ncopies;
	int rc = 0;

	strbuf_init(&text);
	strbuf_addc(&text, '\n');
	to.out = &text;
	set_normals(&m->aggs, m, true);
	for (uint32_t i = 0; i < n; i++) {
		bool is_reversed = opt_on(&s->options, OPT_AGGSORTREV);
		struct aggcopy *copy = m->aggs.copies[is_reversed ? n - 1 - i : i];

		if (copy && copy->nents)
			printer_rows(&to, &copy, 1, NULL);
	}
	set_normals(&m->aggs, m, false);
	if (fwrite(text.s, 1, text.len, out) != text.len || fflush(out)) {
		fprintf(stderr, "%s: failed to write to %s: %s\n", s->progname, out_name,
			strerror(errno));
		rc = 1;
	}
	strbuf_release(&text);
	return rc;
}

/* Lines of JSON say what values were divided by. */
static void keep_normals(struct aggstore *lines, const struct merged *m)
{
	aggstore_init(lines);
	for (uint32_t i = 0; i < m->aggs.ncopies; i++)
		if (m->aggs.copies[i])
			aggstore_copy(lines, m->aggs.copies[i]->var)->normal = m->normals[i];
}

static int show(const struct run *run, struct merged *m, FILE *out, const char *out_name)
{
	struct session *s = run->session;
	struct report_data data = {.session = s, .aggs = &m->aggs, .baseline = run->baseline};
	struct aggstore lines;
	int rc;

	data.pr = (struct printer){
		.options = &s->options, .names = &m->names, .time_ns = TIME_LATEST};
	data.began_ns = (uint64_t)m->began_ns;
	s->buffer_drops[0] = m->drops;
	take_units(s, m);
	rc = print_lines(s, m, &data.pr, out, out_name);
	keep_normals(&lines, m);
	data.lines = &lines;
	if (report_is_wanted(&s->options) && !report_write(&data))
		rc = 1;
	aggstore_release(&lines);
	return rc;
}

int merging(const struct run *run, FILE *out, const char *out_name)
{
	struct session *s = run->session;
	struct merge_input in;
	struct merged m;
	struct err err;
	int rc;

	if (opt_on(&s->options, OPT_OFORMAT))
		return complain(s, "--merge prints lines; say -x report=FILE.json or FILE.jsonl");
	merge_input_init(&in);
	rc = read_all(run->cmd, &in, &err);
	if (rc) {
		merge_input_release(&in);
		return complain(s, err.text);
	}
	rc = merge_build(&m, &in, opt_on(&s->options, OPT_HOSTS), &err);
	if (rc) {
		complain(s, err.text);
	} else {
		tell_notes(s, &in, &m);
		rc = show(run, &m, out, out_name);
	}
	merged_release(&m);
	merge_input_release(&in);
	return rc ? 1 : 0;
}
