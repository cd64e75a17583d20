#include "providers/kernel/tracefs/tracefs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "providers/kernel/tracefs/tpcache.h"

#define FORMAT_MAX 65536

struct tracefs {
	bool is_open; /* has been tried */
	int events;   /* the folder; -1: none */
	const char *place;
	struct arena arena;
	struct strmap formats; /* "system/name" → struct tpformat */
	char *list;	       /* of tpcache.h, where there is no folder; NULL: none */
};

struct tracefs *tracefs_new(void)
{
	struct tracefs *t = xcalloc(1, sizeof(*t));

	t->events = -1;
	arena_init(&t->arena);
	strmap_init(&t->formats);
	return t;
}

struct tracefs *tracefs_of_list(char *list, const char *place)
{
	struct tracefs *t = tracefs_new();

	t->is_open = true;
	t->list = list;
	t->place = place;
	return t;
}

void tracefs_free(struct tracefs *t)
{
	if (!t)
		return;
	if (t->events >= 0)
		close(t->events);
	free(t->list);
	strmap_release(&t->formats);
	arena_release(&t->arena);
	free(t);
}

/* ---- where it is ---- */

/* The events folder of a tracefs that is attached to no folder and ends with us (fsmount(2)). */
static int mount_own(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mnt = -1, events = -1;

	if (fs < 0)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	if (mnt >= 0) {
		events = openat(mnt, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(mnt);
	}
	return events;
}

static void open_events(struct tracefs *t)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[64];

	if (t->is_open)
		return;
	t->is_open = true;
	for (unsigned i = 0; i < ARRAY_SIZE(places) && t->events < 0; i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		t->events = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		t->place = places[i];
	}
	if (t->events < 0) {
		t->events = mount_own();
		t->place = "a mount of our own";
	}
	if (t->events >= 0)
		return;
	t->list = tpcache_read();
	t->place = t->list ? "the provider list" : NULL;
}

int tracefs_check(struct tracefs *t, struct err *err)
{
	open_events(t);
	if (t->events >= 0 || t->list)
		return 0;
	return err_set(err, -EACCES,
		       "tracefs is not readable: run as root once with -l to write the provider "
		       "list, or remount it readable");
}

const char *tracefs_place(struct tracefs *t)
{
	open_events(t);
	return t->place;
}

