/*
 * prov_fpid.c: entry and return of functions with the least cost there is. Names, processes and
 * what becomes of them are the pid provider's. A probe whose clauses only count is a hook: its
 * calls are counted in the target and handed over at snapshots. What no hook can do is a
 * breakpoint.
 */
#include <assert.h>
#include <errno.h>

#include "base/hash.h"
#include "base/pulse.h"
#include "dlang/offload/claim.h"
#include "inject/hooks.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_explain.h"
#include "providers/fpid/fpid_fold.h"
#include "providers/fpid/fpid_function.h"
#include "providers/fpid/fpid_image.h"
#include "providers/fpid/fpid_place.h"
#include "providers/fpid/fpid_tally.h"
#include "providers/kernel/perf.h"
#include "providers/world/proctab.h"

#define SOME_RETURNS 3 /* of a function: few have more, many have one */

bool fpid_falls_back(const struct pid_proc *pp)
{
	return opt(&pp->pw->session->options, OPT_FPIDFALLBACK) == FALLBACK_BREAKPOINT &&
	       !pp->fpid->is_preloaded;
}

/* What is chosen later than now cannot be waited for without a breakpoint. */
static int arm_resolver(struct pid_site *site, struct err *err)
{
	struct err why;

	if (!site->proc->fpid->is_preloaded)
		return pid_arm(site, err);
	for (const struct pid_site *e = site->probe->sites; e; e = e->next)
		if (e->proc == site->proc && e->ifunc == site->ifunc && !e->is_resolver)
			return 0;
	err_set(&why, -EPERM,
		"its implementation is chosen later, and a breakpoint, which tells, needs ptrace");
	return pid_refuse(site, &why, err);
}

int fpid_arm(struct pid_site *site, struct err *err)
{
	if (site->is_resolver)
		return arm_resolver(site, err);
	if (pid_is_oneshot(site->proc->pw->session)) {
		site->fpid->why = PID_ONESHOT;
		return pid_arm(site, err);
	}
	if (site->fpid->hook == HOOK_NONE && !site->bkpts)
		site->fpid->hook = HOOK_WANTED;
	return 0;
}

static int fpid_enable(struct probe *p, struct err *err)
{
	const struct pid_probe *pr = p->arg;
	int r = 0;

	if (pid_is_oneshot(p->session))
		pid_begin_oneshot(p);
	for (struct pid_site *site = pr->sites; site && !r; site = site->next)
		r = fpid_arm(site, err);
	return r;
}

/* ---- hooking ---- */

static void read_task(struct pid_proc *pp)
{
	struct proctab *tab = proctab_new();

	pp->fpid->task = *proctab_get(tab, pp->pid);
	proctab_free(tab);
}

/* What stays is in the way of some hooks, and harms nobody. */
static void clear_remains(struct session *s, struct pid_proc *pp)
{
	struct err why;
	int n = hooks_clear_remains(pp->proc, &why);

	if (n > 0)
		session_message(s, MSG_ERR, true,
				"fpid: process %d had hooks of a run that was killed: they are "
				"taken out (%d mappings)",
				pp->pid, n);
	else if (n < 0)
		session_message(s, MSG_ERR, false,
				"fpid: process %d has hooks of another run, which stay: %s",
				pp->pid, why.text);
}

static bool only_counts(const struct pid_proc *pp)
{
	for (const struct pid_site *site = fpid_first(pp); site; site = fpid_next(site))
		if (site->fpid->hook == HOOK_WANTED && !fpid_is_countable(site->probe->probe))
			return false;
	return !pp->fpid->is_preloaded; /* it may load what is asked for */
}

