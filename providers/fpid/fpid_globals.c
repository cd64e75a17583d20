/* fpid_globals.c: arrays x[keys] of all threads that the target keeps (hook/tuple.h). */
#include <errno.h>
#include <stdlib.h>

#include "dlang/offload/group.h"
#include "dlang/run/vars.h"
#include "hook/tuple.h"
#include "providers/fpid/fpid_claims_priv.h"

#define TRIES 4 /* to read a row that threads change */

static struct claim_global *find_global(const struct fpid_claims *c, uint16_t id)
{
	for (unsigned i = 0; i < c->nglobals; i++)
		if (c->globals[i].id == id)
			return &c->globals[i];
	return NULL;
}

/* Does a clause of BEGIN, END or a tick look at it? */
static bool is_shown(struct session *s, uint16_t id)
{
	for (uint32_t i = 1; i <= s->necbs; i++)
		if (clause_is_of_run(session_ecb(s, i)->clause) &&
		    clause_uses(session_ecb(s, i)->clause, DIF_SCOPE_GLOBAL, id))
			return true;
	return false;
}

/* ---- moving elements ---- */

struct sharing {
	struct fpid_claims *claims;
	const struct claim_global *global;
	const struct event *ev;
	struct tuples there, before;
};

static struct session *session_of(const struct sharing *sh)
{
	return sh->claims->pp->pw->session;
}

static struct dynvar_array array_of(const struct sharing *sh)
{
	return (struct dynvar_array){DIF_SCOPE_GLOBAL, sh->global->id};
}

/* What had been brought lies at the beginning of its own memory. */
static struct sharing begin_sharing(struct fpid_claims *c, struct claim_global *g,
				    const struct event *ev)
{
	char *arrays = hooks_common_arrays(c->pp->fpid->hooks);
	const uint64_t own = g->array & (HOOK_ARRAY(1, 0) - 1);

	return (struct sharing){c, g, ev, tuples_of_all(arrays, g->array, &c->stamp),
				tuples_of(g->before, own)};
}

static void lose_element(const struct sharing *sh, bool is_stored)
{
	if (!is_stored)
		atomic_fetch_add_explicit(&session_of(sh)->drops[DROP_DYNAMIC], 1,
					  memory_order_relaxed);
}

/* The words of a row that threads may change meanwhile. 0: it is free, or changes all the time. */
static unsigned read_row(const struct sharing *sh, const struct hook_pair *row,
			 uint64_t words[HOOK_TUPLE_WORDS], uint64_t *value)
{
	for (unsigned i = 0; i < TRIES; i++) {
		struct hook_pair seen = tuple_look(row);
		unsigned n = fpid_row_words(session_of(sh), DIF_SCOPE_GLOBAL, sh->global->id, row,
					    words);

		in_order();
		*value = seen.value;
		if (look_at(&row->key) == seen.key)
			return seen.value ? n : 0;
	}
	return 0;
}

static void bring_row(void *arg, const struct hook_pair *row, uint64_t value)
{
	const struct sharing *sh = arg;
	const struct dynvar_array a = array_of(sh);
	uint64_t words[HOOK_TUPLE_WORDS];
	const struct tuple key = {words, read_row(sh, row, words, &value)};

	if (!key.n)
		return;
	event_set_element(session_of(sh), sh->ev, &a, words, key.n, value);
	tuple_store(&sh->before, &key, value);
}

static void store_element(void *arg, const uint64_t *key, unsigned nwords, uint64_t value)
{
	const struct sharing *sh = arg;
	const struct tuple tuple = {key, nwords};

	lose_element(sh, tuple_store(&sh->there, &tuple, value));
}

static struct tuple_type type_of(const struct sharing *sh)
{
	const struct varslot *slot =
		vars_slot(session_of(sh)->engine->vars, DIF_SCOPE_GLOBAL, sh->global->id);

	return (struct tuple_type){(uint32_t)slot->size, slot->is_signed};
}

/* What the engine has added to it is added to what it is by now. */
static void add_change(void *arg, const uint64_t *key, unsigned nwords, uint64_t value)
{
	const struct sharing *sh = arg;
	const struct tuple tuple = {key, nwords};
	struct hook_pair was;

	tuple_find(&sh->before, &tuple, &was);
	if (was.value != value)
		lose_element(sh, tuple_add(&sh->there, &tuple, value - was.value, type_of(sh)));
	tuple_store(&sh->before, &tuple, 0);
}

/* It is gone here. */
static void take_away(void *arg, const struct hook_pair *row, uint64_t value)
{
	const struct sharing *sh = arg;
	uint64_t words[HOOK_TUPLE_WORDS];
	const struct tuple key = {words, read_row(sh, row, words, &value)};

	if (key.n)
		tuple_add(&sh->there, &key, -value, type_of(sh));
}

