#include "symbols/modules.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/procfile.h"
#include "base/regfile.h"
#include "base/strbuf.h"
#include "symbols/jit.h"
#include "symbols/vdso.h"

/* One line of /proc/PID/maps that names a file or something special. */
struct maprange {
	taddr_t start, end;
	uint64_t off, dev, ino;
	bool exec;
	const char *path;      /* in the modules' arena; "[vdso]" for special ones */
	struct module *module; /* NULL: special, or a file without code */
};

struct objcache_file {
	uint64_t dev, ino;
	char *here;	     /* where it lies, if not where it is mapped from; NULL: there */
	struct objfile *obj; /* NULL: could not be opened, for this reason: */
	int code;
	char *why;
	/* As it was when it was opened. One that has been written to since is another: */
	struct stat as;
	struct objcache_file *older; /* what it was before; modules may still have that */
	unsigned nolder;
};
#define REWRITES_MAX 64 /* of a file; each takes memory until the end */

struct objcache {
	struct hash files; /* file_key → struct objcache_file */
	struct objcache_file *vdso;
};

/* ---- the cache ---- */

struct objcache *objcache_new(void)
{
	struct objcache *c = xcalloc(1, sizeof(*c));

	hash_init(&c->files);
	return c;
}

static void free_file(struct objcache_file *f)
{
	while (f) {
		struct objcache_file *older = f->older;

		objfile_close(f->obj);
		free(f->why);
		free(f->here);
		free(f);
		f = older;
	}
}

void objcache_free(struct objcache *c)
{
	struct objcache_file *f;
	uint64_t key;

	if (!c)
		return;
	for (size_t i = 0; (f = hash_each(&c->files, &i, &key));)
		free_file(f);
	free_file(c->vdso);
	hash_release(&c->files);
	free(c);
}

static void know_root(struct objfile *o, pid_t tid)
{
	const char *path = o->path;
	int root = fileroot_of(tid, &path);

	objfile_set_root(o, root, path);
}

static void not_opened(const struct maprange *r, pid_t tid, int code, struct err *err)
{
	struct strbuf path;

	strbuf_init(&path);
	name_clean(&path, r->path, strlen(r->path));
	if (code == -EBUSY)
		err_set(err, code,
			"%s is written to again and again while it is traced: it has no "
			"probes in process %d",
			path.s, tid);
	else if (code == -ESTALE || code == -ENOENT)
		err_set(err, code, "%s was replaced or deleted since process %d mapped it", path.s,
			tid);
	else
		err_set(err, code, "cannot open %s of process %d: %s", path.s, tid,
			regfile_why(code));
	strbuf_release(&path);
}

static uint64_t key_of(uint64_t dev, uint64_t ino)
{
	return hash_u64(ino ^ hash_u64(dev));
}

static struct objcache_file *entry_of(struct objcache *c, uint64_t dev, uint64_t ino)
{
	uint64_t key = key_of(dev, ino);
	struct objcache_file *f = hash_get(&c->files, key);

	if (f)
		return f;
	f = xcalloc(1, sizeof(*f));
	f->dev = dev;
	f->ino = ino;
	hash_put(&c->files, key, f);
	return f;
}

void objcache_lies(struct objcache *c, uint64_t dev, uint64_t ino, const char *here)
{
	struct objcache_file *f = entry_of(c, dev, ino);

	if (!f->here)
		f->here = xstrdup(here);
}

const char *objcache_here(const struct objcache *c, uint64_t dev, uint64_t ino)
{
	const struct objcache_file *f = hash_get(&c->files, key_of(dev, ino));

	return f ? f->here : NULL;
}

/* The time of its last change cannot be set back by whoever writes to it. */
static bool is_rewritten(const struct objcache_file *f)
{
	struct stat now;

	return fstat(objfile_fd(f->obj), &now) == 0 &&
	       (now.st_size != f->as.st_size || now.st_ctim.tv_sec != f->as.st_ctim.tv_sec ||
		now.st_ctim.tv_nsec != f->as.st_ctim.tv_nsec);
}

/* The file as it is now, in its place: it may have no name any more. */
static struct objcache_file *renewed(struct objcache *c, struct objcache_file *older, int *fd)
{
	struct objcache_file *f = xcalloc(1, sizeof(*f));

