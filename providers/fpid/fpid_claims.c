#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"

#include <errno.h>
#include <stdlib.h>

#include "dlang/offload/claim.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/gaps.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "inject/tscline.h"

#define MAX_SLEW_NS 1000000		    /* in a second */
#define SCALE_BITS  (64 - HOOK_CLOCK_SHIFT) /* of hook_line.mult */
#define SMALL_AGG   4 /* words: larger ones without keys are made when something comes */

/* A set of keys that are fixed, of one `@a[] = f()`. */
struct group {
	struct probe *probe;
	const struct ecb *ecb;
	const struct stmt *stmt;
	enum hook_aggfunc func;
	unsigned nkeys, nwords; /* as in struct hook_agg */
	uint64_t words;
	uint64_t *seen; /* of its words: handed over; NULL: its words are in entries */
};

/* What has been handed over of the entries of a block, byte by byte as they lie there. */
struct shadow {
	char *seen;
	uint64_t size;
};

/* A counter (struct fpid_lost): a word of each table, and what was added to it by now. */
struct counter {
	uint16_t id;
	uint64_t words, seen;
	_Atomic uint64_t *value;
};

struct self_cell {
	uint16_t id;
	uint32_t cell;
};

struct fpid_claims {
	struct pid_proc *pp;
	struct group *groups;
	uint32_t ngroups, groups_room;
	uint64_t next_words;
	struct shadow *shadows; /* by block */
	unsigned nshadows;
	struct counter *counters;
	unsigned ncounters;
	struct self_cell *cells;
	unsigned ncells;
	uint64_t drops; /* said so far */
	uint64_t *scratch;
	unsigned scratch_words;
	struct tscline truth;
	struct hook_line line; /* that the target goes by */
	struct target view;    /* the program that symbols are of */
};

/* ---- what native clauses need ---- */

/*
 * The line of the target's clock. Times that it has given are compared with later ones: so the next
 * line goes on where this one is now, and comes nearer to the truth within a second.
 */
static void set_line(struct fpid_claims *c, uint64_t tsc, uint64_t ns, uint64_t mult)
{
	struct hook_clock *clock = hooks_tables(c->pp->fpid->hooks)->clock;
	uint32_t next = clock->which + 1;

	c->line = (struct hook_line){tsc, ns, mult << (SCALE_BITS - TSCLINE_BITS)};
	clock->lines[next % ARRAY_SIZE(clock->lines)] = c->line;
	__atomic_store_n(&clock->which, next, __ATOMIC_RELEASE);
}

static void start_clock(struct fpid_claims *c)
{
	tscline_start(&c->truth);
	set_line(c, c->truth.now.tsc, c->truth.now.ns, c->truth.mult);
}

static void adjust_clock(struct fpid_claims *c)
{
	uint64_t tsc, ns;
	int64_t off;

	tscline_fit(&c->truth);
	tsc = c->truth.now.tsc;
	if (tsc <= c->line.tsc)
		return;
	ns = c->line.ns +
	     (uint64_t)((unsigned __int128)(tsc - c->line.tsc) * c->line.mult >> SCALE_BITS);
	off = (int64_t)(c->truth.now.ns - ns);
	off = MAX(MIN(off, MAX_SLEW_NS), -MAX_SLEW_NS);
	set_line(c, tsc, ns,
		 c->truth.mult + (uint64_t)((__int128)c->truth.mult * off / 1000000000));
}

static struct fpid_claims *need_claims(struct pid_proc *pp)
{
	if (!pp->fpid->claims) {
		pp->fpid->claims = xcalloc(1, sizeof(*pp->fpid->claims));
		pp->fpid->claims->pp = pp;
		pp->fpid->claims->next_words = HOOK_TABLE_HEAD;
		pp->fpid->claims->view =
			(struct target){.pid = pp->pid, .aspace = proc_target(pp->proc)->aspace};
		start_clock(pp->fpid->claims);
	}
	return pp->fpid->claims;
}

void fpid_claims_free(struct fpid_claims *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->ngroups; i++)
		free(c->groups[i].seen);
	for (unsigned i = 0; i < c->nshadows; i++)
		free(c->shadows[i].seen);
	free(c->groups);
	free(c->shadows);
	free(c->counters);
	free(c->cells);
	free(c->scratch);
	free(c);
}

int fpid_claims_tid_cell(struct fpid_claims *c)
{
	uint32_t cell;
	int r = hooks_own_cell(c->pp->fpid->hooks, true, &cell, NULL);

	return r ? r : (int)cell;
}

