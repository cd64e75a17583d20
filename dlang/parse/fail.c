/*
 * fail.c: how the first error of a program is said, and left for (docs/spec/d-language.md §17.1).
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "dlang/parse/lex.h"

static bool is_script(const struct compiler *cc)
{
	return cc->src->kind == SOURCE_SCRIPT;
}

#define LONG_TEXT 120

bool source_is_long(const struct source *src)
{
	size_t n = src->length;

	while (n && isspace((unsigned char)src->text[n - 1]))
		n--;
	return src->kind != SOURCE_SCRIPT && (n > LONG_TEXT || memchr(src->text, '\n', n));
}

int source_shown(const struct source *src)
{
	size_t n = strcspn(src->text, "\n");

	if (src->kind == SOURCE_SCRIPT || !source_is_long(src))
		return (int)strlen(src->name);
	if (n > LONG_TEXT / 2)
		n = MIN(strcspn(src->text, "{/;\n"), LONG_TEXT / 2);
	return (int)n;
}

/* Are places told by their lines? */
static bool has_lines(const struct compiler *cc)
{
	return is_script(cc) || source_is_long(cc->src);
}

static void say_location(const struct compiler *cc, int line, struct strbuf *out)
{
	if (cc->file)
		strbuf_addf(out, "\"%s\", line %d: ", cc->file, line);
	else if (has_lines(cc))
		strbuf_addf(out, "line %d: ", line);
	if (cc->file || is_script(cc))
		return;
	if (cc->phase == PHASE_BODY)
		strbuf_adds(out, "in action list: ");
	else if (cc->phase == PHASE_PREDICATE)
		strbuf_adds(out, "in predicate: ");
}

/* Where in the text the error is; NULL: nowhere in particular. */
static const char *place_of(const struct compiler *cc)
{
	const char *at = cc->at;

	if (!at && !cc->is_parsed && cc->lex)
		at = cc->lex->tok.text;
	return at && at >= cc->src->text && at <= cc->src->text + cc->src->length ? at : NULL;
}

/*
 * The line of the program, with a mark under the place; of a long line the part around it. The text
 * of the message itself is fixed, so only for a person who reads along.
 */
static void show_place(const struct compiler *cc, struct strbuf *out)
{
	enum { BEFORE = 60, BEHIND = 40 };
	const char *at = place_of(cc), *begin = cc->src->text, *end = begin + cc->src->length;
	const char *from = at, *to = at;

	if (!at || !isatty(STDERR_FILENO))
		return;
	while (from > begin && from[-1] != '\n' && at - from < BEFORE)
		from--;
	while (to < end && *to && *to != '\n' && to - at < BEHIND)
		to++;
	strbuf_addf(out, "\n%.*s\n", (int)(to - from), from);
	for (const char *p = from; p < at; p++)
		strbuf_addc(out, *p == '\t' ? '\t' : ' ');
	strbuf_addc(out, '^');
}

/* Gives the text up, and adds tag and location in front. */
static void say(struct compiler *cc, int tag, int line, bool with_location, struct strbuf *text)
{
	const char *name = errtag_name(tag);
	struct strbuf where;

	strbuf_init(&where);
	if (name && opt_on(&cc->session->options, OPT_ERRTAGS))
		strbuf_addf(&where, "[%s] ", name);
	if (with_location)
		say_location(cc, line, &where);
	show_place(cc, text);
	if (cc->hint)
		strbuf_addf(text, "\n%s: %s", cc->session->progname, cc->hint);
	err_set(cc->err, -EINVAL, "%s%s", where.s, text->s);
	strbuf_release(&where);
	strbuf_release(text);
}

static void PRINTF_LIKE(5, 0) vsay(struct compiler *cc, int tag, int line, bool with_location,
				   const char *fmt, va_list ap)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_vaddf(&text, fmt, ap);
	say(cc, tag, line, with_location, &text);
}

void compile_fail(struct compiler *cc, int tag, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(cc, tag, line, true, fmt, ap);
	va_end(ap);
	longjmp(cc->fail, 1);
}

void compile_fail_bare(struct compiler *cc, int tag, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(cc, tag, line, cc->file || has_lines(cc), fmt, ap);
	va_end(ap);
	longjmp(cc->fail, 1);
}

void compile_fail_plain(struct compiler *cc, const char *what)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, what);
	say(cc, D_NONE, 0, false, &text);
	longjmp(cc->fail, 1);
}

void compile_skip(struct compiler *cc)
{
	cc->skipped = true;
	longjmp(cc->fail, 1);
}
