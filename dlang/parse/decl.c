/* decl.c: declarations of variables, types, inlines (docs/spec/d-language.md §2.1, §6.2, §16.2). */
#include "dlang/parse/decl_priv.h"
#include "dlang/parse/stability.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"

/* ---- variables ---- */

static enum ident_scope scope_of(const struct spec *s)
{
	return s->storage == KEY_self	? SCOPE_SELF
	       : s->storage == KEY_this ? SCOPE_THIS
					: SCOPE_GLOBAL;
}

static void set_keys(struct compiler *cc, struct ident *id, const struct step *keys)
{
	const struct type **types = arena_alloc(cc->arena, (keys->nparams + 1) * sizeof(void *));
	unsigned n = 0;

	id->is_proto_void = keys->is_void;
	if (!keys->is_void)
		for (const struct param *p = keys->params; p; p = p->next)
			types[n++] = p->type;
	id->keys = types;
	id->nkeys = n;
}

static bool same_keys(const struct ident *id, const struct step *keys)
{
	const struct param *p = keys->params;

	if (id->is_proto_void != keys->is_void)
		return false;
	if (keys->is_void)
		return true;
	if (id->nkeys != keys->nparams)
		return false;
	for (unsigned i = 0; i < id->nkeys; i++, p = p->next)
		if (!type_same(id->keys[i], p->type))
			return false;
	return true;
}

/* Declared again: all must be as it was. */
static void check_again(struct compiler *cc, const struct ident *id, const struct type *t,
			const struct step *keys)
{
	const struct ident now = {.kind = keys ? IDENT_ARRAY : IDENT_SCALAR};
	bool was_array = id->kind == IDENT_ARRAY;
	char current[256], previous[256];

	if (id->builtin)
		compile_fail(cc, D_DECL_IDRED, decl_here(cc), "built-in identifier redeclared: %s",
			     id->name);
	if ((id->kind == IDENT_SCALAR || id->kind == IDENT_INLINE || was_array) &&
	    was_array == (keys != NULL) && id->nparams == 0 &&
	    (!id->type || type_same(id->type, t)) && (!keys || !id->keys || same_keys(id, keys)))
		return;
	compile_fail(cc, D_DECL_IDRED, decl_here(cc),
		     "identifier redeclared: %s\n\t current: %s %s\n\tprevious: %s %s", id->name,
		     ident_kind_name(&now), type_name(t, current, sizeof(current)),
		     ident_kind_name(id),
		     id->type ? type_name(id->type, previous, sizeof(previous)) : "");
}

static void declare_variable(struct compiler *cc, const struct spec *s, const char *name,
			     const struct type *t, const struct step *keys)
{
	enum ident_kind kind = s->storage == KEY_extern ? IDENT_SYMBOL
			       : keys			? IDENT_ARRAY
							: IDENT_SCALAR;
	enum ident_scope scope = scope_of(s);
	struct ident *id = ident_find(cc->idents, scope, name);
	bool is_new = !id || id->kind == IDENT_ENUM;

	if (is_new)
		id = ident_add(cc->idents, scope, name, kind, NULL);
	else
		check_again(cc, id, t, keys);
	if (!id)
		compile_fail(cc, D_ID_OFLOW, decl_here(cc),
			     "failed to declare '%s': too many variables", name);
	id->declared = true;
	if (is_new) {
		id->line = decl_here(cc);
	}
	if (!id->type)
		id->type = t;
	if (keys && !id->keys)
		set_keys(cc, id, keys);
	if (id->kind == IDENT_SCALAR || id->kind == IDENT_ARRAY)
		vars_define(cc->session->engine->vars, (enum dif_scope)scope, id->id, id->name,
			    id->type, id->kind == IDENT_ARRAY);
}

/* Integers that D has under this name and headers of a system have with the other sign (id_t). */
static bool is_as_large(const struct type *a, const struct type *b)
{
	return type_is_integer(a) && type_is_integer(b) && type_size(a) == type_size(b);
}

/* The same again, as headers that include each other say it, is no error. */
static void declare_typedef(struct compiler *cc, const char *name, const struct type *t)
{
	const struct type *before = types_lookup(cc->types, name);

	if (before && type_same(before, t))
		return;
	if (before && !(type_is_predefined(before) && is_as_large(before, t)))
		compile_fail(cc, D_DECL_IDRED, decl_here(cc), "typedef redeclared: %s", name);
	type_typedef(cc->types, name, t);
}

static void check_storage(struct compiler *cc, const struct spec *s)
{
	if (s->storage == KEY_auto || s->storage == KEY_register || s->storage == KEY_static)
		compile_fail(cc, D_DECL_BADCLASS, decl_here(cc),
			     "specified storage class not appropriate in D");
}

static void declare(struct compiler *cc, const struct spec *s, const struct declarator *d,
		    const struct type *t)
{
	const struct step *keys = d->steps && d->steps->kind == STEP_KEYS ? d->steps : NULL;

	check_storage(cc, s);
	if (strchr(d->name, '`')) {
		if (s->storage == KEY_extern)
			return; /* symbols have the types their module gives */
		compile_fail(cc, D_DECL_SCOPE, decl_here(cc),
			     "D scoping operator may not be used in a declaration name (%s)",
			     d->name);
	}
	if (keys && s->storage == KEY_typedef)
		compile_fail(cc, D_DECL_DYNOBJ, decl_here(cc),
			     "associative array may only be a variable: %s", d->name);
	if (s->storage == KEY_typedef) {
		declare_typedef(cc, d->name, t);
		return;
	}
	if (!keys && type_resolve(t)->kind == TYPE_FUNCTION)
		return; /* an external function: cannot be called, so there is nothing to know */
	if (keys && s->storage == KEY_this)
		compile_fail(cc, D_DECL_LOCASSC, decl_here(cc),
			     "associative arrays may not be declared as local variables: %s",
			     d->name);
	if (s->storage != KEY_extern || decl_is_void(t))
		decl_check_object(cc, t, d->name, "object");
	declare_variable(cc, s, d->name, t, keys);
}

