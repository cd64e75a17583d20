/*
 * prov_fpid.c: entry and return of functions with the least cost there is. Names, processes and
 * what becomes of them are the pid provider's. A probe whose clauses only count is a hook: its
 * calls are counted in the target and handed over at snapshots. What no hook can do is a
 * breakpoint.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "dlang/claim.h"
#include "inject/hooks.h"
#include "providers/fpid_claims.h"
#include "providers/perf.h"
#include "providers/proctab.h"

#define SOME_RETURNS 3 /* of a function: few have more, many have one */

bool fpid_falls_back(const struct pid_proc *pp)
{
	return opt(&pp->pw->session->options, OPT_FPIDFALLBACK) == 0 && !pp->is_preloaded;
}

/* What is chosen later than now cannot be waited for without a breakpoint. */
static int arm_resolver(struct pid_site *site, struct err *err)
{
	struct err why;

	if (!site->proc->is_preloaded)
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
	if (site->hook == HOOK_NONE && !site->bkpts)
		site->hook = HOOK_WANTED;
	return 0;
}

/* What hooks record is late for vtimestamp: the kernel is to tell who was on a CPU by then. */
static void want_vtime(struct session *s)
{
	struct perf *perf;
	struct err why;

	if (world_perf(s->world, &perf, &why) == 0)
		perf_note_needs(perf, NEED_VTIME);
}

static int fpid_enable(struct probe *p, struct err *err)
{
	const struct pid_probe *pr = p->arg;
	int r = 0;

	if (p->needs & NEED_VTIME)
		want_vtime(p->session);
	for (struct pid_site *site = pr->sites; site && !r; site = site->next)
		r = fpid_arm(site, err);
	return r;
}

/* ---- hooking ---- */

static void read_task(struct pid_proc *pp)
{
	struct proctab *tab = proctab_new();

	pp->task = *proctab_get(tab, pp->pid);
	proctab_free(tab);
}

static int need_hooks(struct session *s, struct pid_proc *pp, unsigned nsites, struct err *err)
{
	struct hooks_sizes sizes = {.nsites = nsites};
	int32_t word;
	int r;

	if (pp->hooks)
		return 0;
	if (pp->no_hooks)
		return err_set(err, -EINVAL, "the process cannot have hooks");
	pp->no_hooks = true;
	r = tlsword_find(pp->modules, &sizes.tls, err);
	if (r)
		return r;
	sizes.is_door = proc_is_preloaded(pp->proc, &word);
	if (sizes.is_door)
		sizes.tls.word = (uint32_t)word;
	read_task(pp);
	fpid_rings(pp, &sizes);
	r = hooks_new(pp->proc, &sizes, &pp->hooks, err);
	if (!r && fpid_wants_claims(s) && !opt_on(&s->options, OPT_FOLLOW))
		hooks_map_tables(pp->hooks, NULL); /* no room: they are recorded */
	pp->no_hooks = r != 0;
	return r;
}

/* A file is scanned once for a process: padding that a hook uses is taken there. */
struct codescan *fpid_scan_of(struct pid_proc *pp, const struct module *m, struct objfile *o)
{
	struct codescan *scan = hash_get(&pp->scans, (uintptr_t)o);

	if (!scan) {
		scan = codescan_new(o);
		hooks_take_padding(pp->hooks, scan, m->bias);
		hash_put(&pp->scans, (uintptr_t)o, scan);
	}
	return scan;
}

/* One function, which may have several names: its sites, linked by next_end among others. */
struct hooking {
	struct pid_site *any, *first;
	unsigned kinds;		       /* PLAN_*: what is to be hooked */
	struct pid_site *entry, *ret;  /* one of each kind whose hits are counted; NULL: none */
	bool is_late;		       /* it has been hooked before */
	struct err entry_why, ret_why; /* code 0: hooked */
	struct hook_place **places;    /* RELOC_STOPS for each window */
};

static void fail(struct hooking *f, const struct err *why)
{
	if (!f->entry_why.code)
		f->entry_why = *why;
	if (!f->ret_why.code)
		f->ret_why = *why;
}

/* All windows, or none: those that nobody counts in are not written. */
static int add_windows(struct hooking *f, const struct plan *plan, const struct codescan *scan,
		       struct err *err)
{
	const struct objfile *o = module_objfile(f->any->mod, err);
	int r = o ? 0 : err->code;

