/* usdt_make.c: the files of -h and -G: their names, and writing them. */
#include <errno.h>
#include <stdio.h>

#include "command/usdt_build.h"
#include "command/usdt_make.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "dir/prov.d" → "prov" with another ending; NULL: it does not end so. */
static const char *renamed(struct session *s, const struct source *src, const char *ending)
{
	const char *base = last_part(src->name);
	size_t n = strlen(base);

	if (src->kind != SOURCE_SCRIPT || n < 2 || strcmp(base + n - 2, ".d") != 0)
		return NULL;
	return arena_printf(s->arena, "%.*s%s", (int)n - 2, base, ending);
}

static int write_file(const char *path, const struct strbuf *text, struct err *err)
{
	FILE *f = fopen(path, "we");
	bool ok;

	if (!f)
		return err_set(err, -errno, "failed to open output file '%s': %s", path,
			       strerror(errno));
	ok = fwrite(text->s, 1, text->len, f) == text->len;
	ok = fclose(f) == 0 && ok;
	return ok ? 0 : err_set(err, -errno, "failed to write %s: %s", path, strerror(errno));
}

int make_header(struct session *s, const struct cmdline *cmd, struct err *err)
{
	const char *path = cmd->made ? cmd->made : renamed(s, &cmd->sources[0], ".h");
	struct strbuf text;
	int rc;

	if (!path)
		path = arena_printf(s->arena, "%s.h", last_part(cmd->sources[0].name));
	strbuf_init(&text);
	rc = usdt_header(s, last_part(path), &text, err);
	if (rc < 0)
		rc = err_wrap(err, "failed to create header file %s", path);
	else
		rc = write_file(path, &text, err);
	strbuf_release(&text);
	return rc;
}

/* ---- -G ---- */

static const char *object_name(struct session *s, const struct cmdline *cmd, unsigned i)
{
	const char *name = renamed(s, &cmd->sources[i], ".o");

	if (cmd->nsources == 1 && cmd->made)
		return cmd->made;
	if (name)
		return name;
	return cmd->nsources > 1 ? arena_printf(s->arena, "d.out.%u", i) : "d.out";
}

static int make_object(struct session *s, const struct cmdline *cmd, const struct source *src,
		       const char *path, struct err *err)
{
	struct strbuf text;
	int rc;

	strbuf_init(&text);
	rc = usdt_object(s, src, cmd->objects, cmd->nobjects, &text, err);
	if (rc == 0)
		rc = write_file(path, &text, err);
	strbuf_release(&text);
	return rc;
}

/* As messages of -G call a program. */
static const char *called(struct session *s, const struct source *src)
{
	size_t n = strlen(src->name);

	if (src->kind != SOURCE_SCRIPT)
		return arena_printf(s->arena, "description %s", src->name);
	if (n > 2 && strcmp(src->name + n - 2, ".d") == 0)
		n -= 2;
	return arena_printf(s->arena, "script %.*s", (int)n, src->name);
}

int make_objects(struct session *s, const struct cmdline *cmd, struct err *err)
{
	int rc = 0;

	if (opt(&s->options, OPT_LINKTYPE) == LINKTYPE_DOF)
		return err_set(err, -EINVAL,
			       "failed to link %s: linktype dof is not supported: programs on "
			       "Linux have notes",
			       called(s, &cmd->sources[0]));
	for (unsigned i = 0; i < cmd->nsources && rc == 0; i++) {
		rc = make_object(s, cmd, &cmd->sources[i], object_name(s, cmd, i), err);
		if (rc < 0)
			rc = err_wrap(err, "failed to link %s", called(s, &cmd->sources[i]));
	}
	if (rc == 0 && cmd->nsources > 1 && cmd->made)
		rc = make_object(s, cmd, NULL, cmd->made, err);
	return rc;
}
