#include "dlang/print/drops.h"

#include <stdlib.h>

#include "dlang/print/consume_priv.h"

#define NAMED 3 /* probes; the others are one number */

static void report(struct consumer *c, const char *tag, uint64_t n, const char *what,
		   const char *rest)
{
	char text[160];

	snprintf(text, sizeof(text), "%llu %s%s%s", (unsigned long long)n, what, n > 1 ? "s" : "",
		 rest);
	fprintf(stderr, "%s: ", c->session->progname);
	if (opt_on(&c->session->options, OPT_DROPTAGS))
		fprintf(stderr, "[DTRACEDROP_%s] ", tag);
	fprintf(stderr, "%s\n", text);
	consumer_tell_drop(c, tag, n, text);
}

static void report_cpu(struct consumer *c, unsigned cpu, const char *tag, uint64_t now,
		       uint64_t *seen, const char *what)
{
	char where[32];

	if (now == *seen)
		return;
	snprintf(where, sizeof(where), " on CPU %u", cpu);
	report(c, tag, now - *seen, what, where);
	*seen = now;
}

void drops_report(struct consumer *c)
{
	static const struct {
		const char *tag, *what, *rest;
	} kinds[DROP_NKINDS] = {
		/* clang-format off */
		[DROP_DYNAMIC] = {"DYNAMIC", "dynamic variable drop", ""},
		[DROP_SPEC] = {"SPEC", "speculative drop", ""},
		[DROP_SPECUNAVAIL] = {"SPECUNAVAIL", "failed speculation",
				      " (no speculative buffer available)"},
		[DROP_DBLERROR] = {"DBLERROR", "error", " in ERROR probe enabling"},
		[DROP_STKSTROVERFLOW] = {"STKSTROVERFLOW", "jstack()/ustack() string table overflow", ""},
		[DROP_UNRECORDED] = {"UNRECORDED", "unrecorded event",
				     " (counted by the kernel, which hides some threads: init's, idle CPUs)"},
		[DROP_HIDDEN] = {"HIDDEN", "unrecorded event",
				 " (counted by the kernel, which hides threads of init)"},
		/* clang-format on */
	};
	struct session *s = c->session;

	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++) {
		report_cpu(c, i, "PRINCIPAL", s->buffer_drops[i], &c->buffer_drops[i], "drop");
		report_cpu(c, i, "AGGREGATION", s->agg_drops[i], &c->agg_drops[i],
			   "aggregation drop");
	}
	for (unsigned i = 0; i < DROP_NKINDS; i++) {
		uint64_t now = s->drops[i];

		if (now == c->drops[i])
			continue;
		report(c, kinds[i].tag, now - c->drops[i], kinds[i].what, kinds[i].rest);
		c->drops[i] = now;
	}
}

/* ---- which probes, and what helps ---- */

struct loser {
	const struct probe *probe;
	uint64_t n;
};

static int by_loss(const void *a, const void *b)
{
	const struct loser *x = a, *y = b;

	return x->n < y->n ? 1 : x->n > y->n ? -1 : 0;
}

/* The probes that lost anything of that kind, the worst first: their number; *v is malloced. */
static unsigned losers(struct session *s, enum ecb_loss kind, struct loser **v)
{
	uint32_t necbs = s->necbs;
	unsigned n = 0;

	*v = xcalloc(necbs + 1, sizeof(**v));
	for (uint32_t epid = 1; epid <= necbs; epid++) {
		const struct probe *p = session_ecb(s, epid)->probe;
		uint64_t lost = 0;

		if (p->ecbs->epid != epid) /* each probe once, by its first enabling */
			continue;
		for (const struct ecb *e = p->ecbs; e; e = e->next)
			lost += e->nlost[kind];
		if (lost)
			(*v)[n++] = (struct loser){p, lost};
	}
	qsort(*v, n, sizeof(**v), by_loss);
	return n;
}

static void explain_probes(const struct consumer *c, enum ecb_loss kind, const char *what,
			   const char *remedy)
{
	struct loser *v;
	unsigned n = losers(c->session, kind, &v);
	uint64_t rest = 0;

	for (unsigned i = 0; i < n && i < NAMED; i++)
		fprintf(stderr, "%s%s%s%s:%s:%s:%s %llu", i ? "" : c->session->progname,
			i ? ", " : ": ", i ? "" : what, v[i].probe->prov, v[i].probe->mod,
			v[i].probe->func, v[i].probe->name, (unsigned long long)v[i].n);
	for (unsigned i = NAMED; i < n; i++)
		rest += v[i].n;
	if (n > NAMED)
		fprintf(stderr, ", %u other probes %llu", n - NAMED, (unsigned long long)rest);
	if (n)
		fprintf(stderr, "; %s\n", remedy);
	free(v);
}

