/*
 * prov_pid.c: the pid provider over tracer and symbols: sites become breakpoints, hits become
 * events, and what happens to a process (libraries that come and go, exec, exit) is followed.
 */
#include <errno.h>
#include <stdlib.h>

#include "providers/pid/hookops.h"
#include "providers/pid/pid_priv.h"
#include "symbols/vdso.h"
#include "tracer/unwind/ustack.h"

#define REGISTER_ARGS 6

#define PRIVATE                                                                                    \
	{                                                                                          \
		STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN                                \
	}

struct pid_world *pid_world_of(struct world *w)
{
	struct pid_world *pw = w->pid;

	if (!pw) {
		pw = xcalloc(1, sizeof(*pw));
		pw->session = w->session;
		pw->cache = objcache_new();
		hash_init(&pw->known);
		w->pid = pw;
	}
	return pw;
}

/* ---- hits ---- */

/* Within a function these are what happens to be there, as DTrace has it. */
static void register_args(struct event *ev, const struct user_regs_struct *r)
{
	const uint64_t regs[REGISTER_ARGS] = {r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9};

	memcpy(ev->args, regs, sizeof(regs));
}

/* A fault while a stack argument is read gives 0 and no error (docs/spec/pid-engine.md §1.5). */
static void stack_args(struct event *ev, uint64_t sp)
{
	target_read(ev->target, sp + 8, ev->args + REGISTER_ARGS,
		    sizeof(ev->args) - REGISTER_ARGS * sizeof(ev->args[0]));
}

static void fire(struct pid_proc *pp, struct event *ev)
{
	if (!pp->pw->hook_ops || !pp->pw->hook_ops->fire(pp, ev))
		event_fire(ev->probe->session, ev);
}

void pid_hit(struct hit *hit, void *arg)
{
	const struct pid_bkpt b = *(const struct pid_bkpt *)arg; /* it may be taken out now */
	const struct pid_probe *pr = b.site->probe;
	unsigned needs = pr->probe->needs;
	struct regs after;
	struct event ev = {.probe = pr->probe,
			   .target = proc_target(hit->proc),
			   .pid = proc_pid(hit->proc),
			   .tid = hit->tid,
			   .cpu = hit->cpu,
			   .time_ns = hit->time_ns,
			   .source = hit};

	if (pid_is_oneshot(ev.probe->session) && !pid_spend(b.site))
		return;
	if (options_ask_cpus(&ev.probe->session->options))
		ev.cpu = hit_true_cpu(hit);
	if (needs & (NEED_ARGS | NEED_STACKARGS | NEED_REGS))
		ev.regs = hit_regs(hit);
	if (needs & NEED_FPREGS)
		ev.fpregs = hit_fpregs(hit);
	if (pr->kind == PID_RETURN) {
		ev.args[0] = (uint64_t)b.off;
		if (needs & NEED_REGS && hit_regs_after(hit, &after))
			ev.regs = &after;
		if (ev.regs) {
			ev.args[1] = ev.regs->r.rax;
			ev.args[2] = ev.regs->r.rdx;
		}
	} else if (pr->kind == PID_USDT) {
		if (ev.regs)
			usdt_args(&ev, b.site->usdt);
	} else if (ev.regs) {
		register_args(&ev, &ev.regs->r);
		if (pr->kind == PID_ENTRY && needs & NEED_STACKARGS)
			stack_args(&ev, ev.regs->r.rsp);
	}
	fire(b.site->proc, &ev);
	if (pr->ops->hit)
		pr->ops->hit(b.site, hit->time_ns, hit->tid);
	/* exit(): what the program would still do is cut off here, not some time later */
	if (pr->probe->session->state == SESSION_DRAINING)
		hit_hold(hit);
}

unsigned pid_ustack(const struct event *ev, taddr_t *pcs, unsigned max)
{
	const struct pid_probe *pr = ev->probe->arg;
	/* nothing tells how to unwind code of a JIT; at its `ret`, too, the caller is on top */
	bool at_top = pr->kind == PID_ENTRY || (pr->is_jit && pr->kind == PID_RETURN);

	return hit_ustack(ev->source, at_top, pcs, max);
}

int pid_stop_process(const struct event *ev)
{
	hit_stop(ev->source);
	return 0;
}

