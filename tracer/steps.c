/*
 * steps.c: a program that steps itself, with the trap flag set (Intel SDM vol. 3, 17.3.1.4): each
 * of its instructions ends in a SIGTRAP of its own, which tells where the next one is. What of ours
 * stands in its way makes more of them, or fewer.
 */
#include <signal.h>
#include <sys/ptrace.h>

#include "tracer/slot.h"
#include "tracer/tracer_priv.h"
#include "tracer/x86/regs.h"

#define TRAP_FLAG 0x100

bool steps_itself(struct thread *t)
{
	const struct user_regs_struct *r = t->proc->steps ? regs_all(&t->regs) : NULL;

	return r && (r->eflags & TRAP_FLAG);
}

bool step_is_ours(struct thread *t)
{
	taddr_t passes = t->steps.passes, rip;
	const struct site *s;
	unsigned off;
	bool undo = false;

	t->proc->steps = true;
	t->steps.passes = 0;
	if (regs_rip(&t->regs, &rip) < 0)
		return false;
	if (rip == passes)
		return true;
	s = slot_at(t->proc, rip, &off);
	if (s)
		rip = insn_slot_origin(&s->plan, off, &undo);
	else if (codefault_stepped(t, t->steps.at) || regs_rip(&t->regs, &rip) < 0)
		return true;
	if (undo) /* a call is half made */
		return true;
	t->steps.at = rip;
	return false;
}

/*
 * popf that sets the flag, and a system call with the flag set, take effect one instruction later:
 * in a slot that is our jump.
 */
static bool is_delayed(struct thread *t, const struct insn_plan *pl)
{
	static const uint8_t syscall[] = {0x0f, 0x05};
	bool is_popf = pl->bytes[pl->len - 1U] == 0x9d && pl->len <= 2; /* with an operand size */
	const struct user_regs_struct *r;

	if (pl->how != INSN_SLOT)
		return false;
	if (!is_popf)
		return pl->len == sizeof(syscall) && !memcmp(pl->bytes, syscall, sizeof(syscall)) &&
		       steps_itself(t);
	r = regs_all(&t->regs);
	return r && !(r->eflags & TRAP_FLAG);
}

bool step_begins(struct thread *t, const struct insn_plan *pl)
{
	t->steps.passes = is_delayed(t, pl) ? pl->next : 0;
	return pl->how == INSN_EMULATE && steps_itself(t);
}

int step_ends(struct thread *t)
{
	siginfo_t si = {.si_signo = SIGTRAP, .si_code = TRAP_TRACE};

	if (regs_rip(&t->regs, &t->steps.at) < 0)
		return 0;
	si.si_addr = (void *)(uintptr_t)t->steps.at;
	ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
	return SIGTRAP;
}