FILE *tracefs_open(struct tracefs *t, const char *name)
{
	char path[256];
	int fd;

	open_events(t);
	snprintf(path, sizeof(path), "../%s", name);
	fd = t->events >= 0 ? openat(t->events, path, O_RDONLY | O_CLOEXEC) : -1;
	return fd >= 0 ? fdopen(fd, "r") : NULL;
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folders in one, sorted. Returns how many; the caller frees names and list. */
static unsigned folders(int dirfd, const char *name, char ***out)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	unsigned n = 0, room = 0;
	char **v = NULL;
	const struct dirent *e;

	*out = NULL;
	while (d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		if (n == room) {
			room = room ? room * 2 : 64;
			v = xrealloc(v, room * sizeof(*v));
		}
		v[n++] = xstrdup(e->d_name);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	if (n)
		qsort(v, n, sizeof(*v), by_name);
	*out = v;
	return n;
}

static void free_names(char **v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

/* ---- the list ---- */

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : NULL;
}

/* The next line, from this one on, with which an entry begins; NULL: there is none. */
static const char *next_mark(const char *at)
{
	static const char mark[] = "system: ";

	while (at && strncmp(at, mark, sizeof(mark) - 1) != 0)
		at = next_line(at);
	return at;
}

/* The next entry: its two names, and the rest as the text of a format. NULL: there is none. */
static const char *next_entry(const char *at, char system[static 128], char name[static 128])
{
	const char *mark = next_mark(at);

	/* one without names is none */
	while (mark && sscanf(mark, "system: %127s name: %127s", system, name) != 2)
		mark = next_mark(next_line(mark));
	return mark ? next_line(mark) : NULL;
}

/* The records of the kernel's own tracers: they are described there, but nobody can enable them. */
static bool is_of_ftrace(const char *system)
{
	return strcmp(system, "ftrace") == 0;
}

static void each_listed(const struct tracefs *t,
			void (*fn)(void *arg, const char *system, const char *name), void *arg)
{
	char system[128], name[128];
	const char *at = t->list;

	while (at && (at = next_entry(at, system, name)))
		if (!is_of_ftrace(system))
			fn(arg, system, name);
}

/* The text of one entry, the caller's; NULL: it is not there. */
static char *find_listed(const struct tracefs *t, const char *system, const char *name)
{
	char s[128], n[128];
	const char *at = t->list, *end;

	while (at && (at = next_entry(at, s, n)))
		if (strcmp(s, system) == 0 && strcmp(n, name) == 0) {
			char *text;

			end = next_mark(at);
			text = xstrdup(at);
			if (end)
				text[end - at] = '\0';
			return text;
		}
	return NULL;
}

void tracefs_each(struct tracefs *t, void (*fn)(void *arg, const char *system, const char *name),
		  void *arg)
{
	char **systems, **names;
	unsigned nsystems, nnames;

	open_events(t);
	if (t->events < 0) {
		each_listed(t, fn, arg);
		return;
	}
	nsystems = folders(t->events, ".", &systems);
	for (unsigned i = 0; i < nsystems; i++) {
		if (is_of_ftrace(systems[i]))
			continue;
		nnames = folders(t->events, systems[i], &names);
		for (unsigned j = 0; j < nnames; j++)
			fn(arg, systems[i], names[j]);
		free_names(names, nnames);
	}
	free_names(systems, nsystems);
}

static bool is_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

bool tracefs_has(struct tracefs *t, const char *system, const char *name)
{
	char path[512];

	open_events(t);
	if (!is_name(system) || !is_name(name) || is_of_ftrace(system))
		return false;
	if (t->events < 0)
		return tracefs_format(t, system, name) != NULL;
	snprintf(path, sizeof(path), "%s/%s", system, name);
	return faccessat(t->events, path, F_OK, 0) == 0;
}

/* ---- formats ---- */

static bool number_after(const char *line, const char *key, uint32_t *out)
{
	const char *p = strstr(line, key);
	char *end;

	if (!p)
		return false;
	p += strlen(key);
	*out = (uint32_t)strtoul(p, &end, 10);
	return end != p;
}

static char *copy_trimmed(struct arena *a, const char *s, size_t n)
{
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	return arena_strndup(a, s, n);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "const char * filename", "char comm[16]", "__data_loc char[] name" → type, name, elements. */
static bool parse_decl(struct arena *a, const char *decl, size_t n, struct tpfield *f)
{
	static const struct {
		const char *word;
		enum tpplace place;
	} marks[] = {{"__data_loc ", TP_DATA_LOC}, {"__rel_loc ", TP_REL_LOC}};
	size_t end = n, start;
	char *type, *bracket;

	f->place = TP_INLINE;
	for (unsigned i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t len = strlen(marks[i].word);

		if (n > len && strncmp(decl, marks[i].word, len) == 0) {
			f->place = marks[i].place;
			decl += len;
			end = n -= len;
		}
	}
	if (end && decl[end - 1] == ']') {
		while (end && decl[end - 1] != '[')
			end--;
		f->nelems = (uint32_t)strtoul(decl + end, NULL, 10);
		if (!end--)
			return false;
	}
	for (start = end; start && is_word(decl[start - 1]); start--)
		;
	if (start == end || !start)
		return false;
	f->name = arena_strndup(a, decl + start, end - start);
	type = copy_trimmed(a, decl, start);
	bracket = strchr(type, '[');
	if (bracket) /* "char[]" of a dynamic array */
		*bracket = '\0';
	f->type = type;
	return true;
}

static bool parse_field(struct arena *a, const char *line, size_t n, struct tpfield *f)
{
	const char *semi = memchr(line, ';', n);
	char rest[256];
	uint32_t is_signed;

	*f = (struct tpfield){0};
	if (!semi)
		return false;
	snprintf(rest, sizeof(rest), "%.*s", (int)(n - (size_t)(semi - line)), semi);
	if (!number_after(rest, "offset:", &f->offset) || !number_after(rest, "size:", &f->size) ||
	    !number_after(rest, "signed:", &is_signed) || f->size > FORMAT_MAX ||
	    f->offset > FORMAT_MAX)
		return false;
	f->is_signed = is_signed != 0;
	return parse_decl(a, line, (size_t)(semi - line), f);
}

static void add_field(struct arena *a, struct tpformat *fmt, unsigned *room,
		      const struct tpfield *f)
{
	struct tpfield *bigger;

	if (fmt->nfields == *room) {
		*room = *room ? *room * 2 : 8;
		bigger = arena_alloc(a, *room * sizeof(*f));
		if (fmt->nfields)
			memcpy(bigger, fmt->fields, fmt->nfields * sizeof(*f));
		fmt->fields = bigger;
	}
	fmt->fields[fmt->nfields++] = *f;
	fmt->size = MAX(fmt->size, f->offset + f->size);
}

struct tpformat *tpformat_parse(struct arena *a, const char *system, const char *text)
{
	struct tpformat *fmt = ARENA_NEW(a, struct tpformat);
	unsigned room = 0;
	const char *line = text, *end;

	fmt->system = arena_strdup(a, system);
	fmt->size = TP_COMMON_SIZE;
	for (; *line; line = *end ? end + 1 : end) {
		struct tpfield f;

		end = line + strcspn(line, "\n");
		if (strncmp(line, "name: ", 6) == 0)
			fmt->name = arena_strndup(a, line + 6, (size_t)(end - line) - 6);
		else if (strncmp(line, "ID: ", 4) == 0)
			fmt->id = (uint32_t)strtoul(line + 4, NULL, 10);
		if (strncmp(line, "\tfield:", 7) != 0 ||
		    !parse_field(a, line + 7, (size_t)(end - line) - 7, &f))
			continue;
		if (f.offset < TP_COMMON_SIZE)
			continue;
		add_field(a, fmt, &room, &f);
	}
	return fmt->name && fmt->id ? fmt : NULL;
}

/* The description of an event, the caller's; NULL: it cannot be read. */
static char *read_text(const struct tracefs *t, const char *system, const char *name)
{
	char path[512], *text;
	size_t n = 0;
	ssize_t got;
	int fd;

	if (t->events < 0)
		return find_listed(t, system, name);
	snprintf(path, sizeof(path), "%s/%s/format", system, name);
	fd = openat(t->events, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = xmalloc(FORMAT_MAX + 1);
	while (n < FORMAT_MAX && (got = read(fd, text + n, FORMAT_MAX - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	return text;
}

const struct tpformat *tracefs_format(struct tracefs *t, const char *system, const char *name)
{
	struct tpformat *fmt;
	char key[512], *text;

	if (!is_name(system) || !is_name(name))
		return NULL;
	snprintf(key, sizeof(key), "%s/%s", system, name);
	fmt = strmap_get(&t->formats, key);
	if (fmt)
		return fmt;
	open_events(t);
	text = read_text(t, system, name);
	fmt = text ? tpformat_parse(&t->arena, system, text) : NULL;
	free(text);
	if (fmt)
		strmap_put(&t->formats, arena_strdup(&t->arena, key), fmt);
	return fmt;
}

const struct tpformat *tracefs_known(const struct tracefs *t, uint32_t id)
{
	for (size_t i = 0; i < t->formats.nslots; i++) {
		const struct tpformat *fmt =
			t->formats.slots[i].key ? t->formats.slots[i].value : NULL;

		if (fmt && fmt->id == id)
			return fmt;
	}
	return NULL;
}

char *tracefs_text(struct tracefs *t, const char *system, const char *name)
{
	open_events(t);
	return is_name(system) && is_name(name) ? read_text(t, system, name) : NULL;
}

struct keeping {
	const struct tracefs *tracefs;
	struct strbuf list;
};

static void keep_one(void *arg, const char *system, const char *name)
{
	struct keeping *k = arg;
	char *text = read_text(k->tracefs, system, name), *print;

	if (!text)
		return;
	print = strstr(text, "\nprint fmt:");
	if (print)
		print[1] = '\0';
	strbuf_addf(&k->list, "system: %s\n%s", system, text);
	free(text);
}

void tracefs_keep(struct tracefs *t)
{
	struct keeping k = {.tracefs = t};
	char path[4096];

	open_events(t);
	if (t->events < 0 || geteuid() != 0 || !tpcache_path(path, sizeof(path)) ||
	    access(path, F_OK) == 0)
		return;
	strbuf_init(&k.list);
	tracefs_each(t, keep_one, &k);
	tpcache_write(k.list.s, k.list.len, NULL);
	strbuf_release(&k.list);
}

const struct tpfield *tpformat_field(const struct tpformat *fmt, const char *name)
{
	for (unsigned i = 0; i < fmt->nfields; i++)
		if (strcmp(fmt->fields[i].name, name) == 0)
			return &fmt->fields[i];
	return NULL;
}

/* ---- records ---- */

uint64_t tpfield_int(const struct tpfield *f, const void *raw, size_t n)
{
	uint64_t v = 0;
	unsigned shift = f->size < 8 ? 64 - 8 * f->size : 0;

	if (!f->size || f->size > 8 || f->offset + f->size > n)
		return 0;
	memcpy(&v, (const char *)raw + f->offset, f->size);
	return f->is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

const char *tpfield_place(const struct tpfield *f, const void *raw, size_t n, size_t *len)
{
	uint32_t at = f->offset, size = f->size;
	uint16_t word[2];

	*len = 0;
	if (at + size > n)
		return NULL;
	if (f->place != TP_INLINE) {
		if (size < sizeof(word))
			return NULL;
		memcpy(word, (const char *)raw + at, sizeof(word));
		at = word[0] + (f->place == TP_REL_LOC ? f->offset + 4 : 0);
		size = word[1];
		if (at + size > n)
			return NULL;
	}
	*len = size;
	return (const char *)raw + at;
}

const char *tpfield_bytes(const struct tpfield *f, const void *raw, size_t n, size_t *len)
{
	const char *at = tpfield_place(f, raw, n, len);

	if (at)
		*len = strnlen(at, *len);
	return at;
}