int pid_raise_signal(const struct event *ev, int sig)
{
	hit_raise(ev->source, sig);
	return 0;
}

void pid_use(struct pid_world *pw, const struct site_ops *ops)
{
	if (!ops->hook_ops || pw->hook_ops)
		return;
	pw->hook_ops = ops->hook_ops;
	pw->hook_ops->begin(pw);
	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		pw->hook_ops->added(pp);
}

static int settle_hooks(struct session *s, struct pid_proc *pp, struct err *err)
{
	return pp->pw->hook_ops ? pp->pw->hook_ops->settle(s, pp, err) : 0;
}

static void settle(struct pid_proc *pp)
{
	for (struct module *m = pp->modules->list; m; m = m->next)
		m->fresh = false;
}

/* Breakpoints stay until the processes are let go: their hits are ignored by event_fire now. */

/* ---- processes ---- */

static struct pid_proc *pid_proc_of(struct world *w, const struct proc *proc)
{
	struct pid_proc *pp = pid_world_of(w)->procs;

	while (pp && pp->proc != proc)
		pp = pp->next;
	return pp;
}

/* Takes a site from its probe and frees it; its breakpoints must be gone. */
static void free_site(struct pid_site *site)
{
	struct pid_site **at = &site->probe->sites;

	if (site->probe->ops->drop)
		site->probe->ops->drop(site);
	while (*at != site)
		at = &(*at)->next;
	*at = site->next;
	site->proc->nsites--;
	free(site->bkpts);
	usdt_free(site->usdt);
	free(site);
}

static void free_sites(struct pid_proc *pp)
{
	struct pid_site *site;

	while ((site = pp->sites)) {
		pp->sites = site->next_in_proc;
		free_site(site);
	}
}

/* The program is gone, and its breakpoints with it. */
static void drop_sites(struct pid_proc *pp)
{
	const struct hook_ops *ops = pp->pw->hook_ops;

	if (ops) {
		ops->collect(pp);
		ops->forget(pp);
	}
	free_sites(pp);
}

static bool has_gone(const struct modules *ms)
{
	const struct module *m = ms->list;

	while (m && !m->gone)
		m = m->next;
	return m;
}

static void drop_unmapped(struct pid_proc *pp)
{
	struct pid_site **at = &pp->sites, *site;
	const struct hook_ops *ops = pp->pw->hook_ops;
	struct hash gone; /* functions */

	hash_init(&gone);
	if (ops && has_gone(pp->modules))
		ops->show(pp, 0);
	if (ops)
		ops->collect(pp);
	while ((site = *at)) {
		if (!site->mod->gone) {
			at = &site->next_in_proc;
			continue;
		}
		*at = site->next_in_proc;
		hash_put(&gone, site_function(site), pp);
		pid_disarm(site);
		free_site(site);
	}
	if (gone.n && ops)
		ops->unmapped(pp, &gone);
	hash_release(&gone);
}

void pid_drop_site(struct pid_site *site)
{
	struct pid_site **at = &site->proc->sites;

	while (*at != site)
		at = &(*at)->next_in_proc;
	*at = site->next_in_proc;
	pid_disarm(site);
	free_site(site);
}

struct refreshing {
	struct pid_proc *pp;
	bool done;
};

/* A leader that has ended before its threads has empty /proc files: the next one is asked. A guest,
 * which may run another program before its exec is told, never is. */
static void refresh_through(struct thread *t, void *arg)
{
	struct refreshing *r = arg;

	if (!r->done && !thread_is_guest(t))
		r->done = !modules_refresh(r->pp->modules, thread_tid(t), NULL);
}

/* Reads what is mapped and tells the front. */
static void refresh(struct session *s, struct pid_proc *pp)
{
	struct refreshing r = {.pp = pp};

	pid_forget_match(pp);
	proc_each_thread(pp->proc, refresh_through, &r);
	if (!r.done)
		return; /* it is dying: its end will be told */
	drop_unmapped(pp);
	modules_record(pp->modules, s->aspaces, proc_target(pp->proc)->aspace, session_now(s));
}

/*
 * A library that has left since the process was looked at takes its probes along: what cannot be
 * written there is no failure. Where one has come instead, probes are left out.
 */
