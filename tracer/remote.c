#include "remote.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "mem.h"
#include "regs.h"
#include "seccomp.h"

#define SIGBIT(s) (1ULL << ((s)-1))

/* One step is over, or something else came first. Returns 0 when stepped, -EAGAIN to go on. */
static int step_result(struct thread *t, int status, int *deferred)
{
	struct stop s = stop_decode(status);

	switch (s.kind) {
	case STOP_EXITED:
		tracer_postpone(t->proc->tracer, t->tid, status);
		t->state = THREAD_RUNNING;
		return -ESRCH;
	case STOP_TRAP:
		return 0;
	case STOP_GROUP:
	case STOP_INTERRUPT:
		t->reinterrupt = true; /* a new interrupt brings the same report again */
		return -EAGAIN;
	case STOP_SIGNAL:
		if (s.sig == SIGSEGV || s.sig == SIGBUS || s.sig == SIGILL || s.sig == SIGFPE)
			return -EFAULT;
		*deferred = s.sig; /* SIGSTOP, which no mask holds back */
		return -EAGAIN;
	default:
		return -EAGAIN;
	}
}

static int step_masked(struct thread *t)
{
	int status, deferred = 0, r;

	do {
		if (ptrace(PTRACE_SINGLESTEP, t->tid, 0, 0) < 0)
			return -ESRCH;
		while (waitpid(t->tid, &status, __WALL) < 0)
			if (errno != EINTR)
				return -ESRCH;
		r = step_result(t, status, &deferred);
	} while (r == -EAGAIN);
	if (deferred)
		syscall(SYS_tgkill, t->tgid, t->tid, deferred);
	regs_forget(t);
	return r;
}

int remote_step(struct thread *t)
{
	/* SIGTRAP itself stays open: forcing it on a thread that blocks it resets its handler. */
	const uint64_t sync = SIGBIT(SIGTRAP) | SIGBIT(SIGSEGV) | SIGBIT(SIGBUS) | SIGBIT(SIGILL) |
			      SIGBIT(SIGFPE);
	uint64_t saved, mask = ~sync;
	int r;

	if (regs_flush(t) < 0 || ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(saved), &saved) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(mask), &mask) < 0)
		return -ESRCH;
	r = step_masked(t);
	if (r != -ESRCH)
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(saved), &saved);
	return r;
}

static taddr_t find_in_vma(const struct proc *p, const struct vma *v)
{
	static const uint8_t insn[] = {0x0f, 0x05};
	uint8_t buf[4096 + 1];

	for (taddr_t a = v->start; a < v->end; a += 4096) {
		ssize_t n = mem_read(p->mem_fd, a, buf, MIN(sizeof(buf), v->end - a));
		const uint8_t *hit = n > 0 ? memmem(buf, (size_t)n, insn, sizeof(insn)) : NULL;

		if (hit)
			return a + (uint64_t)(hit - buf);
	}
	return 0;
}

/* Any `syscall` instruction will do; the vdso has one in nearly every process. */
static taddr_t find_syscall(struct proc *p)
{
	taddr_t a = 0;

	if (vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return 0;
	for (size_t i = 0; !a && i < p->maps.n; i++)
		if (p->maps.v[i].vdso)
			a = find_in_vma(p, &p->maps.v[i]);
	for (size_t i = 0; !a && i < p->maps.n; i++)
		if (p->maps.v[i].exec && p->maps.v[i].read && p->maps.v[i].ino)
			a = find_in_vma(p, &p->maps.v[i]);
	return a;
}

int remote_syscall(struct thread *t, long nr, const uint64_t args[6], int64_t *result)
{
	struct proc *p = t->proc;
	struct user_regs_struct saved, *r = regs_all(t);
	int rc;

	if (!p->syscall_insn)
		p->syscall_insn = find_syscall(p);
	if (!p->syscall_insn)
		return -ENOSYS;
	if (!r)
		return -ESRCH;
	if (!seccomp_lift(t))
		return -EPERM;
	saved = *r;
	r->rip = p->syscall_insn;
	r->rax = (uint64_t)nr;
	r->orig_rax = UINT64_MAX; /* no system call to restart */
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
	regs_touch(t);
	rc = remote_step(t);
	if (!rc) {
		r = regs_all(t);
		if (r)
			*result = (int64_t)r->rax;
		else
			rc = -ESRCH;
	}
	t->regs.r = saved;
	t->regs_have = REGS_ALL;
	regs_touch(t);
	if (regs_flush(t) < 0 && !rc)
		rc = -ESRCH;
	seccomp_lower(t);
	return rc;
}
