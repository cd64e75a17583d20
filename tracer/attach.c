/*
 * Onto a running process without stopping it (docs/spec/pid-engine.md §2.1): seizing a thread stops
 * nobody, and a breakpoint byte is written while threads run. Threads that seized ones create are
 * ours at birth, so that reading the list again and again comes to an end. It is read only where
 * the process has more threads than are ours: the kernel makes an inode for each that it lists,
 * which takes longer than to seize it.
 */
#include "tracer/tracer_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfile.h"
#include "base/regfile.h"

#include "tracer/mem.h"
#include "tracer/x86/seize.h"
#include "tracer/procfs/procfs.h"

#define PF_KTHREAD	    0x00200000
#define EXEC_NS		    10000000000ULL
#define REFUSED_NAP_NS	    1000000
#define REFUSED_AT_MOST	    20
#define MAX_PASSES	    1000 /* a process that makes threads faster than we can read */
#define CHILDREN_OF_AT_MOST 64	 /* threads whose children are looked at */
#define GAP_AT_MOST	    64	 /* numbers in a row that belong to no thread of the process */

/* What can be said before anything is done. */
static int refuse(const struct tracer *tr, pid_t pid, struct err *err)
{
	unsigned long flags = 0;
	uint64_t tgid;
	char state = '\0';

	for (const struct proc *p = tr->procs; p; p = p->next)
		if (p->pid == pid)
			return err_set(err, -EEXIST, "process %d is traced already", pid);
	if (pid > 0)
		state = procfs_state(pid, &flags);
	if (!state || !procfs_status(pid, "Tgid", 10, &tgid))
		return procfs_check(err) < 0 ? err->code
					     : err_set(err, -ESRCH, "%s", strerror(ESRCH));
	if ((pid_t)tgid != pid)
		return err_set(err, -EINVAL, "%d is a thread of process %d", pid, (pid_t)tgid);
	if (flags & PF_KTHREAD)
		return err_set(err, -EPERM, "process %d is a thread of the kernel", pid);
	return 0;
}

static int refuse_program(pid_t pid, struct err *err)
{
	unsigned char ident[EI_NIDENT];
	char path[64];
	int fd, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = regfile_open_link(path);
	if (fd < 0)
		return 0; /* no permission: ptrace will say why */
	if (read(fd, ident, sizeof(ident)) == sizeof(ident) && ident[EI_CLASS] == ELFCLASS32)
		r = err_set(err, -EINVAL, "process %d is a 32-bit program", pid);
	close(fd);
	return r;
}

/* A process that executes a program again and again: a thread that exec has ended, and that
 * lives on under the number of the first one, is refused in between. */
static bool is_refused_for_good(unsigned times)
{
	const struct timespec nap = {.tv_nsec = REFUSED_NAP_NS};

	if (times > REFUSED_AT_MOST)
		return true;
	nanosleep(&nap, NULL);
	return false;
}

/* Returns 1: seized; 0: nothing to do, it is ours or dead. */
static int seize(struct proc *p, pid_t tid, pid_t tgid, struct err *err)
{
	const uint64_t start = now_mono();
	unsigned refused = 0;
	uint64_t tracer;

	for (;;) {
		int r = seize_thread(tid, TRACE_OPTIONS);

		if (r == 0) {
			thread_begin(p, tid, tgid);
			return 1;
		}
		if (r == -ESRCH)
			return 0;
		if (r == -EINTR && now_mono() - start > EXEC_NS)
			return err_set(err, -EBUSY,
				       "process %d is within execve() and does not get out of it",
				       p->pid);
		if (r != -EINTR && r != -EPERM)
			return err_set(err, r, "cannot trace process %d: %s", p->pid, strerror(-r));
		/* Born of a seized thread: its parent's event will bring it. */
		if (procfs_status(tid, "TracerPid", 10, &tracer) && (pid_t)tracer == getpid())
			return 0;
		if (!procfs_is_alive(tid))
			return 0;
		if (r == -EPERM && is_refused_for_good(++refused)) {
			tracer_explain_eperm(tid, err);
			return -EPERM;
		}
		tracer_look_at_all(p->tracer); /* what it has ended is reaped */
	}
}

static bool lacks_some(const struct proc *p)
{
	uint64_t nthreads, ours = 0;

	for (const struct thread *t = p->threads; t; t = t->next)
		ours += !t->guest;
	return p->tracer->nbacklog || !procfs_status(p->pid, "Threads", 10, &nthreads) ||
	       ours != nthreads;
}