static int need_hooks(struct session *s, struct pid_proc *pp, unsigned nsites, struct err *err)
{
	struct hooks_sizes sizes = {.nsites = nsites,
				    .puts_calls_off = fpid_may_end_soon(pp),
				    .copies = fpid_copies(pp)};
	int32_t word;
	int r;

	if (pp->fpid->hooks)
		return 0;
	if (pp->fpid->no_hooks)
		return err_set(err, -EINVAL, "the process cannot have hooks");
	pp->fpid->no_hooks = true;
	clear_remains(s, pp);
	r = tlsword_find(pp->modules, &sizes.tls, err);
	if (r)
		return r;
	sizes.is_selfclaim = proc_is_preloaded(pp->proc, &word);
	if (sizes.is_selfclaim)
		sizes.tls.word = (uint32_t)word;
	sizes.array_bytes = fpid_array_bytes(s, sizes.is_selfclaim);
	sizes.common_bytes = fpid_global_bytes(s);
	read_task(pp);
	fpid_rings(pp, &sizes);
	r = hooks_new(pp->proc, &sizes, &pp->fpid->hooks, err);
	if (!r && fpid_wants_claims(s) && !opt_on(&s->options, OPT_FOLLOW) && !only_counts(pp))
		hooks_map_tables(pp->fpid->hooks, NULL); /* no room: they are recorded */
	pp->fpid->no_hooks = r != 0;
	return r;
}

int fpid_fall_back(struct pid_site *site, const struct err *why, struct fpid_tally *t,
		   struct err *err)
{
	site->fpid->hook = HOOK_NONE;
	fpid_explain_left(site, why->text);
	if (!t->why.code) {
		t->why = *why;
		err_wrap(&t->why, "%s", site->probe->probe->func);
	}
	if (!fpid_falls_back(site->proc))
		return pid_refuse(site, why, err);
	return pid_arm(site, err);
}

/* How a hook can do what the probe asks for. Returns NULL, or why none can. */
static const char *choose(struct pid_site *site)
{
	bool is_claimed;
	const char *why;

	site->fpid->how = FPID_NOT;
	if (!site->func)
		return "its code is made at run time";
	if (fpid_is_countable(site->probe->probe)) {
		site->fpid->how = FPID_COUNTS;
		return NULL;
	}
	is_claimed = hooks_tables(site->proc->fpid->hooks) && fpid_is_claimed(site->probe->probe);
	if (is_claimed && !fpid_leaves_records(site->probe->probe) &&
	    (!(site->probe->probe->needs & NEED_VTIME) ||
	     hooks_may_call(site->proc->fpid->hooks))) {
		site->fpid->how = FPID_CLAIMS;
		return NULL;
	}
	why = fpid_unrecordable(site);
	if (!why)
		site->fpid->how = is_claimed ? FPID_CLAIMS : FPID_RECORDS;
	return why;
}

static int settle_site(struct pid_site *site, const struct hooking *f, struct fpid_tally *t,
		       struct err *err)
{
	bool is_entry = site->probe->kind == PID_ENTRY;
	const struct pid_site *same = is_entry ? f->entry : f->ret;
	const struct err *why = is_entry ? &f->entry_why : &f->ret_why;
	struct err own;

	if (site->fpid->how != FPID_COUNTS && f->is_late) {
		err_set(&own, -EBUSY, "it is hooked already for something else");
		why = &own;
	} else if (site->fpid->how == FPID_NOT) {
		err_set(&own, -EINVAL, "%s", choose(site));
		why = &own;
	}
	if (why->code)
		return fpid_fall_back(site, why, t, err);
	site->fpid->hook = HOOK_ON;
	if (site->fpid->how != FPID_COUNTS)
		return 0;
	assert(same); /* of its kind at least this one is hooked */
	site->fpid->counter = same->fpid->counter;
	site->fpid->counted = hooks_cell(site->proc->fpid->hooks, site->fpid->counter);
	return 0;
}

/* What fpid_settle works with. */
struct settling {
	struct session *session;
	const struct pid_proc *proc;
	struct hash ends; /* sites by function, of those that are settled one by one */
	bool has_all_ends;
	struct err no_hooks; /* why there are none at all */
	struct fpid_tally tally, insns;
};

static void add_up(const struct settling *st, struct fpid_tally *t, bool all_hooked)
{
	if (all_hooked)
		t->hooked++;
	else if (!fpid_falls_back(st->proc))
		t->refused++;
	else
		t->armed++;
}

