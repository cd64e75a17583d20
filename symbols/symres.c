/*
 * The front's resolver. Files are opened from the descriptors the engine sent, or by path where
 * none came, and their symbols are read at the first address that falls into them.
 */
#include "symbols/symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/regfile.h"
#include "symbols/jit.h"
#include "symbols/vdso.h"

#define POLL_NS	   20000000 /* how often new code is asked for */
#define NOTED_MAX  16
#define CACHE_SIZE 4096 /* resolved addresses remembered; a power of two */

struct resolved {
	const struct aspace_range *range; /* NULL: empty */
	uint32_t aspace;
	taddr_t pc;
	struct symname name;
};

/* What is known of one aspace_file. */
struct resfile {
	int fd;	  /* as received; -1: none yet, or the objfile has it */
	int root; /* the same, regfile.h */
	uint32_t own_at;
	bool tried;
	struct objfile *obj; /* NULL: not opened or not readable */
	struct resfile *next_loaded;
};

/* The code that the program of one aspace has made. */
struct resjit {
	struct jitmap *map;
	uint64_t polled_ns; /* CLOCK_MONOTONIC */
	uint32_t ntold;	    /* pieces the engine has told of that are in the map */
};

struct symres {
	struct aspaces *aspaces;
	struct resfile vdso;
	struct hash files;	/* aspace_file id → struct resfile */
	struct resfile *loaded; /* whose troubles nobody has asked for */
	struct hash jits;	/* aspace id → struct resjit */
	struct resolved cache[CACHE_SIZE];
	struct {
		uint32_t aspace;
		bool is_python;
	} noted[NOTED_MAX];
	unsigned nnoted, nhints; /* looked at for hints */
	unsigned hinted;	 /* a bit for each runtime */
};

struct symres *symres_new(struct aspaces *as)
{
	struct symres *sr = xcalloc(1, sizeof(*sr));

	sr->aspaces = as;
	hash_init(&sr->files);
	hash_init(&sr->jits);
	return sr;
}

void symres_free(struct symres *sr)
{
	struct resfile *f;
	struct resjit *j;
	uint64_t key;

	if (!sr)
		return;
	for (size_t i = 0; (j = hash_each(&sr->jits, &i, &key));) {
		jitmap_free(j->map);
		free(j);
	}
	hash_release(&sr->jits);
	for (size_t i = 0; (f = hash_each(&sr->files, &i, &key));) {
		if (f->fd >= 0)
			close(f->fd);
		fileroot_close(f->root);
		objfile_close(f->obj);
		free(f);
	}
	objfile_close(sr->vdso.obj);
	hash_release(&sr->files);
	free(sr);
}

static struct resfile *file_of(struct symres *sr, uint32_t id)
{
	struct resfile *f = hash_get(&sr->files, id);

	if (!f) {
		f = xcalloc(1, sizeof(*f));
		f->fd = -1;
		f->root = FILEROOT_OURS;
		hash_put(&sr->files, id, f);
	}
	return f;
}

static void receive(struct symres *sr)
{
	struct aspace_sent sent;
	int fd;

	while ((fd = aspaces_receive_file(sr->aspaces, &sent)) >= 0) {
		struct resfile *f = file_of(sr, sent.file_id);

		if (f->fd >= 0 || f->obj) {
			close(fd);
			fileroot_close(sent.root);
		} else {
			f->fd = fd;
			f->root = sent.root;
			f->own_at = sent.own_at;
		}
	}
}

/* By path, and only if it is still the same file. */
static int open_by_path(const struct aspace_file *file)
{
	int fd = regfile_open(FILEROOT_OURS, file->path, REGFILE_FOLLOW);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != file->ino)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void open_received(struct symres *sr, struct resfile *f, const char *path)
{
	struct objfile *o;

	if (objfile_open_headers(f->fd, path, &o, NULL)) {
		fileroot_close(f->root);
		return;
	}
	objfile_set_root(o, f->root, path + MIN(f->own_at, strlen(path)));
	if (objfile_load(o, NULL)) {
		objfile_close(o);
		return;
	}
	f->obj = o;
	f->next_loaded = sr->loaded;
	sr->loaded = f;
}

static struct objfile *objfile_of(struct symres *sr, const struct aspace_file *file)
{
	struct resfile *f = file_of(sr, file->id);

	if (f->tried)
		return f->obj;
	receive(sr);
	f->tried = true;
	if (f->fd < 0)
		f->fd = open_by_path(file);
	if (f->fd >= 0)
		open_received(sr, f, file->path);
	f->fd = -1; /* the objfile's, or closed by it */
	f->root = FILEROOT_OURS;
	return f->obj;
}

