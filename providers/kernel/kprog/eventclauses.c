#include "providers/kernel/kprog/eventclauses.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/kernel/kprog/clauseset.h"

struct event_clauses {
	struct bpf_probes *of;
	const struct event_row *rows;
	struct clause_unit units[CLAUSESET_UNITS];
	const char *events[CLAUSESET_UNITS];
	struct clause_source source;
	struct clause_set *set;
	void (*prepare)(void *arg); /* the provider's own */
	bpf_loaded_fn *loaded;
	void *prepare_arg;
	struct bpf_word words[]; /* of both kinds */
};

enum { GATHERED = 1024 }; /* events that are told at once */

/* A map of a unit's program. */
static struct bpf_map *map_of(const struct event_clauses *ec, unsigned unit, const char *which)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", ec->rows[unit].calls, which);
	return bpf_object__find_map_by_name(ec->of->opened, name);
}

/* NULL: it tells of one event at a time. */
static const char *gathering_of(const struct bpf_probes *bp, unsigned unit)
{
	return bp->gathering ? bp->gathering[unit] : NULL;
}

static bool owns(void *arg, const struct probe *p)
{
	const struct event_clauses *ec = arg;

	for (unsigned row = 0; row < ec->of->nrows; row++)
		if (ec->of->probes[row] == p)
			return true;
	return false;
}

/* ---- texts ---- */

/* Is it a key that is a text of the record? *off: of which. */
static bool key_is_text(const struct probe *p, const struct action *act, uint64_t *off)
{
	struct derived d;

	if (act->kind != ACT_AGGKEY || !act->difo || !derived_of(p, act->difo, &d) || d.n != 1 ||
	    d.v[0].size)
		return false;
	*off = (uint64_t)d.v[0].off;
	return true;
}

static const struct bpf_word *find_text(const struct bpf_word *words, unsigned n,
					const struct probe *p, uint64_t off)
{
	for (unsigned i = 0; i < n; i++)
		if (words[i].rows & 1U << bpf_probes_row(p) && words[i].off == off &&
		    words[i].is_member && !words[i].size && !words[i].is_tail)
			return &words[i];
	return NULL;
}

/* Has the clause a text as key that is interned, or, with `alone`, of which nothing else is known?
 */
static bool asks_interned(const struct event_clauses *ec, const struct clause *c,
			  const struct probe *p, bool alone)
{
	const struct bpf_probes *bp = ec->of;
	const struct bpf_word *w;
	uint64_t off;

	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned k = 0; k < c->stmts[i].nacts; k++) {
			if (!key_is_text(p, &c->stmts[i].acts[k], &off))
				continue;
			w = find_text(bp->clause_words, bp->nclause_words, p, off);
			if (w && w->is_interned &&
			    !(alone && find_text(bp->words, bp->nwords, p, off)))
				return true;
		}
	return false;
}

static bool row_asks_interned(const struct event_clauses *ec, const struct probe *p)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (asks_interned(ec, e->clause, p, false))
			return true;
	return false;
}

/* By words that are not known of each event: the others are records. */
static bool counts_partly(void *arg, const struct clause *c)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		if (asks_interned(arg, c, c->probes[i], true))
			return false;
	return clause_set_counts(NULL, c);
}

static bool counts_none(void *arg UNUSED, const struct clause *c UNUSED)
{
	return false;
}

static const char *refuses(void *arg, const struct session *s, const struct clause *c)
{
	const struct event_clauses *ec = arg;
	const char *why = NULL;

	for (unsigned i = 0; i < c->nprobes && !why; i++) {
		const unsigned bit = 1U << bpf_probes_row(c->probes[i]);
		bool is_seen = false;

		for (unsigned at = 0; at < ec->source.nunits && !why; at++) {
			struct clause_unit u = ec->units[at];

			if (!(u.rows & bit & ~ec->of->unclaimed))
				continue;
			is_seen = true;
			u.session = s;
			u.rows = bit;
			why = clausecode_refuses(&u, c);
		}
		if (!is_seen)
			why = WHY(ROWS);
	}
	return why;
}

/* The object is loaded: its maps are there. */
static int prepare(void *arg, struct clause_set *set)
{
	struct event_clauses *ec = arg;
	const struct bpf_probes *bp = ec->of;

	for (unsigned i = 0; i < set->nunits; i++) {
		set->units[i].events_fd = bpf_map__fd(map_of(ec, i, "event"));
		if (gathering_of(bp, i))
			set->units[i].again_fd = bpf_map__fd(map_of(ec, i, "again"));
		if (set->units[i].events_fd < 0 || set->units[i].again_fd < 0)
			return -ENOENT;
	}
	for (unsigned row = 0; row < bp->nrows; row++)
		if (bp->probes[row] && clause_set_has(set, bp->probes[row]))
			clause_set_row(set, row, bp->probes[row]);
	bpf_counter_interned(set->counter, bp->interned, ec->prepare_arg);
	return 0;
}

/* All is enabled, and the object is not loaded yet. */
static void find(void *arg)
{
	struct event_clauses *ec = arg;
	const struct bpf_probes *bp = ec->of;

	if (ec->prepare)
		ec->prepare(ec->prepare_arg);
	ec->set = clause_set_find(bp->session, bp->bpf, &ec->source);
	for (unsigned row = 0; row < bp->nrows && ec->set; row++)
		if (bp->probes[row] && clause_set_has(ec->set, bp->probes[row])) {
			bp->wants->clauses |= 1U << row;
			if (row_asks_interned(ec, bp->probes[row]))
				bp->wants->interned |= 1U << row;
		}
	if (bp->wants->interned && bp->make_room)
		bp->make_room(ec->prepare_arg);
	for (unsigned i = 0; i < ec->source.nunits; i++)
		if (gathering_of(bp, i) && bp->wants->clauses & ec->rows[i].rows)
			bpf_map__set_max_entries(map_of(ec, i, "event"), GATHERED);
}

