#include "providers/world/procspace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/helper.h"
#include "base/procfile.h"
#include "base/strbuf.h"
#include "symbols/modules.h"

/* For memory that does not come; a process that let us wait more than once is not waited for as
 * long. */
#define LATE_MS	   1000U
#define LATE_TIMES 2
#define LATER_MS   20U

struct procspace {
	struct target target;
	struct world *world;
	struct procspaces *of;
	struct modules *modules;    /* NULL: not made yet */
	struct procspace_map *maps; /* by address; paths are ours */
	unsigned nmaps;
	bool is_seeded;	   /* what was mapped before it was watched is there */
	unsigned nlate;	   /* reads that were given up */
	bool is_stale;	   /* more was told since the modules were made */
	uint64_t since_ns; /* when it executed this program; 0: long ago: it runs */
	uint64_t until_ns; /* of the past: when it ended, or executed another program */
	struct procspace *next;
};

#define MAX_PAST   2000
#define MAX_RECENT 64 /* where nobody asks about the past, but events of its end come late */

struct procspaces {
	struct world *world;
	struct objcache *cache;
	struct hash by_pid;
	struct procspace *last; /* that was asked for; NULL: none */
	struct procspace *past; /* the latest first */
	unsigned npast;
	struct procspace *then; /* what the process of its number is now; NULL: it is as it is */
	struct {
		void (*fn)(void *arg);
		void *arg;
	} askers[PROCSPACE_ASKERS]; /* who will ask about the past */
	unsigned naskers;
};

struct procspaces *procspaces_new(struct world *w)
{
	struct procspaces *ls = xcalloc(1, sizeof(*ls));

	ls->world = w;
	ls->cache = objcache_new();
	hash_init(&ls->by_pid);
	return ls;
}

static void free_space(struct procspace *l)
{
	if (!l)
		return;
	if (l->modules)
		modules_free(l->modules);
	for (unsigned i = 0; i < l->nmaps; i++)
		free((void *)(uintptr_t)l->maps[i].path);
	free(l->maps);
	free(l);
}

static void forget_past(struct procspaces *ls)
{
	while (ls->past) {
		struct procspace *l = ls->past;

		ls->past = l->next;
		free_space(l);
	}
	ls->npast = 0;
}

void procspaces_free(struct procspaces *ls)
{
	struct procspace *l;

	if (!ls)
		return;
	forget_past(ls);
	for (size_t i = 0; (l = hash_each(&ls->by_pid, &i, NULL));)
		free_space(l);
	hash_release(&ls->by_pid);
	objcache_free(ls->cache);
	free(ls);
}

void procspaces_lies(struct procspaces *ls, unsigned dev_major, unsigned dev_minor, uint64_t ino,
		     const char *here)
{
	objcache_lies(ls->cache, makedev(dev_major, dev_minor), ino, here);
}

const char *procspaces_here(const struct procspaces *ls, const struct procspace_map *m)
{
	const char *here = objcache_here(ls->cache, makedev(m->dev_major, m->dev_minor), m->ino);

	return here ? here : m->path;
}

pid_t procspaces_namer(const struct procspaces *ls, pid_t pid)
{
	return ls->world->recording ? getpid() : pid;
}

static struct proc *find_traced(const struct world *w, pid_t pid)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc && proc_pid(w->procs[i].proc) == pid)
			return w->procs[i].proc;
	return NULL;
}

struct proc *procspace_traced(const struct procspaces *ls, pid_t pid)
{
	return find_traced(ls->world, pid);
}

static struct target *traced(const struct world *w, pid_t pid)
{
	struct proc *p = find_traced(w, pid);

	return p ? proc_target(p) : NULL;
}

/* By the page: one call that meets an unmapped page may read nothing at all. */
static ssize_t read_memory(struct target *t, taddr_t addr, void *buf, size_t n)
{
	struct procspace *l = t->priv;
	struct target *as_traced = traced(l->world, t->pid);
	const size_t page = 4096;
	size_t got = 0;

	if (l->world->recording)
		return -EFAULT; /* there is no memory in a file */
	if (as_traced)		/* hides breakpoints */
		return target_read(as_traced, addr, buf, n);
	while (got < n) {
		size_t part = MIN(n - got, page - (addr + got) % page);
		ssize_t r = helper_read(t->pid, addr + got, (char *)buf + got, part,
					l->nlate < LATE_TIMES ? LATE_MS : LATER_MS);

		l->nlate += r == -ETIMEDOUT;
		if (r != (ssize_t)part)
			break;
		got += part;
	}
	return got || !n ? (ssize_t)got : -EFAULT;
}