	f->places = xcalloc((size_t)plan->nwindows * RELOC_STOPS, sizeof(struct hook_place *));
	for (unsigned i = 0; i < plan->nwindows && !r; i++) {
		const struct window *w = &plan->windows[i];
		uint8_t bytes[RELOC_WINDOW_MAX];
		struct hook_request rq = {.addr = f->any->addr + (taddr_t)w->off +
						  f->any->mod->bias,
					  .function = f->any->addr + f->any->mod->bias,
					  .window = w,
					  .bytes = bytes,
					  .bias = f->any->mod->bias,
					  .is_careful = plan->is_careful,
					  .scan = scan};

		objfile_bytes(o, f->any->addr + (taddr_t)w->off, bytes, w->size);
		r = hooks_add(f->any->proc->hooks, &rq, f->places + (size_t)i * RELOC_STOPS, err);
	}
	return r;
}

static unsigned kind_of(const struct pid_site *site)
{
	return site->probe->kind == PID_ENTRY ? PLAN_ENTRY : PLAN_RETURN;
}

static bool is_same_function(const struct pid_site *a, const struct pid_site *b)
{
	return a->func == b->func && a->mod == b->mod;
}

static int count_calls(struct hooking *f, struct hook_place *place, bool is_exit, struct err *err)
{
	if (is_exit)
		return f->ret ? hooks_count_in(place, f->ret->counter, err) : 0;
	return f->entry ? hooks_count_at(f->any->proc->hooks, place, &f->entry->counter, err) : 0;
}

/* The sites whose clauses ask for more than counting. */
static int run_clauses(struct hooking *f, struct hook_place *place, const struct fpid_point *at,
		       struct err *err)
{
	unsigned kind = at->is_return ? PLAN_RETURN : PLAN_ENTRY;
	int r = 0;

	for (struct pid_site *e = f->first; e && !r; e = e->next_end) {
		if (!is_same_function(e, f->any) || kind_of(e) != kind)
			continue;
		if (e->how == FPID_RECORDS)
			r = fpid_record(e, place, at, err);
		else if (e->how == FPID_CLAIMS)
			r = fpid_claim(e, place, at, err);
	}
	return r;
}

static int fill_places(struct hooking *f, const struct plan *plan, struct err *err)
{
	int r = 0;

	if (plan->kinds & PLAN_RETURN && f->ret)
		r = hooks_new_cell(f->any->proc->hooks, &f->ret->counter, err);
	for (unsigned i = 0; i < plan->nwindows; i++)
		for (unsigned k = 0; k < plan->windows[i].nstops && !r; k++) {
			const struct reloc_stop *stop = &plan->windows[i].stops[k];
			struct hook_place *place = f->places[i * RELOC_STOPS + k];
			const struct fpid_point at = {stop->is_exit,
						      plan->windows[i].off + stop->off};

			r = count_calls(f, place, stop->is_exit, err);
			if (!r)
				r = run_clauses(f, place, &at, err);
		}
	return r;
}

/* It has been hooked before: other names of it may be counted as well, and that is all. */
static bool is_late(struct hooking *f)
{
	struct err why;

	for (const struct pid_site *e = f->first; e; e = e->next_end)
		f->is_late |= is_same_function(e, f->any) && e->hook == HOOK_ON;
	if (!f->is_late)
		return false;
	err_set(&why, -EBUSY, "it is hooked already for something else");
	if (!f->entry || f->entry->hook != HOOK_ON)
		f->entry_why = why;
	if (!f->ret || f->ret->hook != HOOK_ON)
		f->ret_why = why;
	return true;
}

/* Its windows stay as they were: breakpoints will stand there. */
static void clear_places(struct hooking *f, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nwindows * RELOC_STOPS; i++)
		if (f->places[i])
			hooks_clear_at(f->places[i]);
}

static void hook_function(struct hooking *f)
{
	struct err err = {0};
	struct objfile *o = module_objfile(f->any->mod, &err);
	struct codescan *scan;
	struct plan plan;

	if (!o)
		fail(f, &err);
	if (!o || !f->kinds || is_late(f))
		return;
	scan = fpid_scan_of(f->any->proc, f->any->mod, o);
	plan = plan_function(scan, (unsigned)(f->any->func - o->funcs), f->kinds);
	if (plan.entry_why)
		err_set(&f->entry_why, -EINVAL, "%s", plan.entry_why);
	if (plan.return_why)
		err_set(&f->ret_why, -EINVAL, "%s", plan.return_why);
	if (add_windows(f, &plan, scan, &err) || fill_places(f, &plan, &err)) {
		clear_places(f, &plan);
		fail(f, &err);
	}
	free(f->places);
	free(plan.windows);
}

