#include "command/report/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/merge/mergebuild.h"
#include "command/report/report_priv.h"

#define SIZE_MAX_READ (512U << 20)

/* ---- stacks ---- */

static struct baseline_agg *add_agg(struct baseline *b, const char *name)
{
	struct baseline_agg *agg = ARENA_NEW(&b->arena, struct baseline_agg);

	*agg = (struct baseline_agg){.name = name ? arena_strdup(&b->arena, name) : NULL,
				     .next = b->aggs};
	strmap_init(&agg->by_frames);
	b->aggs = agg;
	return agg;
}

static void add_stack(struct baseline *b, struct baseline_agg *agg, const char *frames,
		      uint64_t value)
{
	struct baseline_stack *s = strmap_get(&agg->by_frames, frames);

	if (!s) {
		s = ARENA_NEW(&b->arena, struct baseline_stack);
		*s = (struct baseline_stack){.frames = arena_strdup(&b->arena, frames),
					     .next = agg->stacks};
		agg->stacks = s;
		strmap_put(&agg->by_frames, s->frames, s);
	}
	s->value += value;
	agg->total += value;
}

struct baseline_agg *baseline_find(struct baseline *b, const char *name)
{
	for (struct baseline_agg *agg = b->aggs; agg; agg = agg->next) {
		if (!agg->name)
			agg->name = arena_strdup(&b->arena, name);
		if (strcmp(agg->name, name) != 0)
			continue;
		for (struct baseline_stack *s = agg->stacks; s; s = s->next)
			s->is_taken = false;
		return agg;
	}
	return NULL;
}

uint64_t baseline_take(struct baseline_agg *agg, const char *frames)
{
	struct baseline_stack *s = strmap_get(&agg->by_frames, frames);

	if (!s || s->is_taken)
		return 0;
	s->is_taken = true;
	return s->value;
}

/* ---- folded ---- */

static int bad_line(const char *path, unsigned long number, struct err *err)
{
	return err_set(err, -EINVAL, "baseline %s, line %lu: no stack and its value", path, number);
}

static int read_folded(struct baseline *b, char *text, const char *path, struct err *err)
{
	struct baseline_agg *agg = add_agg(b, NULL);
	unsigned long number = 0;
	char *line, *blank, *end;

	while (*text) {
		line = text;
		text += strcspn(text, "\n");
		if (*text)
			*text++ = '\0';
		number++;
		if (!*line)
			continue;
		blank = strrchr(line, ' ');
		if (!blank || blank == line || blank[1] < '0' || blank[1] > '9')
			return bad_line(path, number, err);
		*blank = '\0';
		errno = 0;
		add_stack(b, agg, line, strtoull(blank + 1, &end, 10));
		if (*end || errno)
			return bad_line(path, number, err);
	}
	return 0;
}

/* ---- a page ---- */

static int bad_page(const char *path, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "baseline %s: %s", path, what);
}

/* The frames that a row's numbers stand for, callers first. False: they are none. */
static bool page_stack(const struct json *row, const char *const *frames, unsigned nframes,
		       struct strbuf *out)
{
	const struct json *numbers = json_member(row, "s");
	const char **names;
	unsigned n = 0;
	uint64_t at;

	if (!numbers || numbers->kind != JSON_ARRAY)
		return false;
	names = xcalloc(numbers->n + 1, sizeof(*names));
	for (const struct json *v = numbers->first; v; v = v->next) {
		if (!json_unsigned(v, &at) || at >= nframes)
			break;
		names[n++] = frames[at];
	}
	strbuf_clear(out);
	for (unsigned i = n; i-- > 0;) {
		stack_add_name(out, names[i]);
		if (i)
			strbuf_addc(out, ';');
	}
	free(names);
	return n == numbers->n;
}

static int read_rows(struct baseline *b, const struct json *agg, const char *const *frames,
		     unsigned nframes, const char *path, struct err *err)
{
	struct baseline_agg *to = add_agg(b, json_text(json_member(agg, "name")));
	const struct json *rows = json_member(agg, "rows");
	struct strbuf stack;
	uint64_t value;
	int rc = 0;

	strbuf_init(&stack);
	for (const struct json *row = rows ? rows->first : NULL; row && !rc; row = row->next) {
		if (!page_stack(row, frames, nframes, &stack) ||
		    !json_unsigned(json_member(row, "v"), &value))
			rc = bad_page(path, "a row of a flame graph is none", err);
		else if (value)
			add_stack(b, to, stack.s, value);
	}
	strbuf_release(&stack);
	return rc;
}

static int read_graph(struct baseline *b, const struct json *agg, const char *path, struct err *err)
{
	const struct json *frames = json_member(agg, "frames");
	const char **names;
	unsigned n = 0;
	int rc = 0;

	if (!json_text(json_member(agg, "name")) || !frames || frames->kind != JSON_ARRAY)
		return bad_page(path, "a flame graph without a name or frames", err);
	names = xcalloc(frames->n + 1, sizeof(*names));
	for (const struct json *f = frames->first; f && !rc; f = f->next) {
		names[n++] = f->kind == JSON_ARRAY ? json_text(f->first) : NULL;
		if (!names[n - 1])
			rc = bad_page(path, "a frame without a name", err);
	}
	if (!rc)
		rc = read_rows(b, agg, names, n, path, err);
	free(names);
	return rc;
}