/* Of a function that has been hooked before: it may be counted there already. */
static const struct pid_site *counted_at(const struct hooking *f, const struct pid_site *site)
{
	for (const struct pid_site *e = f->first; e; e = e->fpid->next_end)
		if (e->fpid->hook == HOOK_ON && e->probe->kind == PID_OFFSET &&
		    e->fpid->how == FPID_COUNTS && e->addr == site->addr && e->mod == site->mod)
			return e;
	return NULL;
}

static int settle_insn(struct settling *st, struct pid_site *site, const struct hooking *f,
		       struct err *err)
{
	unsigned i = site->func ? fpid_insn_at(&f->insns, fpid_offset_of(site)) : 0;
	bool counts = site->fpid->how == FPID_COUNTS, is_left = site->fpid->how == FPID_NOT;
	const struct pid_site *same = f->is_late && counts ? counted_at(f, site) : NULL;
	const char *alone = is_left ? choose(site) : f->insns.v[i].why;
	struct err why = same ? (struct err){0} : f->insns.why;

	if (alone)
		err_set(&why, -EINVAL, "%s", alone);
	add_up(st, &st->insns, !why.code);
	if (why.code)
		return fpid_fall_back(site, &why, &st->insns, err);
	site->fpid->hook = HOOK_ON;
	if (!counts)
		return 0;
	site->fpid->counter = same ? same->fpid->counter : f->insns.cells[i];
	site->fpid->counted = hooks_cell(site->proc->fpid->hooks, site->fpid->counter);
	return 0;
}

/* The site, and all others of its function that want a hook. */
static int settle_function(struct settling *st, struct pid_site *site, struct err *err)
{
	struct pid_site *first = site->func ? hash_get(&st->ends, (uintptr_t)site->func) : site;
	struct hooking f;
	bool all_hooked = true, has_kinds = false;
	int r = 0;

	hooking_init(&f, site, first);
	for (struct pid_site *e = first; e; e = e->fpid->next_end) {
		struct pid_site **end = e->probe->kind == PID_ENTRY ? &f.entry : &f.ret;

		if (!fpid_is_same_function(e, site))
			continue;
		if (e->fpid->hook == HOOK_WANTED && choose(e)) {
			f.breakpoints |= fpid_kind_of(e);
			continue;
		}
		f.kinds |= fpid_kind_of(e);
		if (fpid_kind_of(e) && e->fpid->how == FPID_COUNTS &&
		    (!*end || e->fpid->hook == HOOK_ON))
			*end = e;
	}
	fpid_insns_init(&f);
	if (st->no_hooks.code)
		f.entry_why = f.ret_why = f.insns.why = st->no_hooks;
	else
		fpid_hook_function(&f);
	for (struct pid_site *e = first; e && !r; e = e->fpid->next_end) {
		if (!fpid_is_same_function(e, site) || e->fpid->hook != HOOK_WANTED)
			continue;
		if (!fpid_kind_of(e)) {
			r = settle_insn(st, e, &f, err);
			continue;
		}
		r = settle_site(e, &f, &st->tally, err);
		has_kinds = true;
		all_hooked &= e->fpid->hook == HOOK_ON;
	}
	fpid_insns_release(&f.insns);
	for (struct pid_site *e = first; e && !all_hooked; e = e->fpid->next_end)
		e->fpid->is_half |= fpid_is_same_function(e, site);
	if (has_kinds)
		add_up(st, &st->tally, all_hooked);
	return r;
}

/* ---- too early ---- */

int fpid_hookable(const struct pid_proc *pp, struct err *err)
{
	struct module *m = pp->modules->list;
	const struct objfile *o;
	struct tlsword word;
	int r = tlsword_find(pp->modules, &word, err);

	while (m && !m->is_program)
		m = m->next;
	o = m && r == -ENOENT && hooks_too_early(pp->proc) ? module_objfile(m, NULL) : NULL;
	return o && o->has_interp ? 0 : r; /* the loader has not mapped it yet */
}

bool fpid_is_early(const struct pid_proc *pp)
{
	return !pp->fpid->hooks && hooks_too_early(pp->proc) && !fpid_hookable(pp, NULL);
}

