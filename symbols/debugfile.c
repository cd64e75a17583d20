/*
 * Separate debug files: where the symbols of a stripped file are. In the order of
 * how much they say: the debug directories by build-id, the name in .gnu_debuglink, debuginfod if
 * the user has set it up, and .gnu_debugdata, a small symbol table in the file itself.
 *
 * A debug file of another build would put breakpoints into the middle of instructions: its build-id
 * must be the file's; where that has none, the checksum in .gnu_debuglink must be right.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/endreq.h"
#include "base/regfile.h"
#include "symbols/elf_priv.h"

#define MAX_DIRS      16
#define MAX_DEBUGDATA ((uint64_t)256 << 20) /* unpacked */
#define LZMA_MEMORY   ((uint64_t)256 << 20)
#define LIMIT_SECONDS 20 /* for what is asked of a whole file */

/* One per process by nature: the user's choice of directories. */
static const char *dirs[MAX_DIRS] = {"/usr/lib/debug"};
static unsigned ndirs = 1;

void objfile_add_debug_dir(const char *dir)
{
	if (ndirs == MAX_DIRS)
		return;
	memmove(dirs + ndirs, dirs + ndirs - 1, sizeof(*dirs)); /* the system's stays the last */
	dirs[ndirs++ - 1] = xstrdup(dir);
}

/* ---- is it the right one? ---- */

static bool same_build(const struct objfile *a, const struct objfile *b)
{
	return a->buildid_len && a->buildid_len == b->buildid_len &&
	       memcmp(a->buildid, b->buildid, a->buildid_len) == 0;
}

/* Somebody has put a file there, and it is of no use: the first reason is kept. */
static void trouble(const struct objfile *o, const char *path, const char *why)
{
	struct objfile_priv *p = priv(o);

	if (!p->trouble)
		p->trouble = arena_printf(&p->arena, "%s: the debug file %s is not read: %s",
					  o->path, name_cleaned(&p->arena, path), why);
}

/*
 * The checksum of .gnu_debuglink is that of zlib, which liblzma has, too. Not of more than the file
 * had when it was looked at.
 */
static bool checksum_is(const struct objfile *o, const struct objfile *d, uint32_t want)
{
	static uint8_t buf[1 << 16];
	uint64_t size = priv(d)->size, at = 0;
	struct time_limit limit;
	uint32_t crc = 0;
	ssize_t n;

	time_limit_begin(&limit, LIMIT_SECONDS);
	while (at < size &&
	       (n = pread(objfile_fd(d), buf, MIN(sizeof(buf), size - at), (off_t)at)) > 0) {
		crc = lzma_crc32(buf, (size_t)n, crc);
		at += (uint64_t)n;
		if (time_limit_is_over(&limit)) {
			trouble(o, d->path, "its checksum takes too long");
			return false;
		}
	}
	return at == size && crc == want;
}

/* Takes a descriptor of a debug file, if it belongs to o, and its root (regfile.h). */
static struct objfile *take_candidate(const struct objfile *o, int fd, int root, const char *path,
				      const uint32_t *want_crc)
{
	struct err err = {0};
	struct objfile *d;
	struct stat st;

	if (fstat(fd, &st) || (st.st_dev == o->dev && st.st_ino == o->ino)) {
		close(fd);
		return NULL; /* a link that names the file itself */
	}
	if (elf_open_debug(fd, path, &d, &err)) {
		trouble(o, path, err.text);
		return NULL;
	}
	objfile_set_root(d, fileroot_dup(root), path);
	if (same_build(o, d) || (!o->buildid_len && want_crc && checksum_is(o, d, *want_crc)))
		return d;
	objfile_close(d);
	return NULL;
}

/* Opens a debug file if it belongs to o. want_crc: what .gnu_debuglink says, or NULL. NULL: it is
 * not there, or not of this build. */
static struct objfile *open_candidate(const struct objfile *o, int root, const char *path,
				      const uint32_t *want_crc)
{
	int fd = regfile_open(root, path, REGFILE_FOLLOW);

	if (fd >= 0)
		return take_candidate(o, fd, root, path, want_crc);
	if (fd != -ENOENT && fd != -ENOTDIR && fd != -EACCES)
		trouble(o, path, regfile_why(fd));
	return NULL;
}

/* In a debug directory: that of the process, then ours. */
static struct objfile *open_in_dirs(const struct objfile *o, const char *path,
				    const uint32_t *want_crc)
{
	int root = objfile_root(o);
	struct objfile *d = root == FILEROOT_OURS ? NULL : open_candidate(o, root, path, want_crc);

	return d ? d : open_candidate(o, FILEROOT_OURS, path, want_crc);
}

/* ---- where it may be ---- */

static struct objfile *by_buildid(const struct objfile *o)
{
	char path[4096], hex[2 * sizeof(o->buildid) + 1];
	struct objfile *d = NULL;

