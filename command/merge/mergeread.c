#include "command/merge/mergeread.h"

#include <errno.h>
#include <stdlib.h>

#include "dlang/print/aggjson.h"

#define LINE_MAX_SIZE (64U << 20)
#define KEPT_MAX      (512ULL << 20) /* bytes of lines that are kept */
#define PREFIX_MAX    256

void merge_input_init(struct merge_input *in)
{
	*in = (struct merge_input){.nbytes = 0};
	arena_init(&in->arena);
	strmap_init(&in->runs_by_id);
	strmap_init(&in->sets_by_name);
}

void merge_input_release(struct merge_input *in)
{
	strmap_release(&in->runs_by_id);
	strmap_release(&in->sets_by_name);
	arena_release(&in->arena);
}

/* ---- one line ---- */

struct line {
	struct merge_input *in;
	const char *file;
	uint64_t number;
	const struct json *json;
	struct err *err;
};

static int refuse(const struct line *l, const char *what)
{
	return err_set(l->err, -EINVAL, "%s, line %llu: %s", l->file, (unsigned long long)l->number,
		       what);
}

/* NULL: it has no usable id. */
static struct merge_run *run_of(const struct line *l)
{
	struct merge_input *in = l->in;
	const char *id = json_text(json_member(l->json, "run"));
	struct merge_run *run;

	if (!id || strlen(id) != MERGE_RUN_SIZE - 1 ||
	    strspn(id, "0123456789abcdef") != MERGE_RUN_SIZE - 1)
		return NULL;
	run = strmap_get(&in->runs_by_id, id);
	if (run)
		return run;
	run = ARENA_NEW(&in->arena, struct merge_run);
	*run = (struct merge_run){
		.host = "?", .file = arena_strdup(&in->arena, l->file), .next = in->runs};
	memcpy(run->id, id, MERGE_RUN_SIZE);
	strmap_put(&in->runs_by_id, run->id, run);
	in->runs = run;
	return run;
}

static int take_run(const struct line *l, struct merge_run *run)
{
	const char *host = json_text(json_member(l->json, "host"));
	int64_t version = 0;

	if (!json_int(json_member(l->json, "v"), &version) || version != AGGJSON_VERSION)
		return refuse(l, "lines of another version: v is not 1");
	if (run->has_begin)
		return err_set(l->err, -EEXIST,
			       "%s, line %llu: run %s is there already (%s): each counts once",
			       l->file, (unsigned long long)l->number, run->id, run->file);
	run->has_begin = true;
	if (host)
		run->host = arena_strdup(&l->in->arena, host);
	json_int(json_member(l->json, "wall_ns"), &run->wall_ns);
	return 0;
}

static int take_module(const struct line *l, struct merge_run *run)
{
	const char *name = json_text(json_member(l->json, "name")),
		   *id = json_text(json_member(l->json, "id"));
	struct merge_module *m;

	if (!name || !id)
		return refuse(l, "a module without a name or id");
	m = ARENA_NEW(&l->in->arena, struct merge_module);
	*m = (struct merge_module){arena_strdup(&l->in->arena, name),
				   arena_strdup(&l->in->arena, id), run->modules};
	run->modules = m;
	return 0;
}

static int take_end(const struct line *l, struct merge_run *run)
{
	run->has_end = true;
	json_unsigned(json_member(l->json, "drops"), &run->drops);
	return 0;
}

static struct merge_set *set_of(const struct line *l, struct merge_run *run, const char *name)
{
	struct merge_input *in = l->in;
	struct merge_set *set;
	uint64_t seq;
	char *key;

	if (!name || !json_unsigned(json_member(l->json, "seq"), &seq))
		return NULL;
	key = arena_printf(&in->arena, "%s %llu %s", run->id, (unsigned long long)seq, name);
	set = strmap_get(&in->sets_by_name, key);
	if (set)
		return set;
	set = ARENA_NEW(&in->arena, struct merge_set);
	*set = (struct merge_set){
		.run = run, .name = arena_strdup(&in->arena, name), .seq = seq, .next = in->sets};
	strmap_put(&in->sets_by_name, key, set);
	in->sets = set;
	return set;
}

