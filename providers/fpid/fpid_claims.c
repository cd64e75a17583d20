#include "providers/fpid/fpid_claims_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/group.h"
#include "dlang/osinfo/osinfo.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

#define MAX_SLEW_NS 1000000		    /* in a second */
#define SCALE_BITS  (64 - HOOK_CLOCK_SHIFT) /* of hook_line.mult */
#define SMALL_AGG   4 /* words: larger ones without keys are made when something comes */

/* ---- what native clauses need ---- */

/* What is set back stands until it is there again, as that of the engine does. */
static void fit_wall(struct hook_wall *w)
{
	int64_t offset = osinfo_wall_offset_ns();

	if (offset < w->offset)
		w->floor = MAX(w->floor, now_mono() + (uint64_t)w->offset);
	w->offset = offset;
}

/*
 * The line of the target's clock. Times that it has given are compared with later ones: so the next
 * line goes on where this one is now, and comes nearer to the truth within a second.
 */
static void set_line(struct fpid_claims *c, uint64_t tsc, uint64_t ns, uint64_t mult)
{
	struct hook_clock *clock = hooks_tables(c->pp->fpid->hooks)->clock;
	uint32_t next = clock->which + 1;

	fit_wall(&c->wall);
	clock->walls[next % ARRAY_SIZE(clock->walls)] = c->wall;
	c->line = (struct hook_line){tsc, ns, mult << (SCALE_BITS - TSCLINE_BITS)};
	clock->lines[next % ARRAY_SIZE(clock->lines)] = c->line;
	__atomic_store_n(&clock->which, next, __ATOMIC_RELEASE);
}

static void start_clock(struct fpid_claims *c)
{
	tscline_start(&c->truth);
	c->wall.offset = osinfo_wall_offset_ns();
	set_line(c, c->truth.now.tsc, c->truth.now.ns, c->truth.mult);
}

void fpid_claims_adjust_clock(struct fpid_claims *c)
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
	fpid_report_cut(c->pp, c->ncut);
	fpid_globals_free(c);
	for (unsigned i = 0; i < c->ngroups; i++)
		free(c->groups[i].seen);
	for (unsigned i = 0; i < c->nshadows; i++)
		free(c->shadows[i].seen);
	free(c->groups);
	free(c->shadows);
	free(c->counters);
	for (unsigned i = 0; i < c->ncells; i++)
		free(c->cells[i].key);
	free(c->cells);
	free(c->arrays);
	free(c->scratch);
	free(c);
}

int fpid_claims_tid_cell(struct fpid_claims *c)
{
	uint32_t cell;
	int r = hooks_own_cell(c->pp->fpid->hooks, true, &cell, NULL);

	return r ? r : (int)cell;
}

static bool is_key(const struct claim_cell *cell, const struct fpid_key *key)
{
	if (!cell->key || !key)
		return cell->key == key;
	return cell->key->n == key->n &&
	       !memcmp(cell->key->words, key->words, key->n * sizeof(*key->words));
}

static const struct claim_cell *find_cell(const struct fpid_claims *c, uint16_t id,
					  const struct fpid_key *key)
{
	for (unsigned i = c->ncells; i-- > 0;) /* one after the other asks for its own */
		if (c->cells[i].id == id && is_key(&c->cells[i], key))
			return &c->cells[i];
	return NULL;
}

static int need_cell(struct fpid_claims *c, uint16_t id, const struct fpid_key *key)
{
	const struct claim_cell *there = find_cell(c, id, key);
	struct claim_cell cell = {.id = id};
	int r;

	if (there)
		return (int)there->cell;
	r = hooks_own_cell(c->pp->fpid->hooks, false, &cell.cell, NULL);
	if (r)
		return r;
	if (key) {
		cell.key = xcalloc(1, sizeof(*key));
		*cell.key = *key;
	}
	c->cells = xrealloc(c->cells, (c->ncells + 1) * sizeof(*c->cells));
	c->cells[c->ncells++] = cell;
	return (int)cell.cell;
}

int fpid_claims_self_cell(struct fpid_claims *c, uint16_t id)
{
	return need_cell(c, id, NULL);
}

int fpid_claims_element_cell(struct fpid_claims *c, uint16_t id, const struct fpid_key *key)
{
	c->has_elements = true;
	return need_cell(c, id, key);
}

