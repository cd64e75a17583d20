#include "providers/fpid/fpid_explain.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/structout.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_place.h"
#include "providers/pid/stopcost.h"

#define WORST 3

/* ---- what is known ---- */

/* Hits of a probe by breakpoints. */
struct stops {
	const struct probe *probe;
	const char *why;
	uint64_t n, ns;
};

struct why {
	struct why *next;
	char text[];
};

struct fpid_explain {
	struct why *whys;
	struct hash stops; /* probe → struct stops */
	uint64_t begin_ns;
	uint64_t ncounted, nrecorded, ours_ns;
	struct stopcost cost;
	bool has_code; /* what clauses in the target have taken is not known by hits */
};

static struct fpid_explain *explain_of(struct pid_world *pw)
{
	if (!pw->fpid->explain) {
		pw->fpid->explain = xcalloc(1, sizeof(*pw->fpid->explain));
		hash_init(&pw->fpid->explain->stops);
		pw->fpid->explain->begin_ns = session_now(pw->session);
	}
	return pw->fpid->explain;
}

void fpid_explain_free(struct fpid_explain *ex)
{
	struct stops *st;

	if (!ex)
		return;
	for (size_t i = 0; (st = hash_each(&ex->stops, &i, NULL));)
		free(st);
	hash_release(&ex->stops);
	while (ex->whys) {
		struct why *next = ex->whys->next;

		free(ex->whys);
		ex->whys = next;
	}
	free(ex);
}

/* There are few reasons, for many sites. */
static const char *keep(struct fpid_explain *ex, const char *text)
{
	struct why *w = ex->whys;

	while (w && strcmp(w->text, text) != 0)
		w = w->next;
	if (!w) {
		w = xmalloc(sizeof(*w) + strlen(text) + 1);
		memcpy(w->text, text, strlen(text) + 1);
		w->next = ex->whys;
		ex->whys = w;
	}
	return w->text;
}

void fpid_explain_left(struct pid_site *site, const char *why)
{
	site->fpid->why = keep(explain_of(site->proc->pw), why);
}

void fpid_explain_counted(struct pid_world *pw, uint64_t n)
{
	explain_of(pw)->ncounted += n;
}

void fpid_explain_recorded(struct pid_world *pw, uint64_t n)
{
	explain_of(pw)->nrecorded += n;
}

/* How long threads stood still for so many hits, of which we have measured our own part. */
static uint64_t stopped_ns(const struct fpid_explain *ex, uint64_t n, uint64_t ours_ns)
{
	return MAX(ours_ns, stopcost_ns(&ex->cost, n));
}

void fpid_explain_stopped(struct pid_site *site, uint64_t since_ns, pid_t tid)
{
	struct fpid_explain *ex = explain_of(site->proc->pw);
	const struct probe *p = site->probe->probe;
	struct stops *st = hash_get(&ex->stops, (uintptr_t)p);
	uint64_t ns = session_now(p->session) - since_ns;

	if (!st) {
		st = xcalloc(1, sizeof(*st));
		*st = (struct stops){.probe = p, .why = site->fpid->why};
		hash_put(&ex->stops, (uintptr_t)p, st);
	}
	st->n++;
	st->ns += ns;
	stopcost_add(&ex->cost, tid);
	ex->ours_ns += ns;
}

/* ---- before ---- */

enum kind { IN_TARGET, AS_CODE, RECORDS, BREAKPOINTS, NKINDS };

static const struct {
	const char *name, *what;
} kinds[] = {
	[IN_TARGET] = {"count", "counted in the target"},
	[AS_CODE] = {"code", "run in the target as code"},
	[RECORDS] = {"records", "recorded, and their clauses run here"},
	[BREAKPOINTS] = {"breakpoints", "breakpoints, thousands of nanoseconds each"},
};

/* Probes of one kind for one reason, with those that are called from most places. */
struct group {
	enum kind kind;
	const char *why; /* "": there is nothing better */
	unsigned n;
	struct {
		const struct pid_site *site;
		unsigned ncalls;
	} worst[WORST];
};

struct groups {
	struct group *v;
	unsigned n;
};

static enum kind kind_of(const struct pid_site *site)
{
	if (site->fpid->hook != HOOK_ON)
		return BREAKPOINTS;
	if (site->fpid->how == FPID_COUNTS)
		return IN_TARGET;
	return site->fpid->how == FPID_CLAIMS && fpid_runs_there(site->probe->probe) ? AS_CODE
										     : RECORDS;
}

/* Of its clauses the first one that makes records. */
static const char *why_recorded(struct fpid_explain *ex, const struct probe *p)
{
	char text[FPID_PLACE_TEXT];

	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		fpid_place_tell(e, text, sizeof(text));
		if (text[0])
			return keep(ex, text);
	}
	return fpid_is_claimed(p) ? "the process has no tables for what clauses keep there" : "";
}