/* The kernel's own library is no file, but all processes have the same: ours. */
static struct objfile *vdso(struct symres *sr)
{
	if (!sr->vdso.tried)
		sr->vdso.obj = vdso_open();
	sr->vdso.tried = true;
	return sr->vdso.obj;
}

static void resolve(struct symres *sr, const struct aspace_range *r, taddr_t pc,
		    struct symname *out)
{
	struct objfile *o;
	const struct func *f;

	*out = (struct symname){.is_code = r->is_code};
	if (!r->file && !r->label[0])
		return;
	out->object = r->file ? r->file->name : r->label;
	o = r->file ? objfile_of(sr, r->file) : !strcmp(r->label, VDSO_LABEL) ? vdso(sr) : NULL;
	f = o ? objfile_at(o, pc - r->bias) : NULL;
	if (f) {
		out->function = objfile_demangled(o, f);
		if (!out->function)
			out->function = f->name;
		out->start = f->addr + r->bias;
	} else if (o) {
		out->function = objfile_other_at(o, pc - r->bias, &out->start);
		out->start += r->bias;
	}
	if (out->function)
		out->offset = pc - out->start;
}

/* The latest code there, as far as the process has said by now, or POLL_NS ago. */
static void find_jit(struct symres *sr, uint32_t aspace, taddr_t pc, struct symname *out)
{
	struct resjit *j = hash_get(&sr->jits, aspace);
	const struct aspace_code *told;
	const struct jitcode *code;
	uint64_t now;

	if (!j) {
		pid_t pid = aspace_pid(sr->aspaces, aspace);

		if (!pid)
			return;
		j = xcalloc(1, sizeof(*j));
		j->map = jitmap_new(pid);
		jitmap_owned(j->map, aspace_owner(sr->aspaces, aspace));
		hash_put(&sr->jits, aspace, j);
	}
	now = now_mono();
	if (!j->polled_ns || now - j->polled_ns > POLL_NS) {
		j->polled_ns = now;
		jitmap_poll(j->map);
	}
	for (; (told = aspace_code(sr->aspaces, aspace, j->ntold)); j->ntold++)
		jitmap_add_missing(j->map, told->addr, told->size, told->name);
	code = jitmap_at(j->map, pc);
	if (!code)
		return;
	out->object = JIT_OBJECT;
	out->is_code = true;
	out->function = code->name;
	out->start = code->addr;
	out->offset = pc - code->addr;
}

const char *symres_trouble(struct symres *sr)
{
	const char *text = NULL;

	while (sr->loaded && !text) {
		struct resfile *f = sr->loaded;

		text = objfile_trouble(f->obj);
		if (!text)
			sr->loaded = f->next_loaded;
	}
	return text;
}

static void find_mapped(struct symres *sr, uint32_t aspace, taddr_t pc, uint64_t time_ns,
			struct symname *out)
{
	struct resolved *c = &sr->cache[hash_u64(pc ^ (uint64_t)aspace << 48) % CACHE_SIZE];
	const struct aspace_range *r;

	if (c->range && c->pc == pc && c->aspace == aspace && time_ns >= c->range->from_ns &&
	    time_ns < __atomic_load_n(&c->range->to_ns, __ATOMIC_ACQUIRE)) {
		*out = c->name;
		return;
	}
	r = aspace_find(sr->aspaces, aspace, pc, time_ns);
	if (!r) {
		*out = (struct symname){0};
		return;
	}
	*c = (struct resolved){.range = r, .aspace = aspace, .pc = pc};
	resolve(sr, r, pc, &c->name);
	*out = c->name;
}

void symres_lookup(struct symres *sr, uint32_t aspace, taddr_t pc, uint64_t time_ns,
		   struct symname *out)
{
	find_mapped(sr, aspace, pc, time_ns, out);
	if (!out->function)
		find_jit(sr, aspace, pc, out);
}

void symres_lookup_caller(struct symres *sr, uint32_t aspace, taddr_t pc, uint64_t time_ns,
			  struct symname *out)
{
	struct symname call;

	symres_lookup(sr, aspace, pc, time_ns, out);
	if (out->function)
		return;
	symres_lookup(sr, aspace, pc - 1, time_ns, &call);
	if (!call.function)
		return;
	*out = call;
	out->offset++;
}