int fpid_claims_self_cell(struct fpid_claims *c, uint16_t id)
{
	uint32_t cell;
	int r;

	for (unsigned i = 0; i < c->ncells; i++)
		if (c->cells[i].id == id)
			return (int)c->cells[i].cell;
	r = hooks_own_cell(c->pp->fpid->hooks, false, &cell, NULL);
	if (r)
		return r;
	c->cells = xrealloc(c->cells, (c->ncells + 1) * sizeof(*c->cells));
	c->cells[c->ncells++] = (struct self_cell){id, cell};
	return (int)cell;
}

/* Words of each table, at a fixed place. */
static int take_words(struct fpid_claims *c, unsigned nwords, uint64_t *place)
{
	uint64_t end = c->next_words + nwords * sizeof(uint64_t);

	if (end > hooks_tables(c->pp->fpid->hooks)->words)
		return -ENOSPC;
	*place = c->next_words;
	c->next_words = end;
	return 0;
}

int fpid_claims_counter(struct fpid_claims *c, uint16_t id, uint64_t *place)
{
	struct counter counter = {.id = id};
	int r;

	for (unsigned i = 0; i < c->ncounters; i++)
		if (c->counters[i].id == id) {
			*place = c->counters[i].words;
			return 0;
		}
	counter.value = fpid_counter_value(c->pp->pw->session, id);
	r = counter.value ? take_words(c, 1, &counter.words) : -ENOSPC;
	if (r)
		return r;
	*place = counter.words;
	c->counters = xrealloc(c->counters, (c->ncounters + 1) * sizeof(*c->counters));
	c->counters[c->ncounters++] = counter;
	return 0;
}

static unsigned words_of(const struct aggvar *var, enum hook_aggfunc func)
{
	switch (func) {
	case HOOK_AGG_SUM:
	case HOOK_AGG_MIN:
	case HOOK_AGG_MAX:
		return 2; /* how many, in front */
	default:
		return var->nwords;
	}
}

static bool names_probe(uint32_t insn)
{
	return DIF_OP(insn) == DIF_OP_LDGS && fpid_is_text_builtin(DIF_GETINDEX(insn)) &&
	       DIF_GETINDEX(insn) != BUILTIN_EXECNAME;
}

/* Are all keys the same for all probes? */
static bool is_common(const struct stmt *st)
{
	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];
		const struct difo *d = act->kind == ACT_AGGKEY ? act->difo : NULL;
		bool is_fixed = d && aggkey_is_fixed(act, CLAIM_ONE_PROCESS);

		for (unsigned k = 0; d && k < d->ninsns; k++)
			if (is_fixed ? DIF_OP(d->text[k]) == DIF_OP_LDGS : names_probe(d->text[k]))
				return false;
	}
	return true;
}

static unsigned dynamic_keys(const struct stmt *st)
{
	unsigned n = 0;

	for (unsigned i = 0; i < st->nacts; i++)
		n += st->acts[i].kind == ACT_AGGKEY &&
		     !aggkey_is_fixed(&st->acts[i], CLAIM_ONE_PROCESS);
	return n;
}

static struct group *find_group(struct fpid_claims *c, struct probe *p, const struct stmt *st)
{
	bool common = is_common(st);

	/* a probe's returns follow each other; what is common to all is there early */
	for (uint32_t i = 0; i < c->ngroups && common; i++)
		if (c->groups[i].stmt == st)
			return &c->groups[i];
	for (uint32_t i = c->ngroups; i-- > 0 && c->groups[i].probe == p;)
		if (c->groups[i].stmt == st)
			return &c->groups[i];
	return NULL;
}

static struct group *new_group(struct fpid_claims *c)
{
	if (c->ngroups == c->groups_room) {
		c->groups_room = MAX(2 * c->groups_room, 64);
		c->groups = xrealloc(c->groups, c->groups_room * sizeof(*c->groups));
	}
	return &c->groups[c->ngroups++];
}

static int place_group(struct fpid_claims *c, struct group *g)
{
	if (g->nkeys || (g->nwords > SMALL_AGG && !is_common(g->stmt)))
		return 0;
	if (take_words(c, g->nwords, &g->words))
		return -ENOSPC;
	g->seen = xcalloc(g->nwords, sizeof(*g->seen));
	return 0;
}

