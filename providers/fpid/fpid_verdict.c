/*
 * fpid_verdict.c: what -lv says of an fpid probe: how its function would be hooked, or why it would
 * be a breakpoint, or refused, with all that is asked for. From the file alone: nothing is written.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_function.h"

/* What becomes of the probes of one function, all that are asked for together. */
struct verdict {
	struct plan plan;
	struct fpid_insns insns;
};

/* The module that was asked for last: probes are listed module by module. */
struct fpid_scan {
	const struct module *mod;
	struct objfile *o;
	struct codescan *scan;
	struct hash sites;    /* function → its sites, linked by next_end */
	struct hash verdicts; /* of functions */
};

static void begin_hashes(struct fpid_scan *fs)
{
	hash_init(&fs->sites);
	hash_init(&fs->verdicts);
}

static void forget_module(struct fpid_scan *fs)
{
	struct verdict *v;

	for (size_t i = 0; (v = hash_each(&fs->verdicts, &i, NULL));) {
		free(v->plan.windows);
		fpid_insns_release(&v->insns);
		free(v);
	}
	hash_release(&fs->verdicts);
	hash_release(&fs->sites);
	codescan_free(fs->scan);
}

static void gather_sites(struct fpid_scan *fs, const struct pid_proc *pp)
{
	for (struct pid_site *e = fpid_first(pp); e; e = fpid_next(e)) {
		if (e->mod != fs->mod || !e->func || e->is_resolver)
			continue;
		e->fpid->next_end = hash_get(&fs->sites, (uintptr_t)e->func);
		hash_put(&fs->sites, (uintptr_t)e->func, e);
	}
}

void fpid_verdict_end(struct fpid_scan *fs)
{
	if (fs)
		forget_module(fs);
	free(fs);
}

/* What becomes of one that no hook can do. */
static const char *otherwise(const struct pid_site *site)
{
	return fpid_falls_back(site->proc) ? "breakpoint" : "refused";
}

/* ---- a function ---- */

/* What its clauses ask for; NULL: a hook can do that, or nothing is asked for yet. */
static const char *why_no_hook(const struct pid_site *site)
{
	const struct probe *p = site->probe->probe;
	bool follows = opt_on(&p->session->options, OPT_FOLLOW);

	if (!p->ecbs || fpid_is_countable(p))
		return NULL;
	if (fpid_is_claimed(p) && !fpid_leaves_records(p) && !follows)
		return NULL;
	return fpid_unrecordable(site);
}

/* All that are asked for, as struct hooking has them. */
static void decide_sites(struct hooking *f)
{
	for (struct pid_site *e = f->first; e; e = e->fpid->next_end) {
		e->fpid->how = why_no_hook(e) ? FPID_NOT : FPID_COUNTS;
		if (e->fpid->how == FPID_NOT)
			f->breakpoints |= fpid_kind_of(e);
		else
			f->kinds |= fpid_kind_of(e);
	}
}

static void decide(struct fpid_scan *fs, struct pid_site *site)
{
	struct verdict *v = xcalloc(1, sizeof(*v));
	unsigned i = (unsigned)(site->func - fs->o->funcs);
	struct hooking f;

	hooking_init(&f, site, hash_get(&fs->sites, (uintptr_t)site->func));
	decide_sites(&f);
	fpid_insns_init(&f);
	v->plan = f.insns.n
			  ? plan_offsets(fs->scan, i, f.kinds, f.breakpoints, f.insns.v, f.insns.n)
			  : plan_function(fs->scan, i, f.kinds);
	v->insns = f.insns;
	hash_put(&fs->verdicts, (uintptr_t)site->func, v);
}

/* In the order in which they are hooked: one may take the padding that another has asked for. */
static void decide_all(struct fpid_scan *fs, const struct pid_proc *pp)
{
	for (struct pid_site *e = fpid_first(pp); e; e = fpid_next(e))
		if (e->mod == fs->mod && hash_get(&fs->sites, (uintptr_t)e->func) &&
		    !hash_get(&fs->verdicts, (uintptr_t)e->func))
			decide(fs, e);
}

static struct fpid_scan *scan_of(const struct pid_site *site, struct objfile *o)
{
	struct pid_world *pw = site->proc->pw;
	struct fpid_scan *fs = pw->fpid->scan;

