#include "providers/fpid/fpid_function.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cache/cachefile.h"
#include "base/hash.h"
#include "inject/hooks.h"
#include "inject/x86/plans.h"
#include "providers/fpid/fpid_claims.h"

/* Of the cache; -1: it is not to be used, or there is none. */
static int open_folder(const struct pid_world *pw, bool make)
{
	return opt_on(&pw->session->options, OPT_NOCACHE) ? -1 : cachefile_folder(make);
}

static void close_folder(int folder)
{
	if (folder >= 0)
		close(folder);
}

static struct plans *plans_of(struct pid_world *pw, struct objfile *o)
{
	struct plans *p = hash_get(&pw->fpid->plans, (uintptr_t)o);
	int folder;

	if (!p) {
		folder = open_folder(pw, false);
		p = plans_new(o, folder);
		close_folder(folder);
		hash_put(&pw->fpid->plans, (uintptr_t)o, p);
	}
	return p;
}

void fpid_plans_free(struct pid_world *pw)
{
	int folder = pw->fpid->plans.n ? open_folder(pw, true) : -1;
	struct plans *p;

	for (size_t i = 0; (p = hash_each(&pw->fpid->plans, &i, NULL));) {
		plans_keep(p, folder);
		plans_free(p);
	}
	close_folder(folder);
	hash_release(&pw->fpid->plans);
}

struct codescan *fpid_scan_of(struct pid_proc *pp, const struct module *m, struct objfile *o)
{
	struct codescan *scan = hash_get(&pp->fpid->scans, (uintptr_t)o);

	if (!scan) {
		scan = plans_scan(plans_of(pp->pw, o));
		hooks_take_padding(pp->fpid->hooks, scan, m->bias);
		hash_put(&pp->fpid->scans, (uintptr_t)o, scan);
	}
	return scan;
}

static void fail(struct hooking *f, const struct err *why)
{
	if (!f->entry_why.code)
		f->entry_why = *why;
	if (!f->ret_why.code)
		f->ret_why = *why;
	f->insns.why = *why;
}

/* Flags and red zone are live anywhere in a function. */
static bool has_insns(const struct window *w)
{
	for (unsigned i = 0; i < w->nstops; i++)
		if (w->stops[i].is_offset)
			return true;
	return false;
}

int fpid_add_window(struct pid_proc *pp, struct module *m, const struct func *func,
		    const struct plan *plan, unsigned nth, bool insns_count,
		    struct hook_point *points[RELOC_STOPS], struct err *err)
{
	struct objfile *o = module_objfile(m, err);
	const struct window *w = &plan->windows[nth];
	struct hook_request rq = {.addr = func->addr + (taddr_t)w->off + m->bias,
				  .function = func->addr + m->bias,
				  .window = w,
				  .bias = m->bias,
				  .insns_count = insns_count,
				  .keeps_flags_and_redzone =
					  plan->keeps_flags_and_redzone || has_insns(w)};

	if (!o)
		return err->code;
	rq.scan = fpid_scan_of(pp, m, o);
	return hooks_add(pp->fpid->hooks, &rq, points, err);
}

/* All windows, or none: those that nobody counts in are not written. */
static int add_windows(struct hooking *f, const struct plan *plan, struct err *err)
{
	int r = 0;

	f->points = xcalloc((size_t)plan->nwindows * RELOC_STOPS, sizeof(struct hook_point *));
	for (unsigned i = 0; i < plan->nwindows && !r; i++)
		r = fpid_add_window(f->any->proc, f->any->mod, f->any->func, plan, i,
				    f->insns.only_count, f->points + (size_t)i * RELOC_STOPS, err);
	return r;
}

static int count_calls(struct hooking *f, struct hook_point *point, bool is_exit, struct err *err)
{
	if (is_exit)
		return f->ret ? hooks_count_in(point, f->ret->fpid->counter, err) : 0;
	return f->entry ? hooks_count_at(f->any->proc->fpid->hooks, point, &f->entry->fpid->counter,
					 err)
			: 0;
}

static int count_insn(const struct hooking *f, struct hook_point *point, uint32_t off,
		      struct err *err)
{
	unsigned i = fpid_insn_at(&f->insns, off);

	return f->insns.counts[i] ? hooks_count_in(point, f->insns.cells[i], err) : 0;
}

/* Is the probe of that site what the stop is there for? off: from the function's start. */
static bool is_of(const struct hooking *f, const struct pid_site *e, const struct reloc_stop *stop,
		  int64_t off)
{
	unsigned kind = stop->is_offset ? 0 : stop->is_exit ? PLAN_RETURN : PLAN_ENTRY;

	return fpid_is_same_function(e, f->any) && fpid_kind_of(e) == kind &&
	       (kind || fpid_offset_of(e) == off);
}

