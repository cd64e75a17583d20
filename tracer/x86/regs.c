#include "tracer/x86/regs.h"

#include <errno.h>
#include <sys/ptrace.h>

void regs_forget(struct thread_regs *t)
{
	t->have = REGS_NONE;
	t->dirty = REGS_NONE;
}

int regs_rip(struct thread_regs *t, taddr_t *rip)
{
	if (t->have == REGS_NONE) {
		long v;

		errno = 0;
		v = ptrace(PTRACE_PEEKUSER, t->tid, offsetof(struct user, regs.rip), 0);
		if (errno)
			return -errno;
		t->now.r.rip = (uint64_t)v;
		t->have = REGS_RIP;
	}
	*rip = t->now.r.rip;
	return 0;
}

struct user_regs_struct *regs_all(struct thread_regs *t)
{
	taddr_t rip = t->now.r.rip;

	if (t->have == REGS_ALL)
		return &t->now.r;
	if (ptrace(PTRACE_GETREGS, t->tid, 0, &t->now.r) < 0)
		return NULL;
	if (t->dirty == REGS_RIP)
		t->now.r.rip = rip;
	t->have = REGS_ALL;
	return &t->now.r;
}

void regs_touch(struct thread_regs *t)
{
	t->dirty = REGS_ALL;
}

void regs_set_rip(struct thread_regs *t, taddr_t rip)
{
	t->now.r.rip = rip;
	if (t->have == REGS_NONE)
		t->have = REGS_RIP;
	if (t->dirty == REGS_NONE)
		t->dirty = REGS_RIP;
}

int regs_flush(struct thread_regs *t)
{
	long r = 0;

	if (t->dirty == REGS_ALL)
		r = ptrace(PTRACE_SETREGS, t->tid, 0, &t->now.r);
	else if (t->dirty == REGS_RIP)
		r = ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, regs.rip), t->now.r.rip);
	t->dirty = REGS_NONE;
	return r < 0 ? -errno : 0;
}
