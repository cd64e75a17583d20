/*
 * copymap.c: mappings that a copy has besides those that were recorded: of code that a loader of
 * the program's own has brought in, so that nobody was told.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/regfile.h"
#include "providers/perfwrite/perfcopy_priv.h"
#include "symbols/symbols.h"

#define MAPS_MAX 1024 /* pieces of code in all */

/* FILE@BASE[,PID], taken apart. */
struct spec {
	char *file;
	uint64_t base;
	pid_t pid; /* 0: each */
};

static int bad_spec(const char *text, struct err *err)
{
	return err_set(err, -EINVAL,
		       "-x addmap: '%s' is not FILE@BASE[,PID]: a file, the address where it lies "
		       "(0x...), the number of a process",
		       text);
}

static bool parse(const char *text, struct spec *sp)
{
	const char *at = strrchr(text, '@');
	char *end;
	long pid = 0;

	if (!at || at == text || !isxdigit((unsigned char)at[1]))
		return false;
	errno = 0;
	sp->base = strtoull(at + 1, &end, strncmp(at + 1, "0x", 2) == 0 ? 16 : 10);
	if (errno || sp->base % PAGE || sp->base >> 47)
		return false;
	if (*end == ',') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		pid = strtol(end + 1, &end, 10);
		if (pid <= 0 || pid > INT32_MAX)
			return false;
	}
	if (*end)
		return false;
	sp->pid = (pid_t)pid;
	sp->file = strndup(text, (size_t)(at - text));
	return true;
}

static int add_piece(struct perfcopy *c, const struct copy_map *piece, struct err *err)
{
	unsigned n = 0;
	struct copy_map *m;

	for (const struct copy_map *o = c->maps; o; o = o->next)
		n++;
	if (n == MAPS_MAX || piece->addr + piece->len < piece->addr)
		return err_set(err, -E2BIG, "-x addmap: %s has more code than can be added",
			       piece->path);
	m = ARENA_NEW(&c->arena, struct copy_map);
	*m = *piece;
	*c->maps_tail = m;
	c->maps_tail = &m->next;
	return 0;
}

/* Of a program or library: each piece of its code where it would lie. */
static int add_object(struct perfcopy *c, struct objfile *o, struct copy_map *piece, uint64_t base,
		      struct err *err)
{
	int rc = 0;
	uint64_t at;

	piece->build_id_len = MIN(o->buildid_len, (unsigned)sizeof(piece->build_id));
	memcpy(piece->build_id, o->buildid, piece->build_id_len);
	for (unsigned i = 0; rc == 0 && objfile_code(o, i, &at, &piece->len, &piece->pgoff); i++) {
		piece->addr = base + at;
		rc = add_piece(c, piece, err);
	}
	return rc;
}

static int add_file(struct perfcopy *c, const struct spec *sp, int fd, struct err *err)
{
	struct copy_map piece = {.pid = sp->pid};
	char *path = realpath(sp->file, NULL);
	struct objfile *o;
	struct stat st;
	struct err why;
	int rc;

	if (!path || fstat(fd, &st) < 0) {
		free(path);
		close(fd);
		return err_set(err, -errno, "-x addmap: cannot read %s: %s", sp->file,
			       strerror(errno));
	}
	piece.path = arena_strdup(&c->arena, path);
	free(path);
	piece.ino = st.st_ino;
	piece.dev_major = major(st.st_dev);
	piece.dev_minor = minor(st.st_dev);
	if (objfile_open_headers(fd, piece.path, &o, &why) == 0) {
		rc = add_object(c, o, &piece, sp->base, err);
		objfile_close(o);
		return rc;
	}
	piece.addr = sp->base;
	piece.len = ROUND_UP((uint64_t)st.st_size, PAGE);
	return add_piece(c, &piece, err);
}

int perfcopy_map(struct perfcopy *c, const char *text, struct err *err)
{
	struct spec sp = {0};
	int fd, rc;

	if (!parse(text, &sp))
		return bad_spec(text, err);
	fd = regfile_open(FILEROOT_OURS, sp.file, REGFILE_FOLLOW);
	rc = fd < 0 ? err_set(err, fd, "-x addmap: cannot read %s: %s", sp.file, regfile_why(fd))
		    : add_file(c, &sp, fd, err);
	free(sp.file);
	return rc;
}

/* ---- records ---- */

static void write_map(struct perfcopy *c, const struct copy_map *m, pid_t pid, uint64_t time_ns)
{
	struct {
		struct perf_event_header h;
		int32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t dev_major, dev_minor;
		uint64_t ino, generation;
		uint32_t prot, flags;
		char path[4096 + 64];
	} r = {
		.h = {PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 0},
		.pid = pid,
		.tid = pid,
		.addr = m->addr,
		.len = m->len,
		.pgoff = m->pgoff,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.ino = m->ino,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	const size_t n = MIN(strlen(m->path), (size_t)4095);

	memcpy(r.path, m->path, n);
	copy_finish(c, &r.h, offsetof(typeof(r), path) + ROUND_UP(n + 1, 8), pid, pid, time_ns);
	write_bytes(c->w, &r, r.h.size);
}

void copy_maps_before(struct perfcopy *c, pid_t pid, uint64_t time_ns)
{
	static char is_mapped;

	if (hash_get(&c->mapped, (uint64_t)pid))
		return;
	hash_put(&c->mapped, (uint64_t)pid, &is_mapped);
	for (const struct copy_map *m = c->maps; m; m = m->next)
		if (pid && (!m->pid || m->pid == pid))
			write_map(c, m, pid, time_ns);
}

void copy_maps_gone(struct perfcopy *c, pid_t pid)
{
	hash_del(&c->mapped, (uint64_t)pid);
}

void copy_add_builds(const struct perfcopy *c, struct strbuf *b)
{
	for (const struct copy_map *m = c->maps; m; m = m->next)
		write_add_build_id(b, PERF_RECORD_MISC_USER, m->path, m->build_id, m->build_id_len);
}
