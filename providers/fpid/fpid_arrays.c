/* fpid_arrays.c: arrays self->x[keys] that the target keeps by their keys (hook/element.h,
 * tuple.h). */
#include <errno.h>

#include "dlang/offload/group.h"
#include "dlang/run/vars.h"
#include "hook/tuple.h"
#include "providers/fpid/fpid_claims_priv.h"
#include "providers/fpid/fpid_memory.h"

#define ALIGN	     64
#define DYNVAR	     24 /* bytes of dynvarsize that an element takes besides its keys */
#define WORD	     8
#define BITS_LEAST   HOOK_USED_BITS
#define BYTES_OF_ALL (1U << 16) /* where all tables that there may ever be are mapped at once */

/* ---- how large they are ---- */

/* Words of a text of our own, or of the program's, as tuples have it. */
static unsigned text_words(const struct session *s)
{
	return 1 + (fpid_text_chars(s, NULL) + WORD - 1) / WORD;
}

/* How many words the keys of an array have at most. 0: they can be none. */
static unsigned words_of(const struct session *s, const struct varslot *slot)
{
	unsigned n = 0;

	if (slot->nkeys > HOOK_TUPLE_KEYS || fpid_text_chars(s, NULL) > FPID_TEXT_MAX)
		return 0;
	for (unsigned i = 0; i < slot->nkeys; i++) {
		if (type_is_byref(slot->keys[i]) && !type_is_string(slot->keys[i]))
			return 0;
		n += type_is_string(slot->keys[i]) ? text_words(s) : 1;
	}
	return n <= HOOK_TUPLE_WORDS ? n : 0;
}

bool fpid_can_be_keyed(const struct session *s, const struct varslot *slot)
{
	return words_of(s, slot) != 0;
}

static const struct varslot *slot_of(const struct session *s, enum dif_scope scope, unsigned id)
{
	return vars_slot(s->engine->vars, scope, id);
}

static bool is_by_number(const struct varslot *slot)
{
	return slot->nkeys == 1 && !type_is_byref(slot->keys[0]);
}

static uint64_t size_of(uint64_t array)
{
	unsigned words = HOOK_ARRAY_WORDS(array), bits = array & 31;

	return words ? HOOK_TUPLES_SIZE(words, bits) : HOOK_ARRAY_SIZE(bits);
}

/* As many as dynvarsize has room for, or half of that: no more than so many bytes. */
static unsigned bits_of(const struct session *s, unsigned words, uint64_t row, uint64_t max)
{
	uint64_t n = (uint64_t)opt(&s->options, OPT_DYNVARSIZE) / (DYNVAR + words * WORD);
	unsigned bits = BITS_LEAST;

	while (bits < HOOK_MANY_BITS && 2ULL << bits <= n && row << bits < max)
		bits++;
	return bits;
}

static uint64_t array_of(const struct session *s, unsigned id, bool is_selfclaim)
{
	const struct varslot *slot = slot_of(s, DIF_SCOPE_SELF, id);
	unsigned words = words_of(s, slot);
	uint64_t max = is_selfclaim ? BYTES_OF_ALL : UINT64_MAX, row = HOOK_ROW_SIZE(words);

	if (is_by_number(slot))
		return HOOK_ARRAY(0, bits_of(s, words, sizeof(struct hook_pair), max));
	return HOOK_TUPLES(0, words, bits_of(s, words, row, max));
}

uint64_t fpid_global_array(const struct session *s, uint16_t id, uint64_t *size)
{
	unsigned words = words_of(s, slot_of(s, DIF_SCOPE_GLOBAL, id));
	uint64_t array = HOOK_TUPLES(0, words, bits_of(s, words, HOOK_ROW_SIZE(words), UINT64_MAX));

	*size = ROUND_UP(size_of(array), ALIGN);
	return array;
}

uint64_t fpid_global_bytes(const struct session *s)
{
	unsigned n = s->engine->vars->nslots[DIF_SCOPE_GLOBAL];
	uint64_t bytes = 0, size = 0;

	for (unsigned id = DIF_VAR_USER; id < DIF_VAR_USER + n; id++)
		if (fpid_keeps_global_array(s, id)) {
			fpid_global_array(s, (uint16_t)id, &size);
			bytes += size;
		} else if (fpid_keeps_word(s, id)) {
			bytes += FPID_WORD_BYTES;
		}
	return bytes;
}

uint64_t fpid_array_bytes(const struct session *s, bool is_selfclaim)
{
	unsigned n = s->engine->vars->nslots[DIF_SCOPE_SELF];
	uint64_t bytes = 0;

	for (unsigned id = DIF_VAR_USER; id < DIF_VAR_USER + n; id++)
		if (fpid_is_keyed_array(s, id))
			bytes += ROUND_UP(size_of(array_of(s, id, is_selfclaim)), ALIGN);
	return bytes;
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
	const struct session *s = c->pp->pw->session;
	const struct claim_array *there = find_array(c, id);
	uint64_t place, at = array_of(s, id, c->pp->fpid->is_preloaded);
	int r;

	if (there) {
		*array = there->array;
		return 0;
	}
	r = fpid_claims_take_words(c, size_of(at) / sizeof(uint64_t), ALIGN, &place);
	at |= HOOK_ARRAY(place, 0);
	if (!r)
		r = hooks_own_array(c->pp->fpid->hooks, at);
	if (r)
		return r;
	*array = at;
	c->arrays = xrealloc(c->arrays, (c->narrays + 1) * sizeof(*c->arrays));
	c->arrays[c->narrays++] = (struct claim_array){id, at};
	return 0;
}