int fpid_claims_group(struct fpid_claims *c, const struct fpid_claim *claim, const struct ecb *ecb,
		      const struct stmt *st, struct hook_agg *out)
{
	const struct aggvar *var = st->aggs[0];
	struct group *g = find_group(c, claim->site->probe->probe, st);

	if (!g) {
		g = new_group(c);
		*g = (struct group){.probe = claim->site->probe->probe, .ecb = ecb, .stmt = st};
		if (!fpid_agg_func(var->func, &g->func))
			return -EINVAL;
		g->nkeys = dynamic_keys(st);
		g->nwords = words_of(var, g->func);
		if (place_group(c, g)) {
			c->ngroups--;
			return -ENOSPC;
		}
	}
	*out = (struct hook_agg){.func = g->func,
				 .group = (uint32_t)(g - c->groups),
				 .nkeys = g->nkeys,
				 .nwords = g->nwords,
				 .words = g->words};
	memcpy(out->params, var->params, sizeof(out->params));
	return 0;
}

struct claiming {
	struct fpid_claims *claims;
	const struct fpid_claim *claim;
};

static int write_clause(void *arg, struct native_clause *p)
{
	const struct claiming *cl = arg;

	return fpid_write_clause(cl->claims, cl->claim, p);
}

int fpid_claim(struct pid_site *site, struct hook_point *point, const struct fpid_point *at,
	       struct err *err)
{
	const struct fpid_claim claim = {site, *at};
	struct hooks *h = site->proc->fpid->hooks;
	struct claiming cl = {need_claims(site->proc), &claim};

	return hooks_clause_at(h, point, write_clause, &cl, err);
}

/* ---- breakpoints ---- */

static void begin_thread(struct thread *t, void *arg)
{
	const struct fpid_claims *c = arg;
	const struct event ev = {
		.target = proc_target(c->pp->proc), .pid = c->pp->pid, .tid = thread_tid(t)};

	for (unsigned i = 0; i < c->ncells; i++) {
		uint64_t *cell = hooks_cell_of(c->pp->fpid->hooks, ev.tid, c->cells[i].cell);

		if (cell)
			*cell = event_self(c->pp->pw->session, &ev, c->cells[i].id);
	}
}

void fpid_claims_begin(struct fpid_claims *c)
{
	proc_each_thread(c->pp->proc, begin_thread, c);
}

void fpid_claims_hit(struct pid_proc *pp, const struct event *ev)
{
	const struct fpid_claims *c = pp->fpid->claims;
	struct session *s = ev->probe->session;
	uint64_t *cell;

	for (unsigned i = 0; i < c->ncells; i++)
		if ((cell = hooks_cell_of(pp->fpid->hooks, ev->tid, c->cells[i].cell)))
			event_set_self(s, ev, c->cells[i].id, *cell);
	event_fire(s, ev);
	for (unsigned i = 0; i < c->ncells; i++)
		if ((cell = hooks_cell_of(pp->fpid->hooks, ev->tid, c->cells[i].cell)))
			*cell = event_self(s, ev, c->cells[i].id);
}

/* ---- what was aggregated ---- */

static bool is_extreme(const struct group *g)
{
	return g->func == HOOK_AGG_MIN || g->func == HOOK_AGG_MAX;
}

static unsigned __int128 wide(const uint64_t *w)
{
	return (unsigned __int128)w[1] << 64 | w[0];
}

static void put_wide(uint64_t *w, unsigned __int128 v)
{
	w[0] = (uint64_t)v;
	w[1] = (uint64_t)(v >> 64);
}

/* Adds the words that one thread keeps to `now`; an extreme is taken away. */
static void add_words(const struct group *g, uint64_t *words, uint64_t *now)
{
	uint64_t w[4] = {0};

	for (unsigned i = 0; i < g->nwords; i++) {
		bool is_taken = is_extreme(g) && i == 1;
		uint64_t *word = &words[i];
		uint64_t v = is_taken ? __atomic_exchange_n(word, 0, __ATOMIC_RELAXED)
				      : __atomic_load_n(word, __ATOMIC_RELAXED);

		if (is_taken)
			now[i] = MAX(now[i], v);
		else if (g->func == HOOK_AGG_STDDEV && i >= 2)
			w[i] = v;
		else
			now[i] += v;
	}
	if (g->func == HOOK_AGG_STDDEV)
		put_wide(&now[2], wide(&now[2]) + wide(&w[2]));
}