static int fall_back(struct pid_site *site, struct err *why, struct fpid_tally *t, struct err *err)
{
	site->hook = HOOK_NONE;
	if (!t->why.code) {
		t->why = *why;
		err_wrap(&t->why, "%s", site->probe->probe->func);
	}
	if (!fpid_falls_back(site->proc))
		return pid_refuse(site, why, err);
	return pid_arm(site, err);
}

static unsigned total(const struct fpid_tally *t)
{
	return t->hooked + t->armed + t->refused;
}

static void report(struct session *s, const char *whose, const struct fpid_tally *t)
{
	unsigned n = total(t);
	char refused[48] = "", why[sizeof(t->why.text) + 16] = "";

	if (t->refused)
		snprintf(refused, sizeof(refused), ", %u refused", t->refused);
	if (t->armed + t->refused)
		snprintf(why, sizeof(why), "; the first: %s", t->why.text);
	session_message(s, MSG_ERR, true, "fpid: %s%u function%s: %u hooked, %u by breakpoint%s%s",
			whose, n, n == 1 ? "" : "s", t->hooked, t->armed, refused, why);
}

/* What resolvers choose one by one is told together, at the end; so is what children run. */
static void tell(struct session *s, struct pid_proc *pp, const struct fpid_tally *t)
{
	struct fpid_tally *later = pp->root ? &pp->pw->fpid_followed : &pp->fpid_later;

	if (!pp->root && (!pp->is_told || total(t) > 1)) {
		report(s, "", t);
		pp->is_told = true;
		return;
	}
	if (!later->why.code)
		later->why = t->why;
	later->hooked += t->hooked;
	later->armed += t->armed;
	later->refused += t->refused;
}

/* How a hook can do what the probe asks for. Returns NULL, or why none can. */
static const char *choose(struct pid_site *site)
{
	const char *why;

	site->how = FPID_NOT;
	if (!site->func)
		return "its code is made at run time";
	if (probe_is_countable(site->probe->probe, CLAIM_ONE_PROCESS)) {
		site->how = FPID_COUNTS;
		return NULL;
	}
	if (hooks_tables(site->proc->hooks) && fpid_is_claimed(site->probe->probe)) {
		site->how = FPID_CLAIMS;
		return NULL;
	}
	why = fpid_unrecordable(site);
	if (!why)
		site->how = FPID_RECORDS;
	return why;
}

static int settle_site(struct pid_site *site, const struct hooking *f, struct fpid_tally *t,
		       struct err *err)
{
	bool is_entry = site->probe->kind == PID_ENTRY;
	const struct pid_site *same = is_entry ? f->entry : f->ret;
	struct err why = is_entry ? f->entry_why : f->ret_why;

	if (site->how == FPID_NOT)
		err_set(&why, -EINVAL, "%s", choose(site));
	if (site->how != FPID_COUNTS && f->is_late)
		err_set(&why, -EBUSY, "it is hooked already for something else");
	if (why.code)
		return fall_back(site, &why, t, err);
	site->hook = HOOK_ON;
	if (site->how != FPID_COUNTS)
		return 0;
	assert(same); /* of its kind at least this one is hooked */
	site->counter = same->counter;
	site->counted = hooks_cell(site->proc->hooks, site->counter);
	return 0;
}

/* What fpid_settle works with. */
struct settling {
	struct session *session;
	const struct pid_proc *proc;
	struct hash ends;    /* sites by function */
	struct err no_hooks; /* why there are none at all */
	struct fpid_tally tally;
};

static void add_up(struct settling *st, bool all_hooked)
{
	if (all_hooked)
		st->tally.hooked++;
	else if (!fpid_falls_back(st->proc))
		st->tally.refused++;
	else
		st->tally.armed++;
}