/* ---- between the target and the engine ---- */

struct moving {
	struct session *session;
	const struct event *ev;
	struct dynvar_array array;
	bool is_tuples;
	struct elements there; /* of the thread; or */
	struct tuples rows;
};

static bool begin_moving(const struct fpid_claims *c, const struct event *ev,
			 const struct claim_array *a, struct moving *m)
{
	char *table = hooks_table_of(c->pp->fpid->hooks, ev->tid);

	*m = (struct moving){.session = c->pp->pw->session,
			     .ev = ev,
			     .array = {DIF_SCOPE_SELF, a->id},
			     .is_tuples = HOOK_ARRAY_WORDS(a->array) != 0};
	if (table && m->is_tuples)
		m->rows = tuples_of(table, a->array);
	else if (table)
		m->there = elements_of(table, a->array);
	return table != NULL;
}

static void give_element(void *arg, const uint64_t *key, unsigned nwords, uint64_t value)
{
	const struct moving *m = arg;
	const struct tuple tuple = {key, nwords};

	if (m->is_tuples ? !tuple_store(&m->rows, &tuple, value)
			 : !element_store(&m->there, key[0], value))
		atomic_fetch_add_explicit(&m->session->drops[DROP_DYNAMIC], 1,
					  memory_order_relaxed);
}

static void free_pair(void *arg, uint64_t key, uint64_t value UNUSED)
{
	give_element(arg, &key, 1, 0);
}

static void bring_pair(void *arg, uint64_t key, uint64_t value)
{
	const struct moving *m = arg;

	event_set_element(m->session, m->ev, &m->array, &key, 1, value);
}

unsigned fpid_row_words(const struct session *s, enum dif_scope scope, uint16_t id,
			const struct hook_pair *row, uint64_t words[HOOK_TUPLE_WORDS])
{
	const struct varslot *slot = slot_of(s, scope, id);
	unsigned max = words_of(s, slot), n = 0;

	for (unsigned i = 0; i < max; i++)
		words[i] = look_at(&row[1 + i].key);
	for (unsigned i = 0; i < slot->nkeys; i++) {
		if (n >= max)
			return 0;
		if (!type_is_string(slot->keys[i]))
			n++;
		else if (words[n] <= (uint64_t)fpid_text_chars(s, NULL))
			n += 1 + (unsigned)(words[n] + WORD - 1) / WORD;
		else
			return 0;
	}
	return n <= max ? n : 0;
}

static unsigned read_row(const struct moving *m, const struct hook_pair *row,
			 uint64_t words[HOOK_TUPLE_WORDS])
{
	return fpid_row_words(m->session, DIF_SCOPE_SELF, m->array.id, row, words);
}

static void free_row(void *arg, const struct hook_pair *row, uint64_t value UNUSED)
{
	uint64_t words[HOOK_TUPLE_WORDS];
	unsigned n = read_row(arg, row, words);

	if (n)
		give_element(arg, words, n, 0);
}

static void bring_row(void *arg, const struct hook_pair *row, uint64_t value)
{
	const struct moving *m = arg;
	uint64_t words[HOOK_TUPLE_WORDS];
	unsigned n = read_row(m, row, words);

	if (n)
		event_set_element(m->session, m->ev, &m->array, words, n, value);
}

static void bring_all(struct moving *m)
{
	if (m->is_tuples)
		tuple_each(&m->rows, bring_row, m);
	else
		element_each(&m->there, bring_pair, m);
}

static void free_all(struct moving *m)
{
	if (m->is_tuples)
		tuple_each(&m->rows, free_row, m);
	else
		element_each(&m->there, free_pair, m);
}

void fpid_arrays_begin(struct fpid_claims *c, const struct event *ev)
{
	struct moving m;

	for (unsigned i = 0; i < c->narrays; i++)
		if (begin_moving(c, ev, &c->arrays[i], &m))
			event_take_elements(m.session, ev, &m.array, 0, give_element, &m);
}

struct fpid_lent fpid_arrays_lend(struct fpid_claims *c, const struct event *ev)
{
	struct fpid_lent lent = {.nmade = event_nmade(c->pp->pw->session)};
	struct moving m;

	for (unsigned i = 0; i < c->narrays; i++) {
		if (!probe_uses(ev->probe, DIF_SCOPE_SELF, c->arrays[i].id) ||
		    !begin_moving(c, ev, &c->arrays[i], &m))
			continue;
		bring_all(&m);
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
		free_all(&m);
		event_take_elements(m.session, ev, &m.array, lent->nmade, give_element, &m);
	}
}
