/*
 * dnetmachine.c: which processes of the machine have a runtime: of those that are there what they
 * have mapped, of later ones what the kernel tells that they map, and who is forked by one of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/hash.h"
#include "base/procfile.h"
#include "base/strbuf.h"
#include "providers/kernel/perf.h"
#include "providers/machine/dnet.h"
#include "providers/pid/pid_priv.h"
#include "symbols/symbols.h"

/* The names of the files that say a process has it; Go programs are told by what is in them. */
static const struct runtime {
	const char *name, *files[3];
} runtimes[] = {
	{"java", {"libjvm.so*"}},
	{"python", {"python3*", "libpython3*"}},
	{"node", {"node", "nodejs", "libnode.so*"}},
	{"cpp", {"libstdc++.so.6*"}},
	{"go", {NULL}},
};

#define NRUNTIMES ARRAY_SIZE(runtimes)

struct dnet_world {
	struct session *session;
	bool is_wanted[NRUNTIMES];
	pid_t *found; /* to be traced; they have not been looked at yet */
	unsigned nfound, room;
	struct hash
		having; /* by pid: those that have mapped it, in the order in which that is told */
};

static bool is_wanted_file(const struct dnet_world *dw, const char *path)
{
	const char *slash = strrchr(path, '/'), *file;

	for (unsigned i = 0; slash && i < NRUNTIMES; i++)
		for (unsigned k = 0; dw->is_wanted[i] && k < ARRAY_SIZE(runtimes[i].files); k++) {
			file = runtimes[i].files[k];
			if (file && glob_match(file, slash + 1))
				return true;
		}
	return false;
}

static bool wants_go(const struct dnet_world *dw)
{
	return dw->is_wanted[NRUNTIMES - 1];
}

static bool is_go(pid_t pid)
{
	struct objfile *o;
	struct err why;
	char path[64];
	bool found;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || objfile_open_headers(fd, path, &o, &why) < 0)
		return false;
	found = objfile_is_go(o);
	objfile_close(o);
	return found;
}

static bool has_runtime(const struct dnet_world *dw, pid_t pid)
{
	struct procmap line;
	struct strbuf maps;
	bool found = false;
	char *text;

	strbuf_init(&maps);
	if (procfile_slurp(pid, "maps", &maps) == 0)
		for (text = maps.s; !found && procmap_next(&text, &line);)
			found = line.exec && is_wanted_file(dw, line.path);
	strbuf_release(&maps);
	return found || (wants_go(dw) && is_go(pid));
}

/* NULL: it is not traced. */
static struct pid_proc *traced(struct dnet_world *dw, pid_t pid)
{
	struct pid_proc *pp = pid_world_of(world_of(dw->session))->procs;

	while (pp && !(pp->proc && pp->pid == pid))
		pp = pp->next;
	return pp;
}

/* A process of others is stopped for a breakpoint: only for a runtime that is named. */
static struct pid_proc *trace(struct dnet_world *dw, pid_t pid)
{
	struct session *s = dw->session;
	struct world *w = world_of(s);
	struct err why = {0};

	if (pid == s->front_pid || pid == s->engine_pid || traced(dw, pid) || !has_runtime(dw, pid))
		return NULL;
	if (w->grab(w, pid, &why) == 0)
		return traced(dw, pid);
	if (why.code != -ESRCH)
		session_message(s, MSG_ERR, false, "process %d is not traced: %s", pid, why.text);
	return NULL;
}

/* ---- later ones ---- */

/* Not within the record that told of them: other sources have their turn first. */
static uint64_t trace_found(struct session *s, void *arg, uint64_t deadline_ns UNUSED)
{
	struct dnet_world *dw = arg;

	for (unsigned i = 0; i < dw->nfound; i++) {
		struct pid_proc *pp = trace(dw, dw->found[i]);

		if (pp)
			pid_rematch(s, pp);
	}
	dw->nfound = 0;
	return UINT64_MAX;
}

static void note(struct dnet_world *dw, pid_t pid)
{
	for (unsigned i = 0; i < dw->nfound; i++)
		if (dw->found[i] == pid)
			return;
	if (dw->nfound == dw->room) {
		dw->room = dw->room ? 2 * dw->room : 16;
		dw->found = xrealloc(dw->found, dw->room * sizeof(*dw->found));
	}
	dw->found[dw->nfound++] = pid;
	session_add_timer(dw->session, session_now(dw->session), trace_found, dw);
}

static void may_have(struct dnet_world *dw, pid_t pid)
{
	hash_put(&dw->having, (uint64_t)pid, dw);
	note(dw, pid);
}

static void on_mapping(void *arg, const struct perf_mapping *m)
{
	if (wants_go(arg) || is_wanted_file(arg, m->path))
		may_have(arg, m->at.pid);
}

/* What a fork has is mapped already, without a word: its parent may not be traced yet, or not any
 * more. */
static void on_task(void *arg, const struct perf_task *t)
{
	struct dnet_world *dw = arg;

	if (t->what == TASK_EXIT && t->at.pid == t->at.tid)
		hash_del(&dw->having, (uint64_t)t->at.pid);
	else if (t->what == TASK_NEW && t->at.pid != t->parent_pid &&
		 (hash_get(&dw->having, (uint64_t)t->parent_pid) || traced(dw, t->parent_pid)))
		may_have(dw, t->at.pid);
}

static void watch_later(struct dnet_world *dw)
{
	struct err why = {0};
	struct perf *perf;
	int rc = world_perf(world_of(dw->session), &perf, &why);

	if (rc == 0 && !perf_sees_all(perf))
		rc = err_set(&why, -EACCES, "needs CAP_PERFMON");
	if (rc < 0) {
		session_message(dw->session, MSG_ERR, false,
				"dnet: processes that start later are not seen: %s", why.text);
		return;
	}
	perf_on_mapping(perf, on_mapping, dw);
	perf_on_task(perf, on_task, dw);
}

void dnet_watch_machine(struct session *s, const char *runtime)
{
	struct world *w = world_of(s);
	struct dnet_world *dw = w->dnet;
	struct procids pids;
	unsigned which = 0;
	pid_t pid;

	while (which < NRUNTIMES && strcmp(runtimes[which].name, runtime) != 0)
		which++;
	if (which == NRUNTIMES || (dw && dw->is_wanted[which]))
		return;
	if (!dw) {
		w->dnet = dw = xcalloc(1, sizeof(*dw));
		dw->session = s;
		hash_init(&dw->having);
		watch_later(dw);
	}
	dw->is_wanted[which] = true;
	if (procids_open(&pids, 0) < 0)
		return;
	while ((pid = procids_next(&pids)))
		if (trace(dw, pid))
			hash_put(&dw->having, (uint64_t)pid, dw);
	procids_close(&pids);
}

void dnet_free(struct session *s)
{
	struct dnet_world *dw = world_of(s)->dnet;

	if (!dw)
		return;
	free(dw->found);
	hash_release(&dw->having);
	free(dw);
	world_of(s)->dnet = NULL;
}