const char *symres_mapping(struct symres *sr, uint32_t aspace, taddr_t pc, uint64_t time_ns,
			   uint64_t *offset)
{
	const struct aspace_range *r = aspace_find(sr->aspaces, aspace, pc, time_ns);

	if (!r || (!r->file && !r->label[0]))
		return NULL;
	*offset = pc - r->start;
	return r->file ? r->file->name : r->label;
}

const char *symres_module(struct symres *sr, uint32_t aspace, taddr_t pc, uint64_t time_ns)
{
	const struct aspace_range *r = aspace_find(sr->aspaces, aspace, pc, time_ns);
	struct symname name = {0};

	if (r && (r->file || r->label[0]))
		return r->file ? r->file->name : r->label;
	find_jit(sr, aspace, pc, &name);
	return name.object;
}

const unsigned char *symres_buildid(struct symres *sr, uint32_t aspace, taddr_t pc,
				    uint64_t time_ns, unsigned *n)
{
	const struct aspace_range *r = aspace_find(sr->aspaces, aspace, pc, time_ns);
	const struct objfile *o = r && r->file ? objfile_of(sr, r->file) : NULL;

	*n = o ? o->buildid_len : 0;
	return *n ? o->buildid : NULL;
}

void symres_renew(struct symres *sr)
{
	struct resjit *j;

	for (size_t i = 0; (j = hash_each(&sr->jits, &i, NULL));)
		j->polled_ns = 0;
}

/* ---- what could be better ---- */

void symres_note(struct symres *sr, uint32_t aspace, const struct symname *name)
{
	bool is_python = name->function && strcmp(name->function, "_PyEval_EvalFrameDefault") == 0;

	if (!is_python && (name->function || !name->is_code || !name->object))
		return;
	for (unsigned i = 0; i < sr->nnoted; i++)
		if (sr->noted[i].aspace == aspace && sr->noted[i].is_python == is_python)
			return;
	if (sr->nnoted == NOTED_MAX)
		return;
	sr->noted[sr->nnoted].aspace = aspace;
	sr->noted[sr->nnoted++].is_python = is_python;
}

static const struct runtime {
	const char *prefix; /* of a file that it has mapped */
	const char *name, *how;
	bool is_python;
} runtimes[] = {
	{"libjvm.so", "java",
	 "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit names it (jcmd PID "
	 "Compiler.perfmap "
	 "while it runs), -XX:+PreserveFramePointer shows its callers",
	 false},
	{"libcoreclr.so", ".NET", "DOTNET_PerfMapEnabled=1 in its environment names it", false},
	{"libnode.so", "node", "--perf-basic-prof names it", false},
	{"node", "node", "--perf-basic-prof names it", false},
	{"python3.", "python", "-X perf names its functions", true},
	{"libpython3.", "python", "-X perf names its functions", true},
};

/* They have it since 3.12. */
static bool has_perf(const struct runtime *rt, const char *file)
{
	return !rt->is_python || atoi(file + strlen(rt->prefix)) >= 12;
}

static const struct runtime *runtime_of(const struct symres *sr, uint32_t aspace, bool is_python)
{
	const struct aspace_range *r;

	for (unsigned i = 0; i < ARRAY_SIZE(runtimes); i++) {
		const struct runtime *rt = &runtimes[i];

		if (rt->is_python != is_python)
			continue;
		for (uint32_t n = 0; (r = aspace_range(sr->aspaces, aspace, n)); n++)
			if (r->file &&
			    strncmp(r->file->name, rt->prefix, strlen(rt->prefix)) == 0 &&
			    has_perf(rt, r->file->name))
				return rt;
	}
	return NULL;
}

bool symres_hint(struct symres *sr, char *buf, size_t size)
{
	for (; sr->nhints < sr->nnoted; sr->nhints++) {
		uint32_t aspace = sr->noted[sr->nhints].aspace;
		bool is_python = sr->noted[sr->nhints].is_python;
		const struct runtime *rt = runtime_of(sr, aspace, is_python);
		unsigned bit = rt ? 1U << (rt - runtimes) : 0;
		const struct resjit *j;
		struct symname name;

		if (!rt || sr->hinted & bit)
			continue;
		find_jit(sr, aspace, 0, &name); /* asks for the file */
		j = hash_get(&sr->jits, aspace);
		if (j && jitmap_count(j->map)) /* it has done what it can */
			continue;
		sr->hinted |= bit;
		snprintf(buf, size, "code of %s (process %d) has no names: %s", rt->name,
			 (int)aspace_pid(sr->aspaces, aspace), rt->how);
		sr->nhints++;
		return true;
	}
	return false;
}
