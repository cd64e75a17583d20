#include "providers/world/proctab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/procfile.h"
#include "base/regfile.h"
#include "dlang/osinfo/osinfo.h"

/* An exit may be told before the last records of the process have been read. */
#define KEPT_EXITS 4096

struct entry {
	struct taskinfo info;
	bool has_ids, is_told; /* is_told: proctab_tell_ids() */
	uint8_t class;	       /* EI_CLASS of its program; ELFCLASSNONE: not known yet */
	bool is_followed;
	bool has_exited, was_asked; /* whose child it is since its parent has */
};

/* Threads have an entry of their own only when they are called otherwise than their process. */
struct thread_name {
	char comm[16];
};

/* A thread's time on a CPU: the sum, and since when it is on one (0: it is not). */
struct cpu_time {
	uint64_t sum_ns, since_ns;
};

struct proctab {
	struct hash procs, threads, times;
	struct hash processes; /* of threads that are not called as their process, by number */
	/* what proctab_get() has answered last, until a process ends or executes; NULL: none */
	const struct taskinfo *last;
	pid_t last_pid;
	pid_t exited[KEPT_EXITS]; /* a ring: forgotten when their place is wanted */
	unsigned nexited;
	pid_t (*parent_of_gone)(void *arg, pid_t pid); /* NULL: nobody knows */
	void *parent_arg;
};

struct proctab *proctab_new(void)
{
	struct proctab *t = xcalloc(1, sizeof(*t));

	hash_init(&t->procs);
	hash_init(&t->threads);
	hash_init(&t->times);
	hash_init(&t->processes);
	return t;
}

static void free_all(struct hash *h)
{
	void *v;

	for (size_t i = 0; (v = hash_each(h, &i, NULL));)
		free(v);
	hash_release(h);
}

void proctab_free(struct proctab *t)
{
	if (!t)
		return;
	free_all(&t->procs);
	free_all(&t->threads);
	free_all(&t->times);
	hash_release(&t->processes);
	free(t);
}

static void set_comm(char dst[static 16], const char *comm)
{
	size_t n = strnlen(comm, 15);

	memset(dst, 0, 16);
	memcpy(dst, comm, n);
}

static struct entry *add(struct proctab *t, pid_t pid)
{
	struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	if (!e) {
		e = xcalloc(1, sizeof(*e));
		hash_put(&t->procs, (uint64_t)pid, e);
	}
	return e;
}

static void read_ids(struct entry *e, pid_t pid)
{
	struct osinfo os = {0};
	const struct osinfo_ids *ids = osinfo_ids(&os, pid);

	e->has_ids = true;
	if (e->is_told)
		return;
	if (procfile_is_hidden(pid)) { /* no recording tells */
		e->info.uid = (uid_t)-1;
		e->info.gid = (gid_t)-1;
		return;
	}
	if (!ids->ppid && pid > 2) /* it is gone: what was known stays */
		return;
	e->info.ppid = ids->ppid;
	e->info.uid = ids->uid;
	e->info.gid = ids->gid;
}

static struct entry *look_up(struct proctab *t, pid_t pid)
{
	struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	if (e)
		return e;
	e = add(t, pid);
	procfile_comm(pid, "comm", e->info.comm);
	if (!pid)
		set_comm(e->info.comm, "swapper");
	return e;
}

bool proctab_is_32(struct proctab *t, pid_t pid)
{
	struct entry *e = look_up(t, pid);
	char path[64], ident[EI_CLASS + 1];
	int fd;

	if (e->class != ELFCLASSNONE)
		return e->class == ELFCLASS32;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = procfile_is_hidden(pid) ? -ESRCH : regfile_open_link(path);
	e->class = fd >= 0 && read(fd, ident, sizeof(ident)) == sizeof(ident)
			   ? (uint8_t)ident[EI_CLASS]
			   : ELFCLASS64;
	if (fd >= 0)
		close(fd);
	return e->class == ELFCLASS32;
}

void proctab_ids(struct proctab *t, pid_t pid, uint32_t uid, uint32_t gid)
{
	struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	if (!e)
		return;
	e->info.uid = uid;
	e->info.gid = gid;
}

void proctab_tell_ids(struct proctab *t, pid_t pid, pid_t ppid, uint32_t uid, uint32_t gid)
{
	struct entry *e = look_up(t, pid);

	e->has_ids = e->is_told = true;
	e->info.uid = uid;
	e->info.gid = gid;
	if (ppid)
		e->info.ppid = ppid;
}