/* The site, and all others of its function that want a hook. */
static int settle_function(struct settling *st, struct pid_site *site, struct err *err)
{
	struct pid_site *first = site->func ? hash_get(&st->ends, (uintptr_t)site->func) : site;
	struct hooking f = {
		.any = site, .first = first, .entry_why = st->no_hooks, .ret_why = st->no_hooks};
	bool all_hooked = true;
	int r = 0;

	for (struct pid_site *e = first; e; e = e->next_end) {
		struct pid_site **end = e->probe->kind == PID_ENTRY ? &f.entry : &f.ret;

		if (!is_same_function(e, site) || (e->hook == HOOK_WANTED && choose(e)))
			continue;
		f.kinds |= kind_of(e);
		if (e->how == FPID_COUNTS && (!*end || e->hook == HOOK_ON))
			*end = e;
	}
	if (!st->no_hooks.code)
		hook_function(&f);
	for (struct pid_site *e = first; e && !r; e = e->next_end) {
		if (!is_same_function(e, site) || e->hook != HOOK_WANTED)
			continue;
		r = settle_site(e, &f, &st->tally, err);
		all_hooked &= e->hook == HOOK_ON;
	}
	for (struct pid_site *e = first; e && !all_hooked; e = e->next_end)
		e->is_half |= is_same_function(e, site);
	add_up(st, all_hooked);
	return r;
}

/* ---- too early ---- */

static const char early[] = "its threads have no control blocks before the C library starts";

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

static bool is_early(const struct pid_proc *pp)
{
	return !pp->hooks && hooks_too_early(pp->proc) && !fpid_hookable(pp, NULL);
}

/* Breakpoints for now. Where there may be none it is refused. */
static int postpone(struct settling *st, struct pid_proc *pp, struct err *err)
{
	bool refused = !fpid_falls_back(pp);
	int r = 0;

	pp->nearly += (unsigned)st->ends.n;
	for (struct pid_site *site = pp->sites; site && !r; site = site->next_in_proc) {
		struct err why;

		if (site->hook != HOOK_WANTED)
			continue;
		err_set(&why, -EAGAIN, "%s", early);
		site->hook = HOOK_NONE;
		r = refused ? pid_refuse(site, &why, err) : pid_arm(site, err);
		if (site->bkpts)
			site->hook = HOOK_LATER;
	}
	return r;
}

/* Its thread stands at a breakpoint of ours; nothing is lost between the two. */
static int come_back(struct pid_proc *pp, struct err *err)
{
	if (!pp->nearly)
		return 0;
	for (struct pid_site *site = pp->sites; site; site = site->next_in_proc)
		if (site->hook == HOOK_LATER)
			pid_disarm(site);
	for (struct pid_site *site = pp->sites; site; site = site->next_in_proc)
		if (site->hook == HOOK_LATER)
			site->hook = HOOK_WANTED;
	pp->nearly = 0;
	return bkpt_commit(pp->proc, err);
}

/* How many there are, and how many places they may need at most, or nearly. */
static unsigned gather(struct pid_proc *pp, struct hash *ends, unsigned *nplaces)
{
	unsigned n = 0;

	for (struct pid_site *site = pp->sites; site; site = site->next_in_proc) {
		bool is_many = kind_of(site) == PLAN_RETURN &&
			       !probe_is_countable(site->probe->probe, CLAIM_ONE_PROCESS);

		site->next_end = NULL;
		n += site->hook == HOOK_WANTED;
		*nplaces += is_many ? SOME_RETURNS : 1;
		if (site->hook == HOOK_NONE || site->hook == HOOK_LATER || !site->func)
			continue;
		site->next_end = hash_get(ends, (uintptr_t)site->func);
		hash_put(ends, (uintptr_t)site->func, site);
	}
	return n;
}

/* ---- writing ---- */

static void on_blocked(taddr_t function, void *arg)
{
	hash_put(arg, function, arg);
}

/* What a thread stands in, or others have changed meanwhile, is a breakpoint after all. */
static int unhook(struct settling *st, struct pid_proc *pp, const struct hash *blocked,
		  const struct err *why, struct err *err)
{
	struct hash seen;
	int r = 0;

	hash_init(&seen);
	for (struct pid_site *site = pp->sites; site && !r; site = site->next_in_proc) {
		taddr_t function = site->addr + site->mod->bias;
		struct err this = *why;

		if (site->hook != HOOK_ON || !hash_get(blocked, function))
			continue;
		if (!hash_get(&seen, function) && !site->is_half) {
			st->tally.hooked--;
			add_up(st, false);
		}
		hash_put(&seen, function, site);
		r = fall_back(site, &this, &st->tally, err);
	}
	hash_release(&seen);
	return r;
}