static struct group *group_of(struct groups *gs, enum kind kind, const char *why)
{
	for (unsigned i = 0; i < gs->n; i++)
		if (gs->v[i].kind == kind && gs->v[i].why == why)
			return &gs->v[i];
	gs->v = xrealloc(gs->v, (gs->n + 1) * sizeof(*gs->v));
	gs->v[gs->n] = (struct group){.kind = kind, .why = why};
	return &gs->v[gs->n++];
}

/* What is called from many places is called often, as a rule. */
static unsigned calls_of(const struct pid_site *site)
{
	struct objfile *o = site->func ? module_objfile(site->mod, NULL) : NULL;
	const struct codescan *scan = o ? hash_get(&site->proc->fpid->scans, (uintptr_t)o) : NULL;
	unsigned n = 0;

	if (scan)
		codescan_calls(scan, site->addr, &n);
	return n;
}

static void add(struct group *g, const struct pid_site *site)
{
	unsigned ncalls = g->kind == IN_TARGET ? 0 : calls_of(site), at = WORST;

	g->n++;
	if (g->kind == IN_TARGET || g->kind == AS_CODE)
		return;
	while (at && (!g->worst[at - 1].site || g->worst[at - 1].ncalls < ncalls))
		at--;
	for (unsigned i = WORST - 1; i > at; i--)
		g->worst[i] = g->worst[i - 1];
	if (at < WORST) {
		g->worst[at].site = site;
		g->worst[at].ncalls = ncalls;
	}
}

/* Clauses of all probes of one description have one reason: they come one behind the other. */
static void gather(struct fpid_explain *ex, struct pid_proc *pp, struct groups *gs)
{
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site)) {
		enum kind kind = kind_of(site);

		if (site->fpid->is_explained || site->is_resolver)
			continue;
		site->fpid->is_explained = true;
		ex->has_code |= kind != BREAKPOINTS && site->fpid->how == FPID_CLAIMS;
		if (kind == RECORDS)
			site->fpid->why = why_recorded(ex, site->probe->probe);
		add(group_of(gs, kind, kind < RECORDS || !site->fpid->why ? "" : site->fpid->why),
		    site);
	}
}

static int by_kind(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->n > y->n ? -1 : x->n < y->n;
}

static const char *what(const struct probe *p)
{
	const struct pid_probe *pr = p->arg;

	return pr->kind == PID_OFFSET ? "offset " : "";
}

static void name_site(struct strbuf *out, const struct probe *p)
{
	strbuf_addf(out, "%s%s of %s`%s", what(p), p->name, p->mod, p->func);
}

static void tell_group(struct session *s, const struct pid_proc *pp, const struct group *g)
{
	struct strbuf line;

	strbuf_init(&line);
	strbuf_addf(&line, "%u probe%s of process %d: %s", g->n, g->n == 1 ? "" : "s", pp->pid,
		    kinds[g->kind].what);
	if (g->why[0])
		strbuf_addf(&line, ": %s", g->why);
	for (unsigned i = 0; i < WORST && g->worst[i].site; i++) {
		strbuf_adds(&line, i ? ", " : " (such as ");
		name_site(&line, g->worst[i].site->probe->probe);
	}
	session_message(s, MSG_ERR, false, "explain: %s%s", line.s, g->worst[0].site ? ")" : "");
	strbuf_release(&line);
}

static void say(struct structout *so, const char *name, const char *text)
{
	so_string(so, name, text, strlen(text), false);
}

static void say_probe(struct structout *so, const struct probe *p)
{
	say(so, "module", p->mod);
	say(so, "function", p->func);
	say(so, "name", p->name);
}

static void say_group(struct structout *so, const struct pid_proc *pp, const struct group *g)
{
	say(so, "explain", "before");
	so_number(so, "pid", pp->pid, false);
	say(so, "kind", kinds[g->kind].name);
	so_unsigned(so, "probes", g->n, false);
	if (g->why[0])
		say(so, "why", g->why);
	so_open_list(so, "worst");
	for (unsigned i = 0; i < WORST && g->worst[i].site; i++) {
		so_item(so, "worst");
		say_probe(so, g->worst[i].site->probe->probe);
		so_unsigned(so, "calls", g->worst[i].ncalls, false);
		so_close(so, "worst");
	}
	so_close_list(so, "worst");
}

/* A line of JSON. */
static void begin_line(struct structout *so, struct strbuf *line)
{
	strbuf_init(line);
	so_init(so, line, SO_JSON);
	so_item(so, "");
}

static void end_line(struct session *s, struct structout *so, struct strbuf *line)
{
	so_close(so, "");
	session_message(s, MSG_BARE, false, "%s", line->s);
	strbuf_release(line);
}

