/*
 * toolfile.c: a tool's file: its first line, its head (a comment), and the folder of all of them.
 *
 *	#!/usr/bin/env -S dtrace --tool
 *	 * NAME: what it tells
 *	 *
 *	 * OPERAND...    macro             help
 *	 * -i SECONDS    macro = 0         help: an option with a value, and the value it has else
 *	 * -m            macro             help: a flag: the macro is 1 with it
 *	 * -u            macro = 1 | 1000  help: a flag: the macro is 1 without it, 1000 with it
 *	 *
 *	 * Any other line is printed by -h as it stands.
 *
 * Two blanks or a tab separate columns.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/ownplace.h"
#include "base/procfile.h"
#include "command/tool/tool_priv.h"

#define TOOL_MAX   ((off_t)1 << 20)
#define FIRST_LINE "dtrace --tool"

/* Where the tools are. NULL: nowhere. The caller frees. */
static char *tool_folder(void)
{
	static const char *const places[] = {"dscripts/bin", "../dscripts/bin",
					     "../share/dtrace/bin"};

	return own_place(places, ARRAY_SIZE(places));
}

struct tool_decl *tool_macro(const struct tool *t, const char *name, size_t length)
{
	for (unsigned i = 0; i < t->ndecls; i++)
		if (strlen(t->decls[i].macro) == length &&
		    strncmp(t->decls[i].macro, name, length) == 0)
			return &t->decls[i];
	return NULL;
}

/* ---- a line of the head ---- */

/* Cuts the next column off; "" at the end. */
static char *column(char **at)
{
	char *begin = *at + strspn(*at, " \t"), *end = begin;

	while (*end && *end != '\t' && strncmp(end, "  ", 2) != 0)
		end++;
	*at = end + (*end != '\0');
	*end = '\0';
	return begin;
}

/* "macro", "macro = default", "macro = default | given" */
static int bind(struct tool_decl *d, char *text, struct err *err)
{
	char *equals = strstr(text, " = "), *bar = equals ? strstr(equals, " | ") : NULL;

	if (bar)
		*bar = '\0';
	if (equals)
		*equals = '\0';
	if (!*text || text[strspn(text, "abcdefghijklmnopqrstuvwxyz")])
		return err_set(err, -EINVAL, "'%s' is no name of a macro: small letters", text);
	if (bar && d->kind)
		return err_set(err, -EINVAL, "%s: only a flag has a second value", d->shown);
	d->macro = xstrdup(text);
	d->when_given = xstrdup(bar ? bar + 3 : "1");
	if (!equals)
		return 0;
	if (!d->kind)
		strbuf_adds(&d->value, equals + 3);
	else if (!d->kind->take(&d->value, equals + 3))
		return err_set(err, -EINVAL, "%s: '%s' is not %s", d->shown, equals + 3,
			       d->kind->wants);
	return 0;
}

/* Is it of an option or an operand? Sets letter, kind, shown. */
static bool is_declaration(struct tool_decl *d, const char *left)
{
	const char *word = left + (*left == '['), *end;

	if (*left == '-' && isalpha((unsigned char)left[1])) {
		d->letter = left[1];
		word = left + 2 + (left[2] == ' ');
	} else if (!isupper((unsigned char)*word)) {
		return false;
	}
	d->is_optional = *left == '[';
	end = word + strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	d->is_many = strncmp(end, "...", 3) == 0;
	if (*end && *end != ']' && !d->is_many)
		return false;
	d->kind = tool_kind_of(word, (size_t)(end - word));
	d->shown = xstrdup(left);
	return d->kind || (d->letter && !*word);
}

static int add_line(struct tool *t, char *line, struct err *err)
{
	struct tool_decl d = {.letter = 0};
	char *copy = xstrdup(line), *at = copy, *left = column(&at);
	int rc = 0;

	strbuf_init(&d.value);
	if (!is_declaration(&d, left)) {
		strbuf_addf(&t->notes, "%s\n", line);
		free(d.shown);
		strbuf_release(&d.value);
	} else {
		rc = bind(&d, column(&at), err);
		d.help = xstrdup(at + strspn(at, " \t"));
		if (rc == 0 && !*d.help)
			rc = err_set(err, -EINVAL, "%s has no help", d.shown);
		if (rc == 0 && d.letter && strchr(TOOL_COMMON, d.letter))
			rc = err_set(err, -EINVAL, "-%c is an option of all tools", d.letter);
		t->decls = xrealloc(t->decls, (t->ndecls + 1) * sizeof(*t->decls));
		t->decls[t->ndecls++] = d;
	}
	free(copy);
	return rc;
}

/* ---- a file ---- */

