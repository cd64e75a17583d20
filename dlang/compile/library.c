/*
 * library.c: the libraries of D that every program is compiled with (docs/spec/d-language.md
 * §16.1): the files *.d of the system's directory, then those of the directories of -L, each
 * directory by name, and each file after those it depends on.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ownplace.h"
#include "base/strbuf.h"
#include "dlang/parse/compiler.h"
#include "dlang/session_engine.h"

enum mark { MARK_NEW, MARK_ENTERED, MARK_DONE };

struct library {
	const char *dir, *name, *path; /* "lib", "io.d", "lib/io.d" */
	char *text;
	size_t length;
	enum mark mark;
	struct library *next;
};

struct loader {
	struct session *s;
	struct err *err;
	struct library *first, **tail;
	const char *chain[PATH_MAX / 16]; /* paths of the libraries that are entered */
	unsigned depth;
};

/* ---- finding ---- */

/* Where the command was built, or installed: its own place tells. */
static const char *system_directory(struct session *s)
{
	static const char *const places[] = {"dscripts/lib", "../dscripts/lib",
					     "../lib/dtrace/lib"};
	const char *asked = s->options.text[OPT_SYSLIBDIR];
	char *own;

	if (asked)
		return asked;
	own = own_place(places, ARRAY_SIZE(places));
	if (own)
		asked = arena_strdup(s->arena, own);
	free(own);
	return asked;
}

#define LIBRARY_MAX (16 << 20)

/* The text of a regular file; NULL: why is in errno. */
static char *read_file(struct arena *a, const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0) {
		n = -1;
	} else if (S_ISREG(st.st_mode) && st.st_size > LIBRARY_MAX) {
		errno = EFBIG;
	} else if (S_ISREG(st.st_mode)) {
		text = arena_alloc(a, (size_t)st.st_size + 1);
		n = read(fd, text, (size_t)st.st_size);
	} else {
		errno = EINVAL;
	}
	close(fd);
	*length = (size_t)MAX(n, 0);
	return n < 0 ? NULL : text;
}

static void add_file(struct loader *l, const char *dir, const char *name)
{
	struct library *lib = ARENA_NEW(l->s->arena, struct library);

	lib->dir = dir;
	lib->name = arena_strdup(l->s->arena, name);
	lib->path = arena_printf(l->s->arena, "%s/%s", dir, name);
	lib->text = read_file(l->s->arena, lib->path, &lib->length);
	if (!lib->text) {
		session_message(l->s, MSG_ERR, false, "library %s is left out: %s", lib->path,
				errno == EINVAL ? "it is not a regular file" : strerror(errno));
		return;
	}
	*l->tail = lib;
	l->tail = &lib->next;
}

static int is_library(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 2 && e->d_name[0] != '.' && strcmp(e->d_name + n - 2, ".d") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name); /* whatever the locale is */
}

static void add_directory(struct loader *l, const char *dir)
{
	struct dirent **entries;
	int n = dir ? scandir(dir, &entries, is_library, by_name) : -1;

	for (int i = 0; i < n; i++) {
		add_file(l, dir, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void add_directories(struct loader *l)
{
	const char *list = l->s->options.text[OPT_LIBDIR];

	add_directory(l, system_directory(l->s));
	while (list && *list) {
		size_t n = strcspn(list, "\n");

		add_directory(l, arena_strndup(l->s->arena, list, n));
		list += n + (list[n] == '\n');
	}
}

/* ---- order ---- */

/* The next word of the line at *p, which moves past it. */
static size_t take_word(const char **p, const char **word)
{
	size_t n;

	*p += strspn(*p, " \t");
	*word = *p;
	n = strcspn(*p, " \t\r\n");
	*p += n;
	return n;
}

/* The library that the control line at p depends on; NULL: it is not about that. */
static const char *depends_on(struct arena *a, const char *p)
{
	static const char *const words[] = {"pragma", "D", "depends_on", "library"};
	const char *word;
	size_t n;

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		n = take_word(&p, &word);
		if (n != strlen(words[i]) || memcmp(word, words[i], n) != 0)
			return NULL;
	}
	n = take_word(&p, &word);
	return n ? arena_strndup(a, word, n) : NULL;
}

/* The one beside it is meant, else the first of that name. */
static struct library *find_library(const struct loader *l, const char *dir, const char *name)
{
	struct library *found = NULL;

	for (struct library *lib = l->first; lib; lib = lib->next) {
		if (strcmp(lib->name, name) != 0)
			continue;
		if (strcmp(lib->dir, dir) == 0)
			return lib;
		if (!found)
			found = lib;
	}
	return found;
}

static int fail_cycle(const struct loader *l, const struct library *lib)
{
	unsigned i = 0;

	while (l->chain[i] != lib->path)
		i++;
	return err_set(l->err, -ELOOP, "Cyclic dependency detected: %s => %s", lib->path,
		       i + 1 < l->depth ? l->chain[i + 1] : lib->path);
}

static int load_library(struct loader *, struct library *);

static int load_dependencies(struct loader *l, const struct library *lib)
{
	const char *p = lib->text;
	int rc = 0;

	for (; p && *p && rc == 0; p = strchr(p, '\n')) {
		const char *name;
		struct library *on;

		p += strspn(p, " \t\r\n");
		name = *p == '#' ? depends_on(l->s->arena, p + 1) : NULL;
		if (!name)
			continue;
		on = find_library(l, lib->dir, name);
		rc = on ? load_library(l, on)
			: err_set(l->err, -ENOENT, "Invalid library dependency in %s: %s/%s",
				  lib->path, lib->dir, name);
	}
	return rc;
}

static int load_library(struct loader *l, struct library *lib)
{
	int rc;

	if (lib->mark == MARK_DONE)
		return 0;
	if (lib->mark == MARK_ENTERED)
		return fail_cycle(l, lib);
	if (l->depth == ARRAY_SIZE(l->chain))
		return err_set(l->err, -ELOOP, "%s: too many libraries depend on each other",
			       lib->path);
	lib->mark = MARK_ENTERED;
	l->chain[l->depth++] = lib->path;
	rc = load_dependencies(l, lib);
	l->depth--;
	if (rc == 0)
		rc = compile_library(l->s, lib->path, lib->text, lib->length, l->err);
	lib->mark = MARK_DONE;
	return rc;
}

int libraries_load(struct session *s, struct err *err)
{
	struct loader l = {.s = s, .err = err};
	int rc = 0;

	l.tail = &l.first;
	add_directories(&l);
	s->engine->idents->in_library = true;
	for (struct library *lib = l.first; lib && rc == 0; lib = lib->next)
		rc = load_library(&l, lib);
	s->engine->idents->in_library = false;
	return rc;
}
