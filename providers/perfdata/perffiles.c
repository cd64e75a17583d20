/*
 * perffiles.c: mapped files as they are here, which counts only if they are of the build that was
 * recorded: by build-id where the recording tells it, else by what their inode says.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/regfile.h"
#include "providers/perfdata/perfdata_priv.h"
#include "symbols/notes.h"
#include "symbols/symbols.h"

/* ---- BUILD_ID ---- */

/* The records of the section: a header, a process, the id, its size, then the name. */
struct build_id_record {
	struct perf_event_header h;
	int32_t pid;
	uint8_t id[PERFDATA_BUILD_ID_MAX], size, pad[3];
	char name[];
};

#define HAS_SIZE 0x8000 /* PERF_RECORD_MISC_BUILD_ID_SIZE */

static const struct build_id_record *find_build_id(const struct perfdata *d, const char *path,
						   struct build_id_record *copy)
{
	const struct perffeature *f = &d->features[PERFDATA_F_BUILD_ID];
	size_t at = 0;

	while (f->bytes && f->size - at >= sizeof(*copy)) {
		const char *name = f->bytes + at + sizeof(*copy);

		memcpy(copy, f->bytes + at, sizeof(*copy));
		if (copy->h.size < sizeof(*copy) || copy->h.size > f->size - at)
			return NULL;
		if (strnlen(name, copy->h.size - sizeof(*copy)) == strlen(path) &&
		    memcmp(name, path, strlen(path)) == 0) {
			if (!(copy->h.misc & HAS_SIZE) || copy->size > sizeof(copy->id))
				copy->size = sizeof(copy->id);
			return copy;
		}
		at += copy->h.size;
	}
	return NULL;
}

bool perfdata_may_be_running(const struct perfdata *d, const uint8_t *id, unsigned n)
{
	uint8_t here[PERFDATA_BUILD_ID_MAX];
	struct build_id_record known;
	size_t nhere;

	if (!n) {
		if (!find_build_id(d, "[kernel.kallsyms]", &known))
			return true;
		id = known.id;
		n = known.size;
	}
	nhere = kernel_build_id(here, sizeof(here));
	return !nhere || (nhere == n && memcmp(here, id, n) == 0);
}

/* ---- files ---- */

/* Does the file have this build-id? */
static bool is_of_build(const char *path, const uint8_t *id, unsigned n)
{
	int fd = regfile_open(FILEROOT_OURS, path, REGFILE_FOLLOW);
	struct objfile *o;
	struct err err;
	bool is_same;

	if (fd < 0 || objfile_open_headers(fd, path, &o, &err) < 0)
		return false;
	is_same = o->buildid_len == n && memcmp(o->buildid, id, n) == 0;
	objfile_close(o);
	return is_same;
}

/* Where perf keeps files that it has recorded (perf-buildid-cache(1)). */
static bool in_cache(struct perfdata *d, const uint8_t *id, unsigned n, struct perfdata_file *f)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char hex[2 * PERFDATA_BUILD_ID_MAX + 1] = "";
	char *path;
	bool is_there;

	for (unsigned i = 0; i < n; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", id[i]);
	path = dir ? xasprintf("%s/.build-id/%.2s/%s/elf", dir, hex, hex + 2)
		   : xasprintf("%s/.debug/.build-id/%.2s/%s/elf", home ? home : "", hex, hex + 2);
	is_there = is_of_build(path, id, n);
	if (is_there)
		f->path = arena_strdup(&d->arena, path);
	free(path);
	return is_there;
}

static bool from_server(struct perfdata *d, const uint8_t *id, unsigned n, struct perfdata_file *f)
{
	char *path = objfile_by_debuginfod(id, n);
	const bool is_there = path && is_of_build(path, id, n);

	if (is_there)
		f->path = arena_strdup(&d->arena, path);
	free(path);
	return is_there;
}

static void stat_file(struct perfdata_file *f)
{
	struct stat st;

	if (stat(f->path, &st) < 0)
		return;
	f->ino = st.st_ino;
	f->dev_major = major(st.st_dev);
	f->dev_minor = minor(st.st_dev);
	f->changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000U + (uint64_t)st.st_mtim.tv_nsec;
}

/* Whatever changed later than this is not what was recorded. A pipe: when its first event happened,
 * if that was on this machine since it was started; 0: nobody knows. */
static uint64_t recorded_by(const struct perfdata *d)
{
	const uint64_t now = now_mono();
	int64_t offset;

	if (d->mtime_ns)
		return d->mtime_ns;
	if (perfdata_wall_offset(d, &offset))
		return d->first_ns + (uint64_t)offset;
	return d->first_ns > 1 && d->first_ns <= now
		       ? clock_ns(CLOCK_REALTIME) - (now - d->first_ns)
		       : 0;
}

static void find(struct perfdata *d, struct perfdata_file *f, const uint8_t *id, unsigned n,
		 uint64_t ino)
{
	struct build_id_record known;

	if (!n && find_build_id(d, f->path, &known)) {
		id = known.id;
		n = known.size;
	}
	if (n && !is_of_build(f->path, id, n) && !in_cache(d, id, n, f) &&
	    !from_server(d, id, n, f)) {
		f->why = access(f->path, F_OK) == 0 ? "it is of another build here"
						    : "it is not here";
		return;
	}
	stat_file(f);
	if (n)
		return;
	if (!f->ino)
		f->why = "it is not here";
	else if (!ino || f->ino != ino || f->changed_ns > recorded_by(d))
		f->why = "the recording does not tell its build, and it has changed since";
}

struct perfdata_file *perfdata_file(struct perfdata *d, const char *path, const uint8_t *id,
				    unsigned n, uint64_t ino)
{
	char key[4096 + 64];
	struct perfdata_file *f;
	int len = snprintf(key, sizeof(key), "%s %llx ", path, (unsigned long long)ino);

	n = MIN(n, PERFDATA_BUILD_ID_MAX);
	for (unsigned i = 0; i < n && len < (int)sizeof(key) - 3; i++)
		len += snprintf(key + len, sizeof(key) - (size_t)len, "%02x", id[i]);
	f = strmap_get(&d->files, key);
	if (f)
		return f;
	f = arena_alloc(&d->arena, sizeof(*f));
	*f = (struct perfdata_file){.path = arena_strdup(&d->arena, path)};
	find(d, f, id, n, ino);
	strmap_put(&d->files, arena_strdup(&d->arena, key), f);
	return f;
}