	if (!fs) {
		fs = pw->fpid->scan = xcalloc(1, sizeof(*fs));
		begin_hashes(fs);
	}
	if (fs->mod != site->mod || fs->o != o) {
		fpid_claims_decide(pw->session);
		forget_module(fs);
		begin_hashes(fs);
		fs->mod = site->mod;
		fs->o = o;
		fs->scan = codescan_new(o);
		gather_sites(fs, site->proc);
		decide_all(fs, site->proc);
	}
	return fs;
}

/* ---- a site ---- */

/* Windows that hold such a stop; and of them those that a short jump leads from. */
static unsigned count_windows(const struct plan *p, bool is_exit, unsigned *nshort)
{
	unsigned n = 0;

	*nshort = 0;
	for (unsigned i = 0; i < p->nwindows; i++) {
		const struct window *w = &p->windows[i];
		bool has = false;

		for (unsigned k = 0; k < w->nstops; k++)
			has |= !w->stops[k].is_offset && w->stops[k].is_exit == is_exit;
		n += has;
		*nshort += has && w->island;
	}
	return n;
}

static void tell_plan(const struct plan *p, bool is_exit, struct strbuf *out)
{
	unsigned nshort, n = count_windows(p, is_exit, &nshort);

	if (!is_exit)
		strbuf_addf(out, "hook by %s\n", nshort ? "short jump" : "jump");
	else
		strbuf_addf(out, "hook at %u return site%s%s\n", n, n == 1 ? "" : "s",
			    !nshort	 ? ""
			    : nshort < n ? ", some by short jump"
					 : " by short jump");
}

/* Returns whether it would be a hook. */
static bool tell_code(struct pid_site *site, struct objfile *o, struct strbuf *out)
{
	const struct verdict *v = hash_get(&scan_of(site, o)->verdicts, (uintptr_t)site->func);
	const char *why = why_no_hook(site);

	if (!why && site->probe->kind == PID_OFFSET)
		why = v->insns.v[fpid_insn_at(&v->insns, fpid_offset_of(site))].why;
	else if (!why)
		why = site->probe->kind == PID_ENTRY ? v->plan.entry_why : v->plan.return_why;
	if (why)
		strbuf_addf(out, "%s: %s\n", otherwise(site), why);
	else if (site->probe->kind == PID_OFFSET)
		strbuf_adds(out, "hook by jump\n");
	else
		tell_plan(&v->plan, site->probe->kind == PID_RETURN, out);
	return !why;
}

/* Returns whether it would be a hook. */
static bool tell_site(struct pid_site *site, struct strbuf *out)
{
	struct objfile *o = module_objfile(site->mod, NULL);
	struct err err;
	bool hooks = false;

	strbuf_adds(out, "\t\t");
	if (pid_is_oneshot(site->proc->pw->session)) {
		strbuf_adds(out, "breakpoint: " PID_ONESHOT "\n");
	} else if (!o || !site->func) {
		strbuf_addf(out, "%s: its code is made at run time\n", otherwise(site));
	} else if (site->is_resolver) {
		strbuf_addf(out, "%s: it chooses an implementation (ifunc)\n", otherwise(site));
	} else if (fpid_hookable(site->proc, &err)) {
		strbuf_addf(out, "%s: %s\n", otherwise(site), err.text);
	} else {
		hooks = tell_code(site, o, out);
	}
	return hooks;
}

const char *fpid_foreseen(struct session *s, struct pid_site *site)
{
	const char *why = NULL, *at;
	struct strbuf text;

	strbuf_init(&text);
	if (!tell_site(site, &text)) {
		strbuf_cut(&text, text.len - 1); /* the line's end */
		at = strstr(text.s, ": ");
		why = arena_strdup(s->arena, at ? at + 2 : text.s);
	}
	strbuf_release(&text);
	return why;
}

void fpid_detail(struct probe *p, struct strbuf *out)
{
	const struct pid_probe *pr = p->arg;

	pid_detail(p, out);
	strbuf_adds(out, "\tHook\n");
	for (struct pid_site *site = pr->sites; site; site = site->next)
		tell_site(site, out);
	strbuf_addc(out, '\n');
}