void fpid_explain_before(struct session *s, struct pid_proc *pp)
{
	struct fpid_explain *ex = explain_of(pp->pw);
	int64_t how = opt(&s->options, OPT_EXPLAIN);
	struct groups gs = {0};

	gather(ex, pp, &gs);
	if (gs.n)
		qsort(gs.v, gs.n, sizeof(*gs.v), by_kind);
	for (unsigned i = 0; i < gs.n && how != EXPLAIN_OFF && !pp->root; i++)
		if (how == EXPLAIN_JSON) {
			struct structout so;
			struct strbuf line;

			begin_line(&so, &line);
			say_group(&so, pp, &gs.v[i]);
			end_line(s, &so, &line);
		} else {
			tell_group(s, pp, &gs.v[i]);
		}
	free(gs.v);
}

/* ---- after ---- */

static unsigned find_worst(const struct fpid_explain *ex, const struct stops *worst[WORST])
{
	const struct stops *st;
	unsigned n = 0;

	for (size_t i = 0; (st = hash_each(&ex->stops, &i, NULL));) {
		unsigned at = n;

		for (; at && worst[at - 1]->ns < st->ns; at--)
			if (at < WORST)
				worst[at] = worst[at - 1];
		if (at < WORST) {
			worst[at] = st;
			n = MIN(n + 1, (unsigned)WORST);
		}
	}
	return n;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static const char *instead(const struct stops *st)
{
	const struct pid_probe *pr = st->probe->arg;

	return pr->kind == PID_RETURN ? "its entry alone, if that will do; -x fpidfallback=none "
					"leaves out what is no hook"
				      : "-x fpidfallback=none leaves out what is no hook";
}

static void tell_after(struct session *s, const struct fpid_explain *ex, uint64_t run_ns)
{
	const struct stops *worst[WORST];
	unsigned n = find_worst(ex, worst);
	uint64_t all = ex->ncounted + ex->nrecorded + ex->cost.nstops;

	session_message(
		s, MSG_ERR, false,
		"explain: hits: %lu counted in the target, %lu recorded, %lu by "
		"breakpoints (%.3f%%), for which it stood still for %.3f s of %.3f s%s",
		ex->ncounted, ex->nrecorded, ex->cost.nstops, percent(ex->cost.nstops, all),
		(double)stopped_ns(ex, ex->cost.nstops, ex->ours_ns) / 1e9, (double)run_ns / 1e9,
		ex->has_code ? "; those of clauses that ran in the target are not known" : "");
	for (unsigned i = 0; i < n; i++)
		session_message(s, MSG_ERR, false,
				"explain: %s%s of %s`%s: %lu hits by breakpoint, %.3f s: %s; "
				"instead: %s",
				what(worst[i]->probe), worst[i]->probe->name, worst[i]->probe->mod,
				worst[i]->probe->func, worst[i]->n,
				(double)stopped_ns(ex, worst[i]->n, worst[i]->ns) / 1e9,
				worst[i]->why ? worst[i]->why : "it is no hook", instead(worst[i]));
}

static void say_after(struct session *s, const struct fpid_explain *ex, uint64_t run_ns)
{
	const struct stops *worst[WORST];
	unsigned n = find_worst(ex, worst);
	struct structout so;
	struct strbuf line;

	begin_line(&so, &line);
	say(&so, "explain", "after");
	so_unsigned(&so, "counted", ex->ncounted, false);
	so_unsigned(&so, "recorded", ex->nrecorded, false);
	so_number(&so, "code", ex->has_code, false);
	so_unsigned(&so, "breakpoints", ex->cost.nstops, false);
	so_unsigned(&so, "stopped_ns", stopped_ns(ex, ex->cost.nstops, ex->ours_ns), false);
	so_unsigned(&so, "run_ns", run_ns, false);
	so_open_list(&so, "worst");
	for (unsigned i = 0; i < n; i++) {
		so_item(&so, "worst");
		say_probe(&so, worst[i]->probe);
		so_unsigned(&so, "hits", worst[i]->n, false);
		so_unsigned(&so, "stopped_ns", stopped_ns(ex, worst[i]->n, worst[i]->ns), false);
		if (worst[i]->why)
			say(&so, "why", worst[i]->why);
		say(&so, "instead", instead(worst[i]));
		so_close(&so, "worst");
	}
	so_close_list(&so, "worst");
	end_line(s, &so, &line);
}

void fpid_explain_after(struct session *s, struct pid_world *pw)
{
	const struct fpid_explain *ex = explain_of(pw);
	uint64_t run_ns = session_now(s) - ex->begin_ns;
	uint64_t held_ns = stopped_ns(ex, ex->cost.nstops, ex->ours_ns);
	int64_t how = opt(&s->options, OPT_EXPLAIN);

	if (how == EXPLAIN_JSON)
		say_after(s, ex, run_ns);
	else if (how == EXPLAIN_ON || world_of(s)->is_verbose)
		tell_after(s, ex, run_ns);
	else if (isatty(STDERR_FILENO) && 2 * held_ns > run_ns)
		session_message(s, MSG_ERR, false,
				"fpid: %lu breakpoints took %.0f%% of the run: -x explain says "
				"which, and why",
				ex->cost.nstops, percent(MIN(held_ns, run_ns), run_ns));
}
