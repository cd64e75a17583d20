/*
 * tooltext.c: the D program of a tool, as its options make it.
 *
 *	$name      the value of an option or operand; behind a list of functions, what stands behind
 *it (:entry) is put behind each
 *	${name}    the same, where a letter follows
 *	$$name     the same as a string of D
 *	#if name, #if !name, #else, #endif, at the beginning of a line: lines that are there if the
 *value is neither empty nor 0
 *
 * `program` is the one that is traced (-p, -c, --), $ours a predicate: the event is its or its
 *descendants' (1 without one). All other names are D's.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "command/tool/tool_priv.h"

#define NEST_MAX 16

struct expansion {
	const struct tool *tool;
	struct strbuf *out;
	unsigned line;
	/* of each #if that is open: do its lines count, did they before #else */
	bool counts[NEST_MAX + 1], was_true[NEST_MAX + 1];
	unsigned depth;
	struct err *err;
};

static int wrong(struct expansion *x, const char *what, const char *name, size_t length)
{
	return err_set(x->err, -EINVAL, "%s: line %u: %s%.*s", x->tool->path, x->line, what,
		       (int)length, name);
}

static void add_string(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			strbuf_addc(out, '\\');
		if (c < ' ' || c == 0x7f)
			strbuf_addf(out, "\\%03o", c);
		else
			strbuf_addc(out, (char)c);
	}
	strbuf_addc(out, '"');
}

/* Each line of the list with `suffix` behind it, unless it is a whole probe, as one list of probe
 * descriptions. */
static void add_list(struct strbuf *out, const char *list, const char *suffix, size_t length)
{
	for (; *list; list += *list == '\n') {
		size_t n = strcspn(list, "\n");

		strbuf_add(out, list, n);
		if (!tool_is_whole_probe(list, n))
			strbuf_add(out, suffix, length);
		list += n;
		if (*list)
			strbuf_adds(out, ",\n");
	}
}

/* Whose events are meant. */
static const char *whose(const struct tool *t, bool with_children)
{
	bool is_of_program = false, is_elsewhere = false;

	for (unsigned i = 0; i < t->ndecls; i++)
		if (t->decls[i].kind && t->decls[i].kind->is_list)
			for (const char *p = t->decls[i].value.s; *p; p += *p == '\n') {
				size_t n = strcspn(p, "\n");

				if (memmem(p, n, "$target", strlen("$target")))
					is_of_program = true;
				else
					is_elsewhere = true;
				p += n;
			}
	if (t->program == PROGRAM_NONE || (is_of_program && !is_elsewhere))
		return "1";
	if (t->program == PROGRAM_RECORDED)
		return with_children ? "(!$target || progenyof($target))"
				     : "(!$target || pid == $target)";
	return with_children && t->program == PROGRAM_COMMAND ? "progenyof($target)"
							      : "pid == $target";
}

/* A macro at p, which is behind the dollars. Returns the length of what was taken, -EINVAL. */
static int add_macro(struct expansion *x, const char *p, bool is_quoted)
{
	bool is_braced = *p == '{';
	size_t n = strspn(p + is_braced, "abcdefghijklmnopqrstuvwxyz"), more = 0;
	const struct tool_decl *d = tool_macro(x->tool, p + is_braced, n);

	if (is_braced && (!d || p[n + 1] != '}'))
		return wrong(x, "there is no option or operand ${", p + 1, n);
	p += is_braced;
	if (!d && n == strlen("ours") && strncmp(p, "ours", n) == 0) {
		strbuf_adds(x->out, whose(x->tool, false));
	} else if (!d && n == strlen("family") && strncmp(p, "family", n) == 0) {
		strbuf_adds(x->out, whose(x->tool, true));
	} else if (!d) {
		strbuf_addf(x->out, "%s%.*s", is_quoted ? "$$" : "$", (int)n, p);
	} else if (is_quoted) {
		add_string(x->out, d->value.s);
	} else if (d->kind && d->kind->is_text) {
		return wrong(x, "a text stands in quotes: $$", p, n);
	} else if (d->kind && d->kind->is_list) {
		more = p[n] == ':' ? 1 + strspn(p + n + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
		add_list(x->out, d->value.s, p + n, more);
	} else {
		strbuf_adds(x->out, d->value.len ? d->value.s : "0");
	}
	return (int)(n + more + 2 * is_braced);
}

static int add_line(struct expansion *x, const char *p, const char *end)
{
	size_t before = x->out->len;

	while (p < end) {
		bool is_quoted = p[0] == '$' && p[1] == '$';
		int n;

		if (*p != '$') {
			strbuf_addc(x->out, *p++);
			continue;
		}
		p += 1 + is_quoted;
		n = add_macro(x, p, is_quoted);
		if (n < 0)
			return n;
		p += n;
	}
	if (strcmp(x->out->s + before, "/1/") == 0)
		strbuf_cut(x->out, before);
	else
		strbuf_addc(x->out, '\n');
	return 0;
}

static int condition(struct expansion *x, const char *name, size_t length, bool *is_true)
{
	bool is_not = *name == '!';
	const struct tool_decl *d;

	name += is_not;
	length -= is_not;
	d = tool_macro(x->tool, name, length);
	if (!d && (length != strlen("program") || strncmp(name, "program", length) != 0))
		return wrong(x, "#if: there is no option or operand ", name, length);
	*is_true =
		d ? d->value.len && strcmp(d->value.s, "0") != 0 : x->tool->program != PROGRAM_NONE;
	*is_true ^= is_not;
	return 0;
}

/* A control line of ours; 0: it is none, 1: it was one. */
static int control(struct expansion *x, const char *p, size_t n)
{
	bool is_true = false;

	if (n > 4 && strncmp(p, "#if ", 4) == 0) {
		if (x->depth == NEST_MAX)
			return wrong(x, "#if within too many others", "", 0);
		if (condition(x, p + 4, n - 4, &is_true) < 0)
			return -EINVAL;
		x->depth++;
		x->was_true[x->depth] = is_true;
		x->counts[x->depth] = x->counts[x->depth - 1] && is_true;
		return 1;
	}
	if ((n != 5 || strncmp(p, "#else", n) != 0) && (n != 6 || strncmp(p, "#endif", n) != 0))
		return 0;
	if (!x->depth)
		return wrong(x, "no #if before ", p, n);
	if (n == 5)
		x->counts[x->depth] = x->counts[x->depth - 1] && !x->was_true[x->depth];
	else
		x->depth--;
	return 1;
}

int tool_expand(const struct tool *t, struct strbuf *out, struct err *err)
{
	struct expansion x = {
		.tool = t, .out = out, .line = t->body_line, .counts = {true}, .err = err};

	strbuf_addf(out, "#!/usr/bin/env -S dtrace -s\n/* %s: %s */\n", t->name, t->summary);
	for (const char *p = t->body; *p; x.line++) {
		size_t n = strcspn(p, "\n");
		int rc = control(&x, p, n);

		if (rc == 0 && x.counts[x.depth])
			rc = add_line(&x, p, p + n);
		if (rc < 0)
			return rc;
		p += n + (p[n] == '\n');
	}
	return x.depth ? wrong(&x, "an #if does not end", "", 0) : 0;
}
