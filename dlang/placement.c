#include "dlang/placement.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "base/structout.h"
#include "dlang/program.h"
#include "dlang/session.h"

void ecb_place(struct ecb *e, const struct placement *pl)
{
	e->place = *pl;
}

void probe_place(const struct probe *p, const struct placement *pl)
{
	for (struct ecb *e = p->ecbs; e; e = e->next)
		ecb_place(e, pl);
}

struct placement placement_of(const struct ecb *e)
{
	struct placement pl = e->place;

	if (pl.runs == RUNS_UNTOLD)
		pl.runs = probe_loss(e->probe) == LOSS_NONE ? RUNS_HERE : RUNS_RECORDS;
	return pl;
}

static const struct {
	const char *word, *text;
} places[NRUNS] = {
	[RUNS_HERE] = {"engine", "runs in the engine, which makes its events"},
	[RUNS_RECORDS] = {"records", "makes records"},
	[RUNS_BREAKPOINT] = {"breakpoints", "runs at breakpoints"},
	[RUNS_DECIDED] = {"decided", "makes records of what its predicate lets through"},
	[RUNS_TARGET] = {"target", "runs in the target"},
	[RUNS_TARGET_COUNT] = {"target-count", "is counted in the target"},
	[RUNS_KERNEL] = {"kernel", "is kept in the kernel"},
	[RUNS_KERNEL_COUNT] = {"kernel-count", "is counted in the kernel"},
	[RUNS_NOWHERE] = {"nowhere", "its probe cannot be enabled"},
};

void placement_text(const struct placement *pl, struct strbuf *out)
{
	strbuf_adds(out, places[pl->runs].text);
	if (pl->why)
		strbuf_addf(out, ": %s", pl->why);
	if (pl->instead)
		strbuf_addf(out, "; instead: %s", pl->instead);
}

/* ---- -x explain ---- */

/* The enablings of a clause, as it was written, that run in one place for one reason. */
struct told {
	const struct clause *clause; /* the first of its descriptions */
	struct placement place;
	const struct probe_desc *last;
	struct strbuf descs;
	unsigned nprobes;
	enum loss loss; /* of the first one's provider */
	bool is_part;	/* others of them run elsewhere */
};

struct telling {
	struct told *v;
	unsigned n;
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static struct told *told_of(struct telling *t, const struct ecb *e)
{
	const struct placement pl = placement_of(e);
	bool is_part = false;

	for (unsigned i = 0; i < t->n; i++) {
		struct told *at = &t->v[i];

		if (!clause_is_same_text(at->clause, e->clause))
			continue;
		if (at->place.runs == pl.runs && is_same_text(at->place.why, pl.why))
			return at;
		at->is_part = is_part = true;
	}
	t->v = xrealloc(t->v, (t->n + 1) * sizeof(*t->v));
	t->v[t->n] = (struct told){
		.clause = e->clause, .place = pl, .loss = probe_loss(e->probe), .is_part = is_part};
	strbuf_init(&t->v[t->n].descs);
	return &t->v[t->n++];
}

/* Pieces of a clause with `if` have each probe once more. */
static void add(struct telling *t, const struct ecb *e)
{
	struct told *to = told_of(t, e);
	const struct probe_desc *desc = e->clause->desc;
	char text[1024];

	to->nprobes++;
	if (desc == to->last)
		return;
	to->last = desc;
	strbuf_addf(&to->descs, "%s%s", to->descs.len ? "," : "",
		    probe_desc_text(desc, text, sizeof(text)));
}

static void say(struct structout *so, const char *name, const char *text)
{
	if (text)
		so_string(so, name, text, strlen(text), false);
}

/* A line of JSON. */
static void tell_json(struct session *s, const struct told *to)
{
	struct structout so;
	struct strbuf line;

	strbuf_init(&line);
	so_init(&so, &line, SO_JSON);
	so_item(&so, "");
	say(&so, "explain", "clause");
	say(&so, "description", to->descs.s);
	so_number(&so, "line", to->clause->line, false);
	so_unsigned(&so, "probes", to->nprobes, false);
	say(&so, "place", places[to->place.runs].word);
	say(&so, "why", to->place.why);
	say(&so, "instead", to->place.instead);
	so_close(&so, "");
	session_message(s, MSG_BARE, false, "%s", line.s);
	strbuf_release(&line);
}

static void tell_text(struct session *s, const struct told *to)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "explain: the clause of %s at line %d", to->descs.s, to->clause->line);
	if (to->is_part)
		strbuf_addf(&text, ", %u probe%s", to->nprobes, to->nprobes == 1 ? "" : "s");
	strbuf_adds(&text, ": ");
	placement_text(&to->place, &text);
	session_message(s, MSG_ERR, false, "%s", text.s);
	strbuf_release(&text);
}

/* Of JSON it stands in each line. */
static void tell_claim_is_off(struct session *s)
{
	session_message(
		s, MSG_ERR, false,
		"explain: -x claim=off keeps every clause in the engine: what the kernel or "
		"the target could do makes records");
}

/* Of a piece of a clause with `if`: it makes records only because another piece does, on the same
 * probe, for a reason of its own. That one is told. */
static bool follows_from_another_piece(const struct ecb *e)
{
	const struct placement pl = placement_of(e);

	if (pl.runs != RUNS_RECORDS || !pl.is_by_others)
		return false;
	for (const struct ecb *other = e->probe->ecbs; other; other = other->next) {
		const struct placement at = placement_of(other);

		if (other != e && clause_is_same_text(other->clause, e->clause) &&
		    at.runs == RUNS_RECORDS && at.why && !at.is_by_others)
			return true;
	}
	return false;
}

static void gather(struct telling *t, struct session *s)
{
	*t = (struct telling){0};
	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct ecb *e = session_ecb(s, id);

		if (!e->clause->is_error && !follows_from_another_piece(e))
			add(t, e);
	}
}

static void release(struct telling *t)
{
	for (unsigned i = 0; i < t->n; i++)
		strbuf_release(&t->v[i].descs);
	free(t->v);
}

void placements_tell(struct session *s)
{
	const int64_t how = opt(&s->options, OPT_EXPLAIN);
	struct telling t;

	if (how != EXPLAIN_ON && how != EXPLAIN_JSON)
		return;
	if (how == EXPLAIN_ON && !opt_on(&s->options, OPT_CLAIM))
		tell_claim_is_off(s);
	gather(&t, s);
	for (unsigned i = 0; i < t.n; i++) {
		if (how == EXPLAIN_JSON)
			tell_json(s, &t.v[i]);
		else
			tell_text(s, &t.v[i]);
	}
	release(&t);
}

/* ---- what was lost ---- */

#define NAMED_LOST 4

void placements_tell_lost(struct session *s)
{
	struct telling t;
	unsigned n = 0;

	if (!s->nlost_events)
		return;
	gather(&t, s);
	for (unsigned i = 0; i < t.n && n < NAMED_LOST; i++) {
		const struct told *to = &t.v[i];
		const struct placement *pl = &to->place;

		if (pl->runs != RUNS_RECORDS || !pl->why || to->loss != LOSS_KERNEL)
			continue;
		n++;
		session_message(
			s, MSG_ERR, true,
			"records were lost; they were made by the clause of %s at line %d: %s%s%s",
			to->descs.s, to->clause->line, pl->why, pl->instead ? "; instead: " : "",
			pl->instead ? pl->instead : "");
	}
	release(&t);
}