	f->dev = older->dev;
	f->ino = older->ino;
	f->here = older->here ? xstrdup(older->here) : NULL;
	f->older = older;
	f->nolder = older->nolder + 1;
	*fd = f->nolder > REWRITES_MAX ? -EBUSY : fcntl(objfile_fd(older->obj), F_DUPFD_CLOEXEC, 0);
	if (*fd == -1)
		*fd = -errno;
	hash_put(&c->files, key_of(f->dev, f->ino), f);
	return f;
}

static void open_file(struct objcache_file *f, int fd, pid_t tid, const struct maprange *r)
{
	const char *path = f->here ? f->here : r->path;
	struct err err = {0};

	if (fd >= 0 && fstat(fd, &f->as) < 0)
		f->as = (struct stat){0};
	if (fd < 0)
		not_opened(r, tid, fd, &err);
	else if (objfile_open_headers(fd, path, &f->obj, &err) == 0)
		know_root(f->obj, tid);
	f->code = err.code;
	if (f->code)
		f->why = xstrdup(err.text);
}

static struct objcache_file *cache_get(struct objcache *c, pid_t tid, const struct maprange *r)
{
	struct objcache_file *f = entry_of(c, r->dev, r->ino);
	int fd;

	if (f->code || (f->obj && !is_rewritten(f)))
		return f;
	if (f->obj)
		f = renewed(c, f, &fd);
	else
		fd = regfile_open_mapped(tid, r->start, r->end, f->here ? f->here : r->path,
					 r->ino);
	open_file(f, fd, tid, r);
	return f;
}

/* ---- reading maps ---- */

struct modules *modules_new(struct objcache *cache)
{
	struct modules *ms = xcalloc(1, sizeof(*ms));

	ms->tail = &ms->list;
	ms->cache = cache;
	arena_init(&ms->arena);
	intern_init(&ms->names, &ms->arena);
	return ms;
}

void modules_free(struct modules *ms)
{
	if (!ms)
		return;
	free(ms->ranges);
	free(ms->recorded);
	intern_release(&ms->names);
	arena_release(&ms->arena);
	free(ms);
}

/* False: nothing of interest (data of no name). */
static bool take_line(const struct procmap *line, struct maprange *r)
{
	char *deleted = strstr(line->path, " (deleted)");

	if (line->ino && deleted && !deleted[10])
		*deleted = '\0';
	*r = (struct maprange){
		.start = line->start,
		.end = line->end,
		.off = line->offset,
		.exec = line->exec,
		.dev = makedev(line->dev_major, line->dev_minor),
		.ino = line->ino,
		.path = *line->path || !line->exec ? line->path : JIT_OBJECT,
	};
	return r->end > r->start && *r->path && (r->ino || *line->path == '[' || r->exec);
}

static struct module *module_of(struct modules *ms, const struct maprange *r,
				struct objcache_file *file)
{
	struct module *m;
	const char *slash;
	taddr_t bias;

	if (!file->obj || !objfile_bias(file->obj, r->off, r->start, true, &bias))
		bias = r->start - r->off;
	for (m = ms->list; m; m = m->next)
		if (m->dev == r->dev && m->ino == r->ino && m->bias == bias && !m->gone)
			return m;
	m = ARENA_NEW(&ms->arena, struct module);
	m->path = arena_strdup(&ms->arena, r->path);
	slash = strrchr(m->path, '/');
	m->name = name_cleaned(&ms->arena, slash && slash[1] ? slash + 1 : m->path);
	m->dev = r->dev;
	m->ino = r->ino;
	m->bias = bias;
	m->file = file;
	m->fresh = true;
	m->start = UINT64_MAX;
	*ms->tail = m;
	ms->tail = &m->next;
	return m;
}

/* A range without code belongs to the nearest mapping of the same file. */
static struct module *nearest(const struct modules *ms, const struct maprange *r)
{
	struct module *best = NULL;
	uint64_t best_gap = 0;

	for (struct module *m = ms->list; m; m = m->next) {
		uint64_t gap = r->start < m->start ? m->start - r->start : r->start - m->start;

		if (m->gone || m->dev != r->dev || m->ino != r->ino)
			continue;
		if (!best || gap < best_gap) {
			best = m;
			best_gap = gap;
		}
	}
	return best;
}

