/*
 * pid_arm.c: the breakpoints of a site: where they are, whether there may be any, and what is said
 * where there may not.
 */
#include <errno.h>
#include <stdlib.h>

#include "providers/pid/hookops.h"
#include "providers/pid/pid_priv.h"
#include "providers/providers.h"

#define STEPS_PER_SERVE 256

void pid_serve(struct pid_world *pw)
{
	struct tracer *tr = world_of(pw->session)->tracer;

	/* during a hit others wait in turn, as ever */
	if (tr && !pw->rematching && pw->nserved++ % STEPS_PER_SERVE == 0)
		tracer_serve(tr);
}

static void disarm(struct pid_site *site, void (*del)(struct bkpt *))
{
	for (unsigned i = 0; i < site->nbkpts; i++)
		if (site->bkpts[i].bkpt)
			del(site->bkpts[i].bkpt);
	free(site->bkpts);
	site->bkpts = NULL;
	site->nbkpts = 0;
	if (site->usdt)
		usdt_lower(site);
}

void pid_disarm(struct pid_site *site)
{
	disarm(site, bkpt_del);
}

void pid_disarm_now(struct pid_site *site)
{
	disarm(site, bkpt_del_now);
}

static int check_restartable(const struct pid_site *site, int64_t off, struct err *err)
{
	const struct objfile *o = module_objfile(site->mod, NULL);

	if (o && objfile_is_restartable(o, site->addr + (taddr_t)off))
		return err_set(err, -EINVAL,
			       "it lies in a restartable sequence (rseq), which a stop sends back "
			       "to its start");
	return 0;
}

static int add_bkpt(struct pid_site *site, int64_t off, enum bkpt_when when, bkpt_fn *fn,
		    struct err *err)
{
	struct pid_bkpt *b = &site->bkpts[site->nbkpts++];
	taddr_t pc = site->addr + site->mod->bias + (taddr_t)off;
	int r = check_restartable(site, off, err);

	b->site = site;
	b->off = off;
	if (!r && site->proc->pw->hook_ops)
		r = site->proc->pw->hook_ops->make_way(site->proc, pc, err);
	return r ? r : bkpt_add(site->proc->proc, pc, when, fn, b, &b->bkpt, err);
}

static int add_jit_returns(struct pid_site *site, struct err *err)
{
	uint32_t *offs;
	unsigned n = pid_jit_returns(site, &offs);
	int r = 0;

	site->bkpts = xcalloc(n + 1, sizeof(*site->bkpts));
	for (unsigned i = 0; i < n && !r; i++)
		r = add_bkpt(site, offs[i], BKPT_LAST, pid_hit, err);
	free(offs);
	return r;
}

static int add_returns(struct pid_site *site, bkpt_fn *fn, struct err *err)
{
	struct objfile *o = module_objfile(site->mod, err);
	const struct retsite *rets;
	bool decoded;
	unsigned n;
	int r = 0;

	if (!o)
		return err->code;
	n = objfile_retsites(o, site->func, &rets, &decoded);
	site->bkpts = xcalloc(n + 1, sizeof(*site->bkpts));
	for (unsigned i = 0; i < n && !r; i++) {
		if (rets[i].is_jump && site->is_resolver)
			continue; /* it is where it jumps to that answers */
		r = add_bkpt(site, rets[i].off, rets[i].is_jump ? BKPT_TAKEN : BKPT_LAST, fn, err);
	}
	return r;
}

int pid_add_bkpts(struct pid_site *site, struct err *err)
{
	int r;

	if (site->is_resolver)
		return add_returns(site, pid_ifunc_answered, err);
	if (site->probe->kind == PID_RETURN && site->probe->is_jit)
		return add_jit_returns(site, err);
	if (site->probe->kind == PID_RETURN)
		return add_returns(site, pid_hit, err);
	r = site->usdt ? usdt_check(site, err) : 0;
	if (r)
		return r;
	site->bkpts = xcalloc(1, sizeof(*site->bkpts));
	r = add_bkpt(site, 0, site->probe->kind == PID_ENTRY ? BKPT_FIRST : BKPT_ALWAYS, pid_hit,
		     err);
	return r || !site->usdt ? r : usdt_raise(site, err);
}

static void say_what(const struct pid_site *site, struct err *err)
{
	const struct probe *p = site->probe->probe;

	if (site->probe->kind == PID_USDT)
		err_wrap(err, "failed to create probe %s:%s:%s:%s", p->prov, p->mod, p->func,
			 p->name);
	else if (site->probe->kind != PID_OFFSET)
		err_wrap(err, "failed to create %s probe for '%s'", p->name, p->func);
	else if (!strcmp(p->func, "-"))
		err_wrap(err, "failed to create probe at '0x%s'", p->name);
	else
		err_wrap(err, "failed to create probe at '%s+0x%s'", p->func, p->name);
}

int pid_check(const struct pid_site *site, struct err *err)
{
	int r = check_restartable(site, 0, err);

	if (!r)
		r = bkpt_check(site->proc->proc, site->addr + site->mod->bias, err);
	if (r && proc_has_lost_memory(site->proc->proc))
		return 0; /* that it ends, or executes another program, will be told */
	if (r)
		say_what(site, err);
	return r;
}

int pid_refuse(struct pid_site *site, const struct err *reason, struct err *err)
{
	const struct pid_world *pw = site->proc->pw;
	struct err why = *reason;

	if (site->proc->proc && proc_has_lost_memory(site->proc->proc))
		return 0; /* as in pid_check() */
	say_what(site, &why);
	if (site->probe->exact && !pw->rematching)
		return err_set(err, why.code, "%s", why.text);
	pid_leave_out(site->proc, &why);
	return 0;
}

int pid_arm(struct pid_site *site, struct err *err)
{
	struct err why;
	int r;

	if (site->bkpts || site_is_held(site) || !site->proc->proc || pid_is_spent(site))
		return 0;
	pid_serve(site->proc->pw);
	r = pid_add_bkpts(site, &why);
	if (!r)
		return 0;
	pid_disarm(site);
	return pid_refuse(site, &why, err);
}

static void place_at_breakpoint(const struct probe *p)
{
	static const struct placement of_pid = {.runs = RUNS_BREAKPOINT, .instead = PID_INSTEAD};
	static const struct placement of_others = {.runs = RUNS_BREAKPOINT};
	const struct pid_probe *pr = p->arg;

	if (pid_is_oneshot(p->session)) {
		pid_place_oneshot(p);
		return;
	}
	probe_place(p, p->provider == &prov_pid && pr && !pr->is_jit ? &of_pid : &of_others);
}

void pid_foresee(struct session *s)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);

		if (p->provider == &prov_pid || p->provider == &prov_usdt)
			place_at_breakpoint(p);
	}
}

int pid_enable(struct probe *p, struct err *err)
{
	const struct pid_probe *pr = p->arg;
	int r = 0;

	if (pid_is_oneshot(p->session))
		pid_begin_oneshot(p);
	else
		place_at_breakpoint(p);
	for (struct pid_site *site = pr->sites; site && !r; site = site->next)
		r = pid_arm(site, err);
	return r;
}

void pid_disable(struct probe *p)
{
	const struct pid_probe *pr = p->arg;

	for (struct pid_site *site = pr->sites; site; site = site->next)
		if (site->proc->proc)
			pid_disarm(site);
}
