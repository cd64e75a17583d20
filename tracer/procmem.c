/* What others may do with the memory of a process. */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"
#include "tracer/remote.h"

#define STEPS_MAX    4096
#define WORDS	     2048
#define BORROW_TRIES 5

taddr_t proc_gap(struct proc *p, taddr_t near, uint64_t size)
{
	return vmmap_read(&p->maps, proc_live_tid(p)) < 0 ? 0 : vmmap_gap(&p->maps, near, size);
}

taddr_t proc_lonely_gap(struct proc *p, taddr_t near, uint64_t size)
{
	return vmmap_read(&p->maps, proc_live_tid(p)) < 0 ? 0
							  : vmmap_lonely_gap(&p->maps, near, size);
}

int proc_write_code(struct proc *p, taddr_t addr, const void *code, size_t n)
{
	return n ? mem_write(p->mem_fd, addr, code, n) : 0;
}

ssize_t proc_read_code(struct proc *p, taddr_t addr, void *code, size_t n)
{
	return mem_read(p, addr, code, n);
}

int32_t proc_note_detour(struct proc *p, taddr_t addr, const uint8_t *orig, const uint8_t *now,
			 uint8_t len)
{
	return journal_add_detour(p->tracer->journal, p->pid, addr, orig, now, len);
}

void proc_forget_detour(struct proc *p, int32_t detour)
{
	journal_del_detour(p->tracer->journal, p->pid, detour);
}

void proc_forget_detours(struct proc *p)
{
	journal_del_detours(p->tracer->journal, p->pid);
}

bool proc_share_detours(const struct proc *parent, struct proc *child)
{
	return journal_share_detours(child->tracer->journal, parent->pid, child->pid);
}

taddr_t thread_tcb(struct thread *t)
{
	const struct user_regs_struct *r = t->state == THREAD_STOPPED ? regs_all(&t->regs) : NULL;

	return r ? r->fs_base : 0;
}

bool thread_is_stopped(const struct thread *t)
{
	return t->state == THREAD_STOPPED;
}

bool thread_is_guest(const struct thread *t)
{
	return t->guest;
}

#define STACK_MAX (1ULL << 30) /* believed of a limit */

/* The kernel's own for the first thread: it grows down to its limit, and nothing else comes there.
 */
static taddr_t first_stack_start(pid_t tid, const struct vma *v)
{
	struct rlimit lim;

	if (prlimit(tid, RLIMIT_STACK, NULL, &lim) < 0 || lim.rlim_cur > STACK_MAX ||
	    lim.rlim_cur > v->end)
		return v->start;
	return MIN(v->start, v->end - lim.rlim_cur);
}

/* Others have their control block at its end (nptl, and musl the same). */
bool proc_stack(struct proc *p, pid_t tid, taddr_t sp, taddr_t tcb, struct thread_stack *st)
{
	const struct vma *v = vmmap_at(&p->maps, sp);

	if (!v && !vmmap_read(&p->maps, tid))
		v = vmmap_at(&p->maps, sp);
	if (!v || !v->read)
		return false;
	st->start = st->mapped = v->start;
	if (!strcmp(v->path, "[stack]")) {
		st->start = first_stack_start(tid, v);
		st->end = v->end;
	} else {
		st->end = tcb > sp && tcb < v->end ? tcb & ~7ULL : (sp | 4095) + 1;
	}
	return true;
}

bool thread_stack(struct thread *t, struct thread_stack *st)
{
	const struct user_regs_struct *r = regs_all(&t->regs);

	return r && proc_stack(t->proc, t->tid, r->rsp, r->fs_base, st);
}

taddr_t tcb_of(pid_t tid)
{
	long v;

	errno = 0;
	v = ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, regs.fs_base), 0);
	return errno ? 0 : (taddr_t)v;
}

/* ---- where threads are ---- */

bool thread_pc(struct thread *t, taddr_t *pc)
{
	taddr_t sp;

	return t->state == THREAD_STOPPED ? regs_rip(&t->regs, pc) == 0
					  : procfs_pc(t->tid, pc, &sp);
}

/* Its end has not been reported yet. */
static bool is_dead(const struct thread *t)
{
	return t->state != THREAD_STOPPED && !procfs_is_alive(t->tid);
}

/* It was to stand still, and now it stands at the fault of the instruction that was to be stepped:
 * that is what there is to tell of it when it goes on, or is let go. */
static void stop_at_fault(struct thread *t)
{
	siginfo_t si;

	if (t->stop.kind != STOP_INTERRUPT || ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0)
		return;
	thread_enter_stop(t, W_STOPCODE(si.si_signo));
	t->interrupts = 0;
	if (t->halted)
		tracer_postpone(t->proc->tracer, t->tid, t->status);
	else
		t->keeps_fault = true;
}

