#include "symbols/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanname.h"
#include "base/clock.h"
#include "base/endreq.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/procfile.h"
#include "base/regfile.h"
#include "base/strbuf.h"
#include "symbols/jitdump.h"

#define MAX_CODES     2000000
#define MAX_SIZE      ((uint64_t)1 << 30) /* of one piece of code */
#define MAX_FILE      ((off_t)512 << 20)
#define MAX_READ      ((uint64_t)4 << 30) /* of all that was there, written anew again and again */
#define LIMIT_SECONDS 2			  /* each time: the writer may not stop */
#define MAX_NESTING   1024		  /* pieces around an address that are looked at */
#define LOOK_NS	      100000000		  /* how often a jitdump is looked for: maps may be long */
#define TAIL	      64		  /* bytes before our place that must still be the same */

/* The jitdump file of a process, if it has one: it maps a page of it, for tools like us to see. */
struct dump {
	int fd;		  /* -1: not found yet */
	uint64_t next_ns; /* when to look for it again */
	off_t at;	  /* the beginning of the first record not yet taken; 0: the header */
	bool is_broken;	  /* the rest cannot be read */
};

struct jitmap {
	pid_t pid;
	struct jitowner owner; /* of a process that is gone; since 0: not known */
	struct dump dump;
	int fd; /* -1: not found yet */
	dev_t dev;
	ino_t ino;
	off_t at; /* the beginning of the first line not yet taken */
	char tail[TAIL];
	size_t ntail;
	uint64_t nread;
	off_t again_to; /* up to here the file repeats what it had before it was written anew */
	struct jitcode *codes;
	unsigned n, room;
	struct hash latest; /* address → index + 1 of the latest piece that starts there */
	struct hash known;  /* what identity() says of each piece → not NULL */
	/* by address, the latest of equals last; built when asked for */
	unsigned *order, nordered;
	taddr_t *reach; /* how far the pieces up to each one extend */
	struct arena arena;
	struct strbuf tidied;
};

struct jitmap *jitmap_new(pid_t pid)
{
	struct jitmap *m = xcalloc(1, sizeof(*m));

	m->pid = pid;
	m->fd = m->dump.fd = -1;
	hash_init(&m->latest);
	hash_init(&m->known);
	arena_init(&m->arena);
	strbuf_init(&m->tidied);
	return m;
}

void jitmap_free(struct jitmap *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	if (m->dump.fd >= 0)
		close(m->dump.fd);
	strbuf_release(&m->tidied);
	hash_release(&m->latest);
	hash_release(&m->known);
	arena_release(&m->arena);
	free(m->codes);
	free(m->order);
	free(m->reach);
	free(m);
}

void jitmap_owned(struct jitmap *m, const struct jitowner *owner)
{
	m->owner = *owner;
	m->owner.is_alive = false;
}

/* ---- the file ---- */

/* A process's age is in ticks since the system was started. */
static time_t began(pid_t pid)
{
	char text[1024];
	const char *ticks;

	procfile_start(pid, "stat", text, sizeof(text));
	ticks = procstat_field(text, 22);
	if (!ticks)
		return 0;
	return time(NULL) - (time_t)(clock_ns(CLOCK_BOOTTIME) / 1000000000U) +
	       (time_t)(strtoull(ticks, NULL, 10) / (unsigned long long)sysconf(_SC_CLK_TCK));
}

void jitowner_find(pid_t pid, struct jitowner *o)
{
	char text[8192], *inner;
	const char *uid, *numbers;

	*o = (struct jitowner){.inner = pid, .uid = geteuid()};
	o->is_alive = procfile_start(pid, "status", text, sizeof(text)) >= 0;
	o->since = o->is_alive ? began(pid) : 0;
	uid = procstatus_value(text, "Uid");
	if (uid)
		o->uid = (uid_t)strtoul(uid, NULL, 10);
	numbers = procstatus_value(text, "NSpid"); /* one for each namespace, its own the last */
	while (numbers && *numbers != '\n') {
		pid_t number = (pid_t)strtol(numbers, &inner, 10);

		if (inner == numbers)
			break;
		o->inner = number;
		numbers = inner;
	}
}

/* A file that the process's owner or root has made, by its name there, or as /proc shows it. -1:
 * there is none. */
static int open_owned(pid_t pid, const struct jitowner *owner, const char *path, bool is_shown,
		      struct stat *st)
{
	int root = owner->is_alive ? fileroot_of(pid, is_shown ? &path : NULL) : FILEROOT_OURS;
	int fd = regfile_open(root, path, REGFILE_NO_LINK);