static int commit(struct settling *st, struct pid_proc *pp, struct err *err)
{
	struct hash blocked;
	struct err why;
	int r = 0;

	/* a window that one of the breakpoints lies in is blocked by it, and does not overwrite it
	 */
	r = pid_commit(st->session, pp, err);
	if (r)
		return r;
	hash_init(&blocked);
	err_set(&why, -EBUSY, "a thread or a breakpoint stands in its first bytes");
	if (hooks_commit(pp->hooks, on_blocked, &blocked, &why) < 0) {
		st->tally.why = why; /* of them all */
		err_wrap(&st->tally.why, "each of them");
	}
	if (blocked.n)
		r = unhook(st, pp, &blocked, &why, err);
	hash_release(&blocked);
	return r;
}

int fpid_settle(struct session *s, struct pid_proc *pp, struct err *err)
{
	struct settling st = {.session = s, .proc = pp};
	bool wait = is_early(pp);
	unsigned nearly = wait ? 0 : pp->nearly;
	unsigned n, nplaces = 0;
	int r = wait ? 0 : come_back(pp, err);

	if (nearly && !fpid_falls_back(pp)) {
		st.tally.refused = nearly;
		err_set(&st.tally.why, -EAGAIN, "%s", early);
	}
	hash_init(&st.ends);
	n = gather(pp, &st.ends, &nplaces);
	if (n)
		fpid_claims_decide(s);
	if (n && wait) {
		r = postpone(&st, pp, err);
		n = 0;
	} else if (n || pp->is_preloaded) { /* it may load what is asked for */
		need_hooks(s, pp, nplaces, &st.no_hooks);
	}
	for (struct pid_site *site = pp->sites; site && !r; site = site->next_in_proc)
		if (site->hook == HOOK_WANTED)
			r = settle_function(&st, site, err);
	hash_release(&st.ends);
	if (!r)
		fpid_listen(pp);
	if (!r)
		fpid_records_settle(pp);
	if (!r && (n || pp->is_preloaded) && pp->hooks)
		r = commit(&st, pp, err);
	if (!r && nearly && pp->claims)
		fpid_claims_begin(pp->claims);
	if (!r && n)
		tell(s, pp, &st.tally);
	if (!pp->settled_ns)
		pp->settled_ns = session_now(s);
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

	hooks_unmapped(pp->hooks, functions);
	for (size_t i = 0; (scan = hash_each(&pp->scans, &i, NULL));)
		if (!is_mapped(pp, scan->o))
			codescan_take_nothing(scan);
}

/* ---- children ---- */

void fpid_inherit(struct fpid_heritage *her, const struct pid_proc *parent)
{
	struct pid_proc *child = her->child;
	struct hooks_heir heir = {.proc = child->proc,
				  .rings = child->pw->rings,
				  .owner = child,
				  .functions = &her->functions};
	struct err why;

	hash_init(&her->functions);
	hash_init(&her->sites);
	if (parent->hooks && hooks_inherit(parent->hooks, &heir, &child->hooks, &why))
		child->hooks = NULL; /* it has its code back, and is hooked like a new one */
}

bool fpid_inherit_site(struct fpid_heritage *her, const struct pid_site *from, struct module *m)
{
	struct pid_site what = *from, *site;

	if (!her->child->hooks || !hash_get(&her->functions, from->addr + m->bias))
		return false;
	what.mod = m;
	site = pid_link_site(her->child, from->probe, &what);
	site->hook = HOOK_ON;
	site->how = from->how;
	site->is_half = from->is_half;
	site->counter = from->counter;
	hash_put(&her->sites, (uintptr_t)from, site);
	return true;
}

void fpid_inherited(struct fpid_heritage *her, const struct pid_proc *parent)
{
	if (her->child->hooks)
		fpid_records_inherit(her, parent);
	hash_release(&her->functions);
	hash_release(&her->sites);
}

/* ---- what was counted ---- */

void fpid_collect(struct pid_proc *pp)
{
	if (pp->hooks)
		hooks_look(pp->hooks);
	fpid_records_flush(pp);
	fpid_claims_collect(pp);
	fpid_hot_look(pp);
	for (struct pid_site *site = pp->sites; site && pp->hooks; site = site->next_in_proc) {
		struct event ev = {.probe = site->probe->probe,
				   .pid = pp->pid,
				   .tid = pp->pid,
				   .task = &pp->task};
		uint64_t n;

		if (site->hook != HOOK_ON || site->how != FPID_COUNTS)
			continue;
		n = hooks_cell(pp->hooks, site->counter);
		if (n != site->counted)
			event_count(ev.probe->session, &ev, n - site->counted);
		site->counted = n;
	}
}

