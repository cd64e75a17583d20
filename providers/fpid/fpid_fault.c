/*
 * fpid_fault.c: a thread faults in a trampoline. Where the stack is nearly used up, what the hook
 * would do is done here, as at a breakpoint, and the thread goes on as if nothing had been. Where
 * an instruction of the program has faulted that was moved there, the program sees it where it was;
 * if the jump stands there now, the function gets its code back, so that the program may come back
 * to it, and has breakpoints from then on.
 */
#include <errno.h>
#include <stdlib.h>

#include "inject/hooks.h"
#include "providers/fpid/fpid_fold.h"

static bool is_of(const struct pid_site *site, taddr_t function)
{
	return site->fpid->hook == HOOK_ON && site_function(site) == function;
}

/* ---- what the hook would do ---- */

static bool is_at(const struct pid_site *site, const struct hook_fault *hf)
{
	enum pid_kind kind = hf->is_exit ? PID_RETURN : hf->is_offset ? PID_OFFSET : PID_ENTRY;

	return is_of(site, hf->function) && site->probe->kind == kind &&
	       (kind != PID_OFFSET || site->addr + site->mod->bias == hf->pc);
}

/* Its sites there, in the order in which the trampoline has them. */
static unsigned gather(struct pid_proc *pp, const struct hook_fault *hf, struct pid_site ***out)
{
	struct pid_site *site;
	unsigned n = 0, at;

	fpid_folds_show(pp, hf->function);
	for (site = fpid_first(pp); site; site = fpid_next(site))
		n += is_at(site, hf);
	*out = xcalloc(n + 1, sizeof(struct pid_site *));
	for (site = fpid_first(pp), at = n; site; site = fpid_next(site))
		if (is_at(site, hf))
			(*out)[--at] = site;
	return n;
}

static bool is_done(const struct pid_site *site, const struct hook_fault *hf, unsigned *nclaimed)
{
	switch (site->fpid->how) {
	case FPID_COUNTS:
		return hf->has_counted;
	case FPID_RECORDS:
		return hf->has_recorded;
	case FPID_CLAIMS:
		return (*nclaimed)++ < hf->nclaimed;
	default:
		return true;
	}
}

static void fire(struct pid_proc *pp, const struct hook_fault *hf, struct hit *hit)
{
	struct pid_site **sites;
	unsigned n = gather(pp, hf, &sites), nclaimed = 0;

	for (unsigned i = 0; i < n; i++) {
		struct pid_bkpt at = {.site = sites[i], .off = (int64_t)(hf->pc - hf->function)};

		if (!is_done(sites[i], hf, &nclaimed))
			pid_hit(hit, &at);
	}
	free(sites);
}

/* ---- the program's own ---- */

static void become_breakpoints(struct pid_proc *pp, taddr_t function)
{
	struct err why;

	fpid_folds_show(pp, function);
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site)) {
		if (!is_of(site, function))
			continue;
		site->fpid->hook = HOOK_NONE;
		site->fpid->was_hooked = site->fpid->is_half = true;
		pid_arm(site, &why); /* it can: the function has been hooked */
	}
	pid_commit(pp->pw->session, pp, &why);
}

/* No call comes between the hooks and the breakpoints. False: it cannot be stopped, as it ends, or
 * somebody stands at what the jump is made of. */
static bool give_back(struct pid_proc *pp, taddr_t function)
{
	bool is_still = proc_is_still(pp->proc), is_out;
	struct err why;

	if (!is_still && proc_halt(pp->proc, &why))
		return false;
	is_out = !hooks_unhook(pp->fpid->hooks, function, &why);
	if (is_out)
		become_breakpoints(pp, function);
	if (!is_still)
		proc_go(pp->proc);
	return is_out;
}

/* A program that steps through a function comes to its hook, and finds its own code instead. Where
 * that cannot be, it steps over what is ours as if it were one instruction. */
static void stepped(struct pid_proc *pp, struct code_fault *f)
{
	struct hook_step is = hooks_step(pp->fpid->hooks, f->regs->rip, f->at);

	if (is.place == HOOK_STEP_ELSEWHERE)
		return;
	f->is_mended = true;
	if (is.place == HOOK_STEP_WITHIN || !give_back(pp, is.function))
		return;
	f->regs->rip = is.pc;
	f->is_mended = !is.is_own;
}

void fpid_faulted(struct pid_proc *pp, struct code_fault *f)
{
	struct hook_fault hf;
	uint64_t rax;
	taddr_t end;

	if (f->is_step) {
		stepped(pp, f);
		return;
	}
	end = hooks_end_load(pp->fpid->hooks, f->regs->rip);
	if (end) {
		f->regs->rip = end;
		f->is_mended = true;
		return;
	}
	if (!hooks_fault(pp->fpid->hooks, f->regs->rip, &hf))
		return;
	if (hf.has_rax) {
		if (target_read(proc_target(pp->proc), f->regs->rsp, &rax, sizeof(rax)) < 0)
			return;
		f->regs->rax = rax;
	}
	/* Whether or not it can be: no handler is shown a trampoline. */
	if (!hf.is_ours && hf.is_replaced && !f->is_leaving)
		give_back(pp, hf.function);
	f->regs->rsp += hf.undo;
	f->regs->rip = f->hit->pc = hf.pc;
	f->is_mended = hf.is_ours;
	f->may_return = !hf.is_ours;
	if (!hf.is_ours)
		return;
	if (!f->is_leaving)
		fire(pp, &hf, f->hit);
	f->regs->rip = hf.go_on;
}
