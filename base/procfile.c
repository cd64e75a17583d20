#include "base/procfile.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"

/* ---- whole files ---- */

int slurp(const char *path, struct strbuf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	char buf[1 << 14];
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			strbuf_add(text, buf, (size_t)n);
	r = n < 0 ? -errno : 0;
	close(fd);
	return r;
}

ssize_t slurp_start(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a FIFO has no end */
	ssize_t n = -1;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	n = n < 0 ? -errno : n;
	close(fd);
	buf[MAX(n, 0)] = '\0';
	return n;
}

#define PATH_ROOM 96

static bool hides_others;

void procfile_hide_others(void)
{
	hides_others = true;
}

bool procfile_is_hidden(pid_t pid)
{
	return hides_others && pid != getpid() && pid != getppid();
}

int procfile_slurp(pid_t pid, const char *name, struct strbuf *text)
{
	char path[PATH_ROOM];

	if (procfile_is_hidden(pid))
		return -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return slurp(path, text);
}

ssize_t procfile_start(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[PATH_ROOM];

	buf[0] = '\0';
	if (procfile_is_hidden(pid))
		return -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return slurp_start(path, buf, size);
}

/* wq_worker_comm() of kernel/workqueue.c: "kworker/u8:3", then "-" or "+" and a work queue. */
static void cut_work(char *comm)
{
	char *at = strncmp(comm, "kworker/", 8) == 0 ? strchr(comm, ':') : NULL;

	if (at)
		at[strcspn(at, "-+")] = '\0';
}

void procfile_comm(pid_t pid, const char *name, char comm[static 16])
{
	char text[64];
	size_t n;

	procfile_start(pid, name, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	cut_work(text);
	n = strnlen(text, 15);
	memcpy(comm, text, n);
	memset(comm + n, 0, 16 - n);
}

ssize_t procfile_link(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[PATH_ROOM];
	ssize_t n;

	buf[0] = '\0';
	if (procfile_is_hidden(pid))
		return -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	n = readlink(path, buf, size - 1);
	n = n < 0 ? -errno : n;
	buf[MAX(n, 0)] = '\0';
	return n;
}

/* ---- who there is ---- */

pid_t procid_of(const char *name)
{
	int64_t id = 0;

	for (; *name >= '0' && *name <= '9' && id <= INT_MAX; name++)
		id = id * 10 + (*name - '0');
	return *name || id > INT_MAX ? 0 : (pid_t)id;
}

int procids_open(struct procids *ids, pid_t pid)
{
	char path[PATH_ROOM];

	ids->dir = NULL;
	if (hides_others && (!pid || procfile_is_hidden(pid)))
		return -ESRCH;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	ids->dir = opendir(pid ? path : "/proc");
	return ids->dir ? 0 : -errno;
}

pid_t procids_next(struct procids *ids)
{
	const struct dirent *e;
	pid_t id = 0;

	while (ids->dir && !id && (e = readdir(ids->dir)))
		id = procid_of(e->d_name);
	return id;
}

void procids_close(struct procids *ids)
{
	if (ids->dir)
		closedir(ids->dir);
	ids->dir = NULL;
}

/* ---- stat, status, auxv, cpuinfo ---- */

const char *procstat_field(const char *text, unsigned n)
{
	text = strrchr(text, ')'); /* the name may hold anything */
	for (unsigned field = 2; text && field < n; field++) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

const char *procstatus_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ':')
			return line + len + 1 + strspn(line + len + 1, " \t");
	}
	return NULL;
}

const char *cpuinfo_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		if (strncmp(line, name, len) != 0)
			continue;
		at = line + len + strspn(line + len, " \t");
		if (*at == ':')
			return at + 1 + strspn(at + 1, " \t");
	}
	return NULL;
}

bool cpuinfo_has_flag(const char *text, const char *flag)
{
	const char *at = cpuinfo_value(text, "flags");
	size_t len = strlen(flag), n;

	for (; at && *at && *at != '\n'; at += n + (at[n] == ' ')) {
		n = strcspn(at, " \n");
		if (n == len && !strncmp(at, flag, n))
			return true;
	}
	return false;
}

uint64_t procauxv(pid_t pid, uint64_t type)
{
	struct strbuf text;
	Elf64_auxv_t av;
	uint64_t value = 0;

	strbuf_init(&text);
	procfile_slurp(pid, "auxv", &text);
	for (size_t at = 0; at + sizeof(av) <= text.len && !value; at += sizeof(av)) {
		memcpy(&av, text.s + at, sizeof(av));
		if (av.a_type == type)
			value = av.a_un.a_val;
	}
	strbuf_release(&text);
	return value;
}

