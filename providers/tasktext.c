#include "providers/tasktext.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

struct entry {
	unsigned long long start_ns; /* with the pid: this process and no other */
	char comm[16];		     /* another: it has exec'd */
	char fname[64], psargs[80];
};

struct tasktext {
	struct hash by_pid;
};

struct tasktext *tasktext_new(void)
{
	struct tasktext *t = xcalloc(1, sizeof(*t));

	hash_init(&t->by_pid);
	return t;
}

void tasktext_free(struct tasktext *t)
{
	void *v;

	if (!t)
		return;
	for (size_t i = 0; (v = hash_each(&t->by_pid, &i, NULL));)
		free(v);
	hash_release(&t->by_pid);
	free(t);
}

static ssize_t read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

static void read_fname(pid_t pid, struct entry *e)
{
	char path[64], exe[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	if (n <= 0)
		return;
	exe[n] = '\0';
	base = strrchr(exe, '/');
	snprintf(e->fname, sizeof(e->fname), "%.63s", base ? base + 1 : exe);
}

/* Blanks between the arguments, none at the end. */
static void read_psargs(pid_t pid, struct entry *e)
{
	ssize_t n = read_proc(pid, "cmdline", e->psargs, sizeof(e->psargs));

	while (n > 0 && !e->psargs[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!e->psargs[i])
			e->psargs[i] = ' ';
}

static void look_up(const struct bpf_task *t, struct entry *e)
{
	e->start_ns = t->start_ns;
	memcpy(e->comm, t->comm, sizeof(e->comm));
	e->fname[0] = e->psargs[0] = '\0';
	if (t->flags & PF_KTHREAD || !t->pid) {
		snprintf(e->fname, sizeof(e->fname), "[%.15s]", t->comm);
		return;
	}
	read_fname(t->pid, e);
	read_psargs(t->pid, e);
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

void tasktext_fill(struct tasktext *tt, struct bpf_task *t)
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
		look_up(t, e);
	} else if (e->start_ns != t->start_ns || memcmp(e->comm, t->comm, sizeof(e->comm)) != 0) {
		look_up(t, e);
	}
	if (!has_fname)
		memcpy(t->fname, e->fname, sizeof(t->fname));
	complete(t, has_psargs, e);
}

static int status_number(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p ? atoi(p + strlen(key)) : 0;
}

/* stat after the name: state is field 3, priority 18, nice 19 (proc_pid_stat(5)). */
static int stat_number(const char *stat, unsigned field)
{
	const char *p = strrchr(stat, ')');

	p = p ? p + 2 : "";
	for (unsigned i = 3; i < field && p; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? atoi(p) : 0;
}

bool tasktext_of_thread(struct tasktext *tt, pid_t tid, struct bpf_task *t)
{
	char status[4096], stat[1024];

	if (read_proc(tid, "status", status, sizeof(status)) <= 0 ||
	    read_proc(tid, "stat", stat, sizeof(stat)) <= 0)
		return false;
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->pid = status_number(status, "\nTgid:");
	t->ppid = status_number(status, "\nPPid:");
	t->nlwp = status_number(status, "\nThreads:");
	t->uid = t->euid = status_number(status, "\nUid:");
	t->gid = t->egid = status_number(status, "\nGid:");
	t->pgid = stat_number(stat, 5);
	t->sid = stat_number(stat, 6);
	t->prio = stat_number(stat, 18) + 100;
	t->static_prio = stat_number(stat, 19) + 120;
	t->syscall = -1;
	t->is_64 = 1;
	snprintf(t->comm, sizeof(t->comm), "%.15s", strstr(status, "Name:\t") ? status + 6 : "");
	t->comm[strcspn(t->comm, "\n")] = '\0';
	memcpy(t->tname, t->comm, sizeof(t->tname));
	tasktext_fill(tt, t);
	return true;
}
