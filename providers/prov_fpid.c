/*
 * prov_fpid.c: entry and return of functions with the least cost there is. Names, processes and
 * what becomes of them are the pid provider's. A probe whose clauses only count is a hook: its
 * calls are counted in the target and handed over at snapshots. What no hook can do is a
 * breakpoint.
 */
#include <errno.h>
#include <stdlib.h>

#include "dlang/claim.h"
#include "inject/emit.h"
#include "inject/hooks.h"
#include "providers/pid.h"

struct tally {
	unsigned hooked, armed, refused;
	struct err why; /* the first that was not hooked */
};

int fpid_arm(struct pid_site *site, struct err *err)
{
	const struct probe *p = site->probe->probe;
	bool only_hooks = opt(&p->session->options, OPT_FPIDFALLBACK) != 0;

	if (site->is_resolver ||
	    (!only_hooks && (site->probe->kind != PID_ENTRY || !probe_is_countable(p))))
		return pid_arm(site, err);
	if (site->hook == HOOK_NONE && !site->bkpts)
		site->hook = HOOK_WANTED;
	return 0;
}

static int fpid_enable(struct probe *p, struct err *err)
{
	const struct pid_probe *pr = p->arg;
	int r = 0;

	for (struct pid_site *site = pr->sites; site && !r; site = site->next)
		r = fpid_arm(site, err);
	return r;
}

/* ---- hooking ---- */

static bool uses_glibc(const struct modules *ms)
{
	for (const struct module *m = ms->list; m; m = m->next)
		if (!m->gone && !strncmp(m->name, "libc.so", 7)) {
			const struct objfile *o = module_objfile((struct module *)m, NULL);
			taddr_t addr;
			uint64_t size;

			return o && objfile_symbol(o, "gnu_get_libc_version", &addr, &size);
		}
	return false;
}

static int need_hooks(struct session *s, struct pid_proc *pp, unsigned nsites, struct err *err)
{
	const struct hooks_sizes sizes = {.nsites = nsites};
	int r;

	if (opt_on(&s->options, OPT_FOLLOW))
		return err_set(err, -EINVAL, "hooks do not follow children yet");
	if (pp->hooks)
		return proc_is_still(pp->proc)
			       ? 0
			       : err_set(err, -EBUSY, "other threads of the process run");
	if (pp->no_hooks)
		return err_set(err, -EINVAL, "the process cannot have hooks");
	if (!proc_is_still(pp->proc))
		return err_set(err, -EBUSY, "the process is running already");
	pp->no_hooks = true;
	if (!uses_glibc(pp->modules))
		return err_set(err, -EINVAL, "the program does not run on a shared glibc");
	r = hooks_new(pp->proc, &sizes, &pp->hooks, err);
	pp->no_hooks = r != 0;
	return r;
}

/* The scan of the module whose sites come next; they come in the order of modules, mostly. */
struct scanning {
	struct objfile *o;
	struct codescan *scan;
};

static struct codescan *scan_of(struct scanning *sc, struct objfile *o)
{
	if (sc->o != o) {
		codescan_free(sc->scan);
		sc->scan = codescan_new(o);
		sc->o = o;
	}
	return sc->scan;
}

/* The place of a hook for a function that has none yet. */
static int new_place(const struct pid_site *site, struct scanning *sc, struct hook_place **place,
		     struct err *err)
{
	struct objfile *o = module_objfile(site->mod, err);
	struct hook_request rq = {.addr = site->addr + site->mod->bias};
	uint8_t code[RELOC_WINDOW_MAX];
	struct verdict v;

	if (!o)
		return err->code;
	v = plan_function(scan_of(sc, o), (unsigned)(site->func - o->funcs));
	if (v.reason)
		return err_set(err, -EINVAL, "%s", v.reason);
	rq.bytes = code;
	rq.n = objfile_bytes(o, site->addr, code, MIN(v.room, sizeof(code)));
	rq.need = v.need;
	rq.island = v.island ? v.island + site->mod->bias : 0;
	rq.is_careful = v.is_careful;
	return hooks_add(site->proc->hooks, &rq, place, err);
}

