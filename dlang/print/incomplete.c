#include "dlang/print/incomplete.h"

#include "dlang/print/keytext.h"
#include "dlang/run/vm.h"

#define READS_MAX 64

/* ---- what a clause reads and assigns ---- */

/* Variables, by scope and number. */
struct varset {
	uint32_t v[READS_MAX];
	unsigned n;
	bool is_full; /* there are more: any may be meant */
};

static bool has(const struct varset *set, uint32_t var)
{
	for (unsigned i = 0; i < set->n; i++)
		if (set->v[i] == var)
			return true;
	return set->is_full;
}

static void add(struct varset *set, uint32_t var)
{
	if (has(set, var))
		return;
	if (set->n == ARRAY_SIZE(set->v))
		set->is_full = true;
	else
		set->v[set->n++] = var;
}

struct access {
	uint32_t var; /* 0: none that lives longer than a firing */
	bool is_store;
};

static struct access access_of(uint32_t insn)
{
	unsigned class = insn_class[DIF_OP(insn)], id = DIF_GETINDEX(insn);

	if (!(class & INSN_VAR) || class & INSN_THIS || id < DIF_VAR_USER)
		return (struct access){0};
	return (struct access){((uint32_t)insn_scope(insn) + 1) << 16 | id, class & INSN_STORE};
}

static bool is_dynamic(uint32_t insn)
{
	unsigned class = insn_class[DIF_OP(insn)];

	return class & INSN_VAR && !(class & INSN_STORE) && class & (INSN_SELF | INSN_KEYS);
}

struct looking {
	struct varset *reads; /* what is read goes there; NULL: nowhere */
	const struct varset *wanted;
	bool assigns, uses_dynamic;
};

static void look_at(struct looking *l, const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++) {
		struct access a = access_of(d->text[i]);

		l->uses_dynamic |= is_dynamic(d->text[i]);
		if (a.var && !a.is_store && l->reads)
			add(l->reads, a.var);
		if (a.var && a.is_store && l->wanted)
			l->assigns |= has(l->wanted, a.var);
	}
}

static void look_at_clause(struct looking *l, const struct clause *c)
{
	look_at(l, c->pred);
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			look_at(l, c->stmts[i].acts[j].difo);
			look_at(l, c->stmts[i].acts[j].incr);
		}
}

static bool adds_to(const struct clause *c, const struct aggvar *var)
{
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			if (c->stmts[i].acts[j].kind == ACT_AGG && c->stmts[i].aggs[0] == var)
				return true;
	return false;
}

/* ---- what was lost of it ---- */

struct missing {
	uint64_t hits, events, values;
	const struct probe *worst;
	uint64_t worst_hits;
	unsigned nprobes;
};

static bool is_all_there(const struct session *s)
{
	uint64_t n = s->nlost_events + s->drops[DROP_DYNAMIC] + s->drops[DROP_UNRECORDED];

	for (unsigned i = 0; i < SESSION_MAX_CPUS && !n; i++)
		n = s->buffer_drops[i] + s->agg_drops[i];
	return !n;
}

static uint64_t hits_of(const struct ecb *e)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < ECB_NLOSSES; i++)
		n += atomic_load_explicit(&e->nlost[i], memory_order_relaxed);
	return n;
}

static void add_hits(struct missing *m, const struct ecb *e)
{
	uint64_t n = hits_of(e);

	if (!n)
		return;
	m->hits += n;
	m->nprobes += e->probe != m->worst;
	if (n > m->worst_hits) {
		m->worst = e->probe;
		m->worst_hits = n;
	}
}

/* Clauses that assign what others read are its input, too. */
static struct missing find_missing(struct session *s, const struct aggvar *var)
{
	struct varset reads = {0};
	struct missing m = {0};
	const struct clause *last = NULL;
	bool feeds = false, is_lossy = false, uses_dynamic = false;
	uint32_t necbs = s->necbs;