	fileroot_close(root);
	if (fd >= 0 && (fstat(fd, st) || (st->st_uid && st->st_uid != owner->uid))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Of events that come from a file: where their maps may be, and when they can have been written. */
static struct {
	char *folder; /* NULL: events are live */
	time_t end;
} recorded;

void jit_recorded(const char *file, time_t end)
{
	const char *slash = strrchr(file, '/');

	free(recorded.folder);
	recorded.folder = slash ? xasprintf("%.*s", (int)(slash - file), file) : xstrdup(".");
	recorded.end = end;
}

/* Beside the recording, or where it was written: there another process may have the number now. */
static int open_recorded(pid_t pid, struct stat *st)
{
	const struct jitowner owner = {.inner = pid, .uid = geteuid()};
	const char *const folders[] = {recorded.folder, "/tmp"};
	char path[4096 + 64];
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/perf-%d.map", folders[i], pid);
		fd = open_owned(pid, &owner, path, false, st);
		if (fd >= 0 && i && st->st_mtime > recorded.end) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* Looks for the file again: it may have come, or another one may have its name now. */
static void find_file(struct jitmap *m)
{
	struct jitowner owner;
	struct stat st;
	char path[96];
	int fd;

	if (recorded.folder) {
		owner = (struct jitowner){0};
		fd = open_recorded(m->pid, &st);
	} else {
		jitowner_find(m->pid, &owner);
		if (!owner.is_alive && m->owner.since)
			owner = m->owner;
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", owner.inner);
		fd = open_owned(m->pid, &owner, path, false, &st);
	}
	if (fd < 0)
		return;
	/* pids come again: what was last written before this process began is of another one */
	if ((m->fd >= 0 && st.st_ino == m->ino && st.st_dev == m->dev) ||
	    st.st_mtime < owner.since - 1) {
		close(fd);
		return;
	}
	if (m->fd >= 0)
		close(m->fd);
	m->fd = fd;
	m->dev = st.st_dev;
	m->ino = st.st_ino;
	m->at = 0;
	m->ntail = 0;
}

/* A file that was cut off and written anew (a JVM does it at each request) is read anew. */
static bool was_rewritten(const struct jitmap *m)
{
	char now[TAIL];

	return m->ntail &&
	       (pread(m->fd, now, m->ntail, m->at - (off_t)m->ntail) != (ssize_t)m->ntail ||
		memcmp(now, m->tail, m->ntail) != 0);
}

/* ---- the codes ---- */

static struct jitcode *latest_at(const struct jitmap *m, taddr_t addr)
{
	uintptr_t i = (uintptr_t)hash_get(&m->latest, addr);

	return i ? &m->codes[i - 1] : NULL;
}

/* As it is kept: cleaned, and not longer than anyone reads. Valid until the next. */
static const char *tidy(struct jitmap *m, const char *name)
{
	strbuf_clear(&m->tidied);
	name_clean(&m->tidied, name, strnlen(name, (size_t)JIT_NAME_MAX - 1));
	strbuf_cut(&m->tidied, MIN(m->tidied.len, (size_t)JIT_NAME_MAX - 1));
	return m->tidied.len ? m->tidied.s : "";
}

static uint64_t identity(taddr_t addr, uint64_t size, const char *name)
{
	return hash_u64(addr) ^ hash_u64(~size) ^
	       hash_bytes(name, strnlen(name, (size_t)JIT_NAME_MAX - 1));
}

static bool append(struct jitmap *m, taddr_t addr, uint64_t size, const char *name, bool told)
{
	const char *text;

	if (!size || size > MAX_SIZE || addr + size < addr || m->n == MAX_CODES)
		return false;
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 1024;
		m->codes = xrealloc(m->codes, m->room * sizeof(*m->codes));
	}
	text = arena_strdup(&m->arena, name);
	m->codes[m->n++] = (struct jitcode){addr, size, text, told};
	hash_put(&m->latest, addr, (void *)(uintptr_t)m->n);
	hash_put(&m->known, identity(addr, size, text), m);
	return true;
}

bool jitmap_add(struct jitmap *m, taddr_t addr, uint64_t size, const char *name)
{
	return append(m, addr, size, tidy(m, name), true);
}

void jitmap_add_missing(struct jitmap *m, taddr_t addr, uint64_t size, const char *name)
{
	name = tidy(m, name);
	if (!hash_get(&m->known, identity(addr, size, name)))
		append(m, addr, size, name, true);
}

/* What was told already, and what a file written anew repeats, is no news. */
static void add_line(struct jitmap *m, taddr_t addr, uint64_t size, const char *name)
{
	struct jitcode *old = latest_at(m, addr);
	bool again = old && (old->told || m->at < m->again_to) && old->size == size;

	name = tidy(m, name);
	if (again && !strcmp(old->name, name))
		old->told = false;
	else
		append(m, addr, size, name, false);
}

static void take_line(struct jitmap *m, char *line)
{
	char *end;
	taddr_t addr = strtoull(line, &end, 16);
	uint64_t size;

	if (*end != ' ')
		return;
	size = strtoull(end + 1, &end, 16);
	if (*end == ' ' && end[1])
		add_line(m, addr, size, end + 1);
}

/* The whole lines in buf; returns how many bytes they are. */
static size_t take_lines(struct jitmap *m, char *buf, size_t n)
{
	char *line = buf, *nl;

	while ((nl = memchr(line, '\n', n - (size_t)(line - buf)))) {
		*nl = '\0';
		take_line(m, line);
		*nl = '\n';
		line = nl + 1;
	}
	return (size_t)(line - buf);
}

static void keep_tail(struct jitmap *m, const char *buf, size_t n)
{
	m->ntail = MIN(n, (size_t)TAIL);
	memcpy(m->tail, buf + n - m->ntail, m->ntail);
}

static void poll_map(struct jitmap *m)
{
	static char buf[1 << 16];
	struct time_limit limit;
	struct stat st;
	ssize_t n;
	size_t taken;

	find_file(m);
	time_limit_begin(&limit, LIMIT_SECONDS);
	if (m->fd < 0 || fstat(m->fd, &st) || st.st_size == m->at)
		return;
	if (st.st_size < m->at || was_rewritten(m)) {
		m->again_to = MAX(m->again_to, m->at);
		m->at = 0;
		m->ntail = 0;
	}
	while (m->at < MAX_FILE && m->nread < MAX_READ && !time_limit_is_over(&limit) &&
	       (n = pread(m->fd, buf, sizeof(buf), m->at)) > 0) {
		m->nread += (uint64_t)n;
		taken = take_lines(m, buf, (size_t)n);
		if (!taken && n < (ssize_t)sizeof(buf))
			return; /* a line that is still being written */
		if (taken)
			keep_tail(m, buf, taken);
		else
			taken = (size_t)n; /* no line is as long */
		m->at += (off_t)taken;
	}
}

/* ---- jitdump ---- */

static int open_dump(pid_t pid, const char *path)
{
	struct jitowner owner;
	struct stat st;

	jitowner_find(pid, &owner);
	return open_owned(pid, &owner, path, true, &st);
}

/* The file of a mapping, if it may be a jitdump. */
static int open_mapped_dump(pid_t pid, const char *path)
{
	const char *base = *path == '/' ? strrchr(path, '/') : NULL;

	if (!base || strncmp(base, "/jit-", 5) != 0 || !strstr(base, ".dump"))
		return -1;
	return open_dump(pid, path);
}

static void find_dump(struct jitmap *m)
{
	uint64_t now_ns = now_mono();
	struct procmap line;
	struct strbuf text;
	char name[64], *at;
	int r;

	if (m->dump.fd >= 0 || now_ns < m->dump.next_ns)
		return;
	m->dump.next_ns = now_ns + LOOK_NS;
	strbuf_init(&text);
	r = procfile_slurp(m->pid, "maps", &text);
	at = text.s;
	while (m->dump.fd < 0 && procmap_next(&at, &line))
		m->dump.fd = open_mapped_dump(m->pid, line.path);
	strbuf_release(&text);
	if (!r)
		return;
	snprintf(name, sizeof(name), "jit-%d.dump",
		 m->pid); /* it is gone: as a program of -c had it */
	m->dump.fd = open_dump(m->pid, name);
}

static void take_record(void *arg, taddr_t addr, uint64_t size, const char *name, taddr_t old)
{
	struct jitmap *m = arg;
	const struct jitcode *moved = name ? NULL : latest_at(m, old);

	if (name)
		add_line(m, addr, size, name);
	else if (moved)
		add_line(m, addr, size, moved->name);
}

static void read_dump(struct jitmap *m)
{
	struct dump *d = &m->dump;
	size_t room = 1 << 16, taken, need;
	char *buf = xmalloc(room);
	struct time_limit limit;
	ssize_t n;

	time_limit_begin(&limit, LIMIT_SECONDS);
	while (!d->is_broken && d->at < MAX_FILE && !time_limit_is_over(&limit) &&
	       (n = pread(d->fd, buf, room, d->at)) > 0) {
		need = 0;
		taken = d->at ? jitdump_records(buf, (size_t)n, take_record, m, &need)
			      : jitdump_header(buf, (size_t)n);
		d->at += (off_t)taken;
		d->is_broken = need == SIZE_MAX;
		if (!taken && need <= room)
			break; /* the rest is still being written */
		if (!d->is_broken && need > room) {
			room = need;
			buf = xrealloc(buf, room);
		}
	}
	free(buf);
}

void jitmap_poll(struct jitmap *m)
{
	poll_map(m);
	if (m->fd < 0) /* who writes both says the same in both */
		find_dump(m);
	if (m->dump.fd >= 0)
		read_dump(m);
}

unsigned jitmap_count(const struct jitmap *m)
{
	return m->n;
}

const struct jitcode *jitmap_get(const struct jitmap *m, unsigned i)
{
	return &m->codes[i];
}

/* By address, then by age. The order of the codes is their age. */
static const struct jitcode *sorting;

static int by_place(const void *pa, const void *pb)
{
	unsigned a = *(const unsigned *)pa, b = *(const unsigned *)pb;

	if (sorting[a].addr != sorting[b].addr)
		return sorting[a].addr < sorting[b].addr ? -1 : 1;
	return a < b ? -1 : 1;
}

static void sort(struct jitmap *m)
{
	m->order = xrealloc(m->order, (m->n + 1) * sizeof(*m->order));
	m->reach = xrealloc(m->reach, (m->n + 1) * sizeof(*m->reach));
	for (unsigned i = 0; i < m->n; i++)
		m->order[i] = i;
	sorting = m->codes;
	qsort(m->order, m->n, sizeof(*m->order), by_place);
	for (unsigned i = 0; i < m->n; i++) {
		const struct jitcode *c = &m->codes[m->order[i]];

		m->reach[i] = MAX(i ? m->reach[i - 1] : 0, c->addr + c->size);
	}
	m->nordered = m->n;
}

const struct jitcode *jitmap_at(struct jitmap *m, taddr_t pc)
{
	unsigned lo = 0, hi = m->n, best = 0, seen = 0;

	if (m->nordered != m->n)
		sort(m);
	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (m->codes[m->order[mid]].addr <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo-- && m->reach[lo] > pc && seen < MAX_NESTING; seen++) {
		const struct jitcode *c = &m->codes[m->order[lo]];

		if (pc - c->addr < c->size)
			best = MAX(best, m->order[lo] + 1);
	}
	return best && m->codes[best - 1].name[0] ? &m->codes[best - 1] : NULL;
}

/* ---- names ---- */

static void put(char out[JIT_NAME_MAX], const char *s, size_t n)
{
	n = MIN(n, (size_t)JIT_NAME_MAX - 1);
	memcpy(out, s, n);
	out[n] = '\0';
}

/* V8: "KIND:" and a mark of the tier, one or none of "~^+*". */
static const char *after_kind(const char *name)
{
	static const char *const kinds[] = {
		"JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "Callback:"};

	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i]);

		if (!strncmp(name, kinds[i], n))
			return name + n + strspn(name + n, "~^+*");
	}
	return NULL;
}