/* Only a process that we were pointed at is written to. */
static ssize_t write_memory(struct target *t, taddr_t addr, const void *buf, size_t n)
{
	const struct procspace *l = t->priv;
	struct target *as_traced = traced(l->world, t->pid);

	return as_traced ? target_write(as_traced, addr, buf, n) : -EPERM;
}

static void know(struct procspace *, uint64_t time_ns);

/* Only of processes of which something is recorded: a machine runs many that nobody asks for. */
static void learn(struct target *t, uint64_t time_ns)
{
	know(t->priv, time_ns);
}

static struct procspace *get(struct procspaces *ls, pid_t pid)
{
	struct procspace *l;

	if (ls->then && ls->then->target.pid == pid)
		return ls->then;
	if (ls->last && ls->last->target.pid == pid)
		return ls->last;
	l = hash_get(&ls->by_pid, (uint64_t)pid);
	if (l)
		return ls->last = l;
	l = xcalloc(1, sizeof(*l));
	l->world = ls->world;
	l->of = ls;
	l->target = (struct target){
		.pid = pid, .read = read_memory, .write = write_memory, .learn = learn, .priv = l};
	hash_put(&ls->by_pid, (uint64_t)pid, l);
	return l;
}

/* A new mapping takes the place of what it covers. */
static void add(struct procspace *l, const struct procspace_map *m)
{
	unsigned n = 0, at = 0;

	for (unsigned i = 0; i < l->nmaps; i++) {
		struct procspace_map *old = &l->maps[i];

		if (old->start < m->end && old->end > m->start) {
			free((void *)(uintptr_t)old->path);
			continue;
		}
		at += old->start < m->start;
		l->maps[n++] = *old;
	}
	l->maps = xrealloc(l->maps, (n + 1) * sizeof(*l->maps));
	memmove(&l->maps[at + 1], &l->maps[at], (n - at) * sizeof(*l->maps));
	l->maps[at] = *m;
	l->maps[at].path = xstrdup(m->path);
	l->nmaps = n + 1;
	l->is_stale = true;
}

static void seed(struct procspace *l, pid_t pid)
{
	struct procmap line;
	struct strbuf text;
	char *at;

	if (l->is_seeded)
		return;
	l->is_seeded = true;
	strbuf_init(&text);
	procfile_slurp(pid, "maps", &text);
	at = text.s;
	while (procmap_next(&at, &line))
		if (line.exec)
			add(l, &(struct procspace_map){.start = line.start,
						       .end = line.end,
						       .file_off = line.offset,
						       .ino = line.ino,
						       .dev_major = line.dev_major,
						       .dev_minor = line.dev_minor,
						       .path = line.path});
	strbuf_release(&text);
}

static void take_told(struct procspace *l, pid_t pid)
{
	struct strbuf text;

	strbuf_init(&text);
	for (unsigned i = 0; i < l->nmaps; i++) {
		const struct procspace_map *m = &l->maps[i];

		strbuf_addf(&text, "%llx-%llx r-xp %llx %x:%x %llu ", (unsigned long long)m->start,
			    (unsigned long long)m->end, (unsigned long long)m->file_off,
			    m->dev_major, m->dev_minor, (unsigned long long)m->ino);
		for (const char *p = m->path; *p; p++) /* as maps has it: the line is one */
			if (*p == '\n')
				strbuf_adds(&text, "\\012");
			else
				strbuf_addc(&text, *p);
		strbuf_addc(&text, '\n');
	}
	modules_told(l->modules, procspaces_namer(l->of, pid), text.s);
	strbuf_release(&text);
	l->is_stale = false;
}

static void know(struct procspace *l, uint64_t time_ns)
{
	const pid_t pid = l->target.pid;
	struct session *s = l->world->session;

	if (!s->aspaces || !pid)
		return;
	seed(l, pid);
	if (traced(l->world, pid)) /* who traces it tells what it has mapped */
		l->target.aspace = aspace_of(s->aspaces, pid, time_ns);
	if (l->target.aspace && !l->modules)
		return;
	if (!l->is_stale)
		return;
	if (!l->modules) {
		l->modules = modules_new(l->of->cache);
		l->target.aspace = aspace_new(s->aspaces, pid, time_ns);
	}
	take_told(l, pid);
	modules_record(l->modules, s->aspaces, l->target.aspace, time_ns);
}

void procspace_know(struct procspaces *ls, pid_t pid, uint64_t time_ns)
{
	know(get(ls, pid), time_ns);
}