static void forget_element(void *arg UNUSED, const uint64_t *key UNUSED, unsigned nwords UNUSED,
			   uint64_t value UNUSED)
{
}

/* Elements here become those of the target, as they are now, or (old copies) are none. */
static void take_elements(struct sharing *sh, event_element_fn *fn)
{
	const struct dynvar_array a = array_of(sh);

	event_take_elements(session_of(sh), sh->ev, &a, 0, fn, sh);
}

static void bring_all(struct sharing *sh)
{
	take_elements(sh, forget_element);
	tuple_clear(&sh->before);
	tuple_each(&sh->there, bring_row, sh);
}

static struct event event_of(struct fpid_claims *c)
{
	return (struct event){.target = &c->view, .pid = c->pp->pid, .tid = c->pp->pid};
}

/* ---- what others ask for ---- */

int fpid_claims_global(struct fpid_claims *c, uint16_t id, uint64_t *array)
{
	struct session *s = c->pp->pw->session;
	const struct claim_global *there = find_global(c, id);
	uint64_t size, at = fpid_global_array(s, id, &size);
	const struct event ev = event_of(c);
	struct sharing sh;

	if (there) {
		*array = there->array;
		return 0;
	}
	if (!hooks_common_arrays(c->pp->fpid->hooks) ||
	    c->next_global + size > fpid_global_bytes(s))
		return -ENOSPC;
	*array = at | HOOK_ARRAY(c->next_global, 0);
	c->next_global += size;
	c->globals = xrealloc(c->globals, (c->nglobals + 1) * sizeof(*c->globals));
	c->globals[c->nglobals] =
		(struct claim_global){id, *array, xcalloc(1, size), is_shown(s, id), false};
	if (c->globals[c->nglobals].is_shown)
		fpid_fetches_shared(s);
	sh = begin_sharing(c, &c->globals[c->nglobals++], &ev);
	take_elements(&sh, store_element);
	return 0;
}

void fpid_globals_lend(struct fpid_claims *c, const struct event *ev)
{
	for (unsigned i = 0; i < c->nglobals; i++) {
		struct claim_global *g = &c->globals[i];
		struct sharing sh = begin_sharing(c, g, ev);

		g->is_lent = probe_uses(ev->probe, DIF_SCOPE_GLOBAL, g->id);
		if (g->is_lent)
			bring_all(&sh);
	}
}

void fpid_globals_take_back(struct fpid_claims *c, const struct event *ev)
{
	for (unsigned i = 0; i < c->nglobals; i++) {
		struct sharing sh = begin_sharing(c, &c->globals[i], ev);

		if (!c->globals[i].is_lent)
			continue;
		take_elements(&sh, add_change);
		tuple_each(&sh.before, take_away, &sh);
	}
}

void fpid_globals_show(struct fpid_claims *c, bool all)
{
	const struct event ev = event_of(c);

	for (unsigned i = 0; i < c->nglobals; i++) {
		struct sharing sh = begin_sharing(c, &c->globals[i], &ev);

		if (all || c->globals[i].is_shown)
			bring_all(&sh);
	}
}

/* ---- words ---- */

static _Atomic uint64_t *word_at(const struct fpid_claims *c, uint64_t place)
{
	return (void *)(hooks_common_arrays(c->pp->fpid->hooks) + place);
}

/* The engine's variable is what lies there from now on. */
int fpid_claims_word(struct fpid_claims *c, uint16_t id, taddr_t *at)
{
	struct session *s = c->pp->pw->session;
	const struct hooks *h = c->pp->fpid->hooks;

	for (unsigned i = 0; i < c->nwords; i++)
		if (c->words[i].id == id) {
			*at = hooks_common_arrays_at(h) + c->words[i].place;
			return 0;
		}
	if (!hooks_common_arrays(h) || c->next_global + FPID_WORD_BYTES > fpid_global_bytes(s) ||
	    !vars_share(s->engine->vars, id, word_at(c, c->next_global)))
		return -ENOSPC;
	*at = hooks_common_arrays_at(h) + c->next_global;
	c->words = xrealloc(c->words, (c->nwords + 1) * sizeof(*c->words));
	c->words[c->nwords++] = (struct claim_word){id, c->next_global};
	c->next_global += FPID_WORD_BYTES;
	return 0;
}

static void free_words(struct fpid_claims *c)
{
	struct session *s = c->pp->pw->session;

	for (unsigned i = 0; i < c->nwords; i++)
		vars_unshare(s->engine->vars, word_at(c, c->words[i].place), 1);
	free(c->words);
}

void fpid_globals_free(struct fpid_claims *c)
{
	free_words(c);
	fpid_globals_show(c, true);
	for (unsigned i = 0; i < c->nglobals; i++)
		free(c->globals[i].before);
	free(c->globals);
}