int pid_commit(struct session *s, struct pid_proc *pp, struct err *err)
{
	unsigned before = pp->nsites;
	int r;

	pid_sigtrap_watch(pp);
	r = bkpt_commit(pp->proc, err);
	if (!r)
		return 0;
	refresh(s, pp);
	if (pp->nsites == before && r != -EBUSY)
		return r;
	if (pp->nsites == before)
		pid_leave_out(pp, err);
	err->code = 0;
	return 0;
}

static void pid_stop(struct session *s)
{
	pid_tell_left_out(s, pid_world_of(world_of(s)), true);
	pid_tell_spent(s);
	pid_cost_tell(s, pid_world_of(world_of(s)));
}

static int pid_start(struct session *s, struct err *err)
{
	struct pid_world *pw = pid_world_of(world_of(s));
	int r = 0;

	pw->begin_ns = session_now(s);
	for (struct pid_proc *pp = pw->procs; pp && !r; pp = pp->next) {
		if (!pp->proc)
			continue;
		settle(pp);
		r = settle_hooks(s, pp, err);
		if (!r)
			r = pid_commit(s, pp, err);
	}
	if (!r)
		pid_tell_left_out(s, pw, false);
	return r;
}

static void free_proc(struct pid_proc *pp)
{
	struct pid_proc **at = &pp->pw->procs;

	while (*at != pp)
		at = &(*at)->next;
	*at = pp->next;
	if (pp->pw->hook_ops)
		pp->pw->hook_ops->removed(pp);
	modules_free(pp->modules);
	pid_forget_match(pp);
	pid_aliases_forget(pp);
	pid_spent_forget(pp);
	free(pp->matched);
	free(pp->skipped);
	free(pp);
}

/* The processes have been let go, or are gone: nothing of theirs is looked at any more. */
static void pid_free(struct session *s)
{
	struct pid_world *pw = world_of(s)->pid;

	if (!pw)
		return;
	while (pw->procs) {
		free_sites(pw->procs);
		pid_jit_forget(pw->procs);
		free_proc(pw->procs);
	}
	if (pw->hook_ops)
		pw->hook_ops->end(pw);
	pid_types_free(pw);
	pid_known_free(pw);
	objcache_free(pw->cache);
	free(pw);
	world_of(s)->pid = NULL;
}

/* Code that is in no file is never found. */
#define LEARN_AGAIN_NS 10000000U

static void learn_addresses(struct world *w, const struct proc *proc, const taddr_t *pcs,
			    unsigned npcs)
{
	struct pid_proc *pp = pid_proc_of(w, proc);
	const struct session *s = w->session;
	struct aspace_range r;

	if (!pp || session_now(s) - pp->learnt_ns < LEARN_AGAIN_NS)
		return;
	for (unsigned i = 0; i < npcs; i++)
		if (!aspace_at(s->aspaces, proc_target(pp->proc)->aspace, pcs[i], UINT64_MAX, &r)) {
			refresh(w->session, pp);
			pp->learnt_ns = session_now(s);
			return;
		}
}

static void new_image(struct session *s, struct pid_proc *pp)
{
	drop_sites(pp);
	pid_jit_forget(pp);
	pid_aliases_forget(pp);
	pid_spent_forget(pp);
	pp->watches_traps = false;
	modules_free(pp->modules);
	pp->modules = modules_new(pp->pw->cache);
	proc_target(pp->proc)->aspace = aspace_new(s->aspaces, pp->pid, session_now(s));
	refresh(s, pp);
}

static void new_proc(struct world *w, struct proc *proc, struct pid_proc *root)
{
	struct pid_world *pw = pid_world_of(w);
	struct pid_proc *pp = xcalloc(1, sizeof(*pp)), **at = &pw->procs;

	w->learn_addresses = learn_addresses;
	pp->pw = pw;
	pp->proc = proc;
	pp->pid = proc_pid(proc);
	pp->root = root;
	pp->asked = &pid_site_ops;
	snprintf(pp->digits, sizeof(pp->digits), "%d", root ? root->pid : pp->pid);
	while (*at)
		at = &(*at)->next;
	*at = pp;
	if (pp->pw->hook_ops)
		pp->pw->hook_ops->added(pp);
	new_image(w->session, pp);
}