/* now becomes what is new in it, and seen what it was. */
static void subtract_seen(const struct group *g, uint64_t *now, uint64_t *seen)
{
	unsigned __int128 squares = 0;

	if (g->func == HOOK_AGG_STDDEV) {
		squares = wide(&now[2]) - wide(&seen[2]);
		memcpy(&seen[2], &now[2], 2 * sizeof(*seen));
	}
	for (unsigned i = 0; i < g->nwords; i++) {
		uint64_t was = seen[i];

		if (is_extreme(g) && i == 1)
			continue;
		seen[i] = now[i];
		now[i] -= was;
	}
	if (g->func == HOOK_AGG_STDDEV)
		put_wide(&now[2], squares);
}

static uint64_t times_of(const struct group *g, const uint64_t *news)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < (g->stmt->aggs[0]->func->hist ? g->nwords : 1); i++)
		n += news[i];
	return n;
}

/* The keys of an entry, sorted: numbers, and texts that were chosen. */
struct keys {
	uint64_t numbers[HOOK_KEYS_MAX];
	struct claimed_text texts[HOOK_KEYS_MAX];
	unsigned nnumbers, ntexts;
};

/* False: no clause of ours has made them. */
static bool sort_keys(const struct fpid_claims *c, const struct group *g, const uint64_t *words,
		      struct keys *out)
{
	out->nnumbers = out->ntexts = 0;
	for (unsigned i = 0; i < g->stmt->nacts; i++) {
		const struct action *act = &g->stmt->acts[i];
		struct claimed_text *text = &out->texts[out->ntexts];

		if (act->kind != ACT_AGGKEY || aggkey_is_fixed(act, CLAIM_ONE_PROCESS))
			continue;
		if (act->rec.kind != REC_STRING) {
			out->numbers[out->nnumbers++] = *words++;
			continue;
		}
		text->key = act;
		text->text = fpid_chosen_text(act->difo, *words++, g->probe, &c->pp->fpid->task);
		if (!text->text)
			return false;
		out->ntexts++;
	}
	return true;
}

static void hand_over(struct fpid_claims *c, const struct group *g, const struct keys *keys,
		      uint64_t *news)
{
	struct event ev = {.probe = g->probe,
			   .target = &c->view,
			   .pid = c->pp->pid,
			   .tid = c->pp->pid,
			   .task = &c->pp->fpid->task};
	struct claimed claimed = {.ecb = g->ecb,
				  .stmt = g->stmt,
				  .keys = keys->numbers,
				  .texts = keys->texts,
				  .ntexts = keys->ntexts,
				  .data = news,
				  .times = times_of(g, news)};

	if (!claimed.times && !(is_extreme(g) && news[1]))
		return;
	if (g->func == HOOK_AGG_MIN)
		news[1] = (uint64_t)INT64_MAX - news[1];
	else if (g->func == HOOK_AGG_MAX)
		news[1] += (uint64_t)INT64_MIN;
	if (g->func == HOOK_AGG_SUM || is_extreme(g))
		claimed.data = &news[1];
	event_merge(g->probe->session, &ev, &claimed);
}

static uint64_t *zeros(struct fpid_claims *c, unsigned nwords)
{
	if (c->scratch_words < nwords) {
		c->scratch = xrealloc(c->scratch, nwords * sizeof(*c->scratch));
		c->scratch_words = nwords;
	}
	memset(c->scratch, 0, nwords * sizeof(*c->scratch));
	return c->scratch;
}

static char *table_at(const struct fpid_claims *c, unsigned block)
{
	uint64_t room;

	return hooks_table(c->pp->fpid->hooks, block, &room);
}

static void collect_group(struct fpid_claims *c, unsigned nblocks, struct group *g)
{
	uint64_t *now = zeros(c, g->nwords);
	const struct keys none = {.ntexts = 0};

	for (unsigned i = 1; i < nblocks; i++)
		add_words(g, (uint64_t *)(void *)(table_at(c, i) + g->words), now);
	subtract_seen(g, now, g->seen);
	hand_over(c, g, &none, now);
}

static struct shadow *shadow_of(struct fpid_claims *c, unsigned block, uint64_t used)
{
	struct shadow *sh;

	if (block >= c->nshadows) {
		c->shadows = xrealloc(c->shadows, (block + 1) * sizeof(*c->shadows));
		memset(c->shadows + c->nshadows, 0,
		       (block + 1 - c->nshadows) * sizeof(*c->shadows));
		c->nshadows = block + 1;
	}
	sh = &c->shadows[block];
	if (sh->size < used) {
		uint64_t size = MAX(2 * sh->size, used);

		sh->seen = xrealloc(sh->seen, size);
		memset(sh->seen + sh->size, 0, size - sh->size);
		sh->size = size;
	}
	return sh;
}

