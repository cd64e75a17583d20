#include "dlang/parse/hint.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/nearest.h"

enum word_kind { WORD_VARIABLE, WORD_FUNCTION, WORD_PROBE };

static const struct word {
	enum word_kind kind;
	const char *word, *d;
} words[] = {
#define VARIABLE(word, d) {WORD_VARIABLE, word, d},
#define FUNCTION(word, d) {WORD_FUNCTION, word, d},
#define PROBE(word, d)	  {WORD_PROBE, word, d},
#include "dlang/parse/bpfwords.def"
#undef VARIABLE
#undef FUNCTION
#undef PROBE
};

static const struct word *find_word(enum word_kind kind, const char *word, size_t len)
{
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].kind == kind && strlen(words[i].word) == len &&
		    !strncmp(words[i].word, word, len))
			return &words[i];
	return NULL;
}

static const char *say_word(struct arena *a, const struct word *w)
{
	return arena_printf(a, "in D: %s", w->d);
}

/* What was found, as text in the arena; NULL: nothing. */
static const char *say_nearest(struct arena *a, struct nearest *near)
{
	struct strbuf text;
	const char *said;

	strbuf_init(&text);
	said = nearest_say(near, &text) ? arena_strdup(a, text.s) : NULL;
	strbuf_release(&text);
	nearest_release(near);
	return said;
}

/* ---- names of the language ---- */

static bool is_callable(const struct ident *id)
{
	return id->kind == IDENT_FUNC || id->kind == IDENT_ACTFUNC || id->kind == IDENT_AGGFUNC ||
	       (id->kind == IDENT_INLINE && id->nparams);
}

static const char *nearest_ident(struct compiler *cc, enum ident_scope scope, const char *name,
				 bool callable)
{
	const struct strmap *all = &cc->idents->scopes[scope];
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; i < all->nslots; i++) {
		const struct ident *id = all->slots[i].value;

		if (id && strcmp(id->name, name) != 0 && is_callable(id) == callable &&
		    (id->type || id->kind != IDENT_SCALAR || id->builtin))
			nearest_add(&near, id->name);
	}
	return say_nearest(cc->arena, &near);
}

const char *hint_variable(struct compiler *cc, enum ident_scope scope, const char *name)
{
	const struct word *w =
		scope == SCOPE_GLOBAL ? find_word(WORD_VARIABLE, name, strlen(name)) : NULL;

	return w ? say_word(cc->arena, w) : nearest_ident(cc, scope, name, false);
}

const char *hint_function(struct compiler *cc, const char *name)
{
	const struct word *w = find_word(WORD_FUNCTION, name, strlen(name));

	return w ? say_word(cc->arena, w) : nearest_ident(cc, SCOPE_GLOBAL, name, true);
}

const char *hint_call(struct compiler *cc, const struct ident *id)
{
	const struct word *w = find_word(WORD_VARIABLE, id->name, strlen(id->name));
	const char *said = w ? say_word(cc->arena, w) : hint_foreign(cc, id->name);

	if (said || !is_callable(id))
		return said;
	return arena_printf(cc->arena, "did you mean %s%s()?",
			    id->kind == IDENT_AGGFUNC ? "@ = " : "", id->name);
}

const char *hint_foreign(struct compiler *cc, const char *name)
{
	const struct word *w = find_word(WORD_FUNCTION, name, strlen(name));

	return w ? say_word(cc->arena, w) : NULL;
}

void hint_no_aggregation(struct compiler *cc, const struct node *agg)
{
	if (agg->has_keys)
		cc->hint = arena_printf(
			cc->arena,
			"a value that is read again is kept in %s[...], of a thread in "
			"self->%s",
			agg->string, agg->string);
	else
		cc->hint = arena_printf(cc->arena, "a value that is read again is kept in %s",
					strcmp(agg->string, "_") != 0 ? agg->string : "a variable");
}

static void add_members(struct nearest *near, const struct type *sou)
{
	for (unsigned i = 0; i < sou->nmembers; i++)
		if (sou->members[i].name[0])
			nearest_add(near, sou->members[i].name);
		else if (type_is_sou(sou->members[i].type)) /* transparent */
			add_members(near, type_resolve(sou->members[i].type));
}

const char *hint_member(struct compiler *cc, const struct type *sou, const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	add_members(&near, type_resolve(sou));
	return say_nearest(cc->arena, &near);
}

/* ---- probes ---- */

/* %1 and %2 of the template; NULL where there is no such field. */
static const char *fill(struct arena *a, const struct word *w, const char *const fields[2])
{
	struct strbuf text;
	const char *said = NULL, *p;

	strbuf_init(&text);
	for (p = w->d; *p; p++) {
		if (*p != '%') {
			strbuf_addc(&text, *p);
			continue;
		}
		p++;
		if (!fields[*p - '1'])
			break;
		strbuf_adds(&text, fields[*p - '1']);
	}
	if (!*p)
		said = arena_printf(a, "in D: %s", text.s);
	strbuf_release(&text);
	return said;
}