/* The kernel does not tell of which probe they were: of one of these. */
static void explain_kernel(const struct consumer *c)
{
	struct session *s = c->session;
	uint64_t lost = s->nlost_events;
	uint32_t necbs = s->necbs;
	unsigned n = 0;

	for (uint32_t epid = 1; epid <= necbs && lost; epid++) {
		const struct probe *p = session_ecb(s, epid)->probe;

		if (p->ecbs->epid != epid || probe_loss(p) != LOSS_KERNEL)
			continue;
		if (n == 0)
			fprintf(stderr, "%s: %llu drop%s in rings of the kernel, of ", s->progname,
				(unsigned long long)lost, lost > 1 ? "s" : "");
		if (n < NAMED)
			fprintf(stderr, "%s%s:%s:%s:%s", n ? ", " : "", p->prov, p->mod, p->func,
				p->name);
		n++;
	}
	if (n > NAMED)
		fprintf(stderr, " or %u other probes", n - NAMED);
	if (n && atomic_load(&s->recorded_ns))
		fprintf(stderr, " when it was recorded: larger rings (perf record -m) lose less\n");
	else if (n)
		fprintf(stderr,
			"; a larger -x kernelbuf makes room; predicates of pid or arguments, and "
			"clauses that only aggregate, need less of it\n");
}

/* ---- who assigns dynamic variables ---- */

static bool expr_assigns(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++) {
		const unsigned class = insn_class[DIF_OP(d->text[i])];

		if (class & INSN_STORE && class & (INSN_SELF | INSN_KEYS))
			return true;
	}
	return false;
}

static bool assigns(const struct clause *c)
{
	bool does = expr_assigns(c->pred);

	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			does |= expr_assigns(c->stmts[i].acts[j].difo) ||
				expr_assigns(c->stmts[i].acts[j].incr);
	return does;
}

static void explain_dynamic(const struct consumer *c)
{
	const struct session *s = c->session;
	const struct clause *last = NULL;
	char desc[1024];
	unsigned n = 0;

	fprintf(stderr,
		"%s: dynamic variables found no room: raise -x dynvarsize, or assign 0 to some",
		s->progname);
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *cl = pg->clauses; cl; cl = cl->next) {
			if (n == NAMED || (last && clause_is_same_text(last, cl)) || !assigns(cl))
				continue;
			last = cl;
			fprintf(stderr, "%s %s at line %d", n++ ? "," : "; they are assigned by",
				probe_desc_text(cl->desc, desc, sizeof(desc)), cl->line);
		}
	fprintf(stderr, "\n");
}

void drops_explain(const struct consumer *c)
{
	static const char *const remedies[DROP_NKINDS] = {
		[DROP_SPEC] = "speculations found no room: raise -x specsize",
		[DROP_SPECUNAVAIL] = "all speculations were in use: raise -x nspec",
		[DROP_STKSTROVERFLOW] = "names of frames found no room: raise -x jstackstrsize",
	};
	const struct session *s = c->session;

	if (c->is_testing)
		return;
	explain_kernel(c);
	explain_probes(c, ECB_LOST_HIT, "drops of hooks by probe: ",
		       "a larger -x fpidbuf or -x fpidfull=wait makes room; clauses that only "
		       "aggregate need none of it, as -x explain says");
	explain_probes(c, ECB_LOST_RECORD, "drops by probe: ",
		       "larger buffers (-b) or a shorter -x switchrate make room; "
		       "aggregations (@[keys] = ...) need none of it");
	explain_probes(c, ECB_LOST_VALUE, "aggregation drops by probe: ",
		       "a larger -x aggsize or fewer keys make room");
	if (s->drops[DROP_DYNAMIC])
		explain_dynamic(c);
	for (unsigned i = 0; i < DROP_NKINDS; i++)
		if (s->drops[i] && remedies[i])
			fprintf(stderr, "%s: %s\n", s->progname, remedies[i]);
}
