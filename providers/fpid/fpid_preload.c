/* fpid_preload.c: hooks in a process that a preloaded library has let us in to, and nobody stops.
 */
#include <errno.h>
#include <stdlib.h>

#include "inject/hooks.h"
#include "providers/fpid/fpid_function.h"

#define POLL_NS 2000000U /* a thread in dlopen waits for so long, at most, before it is noticed */

/* ---- libraries that come later ---- */

/* Others may ask for the same point, and have taken the padding behind it. */
static int find_point(struct pid_proc *pp, struct module *m, const struct func *func,
		      struct hook_point **point, struct err *err)
{
	struct objfile *o = module_objfile(m, NULL);
	struct plan plan =
		plan_function(fpid_scan_of(pp, m, o), (unsigned)(func - o->funcs), PLAN_ENTRY);
	struct hook_point *points[RELOC_STOPS] = {NULL};
	int r = plan.entry_why ? err_set(err, -EINVAL, "%s", plan.entry_why)
			       : fpid_add_window(pp, m, func, &plan, 0, true, points, err);

	if (!r)
		*point = points[0];
	free(plan.windows);
	return r;
}

static int listen_in(struct pid_proc *pp, struct module *m, const struct func *func, taddr_t debug,
		     struct err *err)
{
	struct hook_point *point = hooks_point_at(pp->fpid->hooks, func->addr + m->bias);
	int r = point ? 0 : find_point(pp, m, func, &point, err);

	return r ? r : hooks_listen_at(pp->fpid->hooks, point, debug, err);
}

static int listen_for_libraries(struct pid_proc *pp, struct err *err)
{
	taddr_t debug = 0, brk = proc_linker_hook(pp->proc, &debug);

	for (struct module *m = brk ? pp->modules->list : NULL; m; m = m->next) {
		const struct objfile *o = m->gone ? NULL : module_objfile(m, NULL);
		const struct func *func = o ? objfile_at(o, brk - m->bias) : NULL;

		if (func && func->addr + m->bias == brk)
			return listen_in(pp, m, func, debug, err);
	}
	return err_set(err, -ENOENT, "what its dynamic linker calls then is not found");
}

/* Who may not stop a thread cannot show it elsewhere; its handlers are not ours to wrap. */
static void tell_of_faults(const struct pid_proc *pp)
{
	session_message(
		pp->pw->session, MSG_ERR, false,
		"fpid: ptrace is forbidden, so handlers of SIGSEGV, SIGBUS, SIGILL and SIGFPE "
		"of process %d see faults of replaced instructions where these run now",
		pp->pid);
}

void fpid_listen(struct pid_proc *pp)
{
	struct err why;

	if (!pp->fpid->is_preloaded || pp->fpid->is_heard || !pp->fpid->hooks)
		return;
	if (world_of(pp->pw->session)->is_verbose)
		tell_of_faults(pp);
	pp->fpid->is_heard = listen_for_libraries(pp, &why) == 0;
	if (!pp->fpid->is_heard)
		session_message(pp->pw->session, MSG_ERR, false,
				"fpid: libraries that process %d loads later have no hooks: %s",
				pp->pid, why.text);
}

static void poll_dlopen(struct pid_proc *pp)
{
	unsigned nlate;

	if (hooks_poll_dlopen(pp->fpid->hooks)) {
		pid_proc_ops.mapped(world_of(pp->pw->session), pp->proc);
		hooks_let_go(pp->fpid->hooks);
	}
	nlate = hooks_dlopen_timeouts(pp->fpid->hooks);
	if (nlate)
		session_message(
			pp->pw->session, MSG_ERR, false,
			"fpid: libraries of process %d came %u time%s while we were busy, and "
			"have no hooks",
			pp->pid, nlate, nlate == 1 ? "" : "s");
}

/* ---- what becomes of it ---- */

static void see_exec(struct pid_proc *pp)
{
	if (pp->fpid->has_left || !proc_has_left(pp->proc))
		return;
	pp->fpid->has_left = true;
	session_message(pp->pw->session, MSG_ERR, false,
			"fpid: process %d has executed another program, which has no hooks: "
			"a preloaded library is not handed on",
			pp->pid);
}

uint64_t fpid_poll_preloaded(struct pid_proc *pp)
{
	if (!pp->fpid->is_preloaded || !pp->fpid->hooks || !pp->proc)
		return UINT64_MAX;
	hooks_look(pp->fpid->hooks);
	see_exec(pp);
	if (!pp->fpid->is_heard || pp->fpid->has_left)
		return UINT64_MAX;
	poll_dlopen(pp);
	return session_now(pp->pw->session) + POLL_NS;
}