/*
 * The entries of one thread. The program can write there: what does not look as the hook has made
 * it ends the walk. One that is being made has no group yet, nor a size.
 */
static void collect_entries(struct fpid_claims *c, const struct hooks_tables *t, unsigned block)
{
	uint64_t room;
	char *table = hooks_table(c->pp->fpid->hooks, block, &room);
	char *entries = table + t->words + HOOK_ENTRIES;
	uint64_t used = MIN(__atomic_load_n((uint64_t *)(void *)table, __ATOMIC_RELAXED), room);

	for (uint64_t at = 0; at + sizeof(struct hook_entry) <= used;) {
		struct hook_entry *e = (void *)(entries + at);
		uint32_t group = __atomic_load_n(&e->group, __ATOMIC_ACQUIRE) - 1;
		uint64_t words[HOOK_KEYS_MAX], size, *now;
		struct keys keys;
		const struct group *g;
		const struct shadow *sh;

		if (group >= c->ngroups)
			return;
		g = &c->groups[group];
		size = ROUND_UP(sizeof(*e) + 8 * ((uint64_t)g->nkeys + g->nwords),
				HOOK_ENTRY_ALIGN);
		if (g->seen || size > used - at)
			return;
		sh = shadow_of(c, block, at + size); /* of what is there, not of what is claimed */
		memcpy(words, e + 1, g->nkeys * sizeof(*words));
		if (!sort_keys(c, g, words, &keys))
			return;
		now = zeros(c, g->nwords);
		add_words(g, (uint64_t *)(void *)(e + 1) + g->nkeys, now);
		subtract_seen(g, now, (uint64_t *)(void *)(sh->seen + at));
		hand_over(c, g, &keys, now);
		at += size;
	}
}

/* Nobody knows which: of each aggregation so many may be missing. */
static void lose_values(const struct fpid_claims *c, uint64_t n)
{
	const struct aggvar *last = NULL;

	for (uint32_t i = 0; i < c->ngroups; i++) {
		const struct group *g = &c->groups[i];

		if (g->seen || g->stmt->aggs[0] == last)
			continue;
		last = g->stmt->aggs[0];
		session_lose_hits(g->probe, g->ecb, n);
	}
}

static void collect_drops(struct fpid_claims *c, unsigned nblocks)
{
	struct session *s = c->pp->pw->session;
	uint64_t n = 0;

	for (unsigned i = 1; i < nblocks; i++) {
		const struct hook_table *ht = (void *)table_at(c, i);

		n += __atomic_load_n(&ht->drops, __ATOMIC_RELAXED);
	}
	atomic_fetch_add_explicit(&s->agg_drops[0], n - c->drops, memory_order_relaxed);
	if (n != c->drops)
		lose_values(c, n - c->drops);
	c->drops = n;
}

static void fetch(const struct fpid_claims *c, unsigned nblocks, struct counter *counter)
{
	uint64_t now = 0;

	for (unsigned i = 1; i < nblocks; i++)
		now += __atomic_load_n((uint64_t *)(void *)(table_at(c, i) + counter->words),
				       __ATOMIC_RELAXED);
	atomic_fetch_add_explicit(counter->value, now - counter->seen, memory_order_relaxed);
	counter->seen = now;
}

void fpid_claims_fetch(struct pid_proc *pp)
{
	struct fpid_claims *c = pp->fpid ? pp->fpid->claims : NULL;
	unsigned nblocks;

	if (!c || !c->ncounters || !hooks_tables(pp->fpid->hooks))
		return;
	hooks_look(pp->fpid->hooks);
	nblocks = hooks_nblocks(pp->fpid->hooks);
	for (unsigned i = 0; i < c->ncounters; i++)
		fetch(c, nblocks, &c->counters[i]);
}

void fpid_claims_collect(struct pid_proc *pp)
{
	struct fpid_claims *c = pp->fpid->claims;
	const struct hooks_tables *t = c ? hooks_tables(pp->fpid->hooks) : NULL;
	unsigned nblocks;

	if (!t)
		return;
	adjust_clock(c);
	nblocks = hooks_nblocks(pp->fpid->hooks);
	for (unsigned i = 0; i < c->ncounters; i++)
		fetch(c, nblocks, &c->counters[i]);
	for (uint32_t i = 0; i < c->ngroups; i++)
		if (c->groups[i].seen)
			collect_group(c, nblocks, &c->groups[i]);
	for (unsigned i = 1; i < nblocks; i++)
		collect_entries(c, t, i);
	collect_drops(c, nblocks);
}