/* One instruction; the signal that the thread has stopped for is kept. */
static bool step(struct thread *t)
{
	siginfo_t si;
	bool keep = t->stop.kind == STOP_SIGNAL;
	int r;

	if (keep && ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0)
		return false;
	r = remote_step(t);
	if (keep && r != -ESRCH)
		ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
	if (r == -EFAULT)
		stop_at_fault(t);
	return r == 0;
}

/* A trap that nobody has looked at yet would be taken for another one after a step. */
static bool may_step(const struct thread *t)
{
	return t->state == THREAD_STOPPED && !(t->halted && t->stop.kind == STOP_TRAP);
}

bool thread_can_move(const struct thread *t)
{
	return may_step(t);
}

void thread_move(struct thread *t, taddr_t pc)
{
	regs_set_rip(&t->regs, pc);
}

static bool move_out(struct thread *t, code_fn *is_in, void *arg)
{
	taddr_t pc;

	for (unsigned i = 0; i < STEPS_MAX; i++) {
		if (!thread_pc(t, &pc))
			return false;
		if (!may_step(t) && is_in(pc - 1, arg))
			return false;
		if (!is_in(pc, arg))
			return true;
		if (!may_step(t) || !step(t))
			break;
	}
	is_in(pc, arg);
	return false;
}

bool proc_move_out(struct proc *p, code_fn *is_in, void *arg)
{
	for (struct thread *t = p->threads; t; t = t->next)
		if (!is_dead(t) && !move_out(t, is_in, arg))
			return false;
	return true;
}

/* ---- what their stacks hold ---- */

#define SEGMENTS 0x002b000000000033ULL /* cs, gs, fs and ss of a program in 64-bit mode */

#define BEHIND 2 /* words from a saved rip to the segments */

static void look_at_stack(struct proc *p, taddr_t at, taddr_t end, taddr_t lo, taddr_t hi,
			  stack_word_fn *fn, void *arg)
{
	uint64_t words[WORDS + BEHIND];

	while (at < end) {
		ssize_t got = mem_read(p, at, words, MIN(sizeof(words), end - at));
		size_t nread = got > 0 ? (size_t)got / sizeof(words[0]) : 0;
		size_t n = MIN(nread, (size_t)WORDS);

		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			if (words[i] >= lo && words[i] < hi)
				fn(words[i], i + BEHIND < nread && words[i + BEHIND] == SEGMENTS,
				   arg);
		at += n * sizeof(words[0]);
	}
}

/* The stack the thread was given: the one its control block lies on, or that of the program. */
static bool is_own_stack(const struct vma *v, taddr_t tcb)
{
	return (tcb >= v->start && tcb < v->end) || !strcmp(v->path, "[stack]");
}

static bool thread_sp(struct thread *t, taddr_t *sp, taddr_t *tcb)
{
	const struct user_regs_struct *r;
	taddr_t pc;

	if (t->state != THREAD_STOPPED)
		return procfs_pc(t->tid, &pc, sp);
	r = regs_all(&t->regs);
	if (r) {
		*sp = r->rsp;
		*tcb = r->fs_base;
	}
	return r != NULL;
}

