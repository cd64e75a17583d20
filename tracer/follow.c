/* What becomes of children and of the process itself at clone, fork, vfork and exec. */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/slot.h"

static bool is_thread_of(pid_t tgid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", tgid, tid);
	return access(path, F_OK) == 0;
}

/* The event's name does not say whether memory is shared: clone3 with an exit signal of its own
 * comes as CLONE, posix_spawn as VFORK. */
static bool shares_memory(const struct thread *parent, pid_t child, enum stop_kind kind)
{
	long r = syscall(SYS_kcmp, parent->tid, child, KCMP_VM, 0, 0);

	return r < 0 ? kind == STOP_VFORK : r == 0;
}

/* The first stop, already seen or to come: the child was running before the event was reported. */
static bool first_stop(struct tracer *tr, pid_t tid, int *status)
{
	void *seen = hash_del(&tr->unclaimed, (uint64_t)tid);

	if (seen) {
		*status = (int)(uintptr_t)seen;
		return true;
	}
	if (tracer_take_backlog(tr, tid, status))
		return true;
	while (waitpid(tid, status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* A forked child has a copy of our int3s: it would die of them, if it is not followed. */
static void clean_fork(const struct thread *parent, pid_t child, bool keeps_breakpoints)
{
	const struct tracer *tr = parent->proc->tracer;
	const struct site *s = NULL;
	int fd = procfs_open_memory(child);
	unsigned off;
	long rip;

	if (fd >= 0) {
		if (!keeps_breakpoints)
			bkpt_restore_in(parent->proc, fd);
		semaphores_lower_in(parent->proc, fd);
		if (tr->ops->forked)
			tr->ops->forked(tr->arg, parent->proc, tcb_of(child), fd);
		close(fd);
	}
	errno = 0;
	rip = ptrace(PTRACE_PEEKUSER, child, offsetof(struct user, regs.rip), 0);
	if (!errno)
		s = slot_at(parent->proc, (taddr_t)rip, &off);
	if (s) /* it was born behind a `syscall` in a slot */
		ptrace(PTRACE_POKEUSER, child, offsetof(struct user, regs.rip), s->plan.next);
	colocate_child(parent, child);
}

bool proc_is_followed(const struct proc *parent)
{
	const struct tracer *tr = parent->tracer;

	return tr->ops->follows && tr->ops->follows(tr->arg, (struct proc *)parent);
}

static struct proc *new_follower(const struct proc *parent, pid_t pid, enum stage stage)
{
	struct proc *p = proc_new(parent->tracer, pid);

	p->evaltime = parent->evaltime;
	p->stage = stage;
	proc_open_memory(p);
	return p;
}

/* A process of its own from now on; stopped until its breakpoints are there. */
static void follow_fork(struct proc *parent, pid_t child, int status)
{
	struct tracer *tr = parent->tracer;
	struct proc *p = new_follower(parent, child, STAGE_LIVE);
	struct thread *t;
	bool begun;

	bkpt_inherit(p, parent);
	t = thread_begin(p, child, child);
	thread_enter_stop(t, status);
	begun = colocate_begin(t);
	rtld_prepare(p);
	tr->ops->followed(tr->arg, parent, p);
	tr->ops->ready(tr->arg, p);
	colocate_end(tr, child, begun);
	dispatch(tr, child, status);
}

/* Whoever is told may have it make system calls: its parent cannot, in the midst of the clone. */
static void born(struct thread *t, int status)
{
	const struct tracer *tr = t->proc->tracer;

	if (!tr->ops->born)
		return;
	thread_enter_stop(t, status);
	tr->ops->born(tr->arg, t->proc, t, tcb_of(t->tid));
	regs_flush(&t->regs);
	t->state = THREAD_RUNNING; /* its status waits for dispatch */
}

void follow_child(struct thread *parent, enum stop_kind kind)
{
	struct proc *p = parent->proc;
	unsigned long msg;
	bool keeps;
	int status;
	pid_t tid;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &msg) < 0)
		return;
	tid = (pid_t)msg;
	if (!first_stop(p->tracer, tid, &status) || !WIFSTOPPED(status))
		return;
	if (is_thread_of(parent->tgid, tid)) {
		born(thread_begin(p, tid, parent->tgid), status);
	} else if (shares_memory(parent, tid, kind)) {
		struct thread *guest = thread_begin(p, tid, tid);

		if (kind != STOP_VFORK) /* nobody waits for it: it runs beside its parent */
			born(guest, status);
	} else {
		keeps = proc_is_followed(p);
		clean_fork(parent, tid, keeps);
		if (keeps)
			follow_fork(p, tid, status);
		else
			ptrace(PTRACE_DETACH, tid, 0, 0);
		return;
	}
	colocate_child(parent, tid);
	if (p->is_halted && stop_decode(status).kind == STOP_INTERRUPT) {
		thread_enter_stop(thread_find(p->tracer, tid), status);
		thread_find(p->tracer, tid)->halted = true;
	} else {
		dispatch(p->tracer, tid, status);
	}
}

void follow_release_guests(struct proc *p)
{
	bool any = false;

	for (const struct thread *t = p->threads; t; t = t->next)
		any |= t->guest;
	if (!any)
		return;
	bkpt_restore_all(p);
	semaphores_lower_all(p);
	detach_threads(p, true);
}

static struct thread *find_in(struct proc *p, pid_t tid)
{
	struct thread *t = p->threads;

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

/* A process has one thread after exec, whose id is the process's, whoever called exec. */
static void drop_other_threads(struct thread *keep)
{
	for (struct thread *t = keep->proc->threads, *next; t; t = next) {
		next = t->next;
		if (t != keep && t->tgid == keep->tgid)
			thread_free(t);
	}
}

/* Registers are the new program's only after the system call has returned. */
static void run_to_start(struct thread *t)
{
	t->reinterrupt = true;
	thread_resume(t, 0);
}

/* It has left our memory: a process of its own, or none of ours. */
static void guest_exec(struct thread *t)
{
	struct proc *parent = t->proc;
	struct tracer *tr = parent->tracer;
	int status = t->status;
	pid_t tid = t->tid;
	struct proc *p;

	drop_other_threads(t);
	colocate_undo(t);
	thread_free(t);
	if (!proc_is_followed(parent)) {
		ptrace(PTRACE_DETACH, tid, 0, 0);
		return;
	}
	p = new_follower(parent, tid, STAGE_EXECED);
	t = thread_new(p, tid, tid);
	thread_enter_stop(t, status);
	tr->ops->followed(tr->arg, parent, p);
	run_to_start(t);
}

/*
 * The memory that we have patched is gone with the old program, unless this is the news of an exec
 * that came between our attaching and our opening of the memory: then it is the new program's.
 */
static void leave_memory(struct proc *p)
{
	if (!mem_is_gone(p->mem_fd)) {
		bkpt_restore_all(p);
		semaphores_lower_all(p);
		slot_clear_padding(p);
	}
	proc_forget_memory(p);
}

void follow_exec(struct thread *t)
{
	struct proc *p = t->proc;
	struct tracer *tr = p->tracer;
	bool first = p->stage == STAGE_GATE;
	unsigned long msg = 0;
	struct thread *caller;

	if (t->guest) {
		guest_exec(t);
		return;
	}
	ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &msg);
	caller = find_in(p, (pid_t)msg);
	if (caller && caller != t)
		colocate_move(t, caller);
	drop_other_threads(t);
	follow_release_guests(p);
	leave_memory(p);
	proc_open_memory(p);
	p->is_copy = false;
	p->stage = STAGE_EXECED;
	t->interrupts = 0;
	t->refires = (struct refires){0};
	t->blocks_all = false;
	if (!first && tr->ops->execed)
		tr->ops->execed(tr->arg, p);
	run_to_start(t);
}