/* declaration = declspecs [ declarator { "," declarator } ] ";" */
void decl_declaration(struct compiler *cc)
{
	const struct type *base, *t;
	struct declarator d;
	struct spec s;

	lex_enter(cc, LEX_CLAUSE, 0);
	cc->lex->in_decl = true;
	decl_specs(cc, &s, true);
	base = decl_spec_type(cc, &s);
	if (decl_peek(cc) == ';') {
		check_storage(cc, &s);
		if (!s.type || s.storage)
			compile_fail(cc, D_DECL_USELESS, decl_here(cc), "useless declaration");
	} else {
		do {
			t = decl_declarator(cc, &s, base, &d, false);
			declare(cc, &s, &d, t);
		} while (parse_accept(cc, ','));
	}
	if (decl_peek(cc) != ';')
		syntax_error(cc);
	lex_skip(cc);
	cc->lex->in_decl = false;
	lex_enter(cc, LEX_OUTER, 0);
}

/* ---- inlines ---- */

static void check_inline_name(struct compiler *cc, const char *name)
{
	const struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, name);

	if (strchr(name, '`'))
		compile_fail(cc, D_DECL_SCOPE, decl_here(cc),
			     "D scoping operator may not be used in a declaration name (%s)", name);
	if (id && id->kind != IDENT_ENUM)
		compile_fail(cc, D_DECL_IDRED, decl_here(cc),
			     "identifier redefined: %s\n\t current: inline definition\n"
			     "\tprevious: %s %s",
			     name, ident_kind_name(id), id->kind == IDENT_INLINE ? "inline" : "");
}

static void add_inline_params(struct compiler *cc, struct ident *id, const struct step *keys)
{
	id->params = arena_alloc(cc->arena, (keys->nparams + 1) * sizeof(void *));
	for (const struct param *p = keys->params; p; p = p->next) {
		struct ident *param = ARENA_NEW(cc->arena, struct ident);

		if (!p->name)
			compile_fail(cc, D_DECL_PROTO_NAME, decl_here(cc),
				     "inline parameter #%u must have a name", id->nparams + 1);
		param->name = p->name;
		param->kind = IDENT_SCALAR;
		param->scope = SCOPE_GLOBAL;
		param->type = p->type;
		param->declared = true;
		param->is_input = true;
		param->line = decl_here(cc);
		id->params[id->nparams++] = param;
	}
}

/*
 * The parameters are global names while the definition is checked; its own name is none yet. It is
 * as stable as the weakest thing it reads.
 */
static void check_definition(struct compiler *cc, struct ident *id, struct node *expr, int line)
{
	struct attr *attr = arena_alloc(cc->arena, sizeof(*attr));
	const struct attr before = cc->attr;
	struct ident **hidden = arena_alloc(cc->arena, (id->nparams + 1) * sizeof(void *));

	for (unsigned i = 0; i < id->nparams; i++)
		hidden[i] =
			ident_replace(cc->idents, SCOPE_GLOBAL, id->params[i]->name, id->params[i]);
	cc->attr = attr_stable;
	id->expr = check_inline(cc, id, expr, line);
	*attr = cc->attr;
	id->attr = attr;
	cc->attr = before;
	for (unsigned i = id->nparams; i-- > 0;)
		ident_replace(cc->idents, SCOPE_GLOBAL, id->params[i]->name, hidden[i]);
}

/* inline = "inline" declspecs declarator "=" expr ";" */
void decl_inline(struct compiler *cc)
{
	const struct step *keys;
	struct declarator d;
	const struct type *t;
	struct node *expr;
	struct ident *id;
	struct spec s;

	lex_enter(cc, LEX_CLAUSE, 0);
	lex_skip(cc);
	cc->lex->in_decl = true;
	decl_specs(cc, &s, true);
	check_storage(cc, &s);
	s.storage = KEY_inline;
	t = decl_declarator(cc, &s, decl_spec_type(cc, &s), &d, false);
	keys = d.steps && d.steps->kind == STEP_KEYS ? d.steps : NULL;
	if (decl_peek(cc) != '=')
		syntax_error(cc);
	if (decl_is_void(t))
		compile_fail(cc, D_DECL_VOIDOBJ, decl_here(cc), "cannot declare void inline: %s",
			     d.name);
	decl_check_object(cc, t, d.name, "object");
	check_inline_name(cc, d.name);
	cc->lex->in_decl = false;
	lex_skip(cc);
	expr = parse_assign(cc);
	id = ident_add(cc->idents, SCOPE_GLOBAL, d.name, IDENT_INLINE, t);
	id->declared = true;
	id->line = decl_here(cc);
	if (keys)
		add_inline_params(cc, id, keys);
	if (decl_peek(cc) != ';')
		syntax_error(cc);
	check_definition(cc, id, expr, decl_here(cc));
	lex_skip(cc);
	lex_enter(cc, LEX_OUTER, 0);
}