static void add_end(struct hash *ends, struct pid_site *site)
{
	site->fpid->next_end = NULL;
	if (site->fpid->hook == HOOK_NONE || site->fpid->hook == HOOK_LATER || !site->func)
		return;
	site->fpid->next_end = hash_get(ends, (uintptr_t)site->func);
	hash_put(ends, (uintptr_t)site->func, site);
}

/* Of functions for which something is to be decided: few, where one more has come. */
static void gather_ends(struct settling *st, struct pid_proc *pp)
{
	struct hash wanted;

	if (st->has_all_ends)
		return;
	hash_init(&wanted);
	hash_release(&st->ends);
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site))
		if (site->fpid->hook == HOOK_WANTED && site->func) {
			hash_put(&wanted, (uintptr_t)site->func, site);
			fpid_folds_show(pp, site_function(site));
		}
	for (struct pid_site *site = fpid_first(pp); site && wanted.n; site = fpid_next(site))
		if (hash_get(&wanted, (uintptr_t)site->func))
			add_end(&st->ends, site);
	hash_release(&wanted);
	st->has_all_ends = true;
}

/* Breakpoints for now. Where there may be none it is refused. */
static int postpone(struct settling *st, struct pid_proc *pp, struct err *err)
{
	bool refused = !fpid_falls_back(pp);
	int r = 0;

	gather_ends(st, pp);
	pp->fpid->nearly += (unsigned)st->ends.n;
	for (struct pid_site *site = fpid_first(pp); site && !r; site = fpid_next(site)) {
		struct err why;

		if (site->fpid->hook != HOOK_WANTED)
			continue;
		err_set(&why, -EAGAIN, "%s", FPID_EARLY);
		site->fpid->hook = HOOK_NONE;
		r = refused ? pid_refuse(site, &why, err) : pid_arm(site, err);
		if (site->bkpts)
			site->fpid->hook = HOOK_LATER;
	}
	return r;
}

/* Its thread stands at a breakpoint of ours; nothing is lost between the two. */
static int come_back(struct pid_proc *pp, struct err *err)
{
	if (!pp->fpid->nearly)
		return 0;
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site))
		if (site->fpid->hook == HOOK_LATER)
			pid_disarm(site);
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site))
		if (site->fpid->hook == HOOK_LATER)
			site->fpid->hook = HOOK_WANTED;
	pp->fpid->nearly = 0;
	return bkpt_commit(pp->proc, err);
}

/* How many there are, and how many points they may need at most, or nearly. */
static unsigned count(struct pid_proc *pp, unsigned *npoints)
{
	unsigned n = 0;

	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site)) {
		bool is_many =
			fpid_kind_of(site) == PLAN_RETURN && !fpid_is_countable(site->probe->probe);

		n += site->fpid->hook == HOOK_WANTED;
		*npoints += is_many ? SOME_RETURNS : 1;
	}
	return n;
}

/* ---- one by one, or as in another process ---- */

static int settle_each(struct settling *st, const struct fpid_batch *b, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < b->n && !r; i++) {
		pulse();
		if (b->v[i]->fpid->hook == HOOK_WANTED)
			r = settle_function(st, b->v[i], err);
	}
	return r;
}

/* Where the others are hooked as in another process: all sites of a function are of the batch. */
static int settle_rest(struct settling *st, const struct fpid_batch *b, struct err *err)
{
	for (unsigned i = 0; i < b->n && !st->has_all_ends; i++)
		if (b->v[i]->fpid->hook == HOOK_WANTED)
			add_end(&st->ends, b->v[i]);
	return settle_each(st, b, err);
}

static int settle_batch(struct settling *st, const struct fpid_batch *b, struct err *err)
{
	struct fpid_tally before = st->tally;
	struct fpid_image *learnt;
	int r;

	if (fpid_image_use(b, &st->tally, &r, err))
		return r ? r : settle_rest(st, b, err);
	learnt = fpid_image_begin(b);
	if (learnt)
		st->tally = (struct fpid_tally){0};
	gather_ends(st, b->proc);
	r = settle_each(st, b, err);
	if (learnt) {
		fpid_image_end(learnt, b, &st->tally);
		fpid_tally_add(&before, &st->tally);
		st->tally = before;
	}
	return r;
}

