/* The tables of processes and threads, and the engine's life. */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/preload.h"
#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/slot.h"

#define KILL_WAIT_NS 2000000000ULL
#define PARK_WAIT_NS 100000000ULL
#define CPU_WAIT_NS  5000000000ULL /* of one that needs only a CPU to stop */
#define PARK_TRIES   8

struct tracer *tracer_new(const struct tracer_ops *ops, void *arg, struct journal *j)
{
	struct tracer *tr = xcalloc(1, sizeof(*tr));

	tr->ops = ops;
	tr->arg = arg;
	tr->journal = j;
	colocate_init(tr);
	return tr;
}

void tracer_free(struct tracer *tr)
{
	if (!tr)
		return;
	while (tr->procs)
		tracer_detach(tr->procs);
	hash_release(&tr->threads);
	hash_release(&tr->unclaimed);
	hash_release(&tr->leaving);
	free(tr->backlog);
	free(tr);
}

unsigned tracer_nprocs(const struct tracer *tr)
{
	return tr->nprocs;
}

const struct tracer_stats *tracer_stats(const struct tracer *tr)
{
	return &tr->stats;
}

/* ---- processes ---- */

struct proc *proc_new(struct tracer *tr, pid_t pid)
{
	struct proc *p = xcalloc(1, sizeof(*p));

	p->tracer = tr;
	p->pid = pid;
	p->target.pid = pid;
	p->target.priv = p;
	p->target.read = mem_target_read;
	p->target.write = mem_target_write;
	p->mem_fd = -1;
	p->pagemap_fd = PAGEMAP_CLOSED;
	p->page_addr = 1;
	p->next = tr->procs;
	tr->procs = p;
	tr->nprocs++;
	return p;
}

static void close_memory(struct proc *p)
{
	if (p->mem_fd >= 0)
		close(p->mem_fd);
	if (p->pagemap_fd >= 0)
		close(p->pagemap_fd);
	p->pagemap_fd = PAGEMAP_CLOSED;
	memset(p->seen_pages, 0, sizeof(p->seen_pages));
}

int proc_open_memory(struct proc *p)
{
	close_memory(p);
	p->mem_fd = procfs_open_memory(proc_live_tid(p));
	return p->mem_fd < 0 ? -errno : 0;
}

void proc_read_maps(struct proc *p)
{
	vmmap_read(&p->maps, proc_live_tid(p));
	if (p->unwind)
		p->unwinder->mapped(p->unwind);
}

void proc_forget_memory(struct proc *p)
{
	bkpt_release(p);
	semaphores_forget(p);
	slot_release(p);
	vmmap_release(&p->maps);
	if (p->unwind)
		p->unwinder->free(p->unwind);
	p->unwind = NULL;
	p->syscall_insn = 0;
	memset(&p->rtld, 0, sizeof(p->rtld));
}

void proc_free(struct proc *p)
{
	struct tracer *tr = p->tracer;
	struct proc **link = &tr->procs;

	for (struct thread *t = p->threads, *next; t; t = next) {
		next = t->next;
		thread_free(t);
	}
	proc_forget_memory(p);
	preload_free(p->preload);
	close_memory(p);
	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	tr->nprocs--;
	if (tr->launching == p)
		tr->launching = NULL;
	free(p);
}

pid_t proc_pid(const struct proc *p)
{
	return p->pid;
}

bool proc_is_copy(const struct proc *p)
{
	return p->is_copy;
}

bool proc_is_32bit(const struct proc *p)
{
	return p->is_32bit;
}

struct target *proc_target(struct proc *p)
{
	return &p->target;
}

/*
 * Threads end, the first of them too, before we are told, and their /proc files are empty then.
 * Those of a guest are another program's from its exec on, which is told later.
 */
pid_t proc_live_tid(const struct proc *p)
{
	const struct thread *last = p->tracer->last;

	if (last && last->proc == p && !last->guest && last->state == THREAD_STOPPED)
		return last->tid;
	if (p->is_halted && p->threads && !p->threads->guest && p->threads->state == THREAD_STOPPED)
		return p->threads->tid;
	if (procfs_is_alive(p->pid))
		return p->pid;
	for (const struct thread *t = p->threads; t; t = t->next)
		if (!t->guest && procfs_is_alive(t->tid))
			return t->tid;
	return p->pid;
}

static bool makes_calls(enum stop_kind kind)
{
	return kind == STOP_TRAP || kind == STOP_SIGNAL || kind == STOP_INTERRUPT ||
	       kind == STOP_GROUP;
}

static bool can_be_borrowed(const struct thread *t)
{
	return t->state == THREAD_STOPPED && !t->raise_sig && makes_calls(t->stop.kind);
}

/* A thread deep in the kernel, the parent of a vfork for one, may take for ever to stop. */
static bool wait_briefly(pid_t tid, int *status)
{
	const struct timespec nap = {.tv_nsec = 50000};
	uint64_t start = now_mono(), waited = 0;
	pid_t r;

	while ((r = waitpid(tid, status, __WALL | WNOHANG)) == 0 &&
	       (waited < PARK_WAIT_NS ||
		(waited < CPU_WAIT_NS && !procfs_is_uninterruptible(tid)))) {
		nanosleep(&nap, NULL);
		waited = now_mono() - start;
	}
	return r == tid;
}

static bool interrupt(struct thread *t, int *status)
{
	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0)
		return false;
	t->interrupts = 1; /* one that it has not answered yet is answered by the same stop */
	return wait_briefly(t->tid, status);
}

