/*
 * clockfault.c: a program may have put the time stamp counter out of its reach (PR_SET_TSC of
 * prctl(2), strict mode of seccomp(2)). Code of ours that runs in it reads the counter all the
 * same: the fault is not the program's, and it gets the number from us.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <x86intrin.h>

#include "tracer/tracer_priv.h"
#include "tracer/mem.h"
#include "tracer/x86/regs.h"

static const uint8_t rdtsc[] = {0x0f, 0x31};

/* A general protection fault has no address (arch/x86/kernel/traps.c). */
static bool is_general_protection(const struct thread *t)
{
	siginfo_t si;

	return t->stop.sig == SIGSEGV && ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) == 0 &&
	       si.si_code == SI_KERNEL;
}

bool clockfault_mended(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	struct user_regs_struct *r;
	uint8_t code[sizeof(rdtsc)];
	uint64_t now;

	if (!tr->ops->has_code || !is_general_protection(t))
		return false;
	r = regs_all(&t->regs);
	if (!r || !tr->ops->has_code(tr->arg, t->proc, r->rip) ||
	    mem_read(t->proc, r->rip, code, sizeof(code)) != sizeof(code) ||
	    memcmp(code, rdtsc, sizeof(rdtsc)) != 0)
		return false;
	now = __rdtsc();
	r->rax = (uint32_t)now;
	r->rdx = now >> 32;
	r->rip += sizeof(rdtsc);
	regs_touch(&t->regs);
	return true;
}