void proctab_each(struct proctab *t, void (*fn)(void *arg, pid_t, const struct taskinfo *),
		  void *arg)
{
	struct procids pids;
	pid_t pid;

	procids_open(&pids, 0);
	while ((pid = procids_next(&pids))) {
		struct entry *e = look_up(t, pid);

		if (!e->has_ids)
			read_ids(e, pid);
		fn(arg, pid, &e->info);
	}
	procids_close(&pids);
}

void proctab_comm(struct proctab *t, pid_t pid, pid_t tid, const char *comm, bool is_exec)
{
	struct thread_name *name;
	struct entry *e;

	if (!pid) /* the idle threads, and all that are outside of our PID namespace */
		return;
	if (tid == pid) {
		e = add(t, pid);
		set_comm(e->info.comm, comm);
		if (is_exec) {
			t->last = NULL;
			e->has_ids = false; /* the program may be set-user-ID */
			e->class = ELFCLASSNONE;
		}
		return;
	}
	name = hash_get(&t->threads, (uint64_t)tid);
	if (!name) {
		name = xcalloc(1, sizeof(*name));
		hash_put(&t->threads, (uint64_t)tid, name);
	}
	set_comm(name->comm, comm);
}

/* Its own name, or that of its process. */
static const char *thread_comm(struct proctab *t, pid_t pid, pid_t tid)
{
	const struct thread_name *name = hash_get(&t->threads, (uint64_t)tid);

	return name ? name->comm : look_up(t, pid)->info.comm;
}

/* The names of its threads: their children will have them. */
static void seed_threads(void *arg, pid_t pid, const struct taskinfo *info)
{
	char path[64], comm[16];
	struct procids tids;
	struct stat st;
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (stat(path, &st) < 0 || st.st_nlink <= 3) /* ".", "..", and its only one */
		return;
	procids_open(&tids, pid);
	while ((tid = procids_next(&tids))) {
		if (tid == pid)
			continue;
		proctab_know_thread(arg, pid, tid);
		snprintf(path, sizeof(path), "task/%d/comm", (int)tid);
		procfile_comm(pid, path, comm);
		if (comm[0] && strcmp(comm, info->comm) != 0)
			proctab_comm(arg, pid, tid, comm, false);
	}
	procids_close(&tids);
}

void proctab_seed(struct proctab *t)
{
	proctab_each(t, seed_threads, t);
}

/* The number is in use again. */
static void unexit(struct proctab *t, pid_t pid)
{
	for (unsigned i = 0; i < KEPT_EXITS; i++)
		if (t->exited[i] == pid)
			t->exited[i] = 0;
}

void proctab_fork(struct proctab *t, pid_t pid, pid_t ppid, pid_t tid, pid_t ptid)
{
	const char *comm = thread_comm(t, ppid, ptid);
	struct entry *parent, *e;
	char name[16];

	set_comm(name, comm);
	if (pid == ppid) {
		if (strcmp(look_up(t, pid)->info.comm, name) != 0)
			proctab_comm(t, pid, tid, name, false);
		return;
	}
	parent = look_up(t, ppid);
	if (!parent->has_ids)
		read_ids(parent, ppid);
	unexit(t, pid);
	hash_del(&t->processes, (uint64_t)tid); /* a thread had this number */
	e = add(t, pid);
	parent = hash_get(&t->procs, (uint64_t)ppid);
	*e = *parent;
	e->has_exited = e->was_asked = false;
	e->info.ppid = ppid;
	set_comm(e->info.comm, name);
}

void proctab_parent_was(struct proctab *t, pid_t pid, pid_t ppid)
{
	struct entry *e = look_up(t, pid);

	if (!e->has_ids)
		read_ids(e, pid);
	e->info.ppid = ppid;
}

void proctab_exit(struct proctab *t, pid_t pid, pid_t tid)
{
	struct entry *e;
	pid_t *place;

	free(hash_del(&t->times, (uint64_t)tid));
	if (tid != pid) {
		free(hash_del(&t->threads, (uint64_t)tid));
		return;
	}
	t->last = NULL;
	e = hash_get(&t->procs, (uint64_t)pid);
	if (e)
		e->has_exited = true;
	place = &t->exited[t->nexited++ % KEPT_EXITS];
	if (*place)
		free(hash_del(&t->procs, (uint64_t)*place));
	*place = pid;
}