static int settle_sites(struct settling *st, struct pid_proc *pp, struct err *err)
{
	struct fpid_batch *batches = fpid_batches_new(pp);
	int r = 0;

	for (const struct fpid_batch *b = batches; b && !r; b = b->next)
		r = settle_batch(st, b, err);
	fpid_batches_free(batches);
	return r;
}

/* ---- writing ---- */

static void on_blocked(taddr_t function, const char *why, void *arg)
{
	hash_put(arg, function, (void *)(uintptr_t)why);
}

/* What a thread stands in, or others have changed meanwhile, is a breakpoint after all. */
static int unhook(struct settling *st, struct pid_proc *pp, const struct hash *blocked,
		  const struct err *all, struct err *err)
{
	struct hash seen;
	int r = 0;

	hash_init(&seen);
	for (struct pid_site *site = fpid_first(pp); site && !r; site = fpid_next(site)) {
		taddr_t function = site_function(site);
		const char *why = site->fpid->hook == HOOK_ON ? hash_get(blocked, function) : NULL;
		struct fpid_tally *t = fpid_kind_of(site) ? &st->tally : &st->insns;
		struct err this;

		if (!why)
			continue;
		if (all->code)
			this = *all;
		else
			err_set(&this, -EBUSY, "%s", why);
		if (t == &st->insns || (!hash_get(&seen, function) && !site->fpid->is_half)) {
			t->hooked--;
			add_up(st, t, false);
		}
		if (t == &st->tally)
			hash_put(&seen, function, site);
		r = fpid_fall_back(site, &this, t, err);
	}
	hash_release(&seen);
	return r;
}

static int commit(struct settling *st, struct pid_proc *pp, struct err *err)
{
	struct hash blocked;
	struct err why = {0};
	uint64_t function;
	int r = 0;

	/* a window that one of the breakpoints lies in is blocked by it, and does not overwrite it
	 */
	r = pid_commit(st->session, pp, err);
	if (r)
		return r;
	hash_init(&blocked);
	if (hooks_commit(pp->fpid->hooks, on_blocked, &blocked, &why) < 0) {
		st->tally.why = why; /* of them all */
		err_wrap(&st->tally.why, "each of them");
	}
	fpid_images_keep(pp, why.code ? NULL : &blocked);
	for (size_t i = 0; hash_each(&blocked, &i, &function);)
		fpid_folds_show(pp, function);
	if (blocked.n)
		r = unhook(st, pp, &blocked, &why, err);
	hash_release(&blocked);
	return r;
}

static void tell(const struct settling *st, struct pid_proc *pp)
{
	if (world_of(st->session)->is_verbose)
		fpid_copies_tell(pp->pw);
	fpid_tally_tell(st->session, pp, &st->tally, FPID_FUNCTIONS);
	fpid_tally_tell(st->session, pp, &st->insns, FPID_INSNS);
}

