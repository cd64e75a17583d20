/*
 * pid_sigtrap.c: a breakpoint on the C library's sigaction, which signal() calls, too: what a
 * program wants done at SIGTRAP is known before a breakpoint makes the kernel forget it.
 */
#include <signal.h>

#include "providers/pid/pid_priv.h"

#define ASKS "sigaction"

static void on_sigaction(struct hit *hit, UNUSED void *arg)
{
	const struct user_regs_struct *r = &hit_regs(hit)->r;
	struct sigaction a; /* that of glibc and of musl is the same as far as it is read here */

	if ((int)r->rdi != SIGTRAP || !r->rsi || thread_is_guest(hit->thread) ||
	    target_read(proc_target(hit->proc), r->rsi, &a, sizeof(a)) != sizeof(a))
		return;
	hit_trap_action(hit, a.sa_flags & (int)SA_RESETHAND ? 0 : (taddr_t)(uintptr_t)a.sa_handler);
}

/* Its symbols are not read for that: its file has thousands. */
static bool find_in_libc(const struct pid_proc *pp, const struct module *m, taddr_t *addr)
{
	return !m->gone &&
	       (strncmp(m->name, "libc.", 5) == 0 || strncmp(m->name, "libpthread", 10) == 0 ||
		strncmp(m->name, "ld-musl", 7) == 0) &&
	       proc_exported(pp->proc, m->bias, ASKS, addr);
}

/* A program that has the C library in it. */
static bool find_in_program(const struct pid_proc *pp, taddr_t *addr)
{
	struct module *m = modules_program(pp->modules);
	struct objfile *o = m ? module_objfile(m, NULL) : NULL;
	uint64_t size;

	if (!o || !objfile_symbol(o, ASKS, addr, &size))
		return false;
	*addr += m->bias;
	return true;
}

/* That it cannot be probed is no loss but in such a program. */
static void watch(struct pid_proc *pp, taddr_t addr)
{
	struct bkpt *b;

	bkpt_add(pp->proc, addr, BKPT_ALWAYS, on_sigaction, NULL, &b, NULL);
}

static bool has_breakpoints(const struct pid_proc *pp)
{
	for (const struct pid_site *site = pp->sites; site; site = site->next_in_proc)
		if (site->bkpts)
			return true;
	return false;
}

void pid_sigtrap_watch(struct pid_proc *pp)
{
	bool found = false;
	taddr_t addr;

	if (pp->watches_traps || !has_breakpoints(pp))
		return;
	pp->watches_traps = true;
	proc_learn_trap_action(pp->proc);
	for (const struct module *m = pp->modules->list; m; m = m->next)
		if (find_in_libc(pp, m, &addr)) {
			watch(pp, addr);
			found = true;
		}
	if (!found && find_in_program(pp, &addr))
		watch(pp, addr);
}