/* ---- maps ---- */

/* A process of many threads has thousands of lines: strtoull and sscanf are felt. */
static uint64_t hex(char **at)
{
	uint64_t v = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

/* One per process by nature: what is mapped anywhere of files that this one has made. */
static struct {
	struct copied_file {
		struct procmap_file copy, of;
	} * v;
	unsigned n;
} copies;

static bool is_file(const struct procmap_file *a, const struct procmap_file *b)
{
	return a->ino == b->ino && a->dev_minor == b->dev_minor && a->dev_major == b->dev_major;
}

void procmap_add_copy(const struct procmap_file *copy, const struct procmap_file *of)
{
	copies.v = xrealloc(copies.v, (copies.n + 1) * sizeof(*copies.v));
	copies.v[copies.n++] = (struct copied_file){.copy = *copy, .of = *of};
}

bool procmap_original(struct procmap_file *f)
{
	for (unsigned i = 0; i < copies.n; i++)
		if (is_file(&copies.v[i].copy, f)) {
			*f = copies.v[i].of;
			return true;
		}
	return false;
}

/* START-END PERMS OFFSET MAJOR:MINOR INODE [PATH], PERMS being four letters */
static bool parse_line(char *at, struct procmap *m)
{
	struct procmap_file f;

	m->start = hex(&at);
	if (*at++ != '-')
		return false;
	m->end = hex(&at);
	if (strlen(at) < 6)
		return false;
	m->read = at[1] == 'r';
	m->write = at[2] == 'w';
	m->exec = at[3] == 'x';
	m->shared = at[4] == 's';
	at += 6;
	m->offset = hex(&at);
	at += strspn(at, " ");
	f.dev_major = (unsigned)hex(&at);
	at += *at == ':';
	f.dev_minor = (unsigned)hex(&at);
	f.ino = strtoull(at, &at, 10);
	m->path = at + strspn(at, " ");
	m->is_copy = procmap_original(&f);
	m->dev_major = f.dev_major;
	m->dev_minor = f.dev_minor;
	m->ino = f.ino;
	return true;
}

bool procmap_next(char **at, struct procmap *m)
{
	char *line, *end;

	while ((end = strchr(*at, '\n'))) {
		line = *at;
		*at = end + 1;
		*end = '\0';
		if (parse_line(line, m))
			return true;
	}
	return false;
}

/* ---- mountinfo ---- */

/* Blanks, tabs, newlines and backslashes of a name stand there as a backslash and three octal
 * digits. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		bool is_escape = s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
				 s[2] <= '7' && s[3] >= '0' && s[3] <= '7';

		if (is_escape) {
			unsigned c =
				(unsigned)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));

			memcpy(to++, &(unsigned char){(unsigned char)c}, 1);
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /root /mnt rw,noatime shared:1 - ext4 /dev/sda rw" */
bool procmount_parse(char *line, struct procmount *m)
{
	enum { ID, PARENT, DEVICE, ROOT, POINT, OPTIONS, NFIELDS };
	char *field[NFIELDS], *at = line, *word, *colon;

	line[strcspn(line, "\n")] = '\0';
	for (unsigned i = 0; i < NFIELDS; i++)
		if (!(field[i] = strsep(&at, " ")) || !*field[i])
			return false;
	colon = strchr(field[DEVICE], ':');
	while ((word = strsep(&at, " ")) && strcmp(word, "-") != 0) /* optional fields */
		;
	if (!colon || !word || !(word = strsep(&at, " ")) || !*word)
		return false;
	*m = (struct procmount){
		.id = strtoll(field[ID], NULL, 10),
		.dev_major = (unsigned)strtoul(field[DEVICE], NULL, 10),
		.dev_minor = (unsigned)strtoul(colon + 1, NULL, 10),
		.root = field[ROOT],
		.point = field[POINT],
		.type = word,
	};
	unescape(m->root);
	unescape(m->point);
	unescape(m->type);
	return true;
}

void procmounts_each(pid_t pid, bool (*fn)(void *arg, const struct procmount *), void *arg)
{
	char path[PATH_ROOM], *line = NULL;
	struct procmount m;
	bool goes_on = true;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	f = fopen(path, "re");
	while (f && goes_on && getline(&line, &room, f) > 0)
		goes_on = !procmount_parse(line, &m) || fn(arg, &m);
	free(line);
	if (f)
		fclose(f);
}
