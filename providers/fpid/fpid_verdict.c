/*
 * fpid_verdict.c: what -lv says of an fpid probe: how its function would be hooked, or why it would
 * be a breakpoint, or refused. From the file alone: nothing is written.
 */
#include <stdlib.h>

#include "base/strbuf.h"
#include "providers/fpid/fpid_claims.h"

/* The code of the file that was asked for last: probes are listed file by file. */
struct fpid_scan {
	struct objfile *o;
	struct codescan *scan;
};

static struct codescan *scan_of(struct pid_world *pw, struct objfile *o)
{
	if (!pw->fpid->scan)
		pw->fpid->scan = xcalloc(1, sizeof(*pw->fpid->scan));
	if (pw->fpid->scan->o != o) {
		codescan_free(pw->fpid->scan->scan);
		pw->fpid->scan->scan = codescan_new(o);
		pw->fpid->scan->o = o;
	}
	return pw->fpid->scan->scan;
}

void fpid_verdict_end(struct fpid_scan *fs)
{
	if (fs)
		codescan_free(fs->scan);
	free(fs);
}

/* What becomes of one that no hook can do. */
static const char *otherwise(const struct pid_site *site)
{
	return fpid_falls_back(site->proc) ? "breakpoint" : "refused";
}

static void tell_plan(const struct pid_site *site, const struct plan *p, struct strbuf *out)
{
	const char *why = p->entry_why ? p->entry_why : p->return_why;
	unsigned nshort = 0, n = 0;

	for (unsigned i = 0; i < p->nwindows; i++) {
		n += p->windows[i].nstops != 0; /* others hold islands */
		nshort += p->windows[i].island != 0;
	}
	if (why)
		strbuf_addf(out, "%s: %s\n", otherwise(site), why);
	else if (p->kinds & PLAN_ENTRY)
		strbuf_addf(out, "hook by %s\n", nshort ? "short jump" : "jump");
	else
		strbuf_addf(out, "hook at %u return site%s%s\n", n, n == 1 ? "" : "s",
			    !nshort	 ? ""
			    : nshort < n ? ", some by short jump"
					 : " by short jump");
}

/* By itself: what else is asked for may stand in its way. Returns whether it would be a hook. */
static bool tell_insn(const struct pid_site *site, struct objfile *o, struct strbuf *out)
{
	struct codescan *scan = scan_of(site->proc->pw, o);
	struct plan_offset insn = {.off = (uint32_t)(site->addr - site->func->addr)};
	unsigned i = (unsigned)(site->func - o->funcs);
	struct plan plan = plan_offsets(scan, i, 0, 0, &insn, 1);

	plan_drop(&plan, scan, i);
	if (!insn.why && site->probe->probe->ecbs && fpid_finds_callers(site->probe->probe))
		insn.why = FPID_CALLERS;
	if (insn.why)
		strbuf_addf(out, "%s: %s\n", otherwise(site), insn.why);
	else
		strbuf_adds(out, "hook by jump\n");
	return !insn.why;
}

/* Returns whether it would be a hook. */
static bool tell_site(const struct pid_site *site, struct strbuf *out)
{
	struct objfile *o = module_objfile(site->mod, NULL);
	struct plan plan;
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
	} else if (site->probe->kind == PID_OFFSET) {
		hooks = tell_insn(site, o, out);
	} else {
		plan = plan_function(scan_of(site->proc->pw, o), (unsigned)(site->func - o->funcs),
				     site->probe->kind == PID_ENTRY ? PLAN_ENTRY : PLAN_RETURN);
		tell_plan(site, &plan, out);
		hooks = !plan.entry_why && !plan.return_why;
		free(plan.windows);
	}
	return hooks;
}

const char *fpid_foreseen(struct session *s, const struct pid_site *site)
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
	for (const struct pid_site *site = pr->sites; site; site = site->next)
		tell_site(site, out);
	strbuf_addc(out, '\n');
}
