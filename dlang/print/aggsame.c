#include "dlang/print/aggsame.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/strbuf.h"

/* The first key that printed so; others of the same hash follow. */
struct shown {
	struct shown *next;
	size_t len; /* of the text; the key is behind it */
	char text[];
};

struct aggsame {
	struct printer pr;
	struct strbuf text;
	struct hash shown; /* by text: struct shown */
	struct aggstore views;
};

struct aggsame *aggsame_new(const struct printer *pr)
{
	struct aggsame *as = xcalloc(1, sizeof(*as));

	as->pr = *pr;
	strbuf_init(&as->text);
	as->pr.out = &as->text;
	hash_init(&as->shown);
	aggstore_init(&as->views);
	return as;
}

void aggsame_free(struct aggsame *as)
{
	struct shown *s, *next;

	for (size_t i = 0; (s = hash_each(&as->shown, &i, NULL));)
		for (; s; s = next) {
			next = s->next;
			free(s);
		}
	hash_release(&as->shown);
	strbuf_release(&as->text);
	aggstore_release(&as->views);
	free(as);
}

static bool is_address(const struct rec *rec)
{
	return rec->kind == REC_USYM || rec->kind == REC_UMOD || rec->kind == REC_UADDR ||
	       rec->kind == REC_USTACK;
}

static bool has_addresses(const struct aggvar *var)
{
	for (unsigned i = 0; i < var->nkeys; i++)
		if (is_address(&var->keys[i]))
			return true;
	return false;
}

/* What a key prints as; what is no address stays as it is. */
static void make_text(struct aggsame *as, const struct aggvar *var, char *key)
{
	strbuf_clear(&as->text);
	for (unsigned i = 0; i < var->nkeys; i++) {
		const struct rec *rec = &var->keys[i];
		char *data = key + rec->offset;

		if (!is_address(rec)) {
			strbuf_add(&as->text, data, rec->size);
			continue;
		}
		printer_whole_page(&as->pr, rec, data);
		printer_key(&as->pr, rec, data);
	}
}

static const char *same_key(struct aggsame *as, const struct aggvar *var, const char *key)
{
	uint64_t hash = hash_bytes(as->text.s, as->text.len) + var->keysize;
	struct shown *first = hash_get(&as->shown, hash), *s = first;

	while (s && (s->len != as->text.len || memcmp(s->text, as->text.s, s->len) != 0))
		s = s->next;
	if (!s) {
		s = xmalloc(sizeof(*s) + as->text.len + var->keysize);
		s->next = first;
		s->len = as->text.len;
		memcpy(s->text, as->text.s, s->len);
		memcpy(s->text + s->len, key, var->keysize);
		hash_put(&as->shown, hash, s);
	}
	return s->text + s->len;
}

struct aggcopy *aggsame_view(struct aggsame *as, struct aggcopy *c)
{
	struct aggcopy *view;
	char *key;

	if (!has_addresses(c->var))
		return c;
	as->views.ncpus = c->ncpus;
	view = aggstore_copy(&as->views, c->var);
	view->normal = c->normal;
	key = xmalloc(c->var->keysize);
	for (size_t i = 0; i < c->nents; i++) {
		memcpy(key, c->ents[i]->key, c->var->keysize);
		make_text(as, c->var, key);
		aggcopy_join(view, same_key(as, c->var, key), c->ents[i]);
	}
	free(key);
	return view;
}

void aggsame_settle(const struct printer *pr, struct aggcopy *c)
{
	struct aggsame *as = aggsame_new(pr);
	struct aggcopy *view = aggsame_view(as, c);

	if (view != c) {
		aggcopy_empty(c);
		for (size_t i = 0; i < view->nents; i++)
			aggcopy_join(c, view->ents[i]->key, view->ents[i]);
	}
	aggsame_free(as);
}