/* The sites whose clauses ask for more than counting. */
static int run_clauses(struct hooking *f, struct hook_point *point, const struct reloc_stop *stop,
		       int64_t off, struct err *err)
{
	bool is_return = stop->is_exit && !stop->is_offset;
	const struct fpid_point at = {
		.is_return = is_return, .is_offset = stop->is_offset, .off = is_return ? off : 0};
	int r = 0;

	for (struct pid_site *e = f->first; e && !r; e = e->fpid->next_end) {
		if (!is_of(f, e, stop, off))
			continue;
		if (e->fpid->how == FPID_RECORDS)
			r = fpid_record(e, point, &at, err);
		else if (e->fpid->how == FPID_CLAIMS)
			r = fpid_claim(e, point, &at, err);
	}
	return r;
}

static int fill_point(struct hooking *f, struct hook_point *point, const struct window *w,
		      const struct reloc_stop *stop, struct err *err)
{
	int64_t off = w->off + (stop->leads_to_ret ? stop->ret : stop->off);
	int r = stop->is_offset ? count_insn(f, point, (uint32_t)off, err)
				: count_calls(f, point, stop->is_exit, err);

	return r ? r : run_clauses(f, point, stop, off, err);
}

static int take_cells(struct hooking *f, const struct plan *plan, struct err *err)
{
	struct hooks *h = f->any->proc->fpid->hooks;
	int r = 0;

	if (plan->kinds & PLAN_RETURN && f->ret)
		r = hooks_new_cell(h, &f->ret->fpid->counter, err);
	for (unsigned i = 0; i < f->insns.n && !r; i++)
		if (!f->insns.v[i].why && f->insns.counts[i])
			r = hooks_new_cell(h, &f->insns.cells[i], err);
	return r;
}

static int fill_points(struct hooking *f, const struct plan *plan, struct err *err)
{
	int r = take_cells(f, plan, err);

	for (unsigned i = 0; i < plan->nwindows; i++)
		for (unsigned k = 0; k < plan->windows[i].nstops && !r; k++)
			r = fill_point(f, f->points[i * RELOC_STOPS + k], &plan->windows[i],
				       &plan->windows[i].stops[k], err);
	return r;
}

/* It has been hooked before: other names of it may be counted as well, and that is all. */
static bool is_late(struct hooking *f)
{
	struct err why;

	for (const struct pid_site *e = f->first; e; e = e->fpid->next_end)
		f->is_late |= fpid_is_same_function(e, f->any) && e->fpid->hook == HOOK_ON;
	if (!f->is_late)
		return false;
	err_set(&why, -EBUSY, "it is hooked already for something else");
	if (!f->entry || f->entry->fpid->hook != HOOK_ON)
		f->entry_why = why;
	if (!f->ret || f->ret->fpid->hook != HOOK_ON)
		f->ret_why = why;
	f->insns.why = why;
	return true;
}

/* Its windows stay as they were: breakpoints will stand there. */
static void clear_points(struct hooking *f, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nwindows * RELOC_STOPS; i++)
		if (f->points[i])
			hooks_clear_at(f->points[i]);
}

static struct plan plan_of(struct hooking *f, struct objfile *o)
{
	struct codescan *scan = fpid_scan_of(f->any->proc, f->any->mod, o);
	struct plans *plans = plans_of(f->any->proc->pw, o);
	unsigned i = (unsigned)(f->any->func - o->funcs);

	return f->insns.n ? plans_offsets(plans, scan, i, f->kinds, f->breakpoints, f->insns.v,
					  f->insns.n)
			  : plans_function(plans, scan, i, f->kinds);
}

void fpid_hook_function(struct hooking *f)
{
	struct err err;
	struct objfile *o = module_objfile(f->any->mod, &err);
	struct plan plan;

	if (!o)
		fail(f, &err);
	if (!o || !(f->kinds || f->insns.n) || is_late(f))
		return;
	plan = plan_of(f, o);
	if (plan.entry_why)
		err_set(&f->entry_why, -EINVAL, "%s", plan.entry_why);
	if (plan.return_why)
		err_set(&f->ret_why, -EINVAL, "%s", plan.return_why);
	if (add_windows(f, &plan, &err) || fill_points(f, &plan, &err)) {
		clear_points(f, &plan);
		fail(f, &err);
	}
	free(f->points);
	free(plan.windows);
}