static int read_text(struct tool *t, struct err *err)
{
	struct stat st;
	int rc = stat(t->path, &st) < 0 ? -errno : 0;

	if (rc == 0 && !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s is not a regular file", t->path);
	if (rc == 0 && st.st_size > TOOL_MAX)
		return err_set(err, -EFBIG, "%s is longer than %ld bytes, which no tool may be",
			       t->path, (long)TOOL_MAX);
	if (rc == 0)
		rc = slurp(t->path, &t->text);
	if (rc < 0)
		return err_set(err, rc, "failed to open %s: %s", t->path, strerror(-rc));
	if (strlen(t->text.s) != t->text.len)
		return err_set(err, -EINVAL, "%s is no text", t->path);
	return 0;
}

/* Cuts the line at *at off; NULL: that was all. */
static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	*at = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

/* "NAME: what it tells" */
static int take_summary(struct tool *t, const char *line, struct err *err)
{
	const char *colon = strstr(line, ": ");

	if (!colon)
		return err_set(err, -EINVAL, "the comment begins with NAME: what it tells");
	t->name = xasprintf("%.*s", (int)(colon - line), line);
	t->summary = xstrdup(colon + 2);
	return 0;
}

static int read_head(struct tool *t, struct err *err)
{
	char *at = t->text.s, *line = next_line(&at);
	unsigned n = 2;
	int rc = 0;

	if (!line || strncmp(line, "#!", 2) != 0 || !strstr(line, FIRST_LINE))
		return err_set(
			err, -EINVAL,
			"%s is a script, not a tool, and is run by itself: %s --help tells how",
			t->path, t->path);
	line = next_line(&at);
	if (!line || strcmp(line, "/*") != 0)
		return err_set(err, -EINVAL,
			       "%s: line 2: a comment that tells what it takes comes first",
			       t->path);
	while (rc == 0 && (line = next_line(&at)) && strcmp(line, " */") != 0) {
		n++;
		line += strspn(line, " ");
		line += *line == '*';
		line += *line == ' ';
		rc = t->summary ? add_line(t, line, err) : take_summary(t, line, err);
	}
	if (rc == 0 && (!line || !t->summary))
		rc = err_set(err, -EINVAL, "the first comment does not end");
	if (rc < 0) {
		err_wrap(err, "%s: line %u", t->path, n);
		return rc;
	}
	t->body = at;
	t->body_line = n + 2;
	return 0;
}

/* What a name that is none may have meant. */
struct meant {
	const char *word;
	struct nearest nearest;
	char *begins; /* a name that begins so; NULL: none */
};

static void add_meant(void *arg, const char *name)
{
	struct meant *m = arg;
	size_t n = strlen(m->word);

	nearest_add(&m->nearest, name);
	if (!m->begins && n > 2 && strncmp(name, m->word, n) == 0)
		m->begins = xstrdup(name);
}

static int no_tool(const char *name, const char *folder, struct err *err)
{
	struct meant m = {.word = name};
	struct strbuf hint;

	if (!folder)
		return err_set(err, -ENOENT,
			       "there is no tool %s: the folder of tools is neither in the tree "
			       "nor installed beside the command",
			       name);
	nearest_init(&m.nearest, name);
	strbuf_init(&hint);
	tools_each(add_meant, &m);
	if (!nearest_say(&m.nearest, &hint) && m.begins)
		strbuf_addf(&hint, "did you mean %s?", m.begins);
	err_set(err, -ENOENT, "there is no tool %s%s%s dtrace --tools lists them", name,
		hint.len ? ": " : ";", hint.s);
	free(m.begins);
	strbuf_release(&hint);
	nearest_release(&m.nearest);
	return -ENOENT;
}

int tool_open(struct tool *t, const char *name, struct err *err)
{
	char *folder = tool_folder();
	int rc = 0;

	*t = (struct tool){.program = PROGRAM_NONE};
	strbuf_init(&t->text);
	strbuf_init(&t->notes);
	t->path =
		strchr(name, '/') ? xstrdup(name) : xasprintf("%s/%s", folder ? folder : ".", name);
	if (!strchr(name, '/') && (!folder || !*name || *name == '.' || access(t->path, F_OK) < 0))
		rc = no_tool(name, folder, err);
	if (rc == 0)
		rc = read_text(t, err);
	if (rc == 0)
		rc = read_head(t, err);
	free(folder);
	return rc;
}

void tool_release(struct tool *t)
{
	for (unsigned i = 0; i < t->ndecls; i++) {
		struct tool_decl *d = &t->decls[i];

		free(d->shown);
		free(d->macro);
		free(d->help);
		free(d->when_given);
		strbuf_release(&d->value);
	}
	free(t->decls);
	free(t->name);
	free(t->path);
	free(t->summary);
	strbuf_release(&t->text);
	strbuf_release(&t->notes);
}

/* ---- all of them ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void each(void (*fn)(void *arg, const struct tool *), void *arg)
{
	char *folder = tool_folder();
	struct dirent **entries;
	int n = folder ? scandir(folder, &entries, NULL, by_name) : -1;

	for (int i = 0; i < n; i++) {
		struct tool t;

		if (*entries[i]->d_name != '.') {
			/* scripts of other kinds are no tools */
			if (tool_open(&t, entries[i]->d_name, NULL) == 0)
				fn(arg, &t);
			tool_release(&t);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(folder);
}

struct listing {
	FILE *out;
	const char *word;
	unsigned n;
	void (*fn)(void *arg, const char *name);
	void *arg;
};

static void list_one(void *arg, const struct tool *t)
{
	struct listing *l = arg;

	if (l->word && !strcasestr(t->name, l->word) && !strcasestr(t->summary, l->word))
		return;
	fprintf(l->out, "%-16s %s\n", t->name, t->summary);
	l->n++;
}

bool tools_list(FILE *out, const char *word)
{
	struct listing l = {.out = out, .word = word};

	each(list_one, &l);
	return l.n > 0;
}

static void name_one(void *arg, const struct tool *t)
{
	struct listing *l = arg;

	l->fn(l->arg, t->name);
}

void tools_each(void (*fn)(void *arg, const char *name), void *arg)
{
	struct listing l = {.fn = fn, .arg = arg};

	each(name_one, &l);
}