/* What is called when the events that a map has room for are done. */
static int set_again(const struct event_clauses *ec, unsigned unit, const char *name)
{
	const int program = bpf_program__fd(bpf_object__find_program_by_name(ec->of->opened, name));
	const uint32_t zero = 0;

	return bpf_map_update_elem(bpf_map__fd(map_of(ec, unit, "again")), &zero, &program,
				   BPF_ANY) < 0
		       ? -errno
		       : 0;
}

/* Each has its program before any is called. */
static int set_programs(const struct event_clauses *ec)
{
	const uint32_t zero = 0;
	int rc;

	for (unsigned i = 0; i < ec->set->nunits; i++) {
		const int calls = bpf_map(ec->of->bpf, ec->of->object, ec->rows[i].calls);

		if (!ec->set->units[i].n)
			continue;
		rc = gathering_of(ec->of, i) ? set_again(ec, i, gathering_of(ec->of, i)) : 0;
		if (rc < 0)
			return rc;
		if (bpf_map_update_elem(calls, &zero, &ec->set->prog_fds[i], BPF_ANY) < 0)
			return -errno;
	}
	return 0;
}

/* Each place that its map has; the first one last, as programs look there first, and those that
 * gather events nowhere else. */
static int switch_places(const struct event_clauses *ec, unsigned unit,
			 const struct bpf_clause_event *v)
{
	const uint32_t n = bpf_map__max_entries(map_of(ec, unit, "event"));

	for (uint32_t at = gathering_of(ec->of, unit) ? 1 : n; at-- > 0;)
		if (bpf_map_update_elem(ec->set->units[unit].events_fd, &at, v, BPF_ANY) < 0)
			return -errno;
	return 0;
}

static int switch_on(const struct event_clauses *ec)
{
	const int ncpus = libbpf_num_possible_cpus();
	struct bpf_clause_event *v = xcalloc((size_t)MAX(ncpus, 1), sizeof(*v));
	int rc = ncpus < 0 ? ncpus : 0;

	for (int i = 0; i < ncpus; i++)
		v[i].is_on = 1;
	for (unsigned i = 0; i < ec->set->nunits && rc == 0; i++)
		if (ec->set->units[i].n)
			rc = switch_places(ec, i, v);
	free(v);
	return rc;
}

/* Clauses that cannot be loaded make records. */
static int load(void *arg, struct err *err)
{
	struct event_clauses *ec = arg;
	int rc = ec->loaded ? ec->loaded(ec->prepare_arg, err) : 0;

	if (rc < 0)
		return rc;
	if (ec->set)
		ec->set = clause_set_load(ec->set, &ec->source);
	if (ec->set && (set_programs(ec) < 0 || switch_on(ec) < 0)) {
		clause_set_free(ec->set);
		ec->set = NULL;
	}
	return 0;
}

static void collect(void *arg)
{
	clause_set_collect(((struct event_clauses *)arg)->set);
}

static void release(void *arg)
{
	struct event_clauses *ec = arg;

	clause_set_free(ec->set);
	free(ec);
}

static bool is_packet(const struct event_row *row)
{
	return row->event && strncmp(row->event, "cgroup_skb/", 11) == 0;
}

void event_clauses_use(struct bpf_probes *bp, const struct event_row *rows, unsigned n)
{
	const unsigned nwords = bp->words_are_partial ? 0 : bp->nwords;
	struct event_clauses *ec;

	if (bp->release)
		return;
	ec = xcalloc(1, sizeof(*ec) + (nwords + bp->nclause_words) * sizeof(*ec->words));
	ec->of = bp;
	ec->rows = rows;
	for (unsigned i = 0; i < bp->nclause_words; i++)
		ec->words[i] = bp->clause_words[i];
	for (unsigned i = 0; i < nwords; i++)
		ec->words[bp->nclause_words + i] = bp->words[i];
	for (unsigned i = 0; i < n; i++) {
		ec->events[i] = rows[i].event;
		ec->units[i] = (struct clause_unit){
			.kind = rows[i].is_own ? CLAUSES_OF_OWN : CLAUSES_OF_EVENTS,
			.rows = rows[i].rows,
			.last = bp->last,
			.is_packet = is_packet(&rows[i]),
			.gathers = gathering_of(bp, i) != NULL,
			.has_stack = !is_packet(&rows[i]) && rows[i].rows & bp->here,
			.probes = bp->probes,
			.words = ec->words,
			.nwords = nwords + bp->nclause_words};
	}
	ec->source = (struct clause_source){.owns = owns,
					    .events = ec->events,
					    .units = ec->units,
					    .nunits = n,
					    .refuses = refuses,
					    .counts = bp->counts_nothing      ? counts_none
						      : bp->words_are_partial ? counts_partly
									      : NULL,
					    .prepare = prepare,
					    .arg = ec};
	ec->prepare = bp->prepare;
	ec->loaded = bp->loaded;
	ec->prepare_arg = bp->loaded_arg;
	bp->prepare = find;
	bp->loaded = load;
	bp->collect = collect;
	bp->release = release;
	bp->loaded_arg = ec;
}