static void report_uncounted(struct pid_proc *pp)
{
	uint64_t n = hooks_uncounted(pp->hooks);

	if (n)
		session_message(pp->pw->session, MSG_ERR, false,
				"fpid: %lu thread%s of process %d had no counters of %s own: "
				"calls made there may be missing",
				n, n == 1 ? "" : "s", pp->pid, n == 1 ? "its" : "their");
	n = hooks_damaged(pp->hooks);
	if (n)
		session_message(pp->pw->session, MSG_ERR, false,
				"fpid: rings of process %d were written over %lu time%s: records "
				"are missing",
				pp->pid, n, n == 1 ? "" : "s");
}

static void unmap(struct session *s, struct pid_proc *pp, int r, struct err *why)
{
	if (!r)
		r = hooks_unmap(pp->hooks, why);
	if (r && r != -ESRCH)
		session_message(s, MSG_ERR, true,
				"fpid: the memory of the hooks of process %d "
				"stays, without use: %s",
				pp->pid, why->text);
	fpid_forget(pp);
}

void fpid_leave(struct session *s, struct pid_proc *pp)
{
	struct err why;

	if (pp->hooks)
		unmap(s, pp, hooks_take_out(pp->hooks, &why), &why);
}

#define PART_TRIES 20
#define PART_NS	   1000000

/*
 * While it stands still. A thread in a stub may have more instructions before it than it is stepped
 * (a full table is searched to its end): once no jump leads there it is let run, and will have left
 * the next time. False: the process could not be halted.
 */
static bool take_out(struct pid_proc *pp, int *r, struct err *why)
{
	const struct timespec nap = {.tv_nsec = PART_NS};

	for (unsigned i = 0; i < PART_TRIES; i++) {
		if (proc_halt(pp->proc, NULL) < 0)
			return false;
		*r = hooks_take_out(pp->hooks, why);
		proc_go(pp->proc);
		if (*r != -EBUSY)
			break;
		tracer_serve(pp->pw->session->world->tracer);
		nanosleep(&nap, NULL);
	}
	return true;
}

/* The last numbers are those of the moment in which the hooks are taken out; the process runs on
 * while they are read. */
void fpid_part(struct session *s, struct pid_proc *pp)
{
	struct err why;
	int r = 0;
	bool is_out = pp->proc && take_out(pp, &r, &why);

	fpid_collect(pp);
	if (is_out) /* or else it is about to end, or is let go with patience */
		unmap(s, pp, r, &why);
}

/* It has ended, or has run without a C library. */
static void tell_early(struct pid_proc *pp)
{
	bool refused = !fpid_falls_back(pp);
	struct fpid_tally t = {.armed = refused ? 0 : pp->nearly,
			       .refused = refused ? pp->nearly : 0};

	if (pp->nearly) {
		err_set(&t.why, -EAGAIN, "%s", early);
		tell(pp->pw->session, pp, &t);
	}
	pp->nearly = 0;
}

void fpid_forget(struct pid_proc *pp)
{
	struct codescan *scan;

	for (size_t i = 0; (scan = hash_each(&pp->scans, &i, NULL));)
		codescan_free(scan);
	hash_release(&pp->scans);
	hash_init(&pp->scans);
	tell_early(pp);
	if (total(&pp->fpid_later))
		report(pp->pw->session, "", &pp->fpid_later);
	pp->fpid_later = (struct fpid_tally){0};
	pp->is_told = false;
	pp->settled_ns = 0;
	fpid_records_forget(pp);
	if (pp->hooks)
		report_uncounted(pp);
	fpid_claims_free(pp->claims);
	pp->claims = NULL;
	hooks_free(pp->hooks);
	pp->hooks = NULL;
	pp->no_hooks = false;
}

static void fpid_snapshot(struct session *s)
{
	for (struct pid_proc *pp = pid_world_of(s->world)->procs; pp; pp = pp->next)
		fpid_collect(pp);
}

static void fpid_stop(struct session *s)
{
	struct pid_world *pw = pid_world_of(s->world);

	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		if (pp->hooks)
			fpid_part(s, pp);
	if (total(&pw->fpid_followed))
		report(s, "programs of children: ", &pw->fpid_followed);
	pw->fpid_followed = (struct fpid_tally){0};
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
	.detail = fpid_detail,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
	.stop = fpid_stop,
	.snapshot = fpid_snapshot,
	.attrs = &attrs,
};