static void pid_added(struct world *w, struct proc *proc)
{
	new_proc(w, proc, NULL);
}

static struct module *same_module(struct modules *ms, const struct module *of)
{
	struct module *m = ms->list;

	if (!of->dev && !of->ino && !strcmp(of->path, VDSO_LABEL))
		return modules_vdso(ms, of->start, NULL, 0);
	while (m && (m->gone || m->dev != of->dev || m->ino != of->ino || m->bias != of->bias))
		m = m->next;
	return m;
}

/* False: it has to be found as in a new module. */
static bool inherit_site(struct fork_copy *copy, const struct pid_site *from, struct module *m)
{
	struct pid_proc *child = copy->child;
	struct pid_site what = *from, *site;
	struct err err;
	taddr_t pc = from->addr + m->bias + (from->bkpts ? (taddr_t)from->bkpts[0].off : 0);

	if (site_is_held(from))
		return from->probe->ops->inherit(copy, from, m);
	if (from->usdt || from->probe->is_jit)
		return false;
	if (from->bkpts && !bkpt_is_in(child->proc, pc, pc + 1))
		return false;
	what.mod = m;
	site = pid_link_site(child, from->probe, &what);
	/* without any it could not be armed in the parent either, and that was said */
	return !from->bkpts || pid_add_bkpts(site, &err) == 0;
}

/* A forked child has the program, the libraries, the breakpoints and the hooks of its parent. */
static void inherit_sites(struct pid_proc *child, struct pid_proc *parent)
{
	struct fork_copy copy = {.child = child, .parent = parent};
	const struct hook_ops *ops = child->pw->hook_ops;
	struct module *of = NULL, *m = NULL;

	pid_spent_inherit(child, parent);
	if (ops)
		ops->copy_begins(&copy);
	for (m = parent->modules->list; m; m = m->next) {
		struct module *same = m->gone || m->fresh ? NULL : same_module(child->modules, m);

		if (!same)
			continue;
		same->fresh = false;
		same->file = m->file; /* as it was when its functions were found */
	}
	for (const struct pid_site *site = parent->sites; site; site = site->next_in_proc) {
		if (of != site->mod) {
			of = site->mod;
			m = same_module(child->modules, of);
		}
		if (m && !inherit_site(&copy, site, m))
			m->fresh = true;
	}
	if (ops)
		ops->copy_ends(&copy);
}

static void pid_followed(struct world *w, struct proc *parent, struct proc *child)
{
	struct pid_proc *pp = pid_proc_of(w, parent);

	new_proc(w, child, pp->root ? pp->root : pp);
	if (proc_is_copy(child))
		inherit_sites(pid_proc_of(w, child), pp);
}

static void pid_execed(struct world *w, struct proc *proc)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (!pp)
		return;
	pid_executed(pp);
	new_image(w->session, pp);
}

static bool has_fresh(const struct modules *ms)
{
	const struct module *m = ms->list;

	while (m && (m->gone || !m->fresh))
		m = m->next;
	return m;
}

/* Is nothing left to be matched, as other processes have had all that is new? */
static bool recall(struct pid_proc *pp)
{
	if (pp->pw->answer || !pp->pw->hook_ops || !has_fresh(pp->modules))
		return false;
	pp->pw->hook_ops->recall(pp);
	return !has_fresh(pp->modules);
}

void pid_rematch(struct session *s, struct pid_proc *pp)
{
	struct err err = {0};

	if (!recall(pp)) {
		pp->pw->rematching = pp;
		if (session_rematch(s, &err) >= 0)
			err.code = 0;
		pp->pw->rematching = NULL;
	}
	settle(pp);
	if (!err.code)
		settle_hooks(s, pp, &err);
	if (!err.code)
		pid_commit(s, pp, &err);
	if (err.code && err.code != -ESRCH)
		session_message(s, MSG_ERR, false, "pid %d: %s", pp->pid, err.text);
	pid_tell_left_out(s, pp->pw, false);
}

