#include "dlang/print/actprint.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dlang/print/aggsame.h"
#include "dlang/print/consume_priv.h"
#include "dlang/print/incomplete.h"
#include "dlang/print/printagg.h"
#include "dlang/print/printf.h"
#include "dlang/print/printtype.h"

/* ---- values ---- */

int print_trace(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		const char *data)
{
	const struct rec *rec = &st->acts[0].rec;

	if (opt_on(&c->session->options, OPT_RAWBYTES))
		printer_hex(&c->pr, data + rec->offset, rec->size);
	else
		printer_trace(&c->pr, rec, data + rec->offset);
	return 0;
}

int print_print(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		const char *data)
{
	const struct rec *rec = &st->acts[0].rec;

	printer_print(&c->pr, rec, data + rec->offset);
	return 0;
}

int print_stack(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		const char *data)
{
	const struct rec *rec = &st->acts[0].rec;

	printer_trace(&c->pr, rec, data + rec->offset);
	return 0;
}

int print_sym(struct consumer *c, const struct rec_head *head, const struct stmt *st,
	      const char *data)
{
	return print_stack(c, head, st, data);
}

int print_tracemem(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		   const char *data)
{
	const struct rec *rec = &st->acts[0].rec;
	uint64_t n = rec->size, valid;

	if (st->nacts > 1) {
		valid = rec_int(&st->acts[1].rec, data + st->acts[1].rec.offset, NULL);
		if (valid > 0 && valid < n)
			n = valid;
	}
	printer_hex(&c->pr, data + rec->offset, n);
	return 0;
}

struct rec printm_bytes(const struct rec *rec, const char *data)
{
	struct rec bytes = *rec;
	uint64_t n;

	memcpy(&n, data + rec->offset, sizeof(n));
	bytes.offset += sizeof(n);
	bytes.size = (uint32_t)MIN(n, rec->size - sizeof(n));
	return bytes;
}

int print_printm(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		 const char *data)
{
	const struct rec bytes = printm_bytes(&st->acts[0].rec, data);

	printer_hex(&c->pr, data + bytes.offset, bytes.size);
	return 0;
}

/* ---- formats ---- */

static void print_format(const struct printer *pr, const struct stmt *st, const char *data)
{
	const struct pargs args = {.acts = st->acts, .n = st->nacts, .data = data};

	pfmt_print(pr, st->fmt, &args);
}

int print_printf(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		 const char *data)
{
	print_format(&c->pr, st, data);
	return 0;
}

/* The formatted text; good until the next call. */
static const char *formatted(struct consumer *c, const struct stmt *st, const char *data)
{
	struct printer pr = c->pr;

	strbuf_clear(&c->scratch);
	pr.out = &c->scratch;
	print_format(&pr, st, data);
	return c->scratch.s;
}

/* ---- the output ---- */

int print_system(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		 const char *data)
{
	const char *command = formatted(c, st, data);
	const char *argv[] = {"sh", "-c", "--", command, NULL};
	int rc, status;
	pid_t pid;

	consumer_flush(c, NULL);
	rc = posix_spawn(&pid, "/bin/sh", NULL, NULL, (char *const *)(uintptr_t)argv, environ);
	if (rc) {
		consumer_complain(c, head, "couldn't run system() \"%s\": %s", command,
				  strerror(rc));
		return 0;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static void set_output(struct consumer *c, FILE *out, const char *name)
{
	consumer_flush(c, NULL);
	if (c->out != c->first_out)
		fclose(c->out);
	c->out = out;
	free(c->out_name);
	c->out_name = xstrdup(name);
}

int print_freopen(struct consumer *c, const struct rec_head *head, const struct stmt *st,
		  const char *data)
{
	const char *name = formatted(c, st, data);
	FILE *out;

	if (!*name) {
		set_output(c, c->first_out, c->first_name);
		return 0;
	}
	out = fopen(name, "ae");
	if (out)
		set_output(c, out, name);
	else
		consumer_complain(c, head, "couldn't freopen() \"%s\": %s", name, strerror(errno));
	return 0;
}

int print_ftruncate(struct consumer *c, const struct rec_head *head UNUSED,
		    const struct stmt *st UNUSED, const char *data UNUSED)
{
	struct stat sb;
	int fd = fileno(c->out);

	consumer_flush(c, NULL);
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && ftruncate(fd, 0) == 0)
		lseek(fd, 0, SEEK_SET);
	return 0;
}

/* ---- aggregations ---- */

int print_printa(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		 const char *data UNUSED)
{
	struct aggcopy **copies = xcalloc(st->naggs, sizeof(struct aggcopy *));
	struct printer pr = c->pr;

	for (unsigned i = 0; i < st->naggs; i++) {
		copies[i] = aggstore_copy(&c->aggs, st->aggs[i]);
		consumer_begin_printa(c, copies[i]);
	}
	pr.time_ns = TIME_LATEST;
	if (!st->fmt)
		strbuf_addc(pr.out, '\n');
	printer_rows(&pr, copies, st->naggs, st->fmt);
	for (unsigned i = 0; i < st->naggs; i++)
		incomplete_mark(c, copies[i]);
	free(copies);
	return 0;
}

int print_clear(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		const char *data UNUSED)
{
	struct aggcopy *copy = aggstore_copy(&c->aggs, st->aggs[0]);

	consumer_begin_change(c, copy);
	aggcopy_clear(copy);
	copy->nresets++;
	copy->is_cleared = true;
	incomplete_clear(c, copy);
	return 0;
}

/* The number in the statement's last action. */
static uint64_t last_number(const struct stmt *st, const char *data)
{
	const struct rec *rec = &st->acts[st->nacts - 1].rec;

	return rec_int(rec, data + rec->offset, NULL);
}

int print_trunc(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		const char *data)
{
	struct aggcopy *copy = aggstore_copy(&c->aggs, st->aggs[0]);
	int64_t keep = 0;

	if (st->nacts > 0 && st->acts[st->nacts - 1].kind == ACT_RECORD)
		keep = (int64_t)last_number(st, data);
	consumer_begin_change(c, copy);
	if (keep)
		aggsame_settle(&c->pr, copy);
	aggcopy_trunc(copy, keep);
	copy->nresets++;
	copy->is_cut = true;
	if (!keep)
		incomplete_clear(c, copy);
	return 0;
}

int print_normalize(struct consumer *c, const struct rec_head *head, const struct stmt *st,
		    const char *data)
{
	uint64_t normal = last_number(st, data);

	if (normal)
		aggstore_copy(&c->aggs, st->aggs[0])->normal = normal;
	else
		consumer_complain(c, head, "Invalid normalization");
	return 0;
}

int print_denormalize(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		      const char *data UNUSED)
{
	aggstore_copy(&c->aggs, st->aggs[0])->normal = 1;
	return 0;
}

/* ---- options ---- */

int print_setopt(struct consumer *c, const struct rec_head *head, const struct stmt *st,
		 const char *data)
{
	const char *name = data + st->acts[0].rec.offset, *value = "1";
	struct err err;

	if (st->nacts > 1)
		value = data + st->acts[1].rec.offset;
	if (options_set(&c->session->options, &c->arena, name, value, OPT_RUNTIME, &err))
		consumer_complain(c, head, "couldn't set option \"%s\" to \"%s\": %s\n", name,
				  value, err.text);
	return 0;
}