	if (o->buildid_len < 2)
		return NULL;
	for (unsigned i = 0; i < o->buildid_len; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", o->buildid[i]);
	for (unsigned i = 0; i < ndirs && !d; i++) {
		snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dirs[i], hex, hex + 2);
		d = open_in_dirs(o, path, NULL);
	}
	return d;
}

/* The name in .gnu_debuglink, and its checksum; the caller frees. NULL: none. */
static char *debuglink(const struct objfile *o, const struct sections *s, uint32_t *crc)
{
	const Elf64_Shdr *sh = elf_section_named(s, ".gnu_debuglink");
	char *link = sh && sh->sh_size <= 4096
			     ? elf_read(o, sh->sh_offset, sh->sh_size, "debug link", NULL)
			     : NULL;
	size_t at = link ? ROUND_UP(strlen(link) + 1, 4) : 0;

	if (!link || !link[0] || strchr(link, '/') || at + sizeof(*crc) > sh->sh_size) {
		free(link);
		return NULL;
	}
	memcpy(crc, link + at, sizeof(*crc));
	return link;
}

static struct objfile *by_debuglink(const struct objfile *o, const struct sections *s)
{
	uint32_t crc;
	char *link = debuglink(o, s, &crc), path[4096];
	const char *own = objfile_own_path(o), *slash = strrchr(own, '/');
	int dir_len = slash ? (int)(slash - own) + 1 : 0;
	struct objfile *d;

	if (!link)
		return NULL;
	snprintf(path, sizeof(path), "%.*s%s", dir_len, own, link);
	d = open_candidate(o, objfile_root(o), path, &crc);
	if (!d) {
		snprintf(path, sizeof(path), "%.*s.debug/%s", dir_len, own, link);
		d = open_candidate(o, objfile_root(o), path, &crc);
	}
	for (unsigned i = 0; i < 2 * ndirs && !d; i++) {
		if (i % 2)
			snprintf(path, sizeof(path), "%s/%s", dirs[i / 2], link);
		else
			snprintf(path, sizeof(path), "%s%.*s%s", dirs[i / 2], dir_len, own, link);
		d = open_in_dirs(o, path, &crc);
	}
	free(link);
	return d;
}

/*
 * A server that does not answer is waited for once, and not as long as the library would: three
 * times 90 s for each file, in both halves of the command. What the user has set stays.
 */
static int ask_server(int (*find)(void *client, const unsigned char *id, int len, char **path),
		      void *client, const uint8_t *id, size_t n, char **path)
{
	static const char *const limits[][2] = {
		{"DEBUGINFOD_TIMEOUT", "5"}, /* seconds without 100 KB */
		{"DEBUGINFOD_RETRY_LIMIT", "0"},
	};
	static bool is_silent; /* one per process by nature: as the servers are */
	bool is_ours[ARRAY_SIZE(limits)];
	int fd;

	if (is_silent)
		return -ENOENT;
	for (unsigned i = 0; i < ARRAY_SIZE(limits); i++) {
		is_ours[i] = !getenv(limits[i][0]);
		if (is_ours[i])
			setenv(limits[i][0], limits[i][1], 1);
	}
	fd = find(client, id, (int)n, path);
	for (unsigned i = 0; i < ARRAY_SIZE(limits); i++)
		if (is_ours[i])
			unsetenv(limits[i][0]);
	is_silent = fd < 0 && fd != -ENOENT;
	return fd;
}

/* Its library is loaded only when the user wants it: nothing else of ours needs it. what: the
 * function that asks. A descriptor, and its path, the caller's. */
static int ask_debuginfod(const char *what, const uint8_t *id, size_t n, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *lib =
		urls && urls[0] && n ? dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int len, char **path);
	void (*end)(void *client);
	void *client;
	int fd;

	if (!lib)
		return -ENOENT;
	*(void **)&begin = dlsym(lib, "debuginfod_begin");
	*(void **)&find = dlsym(lib, what);
	*(void **)&end = dlsym(lib, "debuginfod_end");
	client = begin && find && end ? begin() : NULL;
	if (!client)
		return -ENOENT;
	fd = ask_server(find, client, id, n, path);
	end(client);
	return fd;
}

static struct objfile *by_debuginfod(const struct objfile *o)
{
	struct objfile *d;
	char *path = NULL;
	int fd = ask_debuginfod("debuginfod_find_debuginfo", o->buildid, o->buildid_len, &path);

	if (fd < 0)
		return NULL;
	d = take_candidate(o, fd, FILEROOT_OURS, path ? path : "of debuginfod", NULL);
	free(path);
	return d;
}

char *objfile_by_debuginfod(const uint8_t *buildid, size_t n)
{
	char *path = NULL;
	int fd = ask_debuginfod("debuginfod_find_executable", buildid, n, &path);

	if (fd >= 0)
		close(fd);
	return path;
}

/* ---- the small table in the file itself ---- */

static bool write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t r = write(fd, p, n);

		if (r <= 0)
			return false;
		p += r;
		n -= (size_t)r;
	}
	return true;
}