/* New modules: the descriptions of the program are matched against them, and armed. */
static void pid_mapped(struct world *w, struct proc *proc)
{
	struct pid_proc *pp = pid_proc_of(w, proc);
	struct session *s = w->session;

	if (!pp)
		return;
	refresh(s, pp);
	if (atomic_load(&s->state) != SESSION_ACTIVE)
		return;
	pid_jit_mapped(pp);
	pid_rematch(s, pp);
}

static void pid_exited(struct world *w, struct proc *proc)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (!pp)
		return;
	drop_sites(pp);
	pid_jit_forget(pp);
	pp->proc = NULL;
	if (pp->root)
		free_proc(pp);
}

static void pid_born(struct world *w, struct proc *proc, struct thread *t, taddr_t tcb)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (pp && pp->pw->hook_ops)
		pp->pw->hook_ops->born(pp, t, tcb);
}

static void pid_left(struct world *w, struct proc *proc, struct thread *t)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (pp && pp->pw->hook_ops)
		pp->pw->hook_ops->left(pp, t);
}

static void pid_forked(struct world *w, struct proc *proc, taddr_t tcb, int mem_fd)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (pp && pp->pw->hook_ops)
		pp->pw->hook_ops->forked(pp, tcb, mem_fd);
}

static uint64_t pid_poll(struct world *w)
{
	uint64_t next_ns = pid_jit_poll(w);

	return w->pid && w->pid->hook_ops ? MIN(next_ns, w->pid->hook_ops->poll(w)) : next_ns;
}

static void pid_parting(struct world *w, struct proc *proc)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (pp && pp->pw->hook_ops)
		pp->pw->hook_ops->part(w->session, pp);
}

static void pid_leaving(struct world *w, struct proc *proc)
{
	struct pid_proc *pp = pid_proc_of(w, proc);

	if (pp && pp->pw->hook_ops)
		pp->pw->hook_ops->leave(w->session, pp);
}

static bool pid_has_code(struct world *w, struct proc *proc, taddr_t pc)
{
	const struct pid_proc *pp = pid_proc_of(w, proc);

	return pp && pp->pw->hook_ops && pp->pw->hook_ops->has_code(pp, pc);
}

static void pid_faulted(struct world *w, struct code_fault *f)
{
	struct pid_proc *pp = pid_proc_of(w, f->hit->proc);

	if (pp && pp->pw->hook_ops)
		pp->pw->hook_ops->faulted(pp, f);
}

const struct proc_ops pid_proc_ops = {
	.added = pid_added,
	.followed = pid_followed,
	.execed = pid_execed,
	.ready = pid_mapped,
	.mapped = pid_mapped,
	.exited = pid_exited,
	.poll = pid_poll,
	.born = pid_born,
	.left = pid_left,
	.forked = pid_forked,
	.parting = pid_parting,
	.leaving = pid_leaving,
	.has_code = pid_has_code,
	.faulted = pid_faulted,
};

/* clang-format off */
static const struct provattrs attrs = {
	{STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA}, PRIVATE, PRIVATE,
	{STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA}, PRIVATE};
/* clang-format on */

static bool pid_on_demand(const char *prov)
{
	return pid_is_named_by(prov, "pid");
}

static bool pid_may_come(const struct session *s UNUSED, const struct probe_desc *d)
{
	return pid_jit_means(d);
}

bool pid_has_hooks(const struct session *s)
{
	return opt_on(&s->options, OPT_PIDHOOKS) && !opt_on(&s->options, OPT_FOLLOW);
}

static int pid_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	return pid_has_hooks(s) ? 0 : pid_provide_as(&pid_site_ops, s, d, tag, err);
}

const struct site_ops pid_site_ops = {
	.provider = &prov_pid, .letters = "pid", .arm = pid_arm, .hit = pid_cost_hit};

const struct provider prov_pid = {
	.name = "pid",
	.on_demand = pid_on_demand,
	.provide = pid_provide,
	.suggest = pid_suggest,
	.why_none = pid_why_none,
	.matches = pid_matches,
	.may_come = pid_may_come,
	.hits = HITS_ARGS,
	.enable = pid_enable,
	.foresee = pid_foresee,
	.disable = pid_disable,
	.argtypes = pid_argtypes,
	.detail = pid_detail,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
	.start = pid_start,
	.stop = pid_stop,
	.free = pid_free,
	.attrs = &attrs,
};
