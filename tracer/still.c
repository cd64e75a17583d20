/* What others may do with a process whose threads all stand still. */
#include "inside.h"

#include <errno.h>
#include <sys/ptrace.h>

#include "mem.h"
#include "regs.h"
#include "remote.h"

#define BELOW_STACK 1024 /* the red zone, and more */

bool proc_is_still(const struct proc *p)
{
	for (const struct thread *t = p->threads; t; t = t->next)
		if (t->state != THREAD_STOPPED || t->guest)
			return false;
	return p->threads != NULL;
}

int proc_syscall(struct proc *p, long nr, const uint64_t args[6], int64_t *result)
{
	struct thread *t = proc_borrow(p);
	int r;

	if (!t)
		return -ESRCH;
	r = remote_syscall(t, nr, args, result);
	proc_give_back(t);
	return r;
}

taddr_t proc_scratch(struct proc *p, size_t n)
{
	struct user_regs_struct *r;

	if (!p->threads || p->threads->state != THREAD_STOPPED)
		return 0;
	r = regs_all(p->threads);
	return r ? (r->rsp - BELOW_STACK - n) & ~7ULL : 0;
}

taddr_t proc_gap(struct proc *p, taddr_t near, uint64_t size)
{
	return vmmap_read(&p->maps, proc_live_tid(p)) < 0 ? 0 : vmmap_gap(&p->maps, near, size);
}

taddr_t proc_low_gap(struct proc *p, taddr_t limit, uint64_t size)
{
	return vmmap_read(&p->maps, proc_live_tid(p)) < 0 ? 0
							  : vmmap_low_gap(&p->maps, limit, size);
}

int proc_write_code(struct proc *p, taddr_t addr, const void *code, size_t n)
{
	return n ? mem_write(p->mem_fd, addr, code, n) : 0;
}

bool proc_runs_in(struct proc *p, taddr_t start, taddr_t end)
{
	taddr_t rip;

	for (struct thread *t = p->threads; t; t = t->next)
		if (regs_rip(t, &rip) < 0 || (rip >= start && rip < end))
			return true;
	return false;
}

taddr_t thread_tcb(const struct thread *t)
{
	return tcb_of(t->tid);
}

taddr_t tcb_of(pid_t tid)
{
	long v;

	errno = 0;
	v = ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, regs.fs_base), 0);
	return errno ? 0 : (taddr_t)v;
}
