/*
 * perftracing.c: TRACING_DATA: the formats of tracepoints as tracefs had them when they were
 * recorded. The layout: trace-cmd.dat(5), "initial format".
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanname.h"
#include "providers/perfdata/perfdata_priv.h"

struct cursor {
	const char *at, *end;
	bool is_damaged;
};

static const char *take(struct cursor *c, uint64_t n)
{
	const char *at = c->at;

	if (n > (uint64_t)(c->end - at)) {
		c->is_damaged = true;
		c->at = c->end;
		return NULL;
	}
	c->at += n;
	return at;
}

static uint64_t take_number(struct cursor *c, size_t size)
{
	const char *at = take(c, size);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, size);
	return v;
}

/* With the NUL behind it. */
static const char *take_string(struct cursor *c)
{
	const char *nul = memchr(c->at, 0, (size_t)(c->end - c->at));

	if (nul)
		return take(c, (uint64_t)(nul + 1 - c->at));
	c->is_damaged = true;
	c->at = c->end;
	return NULL;
}

/* A text and its size in front of it; *n is that. */
static const char *take_text(struct cursor *c, uint64_t *n)
{
	*n = take_number(c, sizeof(*n));
	return take(c, *n);
}

static bool take_head(struct cursor *c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const char *at = take(c, sizeof(magic) - 1);
	uint64_t n;

	if (!at || memcmp(at, magic, sizeof(magic) - 1) != 0 || !take_string(c))
		return false;
	take(c, 2 + 4);			   /* byte order, size of a long, of a page */
	for (unsigned i = 0; i < 2; i++) { /* header_page, header_event */
		take_string(c);
		take_text(c, &n);
	}
	return !c->is_damaged;
}

static void skip_formats(struct cursor *c, uint64_t n)
{
	uint64_t size;

	for (uint64_t i = 0; i < n && !c->is_damaged; i++)
		take_text(c, &size);
}

/* Names of probes, fields and types come from it. */
static void visit_format(const char *system, const char *bytes, size_t size,
			 void (*fn)(void *, const char *, const char *), void *arg)
{
	char *copy = strndup(bytes, size), *text;

	if (!copy)
		die("no memory");
	text = text_cleaned(copy);
	fn(arg, system, text);
	free(text);
	free(copy);
}

static void visit_system(struct cursor *c, void (*fn)(void *, const char *, const char *),
			 void *arg)
{
	const char *system = take_string(c);
	const uint64_t n = take_number(c, sizeof(uint32_t));
	struct strbuf name;

	strbuf_init(&name);
	if (system)
		name_clean(&name, system, strlen(system));
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		uint64_t size;
		const char *text = take_text(c, &size);

		if (text)
			visit_format(name.s, text, size, fn, arg);
	}
	strbuf_release(&name);
}

bool perfdata_systems(const struct perfdata *d, size_t *number, size_t *end)
{
	const struct perffeature *f = &d->features[PERFDATA_F_TRACING_DATA];
	struct cursor c;

	if (!f->bytes)
		return false;
	c = (struct cursor){f->bytes, f->bytes + f->size, false};
	if (!take_head(&c))
		return false;
	skip_formats(&c, take_number(&c, sizeof(uint32_t)));
	*number = (size_t)(c.at - f->bytes);
	for (uint64_t n = take_number(&c, sizeof(uint32_t)); n && !c.is_damaged; n--) {
		take_string(&c);
		skip_formats(&c, take_number(&c, sizeof(uint32_t)));
	}
	*end = (size_t)(c.at - f->bytes);
	return !c.is_damaged;
}

int perfdata_each_format(const struct perfdata *d,
			 void (*fn)(void *arg, const char *system, const char *text), void *arg,
			 struct err *err)
{
	const struct perffeature *f = &d->features[PERFDATA_F_TRACING_DATA];
	struct cursor c;

	if (d->nparts)
		return perfdata_each_of_all(d, fn, arg, err);
	if (!f->bytes)
		return 0;
	c = (struct cursor){f->bytes, f->bytes + f->size, false};
	if (take_head(&c)) {
		skip_formats(&c, take_number(&c, sizeof(uint32_t))); /* of ftrace itself */
		for (uint64_t n = take_number(&c, sizeof(uint32_t)); n && !c.is_damaged; n--)
			visit_system(&c, fn, arg);
		if (!c.is_damaged)
			return 0;
	}
	return err_set(err, -EBADMSG, "%s: the formats of its tracepoints are damaged", d->path);
}