unsigned proc_stack_words(struct proc *p, taddr_t lo, taddr_t hi, stack_word_fn *fn, void *arg)
{
	unsigned nothers = 0;

	if (vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return p->nthreads;
	for (struct thread *t = p->threads; t; t = t->next) {
		taddr_t sp = 0, tcb = 0;
		const struct vma *v = thread_sp(t, &sp, &tcb) ? vmmap_at(&p->maps, sp) : NULL;

		if (v)
			look_at_stack(p, sp & ~7ULL, v->end, lo, hi, fn, arg);
		/* a guest may have been given a stack; the block of one that sleeps is not known */
		if (v ? tcb && !t->guest && !is_own_stack(v, tcb) : !is_dead(t))
			nothers++;
	}
	return nothers;
}

/* ---- text that is another file's ---- */

#define ENTRIES	    512U /* of a pagemap, that are read at once */
#define BELOW_STACK 1024 /* of a stack pointer: the red zone, and more */

bool proc_look_at_maps(struct proc *p)
{
	return vmmap_read(&p->maps, proc_live_tid(p)) == 0;
}

bool proc_text_at(const struct proc *p, taddr_t addr, struct proc_text *t)
{
	const struct vma *v = vmmap_at(&p->maps, addr);

	if (!v || !v->exec || v->write || v->shared || !v->ino || v->path[0] != '/')
		return false;
	*t = (struct proc_text){.start = v->start,
				.end = v->end,
				.offset = v->offset,
				.prot = PROT_EXEC | (v->read ? PROT_READ : 0),
				.is_copy = v->is_copy,
				.file = {v->dev_major, v->dev_minor, v->ino},
				.path = v->path};
	return true;
}

/* A page of the process's own: it has our breakpoints, and nothing else that is not the file's. */
static bool is_as_in_file(struct proc *p, taddr_t page, int fd, uint64_t offset)
{
	uint8_t now[PAGE], orig[PAGE] = {0};

	if (mem_read(p, page, now, PAGE) != PAGE || pread(fd, orig, PAGE, (off_t)offset) < 0)
		return false;
	bkpt_hide(p, page, now, PAGE);
	return memcmp(now, orig, PAGE) == 0;
}

bool proc_text_is_unchanged(struct proc *p, const struct proc_text *t, int fd)
{
	int pagemap = mem_pagemap(p);
	uint64_t entries[ENTRIES];
	bool ok = pagemap >= 0;

	for (taddr_t at = t->start, end; ok && at < t->end; at = end) {
		size_t n = MIN((t->end - at) / PAGE, ENTRIES) * sizeof(entries[0]);

		end = at + n / sizeof(entries[0]) * PAGE;
		ok = pread(pagemap, entries, n, (off_t)(at / PAGE * sizeof(entries[0]))) ==
		     (ssize_t)n;
		for (taddr_t page = at; ok && page < end; page += PAGE) {
			uint64_t e = entries[(page - at) / PAGE];

			if ((e & PAGE_SWAPPED) || ((e & PAGE_PRESENT) && !(e & PAGE_OF_FILE)))
				ok = is_as_in_file(p, page, fd, t->offset + (page - t->start));
		}
	}
	return ok;
}

static int open_there(struct thread *t, const char *path, int64_t *fd)
{
	const struct user_regs_struct *r = regs_all(&t->regs);
	uint64_t args[6] = {(uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK};
	size_t n = strlen(path) + 1;
	int e;

	if (!r)
		return -ESRCH;
	args[1] = (r->rsp - BELOW_STACK - n) & ~7ULL;
	if (mem_write(t->proc->mem_fd, args[1], path, n) < 0)
		return -EFAULT;
	e = remote_syscall(t, SYS_openat, args, fd);
	return e ? e : (int)MIN(*fd, 0);
}

static bool is_same_file(pid_t tid, int64_t theirs, int fd)
{
	char link[64];
	struct stat a, b;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", tid, (int)theirs);
	return stat(link, &a) == 0 && fstat(fd, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static int map_there(struct thread *th, const struct proc_text *t, int64_t theirs)
{
	const uint64_t args[6] = {t->start,	     t->end - t->start,
				  (uint64_t)t->prot, MAP_PRIVATE | MAP_FIXED,
				  (uint64_t)theirs,  t->offset};
	int64_t got;
	int r = remote_syscall(th, SYS_mmap, args, &got);

	return r ? r : (int)MIN(got, 0);
}

int proc_map_over(struct proc *p, const struct proc_text *t, const char *path, int fd)
{
	struct thread *th =
		(proc_is_still(p) || p->is_halted) && !p->preload ? proc_borrow(p) : NULL;
	int64_t theirs, got;
	int r;

	if (!th)
		return -ESRCH;
	r = open_there(th, path, &theirs);
	if (!r) {
		const uint64_t args[6] = {(uint64_t)theirs};

		r = is_same_file(th->tid, theirs, fd) ? map_there(th, t, theirs) : -EBADF;
		remote_syscall(th, SYS_close, args, &got);
	}
	if (!r)
		bkpt_write_again(p, t->start, t->end);
	p->page_addr = 1;
	proc_give_back(th);
	return r;
}

/* ---- system calls ---- */

/*
 * On a busy machine a thread may take longer to stop than anybody waits for it once; and a vfork
 * child that could be borrowed may not have been looked for yet.
 */
struct thread *proc_borrow_retrying(struct proc *p)
{
	struct thread *t = proc_borrow(p);

	for (unsigned i = 1; !t && i < BORROW_TRIES && procfs_is_alive(proc_live_tid(p)); i++) {
		if (i == 1 && p->is_fresh) {
			attach_again(p, NULL);
			p->is_fresh = true; /* the first change of code looks once more */
		}
		t = proc_borrow(p);
	}
	return t;
}

int proc_syscall(struct proc *p, long nr, const uint64_t args[6], int64_t *result)
{
	struct thread *t = proc_borrow_retrying(p);
	int r;

	if (!t)
		return -ESRCH;
	r = remote_syscall(t, nr, args, result);
	proc_give_back(t);
	return r;
}
