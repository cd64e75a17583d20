#include "providers/system/tracepoints/proc_sideband.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "providers/world/proctab.h"
#include "tracer/procfs/procfs.h"

struct proc_sideband {
	struct perf *perf;
	proctask_fn *fn;
	void *arg;
	struct hash nthreads; /* by process: how many it has, as a number */
};

bool proc_sideband_tell(enum bpf_proc_row row)
{
	return row == PROC_CREATE || row == PROC_START || row == PROC_EXIT ||
	       row == PROC_LWP_CREATE || row == PROC_LWP_START || row == PROC_LWP_EXIT ||
	       row == PROC_EXEC_SUCCESS || row == PROC_MODULE_LOAD;
}

/* ---- threads that are left ---- */

static uintptr_t count_of(const struct proc_sideband *pt, pid_t pid)
{
	return (uintptr_t)hash_get(&pt->nthreads, (uint64_t)pid);
}

static void set_count(struct proc_sideband *pt, pid_t pid, uintptr_t n)
{
	if (n)
		hash_put(&pt->nthreads, (uint64_t)pid, (void *)n);
	else
		hash_del(&pt->nthreads, (uint64_t)pid);
}

static void seed(void *arg, pid_t pid, const struct taskinfo *info UNUSED)
{
	uint64_t n;

	set_count(arg, pid, procfs_status(pid, "Threads", 10, &n) ? (unsigned)n : 1);
}

/* ---- records ---- */

static void tell(struct proc_sideband *pt, enum bpf_proc_row row, const struct perf_task *t,
		 pid_t pid, pid_t tid)
{
	struct perf_sample at = t->at;
	struct event ev;

	at.pid = pid;
	at.tid = tid;
	perf_event_init(pt->perf, &ev, &at);
	pt->fn(pt->arg, row, &ev, t->at.tid);
}

static void on_new(struct proc_sideband *pt, const struct perf_task *t)
{
	bool is_thread = t->at.pid == t->parent_pid;

	set_count(pt, t->at.pid, is_thread ? count_of(pt, t->at.pid) + 1 : 1);
	tell(pt, is_thread ? PROC_LWP_CREATE : PROC_CREATE, t, t->parent_pid, t->parent_tid);
	if (!is_thread)
		tell(pt, PROC_START, t, t->at.pid, t->at.tid);
	tell(pt, PROC_LWP_START, t, t->at.pid, t->at.tid);
}

static void on_exit_record(struct proc_sideband *pt, const struct perf_task *t)
{
	uintptr_t n = count_of(pt, t->at.pid);

	tell(pt, PROC_LWP_EXIT, t, t->at.pid, t->at.tid);
	if (n <= 1)
		tell(pt, PROC_EXIT, t, t->at.pid, t->at.tid);
	set_count(pt, t->at.pid, n ? n - 1 : 0);
}

static void on_task(void *arg, const struct perf_task *t)
{
	switch (t->what) {
	case TASK_NEW:
		on_new(arg, t);
		break;
	case TASK_EXEC:
		tell(arg, PROC_EXEC_SUCCESS, t, t->at.pid, t->at.tid);
		break;
	case TASK_EXIT:
		on_exit_record(arg, t);
		break;
	}
}

struct proc_sideband *proc_sideband_new(struct perf *p, proctask_fn *fn, void *arg)
{
	struct proc_sideband *pt = xcalloc(1, sizeof(*pt));

	pt->perf = p;
	pt->fn = fn;
	pt->arg = arg;
	hash_init(&pt->nthreads);
	proctab_seed(perf_procs(p));
	proctab_each(perf_procs(p), seed, pt);
	perf_on_task(p, on_task, pt);
	return pt;
}

void proc_sideband_free(struct proc_sideband *pt)
{
	if (pt)
		hash_release(&pt->nthreads);
	free(pt);
}
