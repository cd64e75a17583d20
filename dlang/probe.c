/*
 * probe.c: the probe table. Probes lie in chunks in the arena, numbered from 1; an index by the
 * four interned names, private to the engine, finds the one that exists already.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/hash.h"
#include "dlang/errtags.h"
#include "dlang/session_priv.h"

/* Where the probes with one hash, or one name, follow each other. */
struct probe_links {
	uint32_t same_hash; /* an earlier one; 0: none */
	uint32_t same_name; /* the next one, by id; of the last one the first */
};

struct probe_index {
	struct hash by_names;
	struct hash last_of;	   /* probe name, interned → the last one with it */
	struct probe_links *links; /* by id */
	size_t room;
};

struct probe_index *probe_index_new(void)
{
	struct probe_index *ix = xcalloc(1, sizeof(*ix));

	hash_init(&ix->by_names);
	hash_init(&ix->last_of);
	return ix;
}

void probe_index_free(struct probe_index *ix)
{
	hash_release(&ix->by_names);
	hash_release(&ix->last_of);
	free(ix->links);
	free(ix);
}

struct probe *probe_by_id(struct session *s, uint32_t id)
{
	if (id == 0 || id > atomic_load_explicit(&s->nprobes, memory_order_acquire))
		return NULL;
	return &s->probe_chunks[(id - 1) / SESSION_CHUNK][(id - 1) % SESSION_CHUNK];
}

static uint64_t names_hash(const char *const names[4])
{
	return hash_bytes(names, 4 * sizeof(names[0]));
}

static struct probe *find_interned(struct session *s, const char *const n[4])
{
	struct probe *p = hash_get(&s->engine->probe_index->by_names, names_hash(n));

	while (p && (p->prov != n[0] || p->mod != n[1] || p->func != n[2] || p->name != n[3]))
		p = probe_by_id(s, s->engine->probe_index->links[p->id].same_hash);
	return p;
}

struct probe *probe_find(struct session *s, const char *prov, const char *mod, const char *func,
			 const char *name)
{
	const char *n[4] = {
		intern_find(&s->engine->intern, prov), intern_find(&s->engine->intern, mod),
		intern_find(&s->engine->intern, func), intern_find(&s->engine->intern, name)};

	for (unsigned i = 0; i < 4; i++)
		if (!n[i])
			return NULL;
	return find_interned(s, n);
}

static uint64_t name_key(const char *interned)
{
	return (uint64_t)(uintptr_t)interned;
}

/* Behind the others of its name: a description matches them in the order of their ids. */
static void link_by_name(struct probe_index *ix, struct probe *p)
{
	const struct probe *last = hash_get(&ix->last_of, name_key(p->name));

	ix->links[p->id].same_name = last ? ix->links[last->id].same_name : p->id;
	if (last)
		ix->links[last->id].same_name = p->id;
	hash_put(&ix->last_of, name_key(p->name), p);
}

static void index_add(struct session *s, struct probe *p, uint64_t hash)
{
	struct probe_index *ix = s->engine->probe_index;
	const struct probe *same = hash_get(&ix->by_names, hash);

	if (p->id >= ix->room) {
		ix->room = ix->room ? ix->room * 2 : 1024;
		ix->links = xrealloc(ix->links, ix->room * sizeof(*ix->links));
	}
	ix->links[p->id].same_hash = same ? same->id : 0;
	hash_put(&ix->by_names, hash, p);
	link_by_name(ix, p);
}

/* Probes come in runs of equal names: `last` is the interned one of the probe before. */
static const char *intern_as(struct session *s, const char *name, const char *last)
{
	return last && !strcmp(name, last) ? last : intern_str(&s->engine->intern, name);
}

void probes_expect(struct session *s, size_t n)
{
	intern_expect(&s->engine->intern, n);
	hash_expect(&s->engine->probe_index->by_names, n);
}

struct probe *probe_create(struct session *s, const struct provider *provider, const char *prov,
			   const char *mod, const char *func, const char *name, void *arg)
{
	const struct probe *last = probe_by_id(s, s->nprobes);
	const char *n[4] = {intern_as(s, prov, last ? last->prov : NULL),
			    intern_as(s, mod, last ? last->mod : NULL),
			    intern_str(&s->engine->intern, func),
			    intern_as(s, name, last ? last->name : NULL)};
	struct probe *p = find_interned(s, n), *chunk;
	uint32_t i = s->nprobes;

	if (p)
		return p;
	if (i == (uint64_t)SESSION_CHUNK * SESSION_MAX_CHUNKS)
		die("more than %u probes", i);
	chunk = s->probe_chunks[i / SESSION_CHUNK];
	if (!chunk) {
		chunk = arena_alloc(s->arena, SESSION_CHUNK * sizeof(*chunk));
		s->probe_chunks[i / SESSION_CHUNK] = chunk;
	}
	p = &chunk[i % SESSION_CHUNK];
	*p = (struct probe){.id = i + 1,
			    .provider = provider,
			    .prov = n[0],
			    .mod = n[1],
			    .func = n[2],
			    .name = n[3],
			    .session = s,
			    .hits = provider->hits,
			    .arg = arg};
	p->ecbs_tail = &p->ecbs;
	index_add(s, p, names_hash(n));
	atomic_store_explicit(&s->nprobes, i + 1, memory_order_release);
	return p;
}

