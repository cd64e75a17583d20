/*
 * refire.c: hits that have fired, and whose instruction has not been executed yet. A signal has
 * sent the thread back to it: because it faulted in its copy, or because it is one that begins
 * again. When the thread comes to the breakpoint it must not fire once more. It does come at once
 * where no handler runs; a handler comes back by rt_sigreturn(2), or never does, and then the next
 * hit there is another call of that function, with the same registers maybe. So the thread's system
 * calls are watched until it is known.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/tracer_priv.h"
#include "tracer/x86/regs.h"

#define CALLS_MAX 64 /* of one handler: they are two stops each */

void refire_remember(struct thread *t, int sig)
{
	struct refires *rf = &t->refires;
	const struct user_regs_struct *r = regs_all(&t->regs);
	struct refire now;

	if (!r)
		return;
	now = (struct refire){.pc = r->rip, .rsp = r->rsp, .rbp = r->rbp, .rbx = r->rbx};
	if (!procfs_catches(t->tid, sig)) {
		rf->next = now;
		return;
	}
	rf->next.pc = 0;
	if (rf->n == ARRAY_SIZE(rf->handled)) /* the outermost is the likeliest to have been left */
		memmove(rf->handled, rf->handled + 1, --rf->n * sizeof(now));
	rf->handled[rf->n++] = now;
	rf->ncalls = 0;
}

bool refire_is(struct thread *t, taddr_t pc)
{
	struct refire was = t->refires.next;
	const struct user_regs_struct *r;

	t->refires.next.pc = 0;
	if (was.pc != pc)
		return false;
	r = regs_all(&t->regs);
	return r && r->rsp == was.rsp && r->rbp == was.rbp && r->rbx == was.rbx;
}

/* What a handler that ends gives back: of struct ucontext, which the stack pointer leads to then.
 */
static bool read_frame(struct thread *t, struct refire *out)
{
	const struct user_regs_struct *r = regs_all(&t->regs);
	gregset_t saved;

	if (!r || mem_read(t->proc, r->rsp + offsetof(ucontext_t, uc_mcontext.gregs), saved,
			   sizeof(saved)) != sizeof(saved))
		return false;
	*out = (struct refire){.pc = (taddr_t)saved[REG_RIP],
			       .rsp = (uint64_t)saved[REG_RSP],
			       .rbp = (uint64_t)saved[REG_RBP],
			       .rbx = (uint64_t)saved[REG_RBX]};
	return true;
}

void refire_at_call(struct thread *t, uint32_t nr)
{
	struct refires *rf = &t->refires;
	struct refire back;

	if (!rf->n)
		return;
	rf->next.pc = 0;
	if (++rf->ncalls > CALLS_MAX)
		rf->n = 0;
	if (nr != SYS_rt_sigreturn || !read_frame(t, &back))
		return;
	for (unsigned i = rf->n; i-- > 0;)
		if (rf->handled[i].rsp == back.rsp) { /* those within have been left by a jump */
			if (rf->handled[i].pc == back.pc)
				rf->next = back;
			rf->n = (uint8_t)i;
			break;
		}
}