static int read_page(struct baseline *b, const char *text, const char *path, struct err *err)
{
	static const char head[] = "<script type=\"application/json\" id=\"data\">";
	const char *data = strstr(text, head), *end;
	const struct json *page, *aggs, *version;
	struct err why;
	int rc = 0;

	data = data ? data + sizeof(head) - 1 : NULL;
	end = data ? strstr(data, "</script>") : NULL;
	if (!end)
		return bad_page(path, "a page without the data of a report", err);
	page = json_parse(&b->arena, data, (size_t)(end - data), &why);
	if (!page)
		return bad_page(path, why.text, err);
	version = json_member(page, "v");
	if (!version || version->kind != JSON_NUMBER ||
	    strcmp(version->text, REPORT_PAGE_VERSION) != 0)
		return bad_page(path, "data of another version: v is not 1", err);
	aggs = json_member(page, "aggs");
	for (const struct json *a = aggs ? aggs->first : NULL; a && !rc; a = a->next) {
		const char *kind = json_text(json_member(a, "kind"));

		if (kind && !strcmp(kind, "flame"))
			rc = read_graph(b, a, path, err);
	}
	return rc;
}

/* ---- lines of JSON ---- */

struct taking {
	struct baseline *b;
	struct baseline_agg *agg;
	struct strbuf stack;
};

static void take_stack(void *arg, const struct frame *frames, unsigned n, uint64_t value)
{
	struct taking *t = arg;

	strbuf_clear(&t->stack);
	stack_add_frames(&t->stack, frames, n);
	add_stack(t->b, t->agg, t->stack.s, value);
}

static void take_merged(struct baseline *b, struct session *s, const struct merged *m)
{
	struct report_data data = {.session = s, .aggs = &m->aggs};
	struct report r = {.data = &data};
	struct taking t = {.b = b};

	data.pr = (struct printer){
		.options = &s->options, .names = &m->names, .time_ns = TIME_LATEST};
	strbuf_init(&t.stack);
	for (uint32_t i = 0; i < m->aggs.ncopies; i++) {
		struct aggcopy *copy = m->aggs.copies[i];

		if (!copy || !stacks_are_keys(copy->var))
			continue;
		t.agg = add_agg(b, keytext_aggname(copy->var));
		stacks_each(&r, copy, take_stack, &t);
	}
	strbuf_release(&t.stack);
}

static int read_lines(struct baseline *b, struct session *s, FILE *f, const char *path,
		      struct err *err)
{
	struct merge_input in;
	struct merged m;
	int rc;

	merge_input_init(&in);
	rc = merge_read(&in, f, path, err);
	if (!rc) {
		rc = merge_build(&m, &in, false, err);
		if (!rc)
			take_merged(b, s, &m);
		merged_release(&m);
	}
	merge_input_release(&in);
	return rc ? err_wrap(err, "baseline") : 0;
}

/* ---- a file ---- */

/* All of it as a string; what has a NUL ends there. */
static int read_text(FILE *f, const char *path, struct strbuf *text, struct err *err)
{
	char block[65536];
	size_t n;

	while ((n = fread(block, 1, sizeof(block), f)) > 0) {
		strbuf_add(text, block, n);
		if (text->len > SIZE_MAX_READ)
			return err_set(err, -E2BIG, "baseline %s: longer than %u MB", path,
				       SIZE_MAX_READ >> 20);
	}
	if (ferror(f))
		return err_set(err, -EIO, "baseline %s: it cannot be read: %s", path,
			       strerror(errno));
	return 0;
}

static int read_open(struct baseline *b, struct session *s, FILE *f, const char *path,
		     struct err *err)
{
	struct strbuf text;
	int first = getc(f), rc;

	if (first != EOF)
		ungetc(first, f);
	if (first == '{')
		return read_lines(b, s, f, path, err);
	strbuf_init(&text);
	rc = read_text(f, path, &text, err);
	if (!rc)
		rc = first == '<' ? read_page(b, text.s, path, err)
				  : read_folded(b, text.s, path, err);
	strbuf_release(&text);
	return rc;
}

struct baseline *baseline_open(struct session *s, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	struct baseline *b;

	if (!f) {
		err_set(err, -errno, "baseline %s: it cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	b = xcalloc(1, sizeof(*b));
	arena_init(&b->arena);
	if (read_open(b, s, f, path, err)) {
		baseline_close(b);
		b = NULL;
	}
	fclose(f);
	return b;
}

void baseline_close(struct baseline *b)
{
	if (!b)
		return;
	for (struct baseline_agg *agg = b->aggs; agg; agg = agg->next)
		strmap_release(&agg->by_frames);
	arena_release(&b->arena);
	free(b);
}