int fpid_claims_random_cell(struct fpid_claims *c)
{
	int r = c->has_random ? 0 : hooks_own_cell(c->pp->fpid->hooks, false, &c->random, NULL);

	c->has_random = !r;
	return r ? r : (int)c->random;
}

int fpid_claims_take_words(struct fpid_claims *c, uint64_t nwords, unsigned align, uint64_t *place)
{
	uint64_t start = ROUND_UP(c->next_words, align), end = start + nwords * sizeof(uint64_t);

	if (end > hooks_tables(c->pp->fpid->hooks)->words)
		return -ENOSPC;
	*place = start;
	c->next_words = end;
	return 0;
}

static int take_words(struct fpid_claims *c, unsigned nwords, uint64_t *place)
{
	return fpid_claims_take_words(c, nwords, sizeof(uint64_t), place);
}

int fpid_claims_counter(struct fpid_claims *c, uint16_t id, uint64_t *place)
{
	struct claim_counter counter = {.id = id};
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

static int need_rooms(struct fpid_claims *c, unsigned nwords, uint64_t *rooms)
{
	int r = 0;

	if (c->rooms_words < nwords)
		r = take_words(c, HOOK_ROOMS * nwords, &c->rooms);
	if (r)
		return r;
	c->rooms_words = MAX(c->rooms_words, nwords);
	*rooms = HOOK_ROOMS_AT(c->rooms, c->rooms_words);
	return 0;
}

int fpid_claims_stack(struct fpid_claims *c, unsigned frames, uint64_t *what)
{
	int r = need_rooms(c, HOOK_STACK_ROOM(frames), what);

	c->has_stacks = true;
	*what |= r ? 0 : frames - 1;
	return r;
}

int fpid_claims_text(struct fpid_claims *c, unsigned chars, uint64_t *rooms)
{
	return need_rooms(c, HOOK_TEXT_ROOM(chars), rooms);
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

static bool has_stack(const struct stmt *st)
{
	for (unsigned i = 0; i < st->nacts; i++)
		if (st->acts[i].kind == ACT_AGGKEY && st->acts[i].rec.kind == REC_USTACK)
			return true;
	return false;
}

static struct claim_group *find_group(struct fpid_claims *c, struct probe *p, const struct stmt *st,
				      taddr_t pc)
{
	bool common = !pc && is_common(st);

	/* a probe's returns follow each other; what is common to all is there early */
	for (uint32_t i = 0; i < c->ngroups && common; i++)
		if (c->groups[i].stmt == st)
			return &c->groups[i];
	for (uint32_t i = c->ngroups; i-- > 0 && c->groups[i].probe == p;)
		if (c->groups[i].stmt == st && c->groups[i].pc == pc)
			return &c->groups[i];
	return NULL;
}

static struct claim_group *new_group(struct fpid_claims *c)
{
	if (c->ngroups == c->groups_room) {
		c->groups_room = MAX(2 * c->groups_room, 64);
		c->groups = xrealloc(c->groups, c->groups_room * sizeof(*c->groups));
	}
	return &c->groups[c->ngroups++];
}

static int place_group(struct fpid_claims *c, struct claim_group *g)
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
	const struct pid_site *site = claim->site;
	taddr_t pc = has_stack(st) ? site->addr + site->mod->bias + (taddr_t)claim->at.off : 0;
	struct claim_group *g = find_group(c, site->probe->probe, st, pc);

	if (!g) {
		g = new_group(c);
		*g = (struct claim_group){
			.probe = site->probe->probe, .ecb = ecb, .stmt = st, .pc = pc};
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

static bool is_text_cell(const struct fpid_claims *c, const struct claim_cell *cell)
{
	const struct varslot *slot =
		vars_slot(c->pp->pw->session->engine->vars, DIF_SCOPE_SELF, cell->id);

	return !cell->key && slot->is_string;
}

/* Here it is NULL then (struct ecb_part). One that is as it was keeps its number. */
static void take_text_over(struct fpid_claims *c, const struct event *ev, uint16_t id,
			   uint64_t *number)
{
	struct session *s = c->pp->pw->session;
	const char *text = event_self_text(s, ev, id);
	char was[FPID_TEXT_MAX + 1];

	if (!text)
		*number = 0;
	else if (!fpid_claims_read_text(c, ev->tid, *number, was) || strcmp(was, text) != 0)
		*number = fpid_claims_make_text(c, ev->tid, text);
	if (text && !*number)
		atomic_fetch_add_explicit(&s->drops[DROP_DYNAMIC], 1, memory_order_relaxed);
	event_set_self_text(s, ev, id, NULL);
}

static void bring_text_back(struct fpid_claims *c, const struct event *ev, uint16_t id,
			    uint64_t number)
{
	char text[FPID_TEXT_MAX + 1];
	bool is_there = fpid_claims_read_text(c, ev->tid, number, text);

	event_set_self_text(c->pp->pw->session, ev, id, is_there ? text : NULL);
}

static void take_over(struct fpid_claims *c, const struct event *ev, const struct claim_cell *cell)
{
	struct session *s = c->pp->pw->session;
	uint64_t *at = hooks_cell_of(c->pp->fpid->hooks, ev->tid, cell->cell);
	const struct dynvar_array a = {DIF_SCOPE_SELF, cell->id};

	if (at && is_text_cell(c, cell))
		take_text_over(c, ev, cell->id, at);
	else if (at)
		*at = cell->key ? event_element(s, ev, &a, cell->key->words, cell->key->n)
				: event_self(s, ev, cell->id);
}

static void bring_back(struct fpid_claims *c, const struct event *ev, const struct claim_cell *cell)
{
	struct session *s = c->pp->pw->session;
	const uint64_t *at = hooks_cell_of(c->pp->fpid->hooks, ev->tid, cell->cell);
	const struct dynvar_array a = {DIF_SCOPE_SELF, cell->id};

	if (at && is_text_cell(c, cell))
		bring_text_back(c, ev, cell->id, *at);
	else if (at && cell->key)
		event_set_element(s, ev, &a, cell->key->words, cell->key->n, *at);
	else if (at)
		event_set_self(s, ev, cell->id, *at);
}

static void begin_thread(struct thread *t, void *arg)
{
	struct fpid_claims *c = arg;
	const struct event ev = {
		.target = proc_target(c->pp->proc), .pid = c->pp->pid, .tid = thread_tid(t)};

	for (unsigned i = 0; i < c->ncells; i++)
		take_over(c, &ev, &c->cells[i]);
	fpid_arrays_begin(c, &ev);
}

void fpid_claims_begin(struct fpid_claims *c)
{
	proc_each_thread(c->pp->proc, begin_thread, c);
}

typedef void move_fn(struct fpid_claims *, const struct event *, const struct claim_cell *);

/* Variables of a hit, between the target and the engine. */
struct moving {
	struct fpid_claims *claims;
	const struct event *ev;
	move_fn *move;
};

static void move_element(void *arg, uint16_t id, const struct fpid_key *key)
{
	const struct moving *m = arg;
	const struct claim_cell *cell = key->is_known ? find_cell(m->claims, id, key) : NULL;

	if (cell)
		m->move(m->claims, m->ev, cell);
}

static void move_elements(void *arg, const struct difo *d)
{
	struct moving *m = arg;
	struct pid_proc *pp = m->claims->pp;
	struct fpid_constants known;

	fpid_constants_begin(&known, pp->pw->session, d, m->ev->probe, &pp->fpid->task);
	fpid_each_element(&known, move_element, m);
}

static void move_all(struct moving *m)
{
	struct fpid_claims *c = m->claims;

	for (unsigned i = 0; i < c->ncells; i++)
		if (!c->cells[i].key)
			m->move(c, m->ev, &c->cells[i]);
	for (const struct ecb *e = m->ev->probe->ecbs; e && c->has_elements; e = e->next)
		clause_each_difo(e->clause, move_elements, m);
}

void fpid_claims_hit(struct pid_proc *pp, const struct event *ev)
{
	struct moving in = {pp->fpid->claims, ev, bring_back},
		      out = {pp->fpid->claims, ev, take_over};
	struct fpid_lent lent;

	move_all(&in);
	lent = fpid_arrays_lend(pp->fpid->claims, ev);
	fpid_globals_lend(pp->fpid->claims, ev);
	event_fire(ev->probe->session, ev);
	fpid_globals_take_back(pp->fpid->claims, ev);
	fpid_arrays_take_back(pp->fpid->claims, ev, &lent);
	move_all(&out);
}
