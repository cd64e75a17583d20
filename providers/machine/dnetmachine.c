/*
 * dnetmachine.c: which processes of the machine have a runtime: of those that are there what they
 * have mapped, of later ones what the kernel tells that they map, and who is forked by one of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/strbuf.h"
#include "providers/kernel/perf.h"
#include "providers/machine/dnet.h"
#include "providers/pid/pid_priv.h"

/* How the names of the files begin that say a process has it. */
static const struct runtime {
	const char *name, *files[2];
} runtimes[] = {
	{"java", {"libjvm.so"}},
	{"python", {"python3", "libpython3"}},
	{"cpp", {"libstdc++.so.6"}},
};

#define NRUNTIMES ARRAY_SIZE(runtimes)

struct dnet_world {
	struct session *session;
	bool is_wanted[NRUNTIMES];
	pid_t *found; /* to be traced; they have not been looked at yet */
	unsigned nfound, room;
};

static bool is_wanted_file(const struct dnet_world *dw, const char *path)
{
	const char *slash = strrchr(path, '/'), *file;

	for (unsigned i = 0; slash && i < NRUNTIMES; i++)
		for (unsigned k = 0; dw->is_wanted[i] && k < ARRAY_SIZE(runtimes[i].files); k++) {
			file = runtimes[i].files[k];
			if (file && strncmp(slash + 1, file, strlen(file)) == 0)
				return true;
		}
	return false;
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
	return found;
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

static void on_mapping(void *arg, const struct perf_mapping *m)
{
	if (is_wanted_file(arg, m->path))
		note(arg, m->at.pid);
}

/* What a fork has is mapped already, without a word. */
static void on_task(void *arg, const struct perf_task *t)
{
	if (t->what == TASK_NEW && t->at.pid != t->parent_pid && traced(arg, t->parent_pid))
		note(arg, t->at.pid);
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
		watch_later(dw);
	}
	dw->is_wanted[which] = true;
	if (procids_open(&pids, 0) < 0)
		return;
	while ((pid = procids_next(&pids)))
		trace(dw, pid);
	procids_close(&pids);
}

void dnet_free(struct session *s)
{
	struct dnet_world *dw = world_of(s)->dnet;

	if (!dw)
		return;
	free(dw->found);
	free(dw);
	world_of(s)->dnet = NULL;
}