	for (uint32_t id = 1; id <= necbs; id++) {
		const struct clause *c = session_ecb(s, id)->clause;
		struct looking l = {.reads = &reads};

		if (c == last || !adds_to(c, var))
			continue;
		look_at_clause(&l, c);
		uses_dynamic |= l.uses_dynamic;
		last = c;
	}
	last = NULL;
	for (uint32_t id = 1; id <= necbs; id++) {
		const struct ecb *e = session_ecb(s, id);
		struct looking l = {.wanted = &reads};

		if (e->clause != last) {
			look_at_clause(&l, e->clause);
			feeds = l.assigns || adds_to(e->clause, var);
			last = e->clause;
		}
		if (!feeds)
			continue;
		is_lossy |= probe_loss(e->probe) == LOSS_KERNEL;
		add_hits(&m, e);
	}
	m.events = is_lossy ? s->nlost_events + s->drops[DROP_UNRECORDED] : 0;
	m.values = uses_dynamic ? s->drops[DROP_DYNAMIC] : 0;
	return m;
}

/* Since it was cleared. */
static struct missing missing_of(const struct consumer *c, const struct aggcopy *copy)
{
	struct missing m = {0};

	if (is_all_there(c->session))
		return m;
	m = find_missing(c->session, copy->var);
	m.hits -= MIN(m.hits, copy->lost_before.hits);
	m.events -= MIN(m.events, copy->lost_before.events);
	m.values -= MIN(m.values, copy->lost_before.values);
	return m;
}

void incomplete_clear(const struct consumer *c, struct aggcopy *copy)
{
	struct missing m = {0};

	if (!is_all_there(c->session))
		m = find_missing(c->session, copy->var);
	copy->lost_before.hits = m.hits;
	copy->lost_before.events = m.events;
	copy->lost_before.values = m.values;
}

uint64_t incomplete_count(const struct consumer *c, const struct aggcopy *copy)
{
	struct missing m = missing_of(c, copy);

	return m.hits + m.events + m.values;
}

/* ---- telling ---- */

static void add_part(struct strbuf *out, bool *is_first, uint64_t n, const char *what)
{
	strbuf_addf(out, "%s%llu %s%s", *is_first ? "" : ", ", (unsigned long long)n, what,
		    n == 1 ? "" : "s");
	*is_first = false;
}

/* What is missing, as a sentence without its end. */
static void say_missing(const struct consumer *c, const struct aggcopy *copy, struct strbuf *out)
{
	struct missing m = missing_of(c, copy);
	const struct probe *p = m.worst;
	bool is_first = true;

	if (m.hits) {
		add_part(out, &is_first, m.hits, "hit");
		strbuf_addf(out, "%s of %s:%s:%s:%s", m.nprobes > 1 ? ", most" : "", p->prov,
			    p->mod, p->func, p->name);
	}
	if (m.events)
		add_part(out, &is_first, m.events, "event");
	if (m.events)
		strbuf_adds(out, " of the kernel (of whatever probe)");
	if (m.values)
		add_part(out, &is_first, m.values, "dynamic variable");
	strbuf_adds(out, m.hits + m.events + m.values == 1 ? " was dropped" : " were dropped");
}

void incomplete_mark(struct consumer *c, struct aggcopy *copy)
{
	if (!incomplete_count(c, copy))
		return;
	copy->is_marked = true;
	c->has_marks = true;
}

void incomplete_tell(struct consumer *c)
{
	struct strbuf text;

	if (!c->has_marks)
		return;
	c->has_marks = false;
	strbuf_init(&text);
	for (uint32_t i = 0; i < c->aggs.ncopies; i++) {
		struct aggcopy *copy = c->aggs.copies[i];

		if (!copy || !copy->is_marked)
			continue;
		copy->is_marked = false;
		strbuf_addf(&text, "%s: @%s is incomplete: ", c->session->progname,
			    keytext_aggname(copy->var));
		say_missing(c, copy, &text);
		strbuf_addc(&text, '\n');
	}
	consumer_flush(c, NULL);
	fputs(text.s, stderr);
	strbuf_release(&text);
}