int fpid_settle(struct session *s, struct pid_proc *pp, struct err *err)
{
	struct settling st = {.session = s, .proc = pp};
	bool wait = fpid_is_early(pp);
	unsigned nearly = wait ? 0 : pp->fpid->nearly;
	unsigned n, npoints = 0;
	int r = wait ? 0 : come_back(pp, err);

	if (nearly && !fpid_falls_back(pp)) {
		st.tally.refused = nearly;
		err_set(&st.tally.why, -EAGAIN, "%s", FPID_EARLY);
	}
	hash_init(&st.ends);
	pp->fpid->knows_stacks = false;
	n = count(pp, &npoints) + fpid_folds_wanted(pp);
	npoints += fpid_folds_wanted(pp);
	if (n)
		fpid_claims_decide(s);
	if (n && wait) {
		r = postpone(&st, pp, err);
		n = 0;
	} else if (n || pp->fpid->is_preloaded) { /* it may load what is asked for */
		need_hooks(s, pp, npoints, &st.no_hooks);
		if (!pp->fpid->hooks && proc_has_lost_memory(pp->proc))
			n = 0; /* it has ended */
	}
	if (!r && n)
		r = fpid_folds_settle(pp, &st.tally, err);
	if (!r && n)
		r = settle_sites(&st, pp, err);
	hash_release(&st.ends);
	if (!r)
		fpid_listen(pp);
	if (!r)
		fpid_records_settle(pp);
	if (!r)
		fpid_claims_settle(pp);
	if (!r && (n || pp->fpid->is_preloaded) && pp->fpid->hooks)
		r = commit(&st, pp, err);
	if (r)
		fpid_images_keep(pp, NULL);
	if (!r && nearly && pp->fpid->claims)
		fpid_claims_begin(pp->fpid->claims);
	if (!r && n)
		tell(&st, pp);
	if (!r && !wait)
		fpid_explain_before(s, pp);
	if (!r && n && opt(&s->options, OPT_EXPLAIN) != EXPLAIN_OFF)
		fpid_places_note(s, pp);
	if (!r && n && !pp->fpid->settled_ns && world_of(s)->is_verbose)
		fpid_places_report(s);
	if (!pp->fpid->settled_ns)
		pp->fpid->settled_ns = session_now(s);
	return r;
}

/* Somewhere where it may be hooked already. */
static bool is_mapped(const struct pid_proc *pp, const struct objfile *o)
{
	for (struct module *m = pp->modules->list; m; m = m->next)
		if (!m->gone && !m->fresh && module_objfile(m, NULL) == o)
			return true;
	return false;
}

void fpid_unmapped(struct pid_proc *pp, const struct hash *functions)
{
	struct codescan *scan;

	hooks_unmapped(pp->fpid->hooks, functions);
	for (size_t i = 0; (scan = hash_each(&pp->fpid->scans, &i, NULL));)
		if (!is_mapped(pp, scan->o))
			codescan_take_nothing(scan);
}

/* ---- the provider ---- */

static void fpid_snapshot(struct session *s)
{
	const struct pid_world *pw = pid_world_of(world_of(s));

	for (struct pid_proc *pp = pw->fpid ? pw->procs : NULL; pp; pp = pp->next)
		fpid_collect(pp);
}

static void fpid_stop(struct session *s)
{
	struct pid_world *pw = pid_world_of(world_of(s));

	if (!pw->fpid)
		return;
	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		if (pp->fpid->hooks)
			fpid_part(s, pp);
	fpid_records_report_unread(pw);
	fpid_explain_after(s, pw);
	for (unsigned i = 0; i < FPID_NOUNS; i++) {
		fpid_tally_report(s, "programs of children: ", &pw->fpid->followed[i], i);
		pw->fpid->followed[i] = (struct fpid_tally){0};
	}
}

/* clang-format off */
static const struct provattrs attrs = {
	{STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA},
	{STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN}, {STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN},
	{STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA}, {STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN}};
/* clang-format on */

static bool fpid_on_demand(const char *prov)
{
	return pid_is_named_by(prov, fpid_site_ops.letters) ||
	       pid_is_named_by(prov, pidhook_site_ops.letters);
}

static int fpid_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	const struct site_ops *const kinds[] = {&fpid_site_ops, &pidhook_site_ops};
	unsigned n = pid_has_hooks(s) ? 2 : 1;
	int r = 0;

	for (unsigned i = 0; i < n && !r; i++)
		if (!d || pid_is_named_by(d->prov, kinds[i]->letters))
			r = pid_provide_as(kinds[i], s, d, tag, err);
	return r;
}

const struct provider prov_fpid = {
	.name = "fpid",
	.on_demand = fpid_on_demand,
	.provide = fpid_provide,
	.suggest = pid_suggest,
	.why_none = pid_why_none,
	.matches = pid_matches,
	.hits = HITS_ARGS,
	.enable = fpid_enable,
	.foresee = fpid_foresee,
	.disable = pid_disable,
	.argtypes = pid_argtypes,
	.detail = fpid_detail,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
	.stop = fpid_stop,
	.snapshot = fpid_snapshot,
	.attrs = &attrs,
	.loss = LOSS_HOOKS,
};