/* In the middle of a fork no call can be made: it goes on to the interrupt that is asked for. */
static bool is_past_fork(struct thread *t, int status)
{
	enum stop_kind kind = stop_decode(status).kind;
	bool has_child = kind == STOP_CLONE || kind == STOP_FORK || kind == STOP_VFORK;

	if ((!has_child && kind != STOP_VFORK_DONE) || proc_is_followed(t->proc))
		return false;
	tracer_forget_backlog(t->proc->tracer, t->tid);
	thread_enter_stop(t, status);
	if (has_child)
		follow_child(t, kind);
	thread_resume(t, 0);
	return true;
}

static bool is_past_stop_signal(struct thread *t, int status)
{
	if (stop_decode(status).kind != STOP_SIGNAL)
		return false;
	thread_enter_stop(t, status);
	return pass_stop_signal(t);
}

/* Interrupts a running thread. Its stop goes to the backlog, so that it is resumed in turn. */
static bool park(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	int status;

	if (!tracer_in_backlog(tr, t->tid, &status) && !interrupt(t, &status))
		return false;
	while (is_past_fork(t, status) || is_past_stop_signal(t, status))
		if (t->stop.kind == STOP_VFORK || !interrupt(t, &status))
			return false; /* its guest can be asked */
	if (!tracer_in_backlog(tr, t->tid, &status))
		tracer_postpone(tr, t->tid, status);
	if (!makes_calls(stop_decode(status).kind))
		return false;
	thread_enter_stop(t, status);
	return true;
}

/* A guest has the memory, but its own descriptors: it comes after the others, who cannot be had as
 * long as they wait for it. */
struct thread *proc_borrow(struct proc *p)
{
	static const bool turns[] = {false, true, false};
	unsigned tries = 0;

	for (size_t i = 0; i < ARRAY_SIZE(turns); i++) {
		for (struct thread *t = p->threads; t; t = t->next)
			if (t->guest == turns[i] && can_be_borrowed(t))
				return t;
		for (struct thread *t = p->threads; t && tries < PARK_TRIES; t = t->next)
			if (t->guest == turns[i] && t->state != THREAD_STOPPED && ++tries &&
			    park(t))
				return t;
	}
	return NULL;
}

void proc_give_back(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	int status;

	if (t->state != THREAD_STOPPED || t->proc->stage != STAGE_LIVE || t->halted ||
	    !tracer_in_backlog(tr, t->tid, &status))
		return;
	if (t->stop.kind == STOP_TRAP || t->stop.kind == STOP_SIGNAL) {
		regs_flush(&t->regs);
		t->state = THREAD_RUNNING; /* its status waits for dispatch */
		return;
	}
	tracer_forget_backlog(tr, t->tid);
	if (t->interrupts)
		t->interrupts--;
	if (t->stop.kind == STOP_GROUP)
		t->reinterrupt = true; /* it stays stopped: reported again before it runs */
	else
		restart_call(t);
	thread_resume(t, 0);
}

/* ---- threads ---- */

struct thread *thread_new(struct proc *p, pid_t tid, pid_t tgid)
{
	struct thread *t = xcalloc(1, sizeof(*t));

	t->tid = t->regs.tid = tid;
	t->tgid = tgid;
	t->proc = p;
	t->guest = tgid != p->pid;
	t->colo.cpu = -1;
	t->next = p->threads;
	p->threads = t;
	p->nthreads++;
	hash_put(&p->tracer->threads, (uint64_t)tid, t);
	return t;
}

struct thread *thread_begin(struct proc *p, pid_t tid, pid_t tgid)
{
	struct tracer *tr = p->tracer;

	if (tr->ops->began)
		tr->ops->began(tr->arg, tid);
	return thread_new(p, tid, tgid);
}

void thread_free(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	struct thread **link = &t->proc->threads;

	if (tr->ops->left)
		tr->ops->left(tr->arg, t->proc, t);
	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	t->proc->nthreads--;
	hash_del(&tr->threads, (uint64_t)t->tid);
	if (tr->nbacklog) /* of what it was: the number may be another's soon */
		tracer_forget_backlog(tr, t->tid);
	if (tr->last == t)
		tr->last = NULL;
	colocate_forget(t);
	free(t);
}

struct thread *thread_find(struct tracer *tr, pid_t tid)
{
	if (!tr->last || tr->last->tid != tid) {
		struct thread *t = hash_get(&tr->threads, (uint64_t)tid);

		if (!t)
			return NULL;
		tr->last = t;
	}
	return tr->last;
}

pid_t thread_tid(const struct thread *t)
{
	return t->tid;
}

void proc_each_thread(struct proc *p, void (*fn)(struct thread *, void *), void *arg)
{
	for (struct thread *t = p->threads, *next; t; t = next) {
		next = t->next;
		fn(t, arg);
	}
}

/* ---- the ends ---- */

void tracer_resume(struct proc *p)
{
	for (struct thread *t = p->threads; t; t = t->next) {
		if (!t->hold)
			continue;
		t->hold = false;
		thread_resume(t, 0);
	}
}

static bool proc_exists(const struct tracer *tr, const struct proc *p)
{
	const struct proc *q = tr->procs;

	while (q && q != p)
		q = q->next;
	return q != NULL;
}

void tracer_kill(struct proc *p)
{
	struct tracer *tr = p->tracer;
	uint64_t end = now_mono() + KILL_WAIT_NS;
	pid_t tid;
	int status;

	kill(p->pid, SIGKILL);
	while (proc_exists(tr, p) && now_mono() < end) {
		if (tracer_next(tr, &tid, &status))
			dispatch(tr, tid, status);
		else if (errno == ECHILD)
			break;
	}
	if (proc_exists(tr, p)) /* it hangs in the kernel, and dies when it leaves it */
		proc_gone(p, SIGKILL);
}