static int hook_site(struct pid_site *site, struct scanning *sc, struct err *err)
{
	struct hooks *h = site->proc->hooks;
	struct hook_place *place;
	int r = 0;

	if (site->probe->kind != PID_ENTRY || !probe_is_countable(site->probe->probe))
		return err_set(err, -EINVAL, "hooks cannot yet do more than count calls");
	if (!site->func)
		return err_set(err, -EINVAL, "its code is made at run time");
	place = hooks_at(h, site->addr + site->mod->bias);
	if (!place)
		r = new_place(site, sc, &place, err);
	return r ? r : hooks_count_at(h, place, &site->counter, err);
}

static int fall_back(struct session *s, struct pid_site *site, struct err *why, struct tally *t,
		     struct err *err)
{
	site->hook = HOOK_NONE;
	if (t->armed + t->refused == 0) {
		t->why = *why;
		err_wrap(&t->why, "%s", site->probe->probe->func);
	}
	if (opt(&s->options, OPT_FPIDFALLBACK) != 0) {
		t->refused++;
		return pid_refuse(site, why, err);
	}
	t->armed++;
	return pid_arm(site, err);
}

static void report(struct session *s, const struct tally *t)
{
	unsigned n = t->hooked + t->armed + t->refused;
	char refused[48] = "", why[sizeof(t->why.text) + 16] = "";

	if (t->refused)
		snprintf(refused, sizeof(refused), ", %u refused", t->refused);
	if (t->armed + t->refused)
		snprintf(why, sizeof(why), "; the first: %s", t->why.text);
	session_message(s, MSG_ERR, true, "fpid: %u function%s: %u hooked, %u by breakpoint%s%s", n,
			n == 1 ? "" : "s", t->hooked, t->armed, refused, why);
}

int fpid_settle(struct session *s, struct pid_proc *pp, struct err *err)
{
	struct scanning sc = {0};
	struct tally t = {0};
	struct err no_hooks = {0};
	unsigned n = 0;
	int r = 0;

	for (const struct pid_site *site = pp->sites; site; site = site->next_in_proc)
		n += site->hook == HOOK_WANTED;
	if (!n)
		return 0;
	need_hooks(s, pp, n, &no_hooks);
	for (struct pid_site *site = pp->sites; site && !r; site = site->next_in_proc) {
		struct err why = no_hooks;

		if (site->hook != HOOK_WANTED)
			continue;
		if (!no_hooks.code && hook_site(site, &sc, &why) == 0) {
			site->hook = HOOK_ON;
			t.hooked++;
		} else {
			r = fall_back(s, site, &why, &t, err);
		}
	}
	codescan_free(sc.scan);
	if (!r && t.hooked)
		r = hooks_commit(pp->hooks, err);
	if (!r)
		report(s, &t);
	return r;
}

/* ---- what was counted ---- */

void fpid_collect(struct pid_proc *pp)
{
	for (struct pid_site *site = pp->sites; site && pp->hooks; site = site->next_in_proc) {
		struct event ev = {.probe = site->probe->probe, .pid = pp->pid, .tid = pp->pid};
		uint64_t n;

		if (site->hook != HOOK_ON)
			continue;
		n = hooks_cell(pp->hooks, site->counter);
		if (n != site->counted)
			event_count(ev.probe->session, &ev, n - site->counted);
		site->counted = n;
	}
}

void fpid_forget(struct pid_proc *pp)
{
	hooks_free(pp->hooks);
	pp->hooks = NULL;
	pp->no_hooks = false;
}

static void fpid_snapshot(struct session *s)
{
	for (struct pid_proc *pp = pid_world_of(s->world)->procs; pp; pp = pp->next)
		fpid_collect(pp);
}

/* clang-format off */
static const struct provattrs attrs = {
	{STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA},
	{STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN}, {STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN},
	{STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA}, {STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN}};
/* clang-format on */

const struct provider prov_fpid = {
	.name = "fpid",
	.on_demand = fpid_on_demand,
	.provide = pid_provide,
	.matches = pid_matches,
	.enable = fpid_enable,
	.disable = pid_disable,
	.argtypes = pid_argtypes,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
	.stop = fpid_snapshot,
	.snapshot = fpid_snapshot,
	.attrs = &attrs,
};
