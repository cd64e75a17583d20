/* fpid_arrays.c: arrays self->x[key] that the target keeps by their keys (hook/element.h). */
#include <errno.h>

#include "dlang/offload/group.h"
#include "providers/fpid/fpid_claims_priv.h"

#define ALIGN	    64
#define DYNVAR	    32 /* bytes of dynvarsize that a number takes by a number */
#define MANY_LEAST  HOOK_USED_BITS
#define MANY_OF_ALL 12 /* where all tables that there may ever be are mapped at once */

/* As many as dynvarsize has room for, or half of that. */
static unsigned bits_of(const struct session *s, bool is_selfclaim)
{
	uint64_t n = (uint64_t)opt(&s->options, OPT_DYNVARSIZE) / DYNVAR;
	unsigned bits = MANY_LEAST, most = is_selfclaim ? MANY_OF_ALL : HOOK_MANY_BITS;

	while (bits < most && 2ULL << bits <= n)
		bits++;
	return bits;
}

uint64_t fpid_array_bytes(const struct session *s, bool is_selfclaim)
{
	return fpid_nkeyed(s) * ROUND_UP(HOOK_ARRAY_SIZE(bits_of(s, is_selfclaim)), ALIGN);
}

static const struct claim_array *find_array(const struct fpid_claims *c, uint16_t id)
{
	for (unsigned i = 0; i < c->narrays; i++)
		if (c->arrays[i].id == id)
			return &c->arrays[i];
	return NULL;
}

int fpid_claims_array(struct fpid_claims *c, uint16_t id, uint64_t *array)
{
	unsigned bits = bits_of(c->pp->pw->session, c->pp->fpid->is_preloaded);
	const struct claim_array *there = find_array(c, id);
	uint64_t place;
	int r;

	if (there) {
		*array = there->array;
		return 0;
	}
	r = fpid_claims_take_words(c, HOOK_ARRAY_SIZE(bits) / sizeof(uint64_t), ALIGN, &place);
	if (!r)
		r = hooks_own_array(c->pp->fpid->hooks, HOOK_ARRAY(place, bits));
	if (r)
		return r;
	*array = HOOK_ARRAY(place, bits);
	c->arrays = xrealloc(c->arrays, (c->narrays + 1) * sizeof(*c->arrays));
	c->arrays[c->narrays++] = (struct claim_array){id, *array};
	return 0;
}

/* ---- between the target and the engine ---- */

struct moving {
	struct session *session;
	const struct event *ev;
	uint16_t id;
	struct elements there; /* of the thread */
};

static bool begin_moving(const struct fpid_claims *c, const struct event *ev,
			 const struct claim_array *a, struct moving *m)
{
	*m = (struct moving){.session = c->pp->pw->session, .ev = ev, .id = a->id};
	return hooks_elements_of(c->pp->fpid->hooks, ev->tid, a->array, &m->there);
}

static void give_element(void *arg, uint64_t key, uint64_t value)
{
	const struct moving *m = arg;

	if (!element_store(&m->there, key, value))
		atomic_fetch_add_explicit(&m->session->drops[DROP_DYNAMIC], 1,
					  memory_order_relaxed);
}

static void free_element(void *arg, uint64_t key, uint64_t value UNUSED)
{
	give_element(arg, key, 0);
}

static void bring_element(void *arg, uint64_t key, uint64_t value)
{
	const struct moving *m = arg;

	event_set_element(m->session, m->ev, m->id, &key, 1, value);
}

void fpid_arrays_begin(struct fpid_claims *c, const struct event *ev)
{
	struct moving m;

	for (unsigned i = 0; i < c->narrays; i++)
		if (begin_moving(c, ev, &c->arrays[i], &m))
			event_take_elements(m.session, ev, m.id, 0, give_element, &m);
}

struct looking {
	unsigned id;
	bool found;
};

static void look_for_array(void *arg, const struct difo *d)
{
	struct looking *l = arg;

	for (unsigned i = 0; i < d->nvars; i++)
		l->found |= d->vars[i].scope == DIF_SCOPE_SELF && d->vars[i].id == l->id;
}

static bool is_used(const struct probe *p, unsigned id)
{
	struct looking l = {.id = id};

	for (const struct ecb *e = p->ecbs; e && !l.found; e = e->next)
		clause_each_difo(e->clause, look_for_array, &l);
	return l.found;
}

struct fpid_lent fpid_arrays_lend(struct fpid_claims *c, const struct event *ev)
{
	struct fpid_lent lent = {.nmade = event_nmade(c->pp->pw->session)};
	struct moving m;

	for (unsigned i = 0; i < c->narrays; i++) {
		if (!is_used(ev->probe, c->arrays[i].id) || !begin_moving(c, ev, &c->arrays[i], &m))
			continue;
		element_each(&m.there, bring_element, &m);
		lent.arrays |= 1U << i;
	}
	return lent;
}

void fpid_arrays_take_back(struct fpid_claims *c, const struct event *ev,
			   const struct fpid_lent *lent)
{
	struct moving m;

	for (unsigned i = 0; i < c->narrays; i++) {
		if (!(lent->arrays >> i & 1) || !begin_moving(c, ev, &c->arrays[i], &m))
			continue;
		element_each(&m.there, free_element, &m);
		event_take_elements(m.session, ev, m.id, lent->nmade, give_element, &m);
	}
}