static void assign_modules(struct modules *ms, pid_t tid, struct maprange *r, unsigned n)
{
	taddr_t entry = procauxv(tid, AT_ENTRY);

	for (struct module *m = ms->list; m; m = m->next) {
		m->start = UINT64_MAX;
		m->end = 0;
	}
	for (unsigned i = 0; i < n; i++) {
		struct module *m;

		if (!r[i].exec || !r[i].ino)
			continue;
		m = r[i].module = module_of(ms, &r[i], cache_get(ms->cache, tid, &r[i]));
		m->start = MIN(m->start, r[i].start);
		m->end = MAX(m->end, r[i].end);
		m->is_program |= entry >= r[i].start && entry < r[i].end;
	}
	for (struct module *m = ms->list; m; m = m->next)
		m->gone = m->start == UINT64_MAX;
	for (unsigned i = 0; i < n; i++)
		if (!r[i].exec && r[i].ino)
			r[i].module = nearest(ms, &r[i]);
}

/* Takes the text of a maps file, whose lines are changed, as what is mapped now. */
static void take_maps(struct modules *ms, pid_t tid, char *text)
{
	struct maprange *ranges = NULL;
	unsigned n = 0, room = 0;
	struct procmap line;

	while (procmap_next(&text, &line)) {
		if (n == room) {
			room = room ? room * 2 : 64;
			ranges = xrealloc(ranges, room * sizeof(*ranges));
		}
		n += take_line(&line, &ranges[n]);
	}
	assign_modules(ms, tid, ranges, n);
	for (unsigned i = 0; i < n; i++) /* the lines go; special ones keep their few names */
		ranges[i].path =
			ranges[i].module
				? ranges[i].module->path
				: intern_str(&ms->names, name_cleaned(&ms->arena, ranges[i].path));
	free(ms->ranges);
	ms->ranges = ranges;
	ms->nranges = n;
}

int modules_refresh(struct modules *ms, pid_t tid, struct err *err)
{
	struct strbuf sb;
	int r;

	strbuf_init(&sb);
	r = procfile_slurp(tid, "maps", &sb);
	if (!r && !sb.len) /* a thread that has ended, waiting for the others */
		r = -ESRCH;
	if (!r)
		take_maps(ms, tid, sb.s);
	strbuf_release(&sb);
	return r ? err_set(err, r == -ENOENT ? -ESRCH : r, "cannot read /proc/%d/maps: %s", tid,
			   strerror(-r))
		 : 0;
}

void modules_told(struct modules *ms, pid_t pid, const char *maps)
{
	char *text = xstrdup(maps);

	take_maps(ms, pid, text);
	free(text);
}

/* ---- finding ---- */

/* The rules for a name without wildcards, strongest first. */
static bool literal_match(const struct module *m, const char *name, unsigned rule)
{
	size_t len = strlen(name);

	switch (rule) {
	case 0:
		return !strcmp(m->path, name);
	case 1:
		return !strcmp(m->name, name);
	case 2:
		return !strncmp(m->name, name, len) && m->name[len] == '.';
	default:
		return m->is_program && !strcmp(name, "a.out");
	}
}

unsigned modules_match(const struct modules *ms, const char *pattern, struct module **out,
		       unsigned max)
{
	bool is_glob = !pattern[0] || glob_is_pattern(pattern);
	char name[4096];
	unsigned n = 0;

	glob_unescape(pattern, name, sizeof(name));
	for (unsigned rule = 0; rule < (is_glob ? 1 : 4) && !n; rule++)
		for (struct module *m = ms->list; m; m = m->next) {
			bool is_match = is_glob ? !pattern[0] || glob_match(pattern, m->path) ||
							  glob_match(pattern, m->name)
						: literal_match(m, name, rule);

			if (m->gone || !is_match)
				continue;
			if (n < max)
				out[n] = m;
			n++;
		}
	return n;
}

struct module *modules_at(const struct modules *ms, taddr_t addr)
{
	for (unsigned i = 0; i < ms->nranges; i++)
		if (ms->ranges[i].exec && addr >= ms->ranges[i].start && addr < ms->ranges[i].end)
			return ms->ranges[i].module;
	return NULL;
}