bool probe_is_logged(const struct probe *p)
{
	return p->session->is_logged && p->hits != HITS_NOT;
}

int probes_provide(struct session *s, struct err *err)
{
	for (unsigned i = 0; i < s->nproviders; i++) {
		const struct provider *pv = s->providers[i];
		int tag = D_NONE, rc;

		if (pv->on_demand)
			continue;
		rc = pv->provide(s, NULL, &tag, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int probes_provide_all(struct session *s, struct err *err)
{
	static const struct probe_desc any = {"", "", "", "", 0};
	int tag = D_NONE;

	for (unsigned i = 0; i < s->nproviders; i++) {
		const struct provider *pv = s->providers[i];
		int rc = 0;

		if (pv->on_demand && pv->on_demand(""))
			rc = pv->provide(s, &any, &tag, err);
		if (rc == 0 && pv->list)
			rc = pv->list(s, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Gives the providers a description may speak of the chance to create its probes. */
static int provide_for(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	for (unsigned i = 0; i < s->nproviders; i++) {
		const struct provider *pv = s->providers[i];
		int rc;

		if (pv->on_demand ? !pv->on_demand(d->prov)
				  : d->prov[0] && !glob_match(d->prov, pv->name))
			continue;
		rc = pv->provide(s, d, tag, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* One field of a description, made ready to be compared many times. */
struct field {
	enum { FIELD_ANY, FIELD_EXACT, FIELD_GLOB } kind;
	const char *text; /* EXACT: interned, NULL: no probe has this name */
	const char *last; /* GLOB: probes come in runs of equal names: the last answer */
	bool last_matched;
};

static void field_init(struct field *f, const struct session *s, const char *text)
{
	char plain[1024];

	*f = (struct field){.kind = FIELD_ANY};
	if (!text[0])
		return;
	if (glob_is_pattern(text)) {
		f->kind = FIELD_GLOB;
		f->text = text;
		return;
	}
	glob_unescape(text, plain, sizeof(plain));
	f->kind = FIELD_EXACT;
	f->text = intern_find(&s->engine->intern, plain);
}

static bool field_match(struct field *f, const char *name)
{
	switch (f->kind) {
	case FIELD_ANY:
		return true;
	case FIELD_EXACT:
		return f->text == name;
	case FIELD_GLOB:
		break;
	}
	if (f->last != name) {
		f->last = name;
		f->last_matched = glob_match(f->text, name);
	}
	return f->last_matched;
}

/* "::: " matches only what has a function name (docs/spec/d-language.md §4.3). */
static bool is_all_empty(const struct probe_desc *d)
{
	return !d->prov[0] && !d->mod[0] && !d->func[0] && !d->name[0];
}

struct fields {
	struct field prov, mod, func, name;
};

static bool desc_match(struct fields *f, const struct probe_desc *d, const struct probe *p)
{
	if (!field_match(&f->name, p->name) || !field_match(&f->prov, p->prov))
		return false;
	if (p->provider->matches)
		return p->provider->matches(p, d);
	return field_match(&f->func, p->func) && field_match(&f->mod, p->mod);
}

/* Probes found so far, in the order of their ids. */
struct found {
	struct probe **v;
	uint32_t n, room;
};

static void found_add(struct found *f, struct probe *p)
{
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 16;
		f->v = xrealloc(f->v, f->room * sizeof(struct probe *));
	}
	f->v[f->n++] = p;
}

/* Those with the name alone, where one is given: descriptions and probes may be many. */
static void find_all(struct session *s, const struct probe_desc *d, struct found *out)
{
	const struct probe_index *ix = s->engine->probe_index;
	const struct probe *last = probe_by_id(s, s->nprobes);
	bool needs_func = is_all_empty(d);
	uint32_t id = 1;
	struct fields f;

	field_init(&f.prov, s, d->prov);
	field_init(&f.mod, s, d->mod);
	field_init(&f.func, s, d->func);
	field_init(&f.name, s, d->name);
	if (f.name.kind == FIELD_EXACT) {
		last = f.name.text ? hash_get(&ix->last_of, name_key(f.name.text)) : NULL;
		id = last ? ix->links[last->id].same_name : 0;
	}
	while (last) {
		struct probe *p = probe_by_id(s, id);

		if (!(needs_func && !p->func[0]) && desc_match(&f, d, p))
			found_add(out, p);
		if (p == last)
			return;
		id = f.name.kind == FIELD_EXACT ? ix->links[id].same_name : id + 1;
	}
}

int probe_match(struct session *s, const struct probe_desc *d, struct probe ***out, int *tag,
		struct err *err)
{
	struct found found = {0};
	int rc;

	if (d->id) {
		*out = ARENA_NEW(s->arena, struct probe *);
		(*out)[0] = probe_by_id(s, d->id);
		return (*out)[0] != NULL;
	}
	rc = provide_for(s, d, tag, err);
	if (rc < 0)
		return rc;
	find_all(s, d, &found);
	*out = arena_memdup(s->arena, found.v, found.n * sizeof(struct probe *));
	free(found.v);
	return (int)found.n;
}

char *probe_desc_text(const struct probe_desc *d, char *buf, size_t size)
{
	if (d->id)
		snprintf(buf, size, "%u", d->id);
	else
		snprintf(buf, size, "%s:%s:%s:%s", d->prov, d->mod, d->func, d->name);
	return buf;
}