/* Unpacks n bytes of xz into fd; false: damaged, or more than anyone needs. */
static bool unpack(const uint8_t *packed, size_t n, int fd)
{
	static uint8_t buf[1 << 16];
	lzma_stream z = LZMA_STREAM_INIT;
	struct time_limit limit;
	lzma_ret r = lzma_stream_decoder(&z, LZMA_MEMORY, 0);

	time_limit_begin(&limit, LIMIT_SECONDS);
	z.next_in = packed;
	z.avail_in = n;
	while (r == LZMA_OK) {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		r = lzma_code(&z, LZMA_FINISH);
		if (z.total_out > MAX_DEBUGDATA || time_limit_is_over(&limit) ||
		    !write_all(fd, buf, sizeof(buf) - z.avail_out))
			r = LZMA_DATA_ERROR;
	}
	lzma_end(&z);
	return r == LZMA_STREAM_END;
}

static struct objfile *from_debugdata(const struct objfile *o, const struct sections *s)
{
	const Elf64_Shdr *sh = elf_section_named(s, ".gnu_debugdata");
	uint8_t *packed;
	struct objfile *d = NULL;
	int fd;

	if (!sh || sh->sh_type == SHT_NOBITS)
		return NULL;
	packed = elf_read(o, sh->sh_offset, sh->sh_size, ".gnu_debugdata", NULL);
	fd = packed ? memfd_create("debugdata", MFD_CLOEXEC) : -1;
	if (fd >= 0 && !unpack(packed, sh->sh_size, fd)) {
		trouble(o, ".gnu_debugdata", "it is damaged, or has more than 256 MiB");
		close(fd);
	} else if (fd >= 0 && elf_open_debug(fd, o->path, &d, NULL))
		d = NULL;
	free(packed);
	return d;
}

/* ---- the answers ---- */

static struct objfile *find(const struct objfile *o, const struct sections *s)
{
	struct objfile *d = by_buildid(o);

	if (!d)
		d = by_debuglink(o, s);
	return d ? d : by_debuginfod(o);
}

void debugfile_add_symbols(struct objfile *o, const struct sections *own)
{
	struct objfile *d = find(o, own);
	struct sections s = {0};

	if (!d)
		d = from_debugdata(o, own);
	if (!d)
		return;
	if (!elf_sections(d, &s, NULL))
		elf_add_table(o, d, &s, SHT_SYMTAB, &priv(o)->strings[2], NULL);
	elf_sections_release(&s);
	objfile_close(d);
}

int objfile_debug_fd(const struct objfile *o, char **path)
{
	struct sections s = {0};
	struct objfile *d = NULL;
	int fd = -1;

	if (!elf_sections(o, &s, NULL))
		d = find(o, &s);
	elf_sections_release(&s);
	if (d)
		fd = fcntl(objfile_fd(d), F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		*path = xstrdup(objfile_own_path(d));
	objfile_close(d);
	return fd;
}

/* ---- what debug files share ---- */

/* A file that says it is the build `id`, beside `o` or by its full name. */
static struct objfile *open_alt(const struct objfile *o, const char *name, const uint8_t *id,
				size_t id_len)
{
	struct objfile *d, wanted = {.priv = o->priv, .path = o->path, .name = o->name};
	const char *own = objfile_own_path(o), *slash = strrchr(own, '/');
	char path[4096];

	wanted.buildid_len = (unsigned)MIN(id_len, sizeof(wanted.buildid));
	memcpy(wanted.buildid, id, wanted.buildid_len);
	d = by_buildid(&wanted);
	if (d)
		return d;
	snprintf(path, sizeof(path), "%.*s%s",
		 name[0] == '/' || !slash ? 0 : (int)(slash - own) + 1, own, name);
	return open_candidate(&wanted, objfile_root(o), path, NULL);
}

struct objfile *debugfile_alt(const struct objfile *debug)
{
	struct sections s = {0};
	const Elf64_Shdr *sh;
	struct objfile *d = NULL;
	char *link = NULL;
	size_t len;

	sh = elf_sections(debug, &s, NULL) ? NULL : elf_section_named(&s, ".gnu_debugaltlink");
	if (sh && sh->sh_size <= 8192 && sh->sh_type != SHT_NOBITS)
		link = elf_read(debug, sh->sh_offset, sh->sh_size, "debug link", NULL);
	len = link ? strlen(link) : 0; /* a zero stands behind what was read */
	if (len && len + 1 < sh->sh_size)
		d = open_alt(debug, link, (const uint8_t *)link + len + 1, sh->sh_size - len - 1);
	if (len && !d)
		trouble(debug, link,
			"what .gnu_debugaltlink names is not there, or another build's");
	free(link);
	elf_sections_release(&s);
	return d;
}

const char *objfile_trouble(struct objfile *o)
{
	struct objfile_priv *p = priv(o);
	bool is_news = p->trouble && !p->is_trouble_told;

	p->is_trouble_told |= is_news;
	return is_news ? p->trouble : NULL;
}