/* CPython: "py::Class.method:/file.py", which becomes "Class.method /file.py", as V8 has it. */
static bool python_name(const char *name, char out[JIT_NAME_MAX])
{
	char *colon;

	if (strncmp(name, "py::", 4) != 0)
		return false;
	put(out, name + 4, strlen(name + 4));
	colon = strchr(out, ':');
	if (colon)
		*colon = ' ';
	return true;
}

void jit_function_name(const char *name, char out[JIT_NAME_MAX])
{
	const char *v8 = after_kind(name), *paren = strchr(name, '('), *start, *colons;

	if (python_name(name, out))
		return;
	if (v8) {
		put(out, v8, strlen(v8));
		return;
	}
	start = paren;
	while (start && start > name && start[-1] != ' ')
		start--;
	if (!paren || start == paren) {
		put(out, name, strlen(name));
		return;
	}
	put(out, start, (size_t)(paren - start));
	colons = strstr(out, "::");
	if (name[0] != '[' && !strchr(name, ']'))
		return;
	if (colons) { /* .NET writes Class::Method */
		size_t at = (size_t)(colons - out);

		out[at] = '.';
		memmove(out + at + 1, out + at + 2, strlen(out + at + 2) + 1);
	}
}

bool jit_matches(const char *name, const char *pattern)
{
	char function[JIT_NAME_MAX];

	if (!pattern[0] || glob_match(pattern, name))
		return true;
	jit_function_name(name, function);
	if (glob_match(pattern, function))
		return true;
	function[strcspn(function, " ")] = '\0';
	return function[0] && glob_match(pattern, function);
}
