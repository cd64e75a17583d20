#include "dlang/print/aggstore.h"

#include <stdlib.h>

#include "base/hash.h"
#include "dlang/print/aggvalue.h"

void aggstore_init(struct aggstore *st)
{
	*st = (struct aggstore){0};
}

static void free_entry(const struct aggcopy *c, struct aggent *e)
{
	for (unsigned i = 0; i < c->ncpus; i++)
		free(e->by_cpu[i]);
	free(e);
}

static void drop_entries(struct aggcopy *c)
{
	for (size_t i = 0; i < c->nents; i++)
		free_entry(c, c->ents[i]);
	c->nents = 0;
}

static void free_copy(struct aggcopy *c)
{
	if (!c)
		return;
	free_copy(c->sums);
	drop_entries(c);
	free(c->ents);
	free(c->slots);
	free(c);
}

void aggstore_release(struct aggstore *st)
{
	for (uint32_t i = 0; i < st->ncopies; i++)
		free_copy(st->copies[i]);
	free(st->copies);
	aggstore_init(st);
}

static struct aggcopy *new_copy(const struct aggstore *st, const struct aggvar *var)
{
	struct aggcopy *c = xcalloc(1, sizeof(*c));

	c->var = var;
	c->normal = 1;
	c->ncpus = st->ncpus;
	return c;
}

struct aggcopy *aggstore_copy(struct aggstore *st, const struct aggvar *var)
{
	struct aggcopy **slot;

	if (var->id > st->ncopies) {
		st->copies = xrealloc(st->copies, var->id * sizeof(struct aggcopy *));
		memset(st->copies + st->ncopies, 0,
		       (var->id - st->ncopies) * sizeof(struct aggcopy *));
		st->ncopies = var->id;
	}
	slot = &st->copies[var->id - 1];
	if (!*slot)
		*slot = new_copy(st, var);
	return *slot;
}

struct aggcopy *aggstore_sums(struct aggstore *st, const struct aggvar *sums)
{
	struct aggcopy *of = aggstore_copy(st, sums->sums_of);

	if (!of->sums)
		of->sums = new_copy(st, sums);
	return of->sums;
}

/* ---- one copy ---- */

static void put_slot(struct aggcopy *c, size_t index)
{
	size_t at = c->ents[index]->hash & (c->nslots - 1);

	while (c->slots[at])
		at = (at + 1) & (c->nslots - 1);
	c->slots[at] = (uint32_t)index + 1;
}

static void rehash(struct aggcopy *c, size_t nslots)
{
	free(c->slots);
	c->slots = xcalloc(nslots, sizeof(*c->slots));
	c->nslots = nslots;
	for (size_t i = 0; i < c->nents; i++)
		put_slot(c, i);
}

static struct aggent *find(const struct aggcopy *c, const char *key, uint64_t hash)
{
	size_t mask = c->nslots - 1;

	if (!c->nslots)
		return NULL;
	for (size_t at = hash & mask; c->slots[at]; at = (at + 1) & mask) {
		struct aggent *e = c->ents[c->slots[at] - 1];

		if (e->hash == hash && !memcmp(e->key, key, c->var->keysize))
			return e;
	}
	return NULL;
}

const struct aggent *aggcopy_find(const struct aggcopy *c, const char *key)
{
	return find(c, key, hash_bytes(key, c->var->keysize));
}

static struct aggent *add_entry(struct aggcopy *c, const char *key, uint64_t hash)
{
	size_t headsize = sizeof(struct aggent) + c->ncpus * sizeof(uint64_t *);
	size_t datasize = c->var->nwords * sizeof(uint64_t);
	struct aggent *e = xmalloc(headsize + datasize + c->var->keysize);

	memset(e, 0, headsize);
	e->hash = hash;
	e->data = (uint64_t *)((char *)e + headsize);
	e->key = (char *)e->data + datasize;
	memcpy(e->key, key, c->var->keysize);
	c->var->func->init(e->data, c->var);
	if (c->nents == c->room) {
		c->room = MAX(c->room * 2, 16);
		c->ents = xrealloc(c->ents, c->room * sizeof(struct aggent *));
	}
	c->ents[c->nents++] = e;
	if (c->nents * 2 > c->nslots)
		rehash(c, MAX(c->nslots * 2, 64));
	else
		put_slot(c, c->nents - 1);
	return e;
}

static struct aggent *entry_of(struct aggcopy *c, const char *key)
{
	uint64_t hash = hash_bytes(key, c->var->keysize);
	struct aggent *e = find(c, key, hash);

	return e ? e : add_entry(c, key, hash);
}

static void add_part(struct aggcopy *c, struct aggent *e, const uint64_t *data, unsigned cpu)
{
	if (!e->by_cpu[cpu]) {
		e->by_cpu[cpu] = xcalloc(c->var->nwords, sizeof(uint64_t));
		c->var->func->init(e->by_cpu[cpu], c->var);
	}
	c->var->func->merge(e->by_cpu[cpu], data, c->var);
}

void aggcopy_add(struct aggcopy *c, const char *key, const uint64_t *data)
{
	c->var->func->merge(entry_of(c, key)->data, data, c->var);
}

/* The same of what came from one CPU. */
static void aggcopy_add_cpu(struct aggcopy *c, const char *key, const uint64_t *data, unsigned cpu)
{
	struct aggent *e = entry_of(c, key);

	c->var->func->merge(e->data, data, c->var);
	if (cpu < c->ncpus)
		add_part(c, e, data, cpu);
}

