#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static char dead_mark; /* the value of a deleted slot: not free, not used */
#define DEAD ((void *)&dead_mark)

uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 33;
	v *= 0xff51afd7ed558ccdULL;
	v ^= v >> 33;
	v *= 0xc4ceb9fe1a85ec53ULL;
	return v ^ (v >> 33);
}

uint64_t hash_bytes(const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t h = 0xcbf29ce484222325ULL ^ n, word;

	for (; n >= sizeof(word); n -= sizeof(word), b += sizeof(word)) {
		memcpy(&word, b, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	for (word = 0; n; n--)
		word = word << 8 | b[n - 1];
	return hash_u64(h ^ word);
}

void hash_init(struct hash *h)
{
	memset(h, 0, sizeof(*h));
}

void hash_release(struct hash *h)
{
	free(h->slots);
	memset(h, 0, sizeof(*h));
}

static struct hash_slot *hash_find(const struct hash *h, uint64_t key)
{
	size_t i;

	if (!h->nslots)
		return NULL;
	i = hash_u64(key) & (h->nslots - 1);
	for (; h->slots[i].value; i = (i + 1) & (h->nslots - 1))
		if (h->slots[i].key == key && h->slots[i].value != DEAD)
			return &h->slots[i];
	return NULL;
}

void *hash_get(const struct hash *h, uint64_t key)
{
	const struct hash_slot *s = hash_find(h, key);

	return s ? s->value : NULL;
}

static void hash_insert(struct hash *h, uint64_t key, void *value)
{
	size_t i = hash_u64(key) & (h->nslots - 1);

	while (h->slots[i].value && h->slots[i].value != DEAD)
		i = (i + 1) & (h->nslots - 1);
	if (h->slots[i].value == DEAD)
		h->ndead--;
	h->slots[i].key = key;
	h->slots[i].value = value;
	h->n++;
}

/* For n values at least. */
static void hash_resize(struct hash *h, size_t n)
{
	struct hash_slot *old = h->slots;
	size_t nold = h->nslots;

	h->nslots = 64;
	while (h->nslots < n * 2)
		h->nslots *= 2;
	h->slots = xcalloc(h->nslots, sizeof(*h->slots));
	will_fill(h->slots, h->nslots * sizeof(*h->slots));
	h->n = h->ndead = 0;
	for (size_t i = 0; i < nold; i++)
		if (old[i].value && old[i].value != DEAD)
			hash_insert(h, old[i].key, old[i].value);
	free(old);
}

void hash_expect(struct hash *h, size_t n)
{
	if ((h->n + h->ndead + n) * 2 > h->nslots)
		hash_resize(h, h->n + n);
}

void hash_put(struct hash *h, uint64_t key, void *value)
{
	struct hash_slot *s = hash_find(h, key);

	if (s) {
		s->value = value;
		return;
	}
	if ((h->n + h->ndead + 1) * 2 > h->nslots)
		hash_resize(h, h->n * 2);
	hash_insert(h, key, value);
}

void *hash_del(struct hash *h, uint64_t key)
{
	struct hash_slot *s = hash_find(h, key);
	void *value;

	if (!s)
		return NULL;
	value = s->value;
	s->value = DEAD;
	h->n--;
	h->ndead++;
	return value;
}

void *hash_each(const struct hash *h, size_t *i, uint64_t *key)
{
	while (*i < h->nslots) {
		const struct hash_slot *s = &h->slots[(*i)++];

		if (!s->value || s->value == DEAD)
			continue;
		if (key)
			*key = s->key;
		return s->value;
	}
	return NULL;
}

void strmap_init(struct strmap *m)
{
	memset(m, 0, sizeof(*m));
}

void strmap_release(struct strmap *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

static struct strmap_slot *strmap_slot(const struct strmap *m, const char *key)
{
	size_t i = hash_bytes(key, strlen(key)) & (m->nslots - 1);

	while (m->slots[i].key && strcmp(m->slots[i].key, key) != 0)
		i = (i + 1) & (m->nslots - 1);
	return &m->slots[i];
}

void *strmap_get(const struct strmap *m, const char *key)
{
	return m->nslots ? strmap_slot(m, key)->value : NULL;
}

void strmap_put(struct strmap *m, const char *key, void *value)
{
	struct strmap_slot *s;

	if ((m->n + 1) * 2 > m->nslots) {
		struct strmap old = *m;

		m->nslots = old.nslots ? old.nslots * 2 : 64;
		m->slots = xcalloc(m->nslots, sizeof(*m->slots));
		for (size_t i = 0; i < old.nslots; i++)
			if (old.slots[i].key)
				*strmap_slot(m, old.slots[i].key) = old.slots[i];
		free(old.slots);
	}
	s = strmap_slot(m, key);
	if (!s->key) {
		s->key = key;
		m->n++;
	}
	s->value = value;
}
