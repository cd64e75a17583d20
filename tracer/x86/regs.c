#include "tracer/x86/regs.h"

#include <errno.h>
#include <sys/ptrace.h>

void regs_forget(struct thread *t)
{
	t->regs_have = REGS_NONE;
	t->regs_dirty = REGS_NONE;
}

int regs_rip(struct thread *t, taddr_t *rip)
{
	if (t->regs_have == REGS_NONE) {
		long v;

		errno = 0;
		v = ptrace(PTRACE_PEEKUSER, t->tid, offsetof(struct user, regs.rip), 0);
		if (errno)
			return -errno;
		t->regs.r.rip = (uint64_t)v;
		t->regs_have = REGS_RIP;
	}
	*rip = t->regs.r.rip;
	return 0;
}

struct user_regs_struct *regs_all(struct thread *t)
{
	taddr_t rip = t->regs.r.rip;

	if (t->regs_have == REGS_ALL)
		return &t->regs.r;
	if (ptrace(PTRACE_GETREGS, t->tid, 0, &t->regs.r) < 0)
		return NULL;
	if (t->regs_dirty == REGS_RIP)
		t->regs.r.rip = rip;
	t->regs_have = REGS_ALL;
	return &t->regs.r;
}

void regs_touch(struct thread *t)
{
	t->regs_dirty = REGS_ALL;
}

void regs_set_rip(struct thread *t, taddr_t rip)
{
	t->regs.r.rip = rip;
	if (t->regs_have == REGS_NONE)
		t->regs_have = REGS_RIP;
	if (t->regs_dirty == REGS_NONE)
		t->regs_dirty = REGS_RIP;
}

int regs_flush(struct thread *t)
{
	long r = 0;

	if (t->regs_dirty == REGS_ALL)
		r = ptrace(PTRACE_SETREGS, t->tid, 0, &t->regs.r);
	else if (t->regs_dirty == REGS_RIP)
		r = ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, regs.rip), t->regs.r.rip);
	t->regs_dirty = REGS_NONE;
	return r < 0 ? -errno : 0;
}