void aggcopy_join(struct aggcopy *c, const char *key, const struct aggent *from)
{
	struct aggent *e = entry_of(c, key);

	c->var->func->merge(e->data, from->data, c->var);
	for (unsigned i = 0; i < c->ncpus; i++)
		if (from->by_cpu[i])
			add_part(c, e, from->by_cpu[i], i);
}

void aggcopy_clear(struct aggcopy *c)
{
	if (c->sums)
		aggcopy_clear(c->sums);
	for (size_t i = 0; i < c->nents; i++) {
		struct aggent *e = c->ents[i];

		c->var->func->init(e->data, c->var);
		for (unsigned j = 0; j < c->ncpus; j++)
			if (e->by_cpu[j])
				c->var->func->init(e->by_cpu[j], c->var);
	}
}

void aggcopy_empty(struct aggcopy *c)
{
	if (c->sums)
		aggcopy_empty(c->sums);
	drop_entries(c);
	if (c->nslots)
		memset(c->slots, 0, c->nslots * sizeof(*c->slots));
}

struct ranked {
	struct aggent *ent;
	struct aggrank rank;
};

static int compare_ranked(const void *pa, const void *pb, void *arg)
{
	const struct ranked *a = pa, *b = pb;
	int rc = aggrank_compare(&a->rank, &b->rank);

	return rc ? rc : aggkey_compare(arg, a->ent->key, b->ent->key, 0);
}

/* Puts the entries in order of value. */
static void sort_entries(struct aggcopy *c)
{
	struct ranked *v = xmalloc(c->nents * sizeof(*v) + 1);

	for (size_t i = 0; i < c->nents; i++)
		v[i] = (struct ranked){c->ents[i], aggrank_of(c->var, c->ents[i]->data)};
	qsort_r(v, c->nents, sizeof(*v), compare_ranked, (void *)(uintptr_t)c->var);
	for (size_t i = 0; i < c->nents; i++)
		c->ents[i] = v[i].ent;
	free(v);
}

/* Takes out the sums of entries that are gone. */
static void trunc_sums(struct aggcopy *sums, const struct aggcopy *of)
{
	size_t n = 0;

	for (size_t i = 0; i < sums->nents; i++) {
		if (aggcopy_find(of, sums->ents[i]->key))
			sums->ents[n++] = sums->ents[i];
		else
			free_entry(sums, sums->ents[i]);
	}
	sums->nents = n;
	rehash(sums, sums->nslots);
}

void aggcopy_trunc(struct aggcopy *c, int64_t keep)
{
	uint64_t n = keep < 0 ? -(uint64_t)keep : (uint64_t)keep;
	size_t first; /* of those that stay */

	if (n >= c->nents)
		return;
	sort_entries(c);
	first = keep > 0 ? c->nents - n : 0;
	for (size_t i = 0; i < c->nents; i++)
		if (i < first || i >= first + n)
			free_entry(c, c->ents[i]);
	memmove(c->ents, c->ents + first, n * sizeof(struct aggent *));
	c->nents = n;
	rehash(c, c->nslots);
	if (c->sums)
		trunc_sums(c->sums, c);
}

const uint64_t *aggcopy_sum(const struct aggcopy *c, const char *key)
{
	const struct aggent *e = c->sums ? aggcopy_find(c->sums, key) : NULL;

	return e ? e->data : NULL;
}

/* ---- snapshots ---- */

struct merge {
	struct aggstore *store;
	const struct aggvar *vars;
	aggkey_fn *same;
	void *arg;
	char *key; /* a copy that may be changed */
	size_t room;
};

static bool has_symbols(const struct aggvar *var)
{
	for (unsigned i = 0; i < var->nkeys; i++)
		if (var->keys[i].kind == REC_SYM || var->keys[i].kind == REC_MOD ||
		    var->keys[i].kind == REC_USYM || var->keys[i].kind == REC_UMOD)
			return true;
	return false;
}

static const char *same_key(struct merge *m, const struct aggvar *var, const char *key)
{
	if (!m->same || !has_symbols(var))
		return key;
	if (m->room < var->keysize) {
		m->room = var->keysize;
		m->key = xrealloc(m->key, m->room);
	}
	memcpy(m->key, key, var->keysize);
	m->same(m->arg, var, m->key);
	return m->key;
}

/* NULL: it is not kept. */
static struct aggcopy *copy_of_id(struct merge *m, uint32_t id)
{
	const struct aggvar *var = m->vars;

	if (id <= m->store->ncopies && m->store->copies[id - 1])
		return m->store->copies[id - 1];
	while (var && var->id != id)
		var = var->next;
	if (!var || !var->sums_of)
		return var ? aggstore_copy(m->store, var) : NULL;
	return m->store->keeps_sums ? aggstore_sums(m->store, var) : NULL;
}

static void merge_entry(void *arg, const struct aggat *at, const uint64_t *data)
{
	struct merge *m = arg;
	struct aggcopy *copy = copy_of_id(m, at->varid);

	if (!copy)
		return;
	aggcopy_add_cpu(copy, same_key(m, copy->var, at->key), data, at->cpu);
}

void aggstore_merge(struct aggstore *st, const struct aggtable *table, const struct aggvar *vars,
		    aggkey_fn *same, void *arg)
{
	struct merge m = {.store = st, .vars = vars, .same = same, .arg = arg};

	aggtable_each(table, merge_entry, &m);
	free(m.key);
}