void proctab_parent_is(struct proctab *t, pid_t pid, pid_t ppid)
{
	struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	if (e)
		e->info.ppid = ppid;
}

static bool is_orphan(const struct proctab *t, const struct entry *e)
{
	const struct entry *parent =
		e->has_exited || e->was_asked ? NULL : hash_get(&t->procs, (uint64_t)e->info.ppid);

	return parent && parent->has_exited;
}

void proctab_ask_of_gone(struct proctab *t, pid_t (*parent)(void *, pid_t), void *arg)
{
	t->parent_of_gone = parent;
	t->parent_arg = arg;
}

static void ask_parent(const struct proctab *t, struct entry *e, pid_t pid)
{
	pid_t ppid = procfile_is_hidden(pid) ? 0 : osinfo_ppid(pid);

	if (!ppid && t->parent_of_gone)
		ppid = t->parent_of_gone(t->parent_arg, pid);
	e->was_asked = !ppid || ppid == e->info.ppid;
	if (ppid)
		e->info.ppid = ppid;
}

const char *proctab_thread_name(struct proctab *t, pid_t pid, pid_t tid)
{
	const struct thread_name *name = tid == pid ? NULL : hash_get(&t->threads, (uint64_t)tid);

	return name ? name->comm : look_up(t, pid)->info.comm;
}

const struct taskinfo *proctab_get(struct proctab *t, pid_t pid)
{
	struct entry *e;

	if (t->last && t->last_pid == pid)
		return t->last;
	e = look_up(t, pid);
	if (!e->has_ids)
		read_ids(e, pid);
	if (is_orphan(t, e))
		ask_parent(t, e, pid);
	t->last = &e->info;
	t->last_pid = pid;
	return t->last;
}

void proctab_know_thread(struct proctab *t, pid_t pid, pid_t tid)
{
	if (pid != tid && pid > 0)
		hash_put(&t->processes, (uint64_t)tid, (void *)(uintptr_t)pid);
}

pid_t proctab_process_of(const struct proctab *t, pid_t tid)
{
	const void *pid = hash_get(&t->processes, (uint64_t)tid);

	return pid ? (pid_t)(uintptr_t)pid : tid;
}

pid_t proctab_parent(const struct proctab *t, pid_t pid)
{
	const struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	return e ? e->info.ppid : 0;
}

bool proctab_knows_parent(const struct proctab *t, pid_t pid, pid_t *parent)
{
	const struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	if (!e || (!e->has_ids && !e->info.ppid))
		return false;
	*parent = e->info.ppid;
	return true;
}

/* One that is seen for the first time runs: it has just done something. */
static struct cpu_time *time_of(struct proctab *t, pid_t tid, uint64_t time_ns)
{
	struct cpu_time *ct = hash_get(&t->times, (uint64_t)tid);

	if (!ct) {
		ct = xcalloc(1, sizeof(*ct));
		ct->since_ns = time_ns;
		hash_put(&t->times, (uint64_t)tid, ct);
	}
	return ct;
}

void proctab_seed_vtime(struct proctab *t, pid_t tid, uint64_t sum_ns, uint64_t time_ns)
{
	time_of(t, tid, time_ns)->sum_ns = sum_ns;
}

void proctab_switch(struct proctab *t, pid_t tid, bool is_out, uint64_t time_ns)
{
	struct cpu_time *ct = time_of(t, tid, time_ns);

	if (is_out && ct->since_ns && time_ns > ct->since_ns)
		ct->sum_ns += time_ns - ct->since_ns;
	ct->since_ns = is_out ? 0 : time_ns;
}

uint64_t proctab_vtime(struct proctab *t, pid_t tid, uint64_t time_ns)
{
	const struct cpu_time *ct = time_of(t, tid, time_ns);

	return 1 + ct->sum_ns +
	       (ct->since_ns && time_ns > ct->since_ns ? time_ns - ct->since_ns : 0);
}

void proctab_follow(struct proctab *t, pid_t pid)
{
	look_up(t, pid)->is_followed = true;
}

bool proctab_is_followed(const struct proctab *t, pid_t pid)
{
	const struct entry *e = hash_get(&t->procs, (uint64_t)pid);

	return e && e->is_followed;
}