void procspaces_keep(struct procspaces *ls, void (*fn)(void *arg), void *arg)
{
	assert(ls->naskers < PROCSPACE_ASKERS);
	ls->askers[ls->naskers].fn = fn;
	ls->askers[ls->naskers++].arg = arg;
}

void procspaces_go_back(struct procspaces *ls, pid_t pid, uint64_t time_ns)
{
	ls->then = NULL;
	for (struct procspace *l = ls->past; l && l->until_ns >= time_ns; l = l->next)
		if (l->target.pid == pid)
			ls->then = l;
}

static void forget_oldest(struct procspaces *ls)
{
	struct procspace **last = &ls->past;

	while ((*last)->next)
		last = &(*last)->next;
	free_space(*last);
	*last = NULL;
	ls->npast--;
}

static void make_room(struct procspaces *ls)
{
	if (!ls->naskers && ls->npast == MAX_RECENT)
		forget_oldest(ls);
	if (ls->npast < MAX_PAST)
		return;
	for (unsigned i = 0; i < ls->naskers; i++)
		ls->askers[i].fn(ls->askers[i].arg);
	forget_past(ls);
}

void procspace_forget(struct procspaces *ls, pid_t pid, uint64_t time_ns)
{
	struct procspace *l;

	make_room(ls);
	ls->last = NULL;
	l = hash_del(&ls->by_pid, (uint64_t)pid);
	if (!l || !l->nmaps) {
		free_space(l);
		return;
	}
	l->until_ns = time_ns;
	l->next = ls->past;
	ls->past = l;
	ls->npast++;
}

static const struct procspace_map *map_at(struct procspace *l, taddr_t addr)
{
	unsigned low = 0, high;

	seed(l, l->target.pid);
	for (high = l->nmaps; low < high;) {
		unsigned mid = low + (high - low) / 2;

		if (l->maps[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->nmaps && l->maps[low].start <= addr ? &l->maps[low] : NULL;
}

const struct procspace_map *procspace_at(struct procspaces *ls, pid_t pid, taddr_t addr)
{
	return map_at(get(ls, pid), addr);
}

struct target *procspace_of_code(struct procspaces *ls, pid_t pid, taddr_t pc)
{
	struct procspace *l = get(ls, pid);

	/* of those that live /proc is not asked for each of their events */
	if (!pc || (!l->since_ns && (l->nmaps || !ls->world->recording)))
		return &l->target;
	if (map_at(l, pc)) {
		l->since_ns = 0;
		return &l->target;
	}
	for (struct procspace *old = ls->past; old && old->until_ns >= l->since_ns; old = old->next)
		if (old->target.pid == pid && map_at(old, pc))
			return &old->target;
	return &l->target;
}

void procspaces_as_of(struct procspaces *ls, const struct target *t)
{
	struct procspace *l = t ? t->priv : NULL;

	ls->then = l && l->until_ns ? l : NULL;
}

/* Runtimes turn pages of their code on and off all the time. */
static bool has_code_of_no_file(struct procspaces *ls, pid_t pid, const struct procspace_map *m)
{
	taddr_t at = m->start;

	while (at < m->end) {
		const struct procspace_map *known = procspace_at(ls, pid, at);

		if (!known || known->path[0])
			return false;
		at = known->end;
	}
	return true;
}

void procspace_mapped(struct procspaces *ls, pid_t pid, const struct procspace_map *m)
{
	struct procspace *l = get(ls, pid);
	struct procspace_map anonymous = *m;

	seed(l, pid);
	if (strncmp(m->path, "//", 2) != 0) {
		add(l, m);
		return;
	}
	anonymous.path = "";
	anonymous.ino = anonymous.dev_major = anonymous.dev_minor = 0;
	if (!has_code_of_no_file(ls, pid, m))
		add(l, &anonymous);
}

/* Nothing is mapped that was before. */
static struct procspace *begin_space(struct procspaces *ls, pid_t pid, uint64_t time_ns)
{
	struct procspace *l;

	procspace_forget(ls, pid, time_ns);
	l = get(ls, pid);
	l->is_seeded = true;
	return l;
}

void procspace_execed(struct procspaces *ls, pid_t pid, uint64_t time_ns)
{
	begin_space(ls, pid, time_ns)->since_ns = time_ns;
}

void procspace_forked(struct procspaces *ls, pid_t pid, pid_t parent, uint64_t time_ns)
{
	struct procspace *from = get(ls, parent), *to;

	seed(from, parent);
	to = begin_space(ls, pid, time_ns);
	for (unsigned i = 0; i < from->nmaps; i++)
		add(to, &from->maps[i]);
}
