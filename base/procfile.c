#include "base/procfile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
	int fd = open(path, O_RDONLY | O_CLOEXEC);
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

int procfile_slurp(pid_t pid, const char *name, struct strbuf *text)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return slurp(path, text);
}

ssize_t procfile_start(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return slurp_start(path, buf, size);
}

/* ---- stat, status, auxv ---- */

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

/* START-END PERMS OFFSET MAJOR:MINOR INODE [PATH], PERMS being four letters */
static bool parse_line(char *at, struct procmap *m)
{
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
	m->dev_major = (unsigned)hex(&at);
	at += *at == ':';
	m->dev_minor = (unsigned)hex(&at);
	m->ino = strtoull(at, &at, 10);
	m->path = at + strspn(at, " ");
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