static int take_agg(const struct line *l, struct merge_run *run)
{
	struct merge_set *set = set_of(l, run, json_text(json_member(l->json, "name")));

	if (!set || !json_unsigned(json_member(l->json, "rows"), &set->nsaid))
		return refuse(l, "an aggregation without a name, seq or rows");
	if (set->agg)
		return err_set(l->err, -EEXIST,
			       "%s, line %llu: @%s of run %s is there already: each counts once",
			       l->file, (unsigned long long)l->number, set->name, run->id);
	set->agg = l->json;
	return 0;
}

static int take_row(const struct line *l, struct merge_run *run)
{
	struct merge_set *set = set_of(l, run, json_text(json_member(l->json, "agg")));
	struct merge_row *row;

	if (!set)
		return refuse(l, "a row without an aggregation or seq");
	row = ARENA_NEW(&l->in->arena, struct merge_row);
	*row = (struct merge_row){l->json, set->rows};
	set->rows = row;
	set->nrows++;
	return 0;
}

/* Lines that are of use, by their type. */
static const struct taking {
	const char *type;
	int (*take)(const struct line *, struct merge_run *);
} takings[] = {
	{"run", take_run}, {"module", take_module}, {"agg", take_agg},
	{"row", take_row}, {"end", take_end},
};

static const struct taking *taking_of(const struct json *json)
{
	const char *type = json_text(json_member(json, "type"));

	for (unsigned i = 0; type && i < ARRAY_SIZE(takings); i++)
		if (!strcmp(takings[i].type, type))
			return &takings[i];
	return NULL;
}

static int take_line(struct line *l, const char *text, size_t n)
{
	const char *brace = n ? memchr(text, '{', MIN(n, PREFIX_MAX)) : NULL;
	const struct arena before = l->in->arena;
	const struct taking *taking;
	struct merge_run *run;
	struct err why;

	if (strspn(text, " \t\r") >= n)
		return 0;
	if (brace) {
		n -= (size_t)(brace - text);
		text = brace;
	}
	l->json = json_parse(&l->in->arena, text, n, &why);
	if (!l->json)
		return refuse(l, why.text);
	taking = taking_of(l->json);
	if (!taking) {
		arena_return(&l->in->arena, &before);
		return 0;
	}
	l->in->nbytes += n;
	if (l->in->nbytes > KEPT_MAX)
		return err_set(l->err, -E2BIG, "%s: more than %llu MB of rows; merge in steps",
			       l->file, KEPT_MAX >> 20);
	run = run_of(l);
	return run ? taking->take(l, run) : refuse(l, "no run: 16 hexadecimal digits are missing");
}

/* ---- files ---- */

/* Whole lines of what has been read; the rest stays. */
static int take_lines(struct line *l, struct strbuf *text)
{
	const char *p = text->s, *end = text->s + text->len, *newline;
	int rc = 0;

	while (rc == 0 && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		l->number++;
		rc = take_line(l, p, (size_t)(newline - p));
		p = newline + 1;
	}
	memmove(text->s, p, (size_t)(end - p));
	strbuf_cut(text, (size_t)(end - p));
	if (rc == 0 && text->len > LINE_MAX_SIZE)
		rc = err_set(l->err, -E2BIG, "%s, line %llu: longer than %u MB", l->file,
			     (unsigned long long)l->number + 1, LINE_MAX_SIZE >> 20);
	return rc;
}

/* What has no newline may have been cut while it was written. */
static int take_last(struct line *l, const struct strbuf *text)
{
	struct err why, *err = l->err;
	int rc;

	if (!text->len)
		return 0;
	l->number++;
	l->err = &why;
	rc = take_line(l, text->s, text->len);
	l->err = err;
	if (rc == -EINVAL && !l->json) {
		l->in->ncut++;
		return 0;
	}
	if (rc && err)
		*err = why;
	return rc;
}

int merge_read(struct merge_input *in, FILE *f, const char *name, struct err *err)
{
	struct line l = {.in = in, .file = name, .err = err};
	char *block = xmalloc(1 << 16);
	struct strbuf text;
	size_t n;
	int rc = 0;

	strbuf_init(&text);
	while (rc == 0 && (n = fread(block, 1, 1 << 16, f)) > 0) {
		strbuf_add(&text, block, n);
		rc = take_lines(&l, &text);
	}
	if (rc == 0 && ferror(f))
		rc = err_set(err, -EIO, "%s: it cannot be read: %s", name, strerror(errno));
	if (rc == 0)
		rc = take_last(&l, &text);
	strbuf_release(&text);
	free(block);
	return rc;
}
