#include "providers/system/taskdetail.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/procfile.h"
#include "dlang/osinfo/osinfo.h"
#include "tracer/procfs/procfs.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

struct entry {
	unsigned long long start_ns; /* with the pid: this process and no other */
	char comm[16];		     /* another: it has exec'd */
	char fname[64], psargs[80];
};

struct taskdetail {
	struct hash by_pid;
	bool is_recorded;
};

struct taskdetail *taskdetail_new(bool is_recorded)
{
	struct taskdetail *t = xcalloc(1, sizeof(*t));

	t->is_recorded = is_recorded;
	hash_init(&t->by_pid);
	return t;
}

void taskdetail_free(struct taskdetail *t)
{
	void *e;

	if (!t)
		return;
	for (size_t i = 0; (e = hash_each(&t->by_pid, &i, NULL));)
		free(e);
	hash_release(&t->by_pid);
	free(t);
}

static void read_fname(pid_t pid, struct entry *e)
{
	char exe[PATH_MAX];
	const char *base;

	if (procfile_link(pid, "exe", exe, sizeof(exe)) <= 0)
		return;
	base = strrchr(exe, '/');
	snprintf(e->fname, sizeof(e->fname), "%.63s", base ? base + 1 : exe);
}

static void look_up(const struct taskdetail *tt, const struct bpf_task *t, struct entry *e)
{
	e->start_ns = t->start_ns;
	memcpy(e->comm, t->comm, sizeof(e->comm));
	e->fname[0] = e->psargs[0] = '\0';
	if (t->flags & PF_KTHREAD || !t->pid) {
		snprintf(e->fname, sizeof(e->fname), "[%.15s]", t->comm);
		return;
	}
	if (!tt->is_recorded) {
		read_fname(t->pid, e);
		osinfo_cmdline(t->pid, e->psargs, sizeof(e->psargs));
	}
	if (!e->fname[0])
		snprintf(e->fname, sizeof(e->fname), "%.15s", t->comm);
	if (!e->psargs[0])
		snprintf(e->psargs, sizeof(e->psargs), "%.15s", t->comm);
}

/* What the kernel's record had already: the arguments with the NULs between them. */
static void complete(struct bpf_task *t, bool has_psargs, const struct entry *e)
{
	size_t n = sizeof(t->psargs) - 1;

	t->psargs[n] = '\0';
	if (!has_psargs) {
		memcpy(t->psargs, e->psargs, sizeof(t->psargs));
		return;
	}
	while (n > 0 && !t->psargs[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!t->psargs[i])
			t->psargs[i] = ' ';
}

void taskdetail_fill(struct taskdetail *tt, struct bpf_task *t)
{
	bool has_fname = t->fname[0] != '\0', has_psargs = t->psargs[0] != '\0';
	struct entry *e;

	if (has_fname && has_psargs) {
		complete(t, true, NULL);
		return;
	}
	e = hash_get(&tt->by_pid, (uint64_t)t->pid + 1);
	if (!e) {
		e = xcalloc(1, sizeof(*e));
		hash_put(&tt->by_pid, (uint64_t)t->pid + 1, e);
		look_up(tt, t, e);
	} else if (e->start_ns != t->start_ns || memcmp(e->comm, t->comm, sizeof(e->comm)) != 0) {
		look_up(tt, t, e);
	}
	if (!has_fname)
		memcpy(t->fname, e->fname, sizeof(t->fname));
	complete(t, has_psargs, e);
}

static int status_number(pid_t tid, const char *name)
{
	uint64_t v = 0;

	procfs_status(tid, name, 10, &v);
	return (int)v;
}

/* priority is field 18, nice 19 (proc_pid_stat(5)). */
static int stat_number(const char *stat, unsigned field)
{
	const char *p = procstat_field(stat, field);

	return p ? atoi(p) : 0;
}

bool taskdetail_of_thread(struct taskdetail *tt, pid_t tid, struct bpf_task *t)
{
	char stat[1024];

	if (tt->is_recorded || !osinfo_read(tid, "stat", stat, sizeof(stat)))
		return false;
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->pid = status_number(tid, "Tgid");
	t->ppid = status_number(tid, "PPid");
	t->nlwp = status_number(tid, "Threads");
	t->uid = t->euid = status_number(tid, "Uid");
	t->gid = t->egid = status_number(tid, "Gid");
	t->pgid = stat_number(stat, 5);
	t->sid = stat_number(stat, 6);
	t->prio = stat_number(stat, 18) + 100;
	t->static_prio = stat_number(stat, 19) + 120;
	t->syscall = -1;
	t->is_64 = 1;
	procfile_comm(tid, "comm", t->comm);
	memcpy(t->tname, t->comm, sizeof(t->tname));
	taskdetail_fill(tt, t);
	return true;
}

void taskdetail_of_gone(struct taskdetail *tt, pid_t tid, pid_t pid, pid_t ppid, const char *comm,
			size_t len, struct bpf_task *t)
{
	t->tid = tid;
	t->pid = pid;
	t->ppid = ppid;
	t->syscall = -1;
	t->is_64 = 1;
	snprintf(t->comm, sizeof(t->comm), "%.*s", (int)len, comm);
	memcpy(t->tname, t->comm, sizeof(t->tname));
	taskdetail_fill(tt, t);
}

/* ---- many threads ---- */

struct many {
	struct taskdetail *texts;
	bool is_user;
	int number; /* of the group or user */
	taskdetail_fn *fn;
	void *arg;
};

static void visit_thread(struct many *m, pid_t tid)
{
	struct bpf_task task;

	if (taskdetail_of_thread(m->texts, tid, &task) &&
	    (m->is_user ? task.uid : task.pgid) == m->number)
		m->fn(m->arg, &task);
}

static void visit_all(struct many *m)
{
	struct procids pids, tids;
	pid_t pid, tid;

	procids_open(&pids, 0);
	while ((pid = procids_next(&pids))) {
		procids_open(&tids, pid);
		while ((tid = procids_next(&tids)))
			visit_thread(m, tid);
		procids_close(&tids);
	}
	procids_close(&pids);
}

void taskdetail_of_group(struct taskdetail *tt, pid_t pgid, taskdetail_fn *fn, void *arg)
{
	visit_all(&(struct many){tt, false, pgid, fn, arg});
}

void taskdetail_of_user(struct taskdetail *tt, uid_t uid, taskdetail_fn *fn, void *arg)
{
	visit_all(&(struct many){tt, true, (int)uid, fn, arg});
}
