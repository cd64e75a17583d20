/*
 * System calls by PTRACE_SYSCALL: for those who may have nothing else. What a call is, the kernel
 * says (PTRACE_GET_SYSCALL_INFO): a thread that was attached in the middle of one, or whose call is
 * begun again, comes out of step otherwise.
 */
#include "tracer/tracer_priv.h"

#include <linux/audit.h>
#include <sys/ptrace.h>

#include "tracer/x86/regs.h"

void on_call(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	struct __ptrace_syscall_info info = {0};
	struct call_stop c = {.proc = t->proc, .thread = t, .tid = t->tid, .pid = t->tgid};

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info) <= 0)
		return; /* it is gone */
	c.time_ns = now_mono();
	c.pc = info.instruction_pointer;
	c.is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	if (c.is_entry) {
		t->in_call = true;
		t->call = (uint32_t)info.entry.nr;
		for (unsigned i = 0; i < 6; i++)
			c.args[i] = info.entry.args[i];
	} else if (!t->in_call) { /* begun before it was traced */
		const struct user_regs_struct *r = regs_all(&t->regs);

		t->call = r ? (uint32_t)r->orig_rax : UINT32_MAX;
	}
	c.nr = t->call;
	c.ret = info.exit.rval;
	t->in_call = c.is_entry;
	c.is_32 = info.arch == AUDIT_ARCH_I386;
	if (c.is_entry && !c.is_32)
		refire_at_call(t, c.nr);
	if ((c.is_32 || info.arch == AUDIT_ARCH_X86_64) && tr->wants_calls && tr->ops->called)
		tr->ops->called(tr->arg, &c);
	if (tr->colocate)
		colocate_hit(t, c.time_ns);
	thread_resume(t, 0);
}

void tracer_watch_calls(struct tracer *tr)
{
	tr->wants_calls = true;
	for (struct proc *p = tr->procs; p; p = p->next)
		for (struct thread *t = p->threads; t; t = t->next)
			if (t->state == THREAD_RUNNING && !t->interrupts &&
			    ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0)
				t->interrupts++;
}