/* The names from the first that is there. */
static unsigned named_fields(const struct probe_desc *d, const char *v[4])
{
	const char *const all[4] = {d->prov, d->mod, d->func, d->name};
	unsigned i = 0, n = 0;

	while (i < 4 && !all[i][0])
		i++;
	for (; i < 4; i++)
		v[n++] = all[i];
	return n;
}

static const char *hint_foreign_probe(struct arena *a, const struct probe_desc *d)
{
	static const char enter[] = "sys_enter_", leave[] = "sys_exit_";
	const char *v[4], *behind[2];
	unsigned n = named_fields(d, v);
	const struct word *w = n ? find_word(WORD_PROBE, v[0], strlen(v[0])) : NULL;

	if (!w || n < 2)
		return NULL;
	behind[0] = v[1];
	behind[1] = n > 2 ? v[2] : NULL;
	if (!strcmp(w->word, "tracepoint") && !strcmp(v[1], "syscalls") && n > 2) {
		if (!strncmp(v[2], enter, sizeof(enter) - 1))
			return arena_printf(a, "in D: syscall::%s:entry", v[2] + sizeof(enter) - 1);
		if (!strncmp(v[2], leave, sizeof(leave) - 1))
			return arena_printf(a, "in D: syscall::%s:return",
					    v[2] + sizeof(leave) - 1);
	}
	return fill(a, w, behind);
}

static const char *field_of(const struct probe *p, enum desc_field f)
{
	switch (f) {
	case DESC_PROV:
		return p->prov;
	case DESC_MOD:
		return p->mod;
	case DESC_FUNC:
		return p->func;
	default:
		return p->name;
	}
}

static const char *desc_of(const struct probe_desc *d, enum desc_field f)
{
	return f == DESC_PROV	? d->prov
	       : f == DESC_MOD	? d->mod
	       : f == DESC_FUNC ? d->func
				: d->name;
}

static bool matches(const struct probe *p, const struct probe_desc *d)
{
	if (!glob_field(d->prov, p->prov) || !glob_field(d->name, p->name))
		return false;
	if (p->provider->matches)
		return p->provider->matches(p, d);
	return glob_field(d->mod, p->mod) && glob_field(d->func, p->func);
}

static void add_name(void *near, const char *name)
{
	nearest_add(near, name);
}

/* The description with a field left open. */
static struct probe_desc without(const struct probe_desc *d, enum desc_field f)
{
	struct probe_desc open = *d;

	*(f == DESC_PROV   ? &open.prov
	  : f == DESC_MOD  ? &open.mod
	  : f == DESC_FUNC ? &open.func
			   : &open.name) = "";
	return open;
}

/* Providers whose probes are made on demand make those that the field could mean, or name them. */
static void ask_providers(struct session *s, const struct probe_desc *d, enum desc_field f,
			  void (*fn)(void *, const char *), void *arg)
{
	struct probe_desc open = without(d, f);

	for (unsigned i = 0; i < s->nproviders; i++) {
		const struct provider *pv = s->providers[i];
		int tag = D_NONE;
		struct err ignored;

		if (pv->suggest && (f == DESC_PROV || !pv->on_demand || pv->on_demand(d->prov)))
			pv->suggest(s, d, f, fn, arg);
		else if (!pv->suggest && f == DESC_PROV)
			fn(arg, pv->name);
		else if (!pv->suggest && pv->on_demand && pv->on_demand(d->prov))
			pv->provide(s, &open, &tag, &ignored);
	}
}

void desc_candidates(struct session *s, const struct probe_desc *d, enum desc_field f,
		     void (*fn)(void *, const char *), void *arg)
{
	struct probe_desc open = without(d, f);
	const char *last = NULL;

	ask_providers(s, d, f, fn, arg);
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);
		const char *name = field_of(p, f);

		if (name == last || !matches(p, &open)) /* probes come in runs */
			continue;
		fn(arg, name);
		last = name;
	}
}

static const char *nearest_in_field(struct session *s, const struct probe_desc *d,
				    enum desc_field f)
{
	struct nearest near;

	if (!desc_of(d, f)[0] || glob_is_pattern(desc_of(d, f)))
		return NULL;
	nearest_init(&near, desc_of(d, f));
	desc_candidates(s, d, f, add_name, &near);
	return say_nearest(s->arena, &near);
}

const char *hint_desc(struct session *s, const struct probe_desc *d)
{
	const char *said = hint_foreign_probe(s->arena, d);

	if (d->id)
		return NULL;
	for (enum desc_field f = DESC_NAME + 1; !said && f-- > DESC_PROV;)
		said = nearest_in_field(s, d, f);
	for (unsigned i = 0; !said && i < s->nproviders; i++)
		if (s->providers[i]->why_none && s->providers[i]->on_demand(d->prov))
			said = s->providers[i]->why_none(s, d);
	return said;
}

const char *hint_text(struct arena *a, const char *text)
{
	const struct word *w;
	size_t n = 0;

	while (isspace((unsigned char)*text))
		text++;
	while (isalnum((unsigned char)text[n]))
		n++;
	w = text[n] == ':' ? find_word(WORD_PROBE, text, n) : NULL;
	return w && !strchr(w->d, '%') ? say_word(a, w) : NULL;
}
