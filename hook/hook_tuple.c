/* hook_tuple.c: elements of arrays by several keys, or by texts, for native clauses (tuple.h). */
#include "hook/maketext.h"
#include "hook/tuple.h"

static const struct hook_value nothing = {0, 0};

static const struct hook_text_step *steps_of(const struct hook_tuple *what)
{
	return (const struct hook_text_step *)(what + 1);
}

static const char *behind_steps(const struct hook_tuple *what)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < what->nkeys; i++)
		n += what->nsteps[i];
	return (const char *)(steps_of(what) + n);
}

/* How many words all keys have; 0: a text is not there. */
static uint32_t make_words(struct making *m, const struct hook_tuple *what, uint64_t *to)
{
	const struct hook_text_step *steps = steps_of(what);
	uint32_t n = 0;

	for (uint32_t i = 0; i < what->nkeys; steps += what->nsteps[i++]) {
		m->room = to + n;
		m->n = 0;
		if (!what->nsteps[i])
			to[n++] = m->words[i];
		else if (hook_make_texts(m, steps, what->nsteps[i]) && hook_read_plain(m, m->texts))
			n += hook_text_words(m->texts, to + n);
		else
			return 0;
	}
	return n;
}

/* The block where nobody reads: of a copy by fork, whose elements are not those of its parent, or
 * of a thread that is not seen. */
static bool is_nobodys(const struct hook_block *b)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;

	return hook_where.selfclaim &&
	       (uint64_t)b == hook_where.blocks + sh->nblocks * hook_where.block_size;
}

static struct tuples array_of(const struct hook_block *b, const struct hook_tuple *what)
{
	struct hook_table *table = (struct hook_table *)(uintptr_t)b->table;

	if (what->is_shared)
		return tuples_of_all((char *)hook_where.arrays, what->array, &table->stamp);
	return tuples_of((char *)table, what->array);
}

static struct hook_value use(const struct hook_block *b, const struct hook_tuple *what,
			     const struct tuple *key, uint64_t value)
{
	const struct tuples t = array_of(b, what);
	const struct tuple_type type = {what->size, what->is_signed};
	struct hook_pair seen = {0, 0};

	if (what->is_shared && is_nobodys(b))
		return (struct hook_value){0, 1};
	if (what->op == HOOK_TUPLE_LOAD)
		tuple_find(&t, key, &seen);
	else if (!(what->op == HOOK_TUPLE_ADD ? tuple_add(&t, key, value, type)
					      : tuple_store(&t, key, value)))
		hook_lose_assignment(b);
	return (struct hook_value){seen.value, 1};
}

/* Where handlers of signals have left no room for texts, nothing is known of an element. */
static struct hook_value use_in_room(struct hook_block *b, const uint64_t *sp, const uint64_t *keys,
				     const struct hook_tuple *what)
{
	uint64_t *room = hook_take_room(b, sp, what->rooms);
	struct hook_value result = nothing;
	struct making m;
	struct tuple key;

	if (!room) {
		hook_lose_assignment(b);
		return (struct hook_value){0, 1};
	}
	m = hook_making(b, sp, room);
	m.words = keys;
	m.known = behind_steps(what);
	key.words = m.room;
	key.n = make_words(&m, what, m.room);
	if (key.n)
		result = use(b, what, &key, keys[what->nkeys]);
	hook_leave_room(room);
	return result;
}

struct hook_value hook_tuple(struct hook_block *b, const uint64_t *sp, const uint64_t *keys,
			     const struct hook_tuple *what)
{
	const struct tuple key = {keys, what->nkeys};

	return what->rooms ? use_in_room(b, sp, keys, what) : use(b, what, &key, keys[what->nkeys]);
}