/* Threads that were made one after the other have numbers one behind the other. */
static int seize_neighbours(struct proc *p, struct err *err)
{
	unsigned gap = 0;
	uint64_t left;
	int r = 0;

	if (!procfs_status(p->pid, "Threads", 10, &left))
		return 0;
	seizes_begin();
	for (pid_t tid = p->pid; r >= 0 && left && gap < GAP_AT_MOST && tid < INT_MAX; tid++) {
		if (syscall(SYS_tgkill, p->pid, tid, 0) < 0) {
			gap++;
			continue;
		}
		gap = 0;
		left--;
		r = seize(p, tid, p->pid, err);
	}
	seizes_end();
	return MIN(r, 0);
}

/* Seizes what is new in the list of threads; *found counts them. */
static int seize_pass(struct proc *p, unsigned *found, struct err *err)
{
	struct procids tids;
	pid_t tid;
	int r = 0;

	*found = 0;
	if (procids_open(&tids, p->pid) < 0)
		return procfs_check(err) < 0 ? err->code
					     : err_set(err, -ESRCH, "%s", strerror(ESRCH));
	seizes_begin();
	while (r >= 0 && (tid = procids_next(&tids))) {
		if (hash_get(&p->tracer->threads, (uint64_t)tid))
			continue;
		r = seize(p, tid, p->pid, err);
		*found += r > 0;
	}
	seizes_end();
	procids_close(&tids);
	return MIN(r, 0);
}

static int seize_all(struct proc *p, struct err *err)
{
	unsigned found = 1;
	int r = 0;

	for (unsigned i = 0; !r && found && i < MAX_PASSES && lacks_some(p); i++)
		r = seize_pass(p, &found, err);
	return r;
}

/* A child of vfork, made before we came, runs in the same memory: it is a guest, as later ones are.
 */
static int adopt_children(struct proc *p, pid_t tid, struct err *err)
{
	char path[64], line[4096], *at = line;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", p->pid, tid);
	if (!procfs_line(path, line, sizeof(line)))
		return 0;
	for (;;) {
		pid_t child = (pid_t)strtol(at, &at, 10);

		if (child <= 0 || r < 0)
			return MIN(r, 0);
		if (syscall(SYS_kcmp, tid, child, KCMP_VM, 0, 0) == 0)
			r = seize(p, child, child, err);
	}
}

static int adopt_guests(struct proc *p, struct err *err)
{
	pid_t tids[CHILDREN_OF_AT_MOST];
	unsigned n = 0;
	int r = 0;

	for (const struct thread *t = p->threads; t && n < ARRAY_SIZE(tids); t = t->next)
		tids[n++] = t->tid;
	seizes_begin();
	for (unsigned i = 0; i < n && !r; i++)
		r = adopt_children(p, tids[i], err);
	seizes_end();
	return r;
}

/*
 * A thread that was within clone() when it was seized makes one more that is not ours. The list is
 * read again before the first breakpoints are written, until there is nothing new in it.
 */
int attach_again(struct proc *p, struct err *err)
{
	int r = seize_all(p, err);

	p->is_fresh = false;
	return r ? r : adopt_guests(p, err);
}

bool proc_has_lost_memory(const struct proc *p)
{
	return p->mem_fd < 0 || mem_is_gone(p->mem_fd);
}

bool proc_brings(const struct proc *p, pid_t child)
{
	uint64_t tracer;

	if (procfs_status(child, "TracerPid", 10, &tracer) && (pid_t)tracer == getpid())
		return true;
	return syscall(SYS_kcmp, p->pid, child, KCMP_VM, 0, 0) == 0;
}

int tracer_attach(struct tracer *tr, pid_t pid, enum evaltime evaltime, struct proc **out,
		  struct err *err)
{
	struct proc *p;
	unsigned found;
	int r = refuse(tr, pid, err);

	if (!r)
		r = refuse_program(pid, err);
	if (r)
		return r;
	p = proc_new(tr, pid);
	p->evaltime = evaltime;
	p->stage = STAGE_LIVE;
	r = seize_neighbours(p, err);
	/* once will do: the rest is found before the first byte is written */
	if (!r && lacks_some(p))
		r = seize_pass(p, &found, err);
	if (!r && !p->threads)
		r = err_set(err, -ESRCH, "process %d has ended: it is a zombie", pid);
	if (!r && proc_open_memory(p) < 0)
		r = err_set(err, -errno, "cannot open the memory of process %d: %s", pid,
			    strerror(errno));
	p->is_fresh = true;
	if (!r)
		r = rtld_attached(p, err);
	if (r) {
		detach_threads(p, false);
		proc_free(p);
		return r;
	}
	*out = p;
	return 0;
}