struct module *modules_program(const struct modules *ms)
{
	for (struct module *m = ms->list; m; m = m->next)
		if (m->is_program && !m->gone)
			return m;
	return NULL;
}

struct objfile *module_objfile(struct module *m, struct err *err)
{
	const struct objcache_file *f = m->file;

	if (!f) {
		err_set(err, -ENOENT, "%s is no file", m->name);
		return NULL;
	}
	if (!f->obj) {
		err_set(err, f->code, "%s", f->why);
		return NULL;
	}
	return objfile_load(f->obj, err) ? NULL : f->obj;
}

struct objfile *module_headers(const struct module *m)
{
	return m->file ? m->file->obj : NULL;
}

struct module *modules_vdso(struct modules *ms, taddr_t start, const void *bytes, size_t n)
{
	struct objcache *c = ms->cache;
	const void *ours;
	size_t size = 0;

	if (ms->vdso)
		return ms->vdso;
	ours = vdso_image(&size);
	if (!ours || (bytes && (n < size || memcmp(bytes, ours, size) != 0)))
		return NULL;
	if (!c->vdso) {
		c->vdso = xcalloc(1, sizeof(*c->vdso));
		c->vdso->obj = vdso_open();
		c->vdso->why = xstrdup("the kernel's library cannot be read");
		c->vdso->code = -ENOENT;
	}
	if (!c->vdso->obj)
		return NULL;
	ms->vdso = arena_alloc(&ms->arena, sizeof(*ms->vdso));
	*ms->vdso = (struct module){.path = VDSO_LABEL,
				    .name = VDSO_LABEL,
				    .start = start,
				    .end = start + ROUND_UP(size, PAGE),
				    .bias = start,
				    .file = c->vdso};
	return ms->vdso;
}

/* ---- telling the aspaces ---- */

static bool same_range(const struct maprange *a, const struct maprange *b)
{
	return a->start == b->start && a->end == b->end && a->off == b->off && a->dev == b->dev &&
	       a->ino == b->ino;
}

/* next: the range behind it, or NULL. */
static void record_range(struct aspaces *as, uint32_t id, const struct maprange *m,
			 const struct maprange *next, uint64_t now_ns)
{
	struct aspace_range r = {
		.start = m->start,
		.end = m->end,
		.file_off = m->off,
		.from_ns = now_ns,
		.is_code = m->exec,
	};
	bool is_new;

	if (m->module) {
		const struct objfile *o = m->module->file->obj;

		const char *here = m->module->file->here;

		r.file = aspace_file(as, here ? here : m->path, m->path, m->dev, m->ino, &is_new);
		r.bias = m->module->bias;
		/* variables that begin as zero lie behind the file's own, in memory of no name */
		if (o && (!next || next->module != m->module)) {
			r.end = MAX(r.end, r.bias + o->end);
			r.end = next ? MIN(r.end, next->start) : r.end;
		}
		if (is_new && o)
			aspace_send_file(as, r.file, o);
	} else {
		r.label = m->path;
		r.bias = m->start; /* of [vdso], which is linked at 0 */
	}
	aspace_add(as, id, &r);
}

void modules_record(struct modules *ms, struct aspaces *as, uint32_t id, uint64_t now_ns)
{
	const struct maprange *old = ms->recorded, *new = ms->ranges;
	unsigned i = 0, j = 0;

	while (i < ms->nrecorded) { /* ends first: a new range may take an old one's place */
		while (j < ms->nranges && new[j].start < old[i].start)
			j++;
		if (j == ms->nranges || !same_range(&old[i], &new[j]))
			aspace_del(as, id, old[i].start, old[i].end, now_ns);
		i++;
	}
	for (i = j = 0; j < ms->nranges; j++) {
		while (i < ms->nrecorded && old[i].start < new[j].start)
			i++;
		if (i == ms->nrecorded || !same_range(&old[i], &new[j]))
			record_range(as, id, &new[j], j + 1 < ms->nranges ? &new[j + 1] : NULL,
				     now_ns);
	}
	free(ms->recorded);
	ms->recorded = xcalloc(ms->nranges + 1, sizeof(*ms->recorded));
	memcpy(ms->recorded, ms->ranges, ms->nranges * sizeof(*ms->recorded));
	ms->nrecorded = ms->nranges;
}
