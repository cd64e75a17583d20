/* declarator.c: parameters, pointers, arrays, functions (docs/spec/d-language.md §3.6, §3.8). */
#include "dlang/parse/decl_priv.h"

#define MAX_TYPE_DEPTH 256

/* ---- parameters ---- */

struct param *decl_param(struct compiler *cc)
{
	struct param *p = ARENA_NEW(cc->arena, struct param);
	struct declarator d = {.name = ""};
	struct spec s;

	decl_specs(cc, &s, true);
	if (s.storage)
		compile_fail(cc, D_DECL_PARMCLASS, decl_here(cc),
			     "inappropriate storage class for function or associative array "
			     "parameter");
	p->type = decl_declarator(cc, &s, decl_spec_type(cc, &s), &d, true);
	p->is_array = d.steps && d.steps->kind == STEP_KEYS;
	p->name = *d.name ? d.name : NULL;
	return p;
}

static bool begins_params(struct compiler *cc)
{
	return decl_begins_type(cc) || decl_is_storage(decl_peek(cc)) ||
	       decl_peek(cc) == TOK_ELLIPSIS;
}

/* params = param { "," param } [ "," "..." ] | "void" | "..."; up to the closing bracket */
static void read_params(struct compiler *cc, struct step *step)
{
	struct param **last = &step->params;

	do {
		if (parse_accept(cc, TOK_ELLIPSIS)) {
			step->varargs = true;
			break;
		}
		*last = decl_param(cc);
		last = &(*last)->next;
		step->nparams++;
	} while (parse_accept(cc, ','));
}

bool decl_is_void(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_VOID;
}

/* kind: what has the parameters. */
static void refuse_param(struct compiler *cc, const char *kind, const struct param *p, unsigned num)
{
	char buf[256];

	compile_fail(cc, D_DECL_PROTO_TYPE, decl_here(cc),
		     "%s prototype may not use parameter of type %s: %s, parameter #%u", kind,
		     p->is_array ? "dynamic variable" : type_name(p->type, buf, sizeof(buf)),
		     p->name ? p->name : "(anonymous)", num);
}

static void check_function_params(struct compiler *cc, const char *kind, struct step *step)
{
	unsigned n = 0;

	for (const struct param *p = step->params; p; p = p->next) {
		n++;
		if (p->is_array)
			refuse_param(cc, kind, p, n);
		if (!decl_is_void(p->type))
			continue;
		if (p->name)
			compile_fail(cc, D_DECL_PROTO_NAME, decl_here(cc),
				     "void parameter may not have a name: %s", p->name);
		if (step->nparams > 1 || step->varargs)
			compile_fail(cc, D_DECL_PROTO_VOID, decl_here(cc),
				     "void must be sole parameter");
		step->is_void = true;
	}
}

struct param *decl_params(struct compiler *cc, unsigned *n)
{
	struct step s = {0};

	if (decl_peek(cc) != ')') {
		if (!begins_params(cc))
			syntax_error(cc);
		read_params(cc, &s);
		check_function_params(cc, "probe", &s);
	}
	if (s.varargs)
		compile_fail(cc, D_DECL_PROTO_VARARGS, decl_here(cc),
			     "probe prototype may not use a variable-length argument list");
	parse_expect(cc, ')');
	*n = s.is_void ? 0 : s.nparams;
	return s.is_void ? NULL : s.params;
}

/* Keys of an associative array, parameters of an inline: what has a value, and a fixed number. */
static void check_key_params(struct compiler *cc, struct step *step)
{
	unsigned n = 0;

	if (step->varargs)
		compile_fail(cc, D_DECL_PROTO_VARARGS, decl_here(cc),
			     "array prototype may not use a variable-length argument list");
	for (const struct param *p = step->params; p; p = p->next) {
		enum type_kind kind = type_resolve(p->type)->kind;

		n++;
		if (kind == TYPE_VOID && step->nparams == 1) {
			if (p->name)
				compile_fail(cc, D_DECL_PROTO_NAME, decl_here(cc),
					     "void parameter may not have a name: %s", p->name);
			step->is_void = true;
		} else if (p->is_array || kind == TYPE_VOID || kind == TYPE_FUNCTION ||
			   kind == TYPE_FORWARD || kind == TYPE_FLOAT) {
			refuse_param(cc, "array", p, n);
		}
	}
}

/* ---- declarators ---- */

static struct step *new_step(struct compiler *cc, enum step_kind kind)
{
	struct step *s = ARENA_NEW(cc->arena, struct step);

	s->kind = kind;
	return s;
}

static uint64_t array_dimension(struct compiler *cc)
{
	struct node *n = check_const(cc, parse_cond(cc));

	/* "[0]" is another extension of C's headers */
	if (!n || !type_is_integer(n->type) || (n->value == 0 && !cc->lex->in_system) ||
	    (type_is_signed(n->type) && (int64_t)n->value < 0))
		compile_fail(cc, D_DECL_ARRSUB, decl_here(cc),
			     "positive integral constant expression or tuple signature expected as "
			     "array declaration subscript");
	if (n->value > UINT32_MAX)
		compile_fail(cc, D_DECL_ARRBIG, decl_here(cc), "array dimension too big");
	return n->value;
}

/* After "[". */
static struct step *read_brackets(struct compiler *cc)
{
	struct step *s = new_step(cc, STEP_ARRAY);

	if (decl_peek(cc) == ']') {
		s->is_empty = true;
		s->is_flexible = cc->lex->in_system;
	} else if (begins_params(cc)) {
		s->kind = STEP_KEYS;
		read_params(cc, s);
		check_key_params(cc, s);
	} else {
		s->nelems = array_dimension(cc);
	}
	parse_expect(cc, ']');
	return s;
}

/* After "(". */
static struct step *read_parens(struct compiler *cc)
{
	struct step *s = new_step(cc, STEP_FUNCTION);

	if (decl_peek(cc) != ')') {
		if (!begins_params(cc))
			syntax_error(cc);
		read_params(cc, s);
		check_function_params(cc, "function", s);
	}
	parse_expect(cc, ')');
	return s;
}

/* Suffixes apply from the last to the first; the list comes in the order of application. */
static struct step *read_suffixes(struct compiler *cc)
{
	struct step *list = NULL, *s;

	for (;;) {
		if (parse_accept(cc, '['))
			s = read_brackets(cc);
		else if (parse_accept(cc, '('))
			s = read_parens(cc);
		else
			return list;
		s->next = list;
		list = s;
	}
}

/* { "*" { qualifier } }: the one next to the type applies first. */
static struct step **read_stars(struct compiler *cc, struct step **last)
{
	while (parse_accept(cc, '*')) {
		struct step *s = new_step(cc, STEP_POINTER);

		for (;; lex_skip(cc)) {
			if (decl_peek(cc) == KEY_const)
				s->quals |= QUAL_CONST;
			else if (decl_peek(cc) == KEY_volatile)
				s->quals |= QUAL_VOLATILE;
			else if (decl_peek(cc) == KEY_userland)
				s->quals |= QUAL_USERLAND;
			else if (decl_peek(cc) != KEY_restrict)
				break;
		}
		*last = s;
		last = &s->next;
	}
	return last;
}

/* Is the parenthesis just read part of the declarator, or does it hold parameters? */
static bool is_grouping(struct compiler *cc, bool may_be_abstract)
{
	if (!may_be_abstract)
		return true;
	return decl_peek(cc) != ')' && !begins_params(cc);
}

static void read_steps(struct compiler *cc, struct declarator *d, struct step **last,
		       bool may_be_abstract)
{
	struct step *inner = NULL, *suffixes = NULL, **end;

	parse_deeper(cc);
	last = read_stars(cc, last);
	if (decl_peek(cc) == TOK_IDENT || decl_peek(cc) == TOK_TNAME) {
		d->name = lex_peek(cc)->string;
		lex_skip(cc);
	} else if (parse_accept(cc, '(')) {
		if (is_grouping(cc, may_be_abstract)) {
			read_steps(cc, d, &inner, may_be_abstract);
			parse_expect(cc, ')');
		} else {
			suffixes = read_parens(cc);
		}
	} else if (!may_be_abstract) {
		syntax_error(cc);
	}
	if (!suffixes)
		suffixes = read_suffixes(cc);
	for (end = &suffixes; *end;)
		end = &(*end)->next;
	*end = inner;
	*last = suffixes;
	parse_shallower(cc);
}

static const struct type *apply_function(struct compiler *cc, const struct type *t,
					 const struct step *s)
{
	const struct type **params = arena_alloc(cc->arena, (s->nparams + 1) * sizeof(void *));
	unsigned n = 0;

	if (!s->is_void)
		for (const struct param *p = s->params; p; p = p->next)
			params[n++] = p->type;
	return type_function(cc->types, t, params, n, s->varargs);
}

static const struct type *apply_array(struct compiler *cc, const struct type *t,
				      const struct step *s, const struct declarator *d,
				      const struct spec *spec, bool may_be_abstract)
{
	if (decl_is_void(t))
		compile_fail(cc, D_DECL_VOIDOBJ, decl_here(cc), "cannot declare array of void");
	if (!decl_is_whole(cc, t))
		decl_check_object(cc, t, d->name, "object");
	if (type_resolve(t)->kind == TYPE_FUNCTION)
		compile_fail(cc, D_DECL_COMBO, decl_here(cc), "cannot declare array of functions");
	if (!s->is_empty && s->nelems > INT64_MAX / MAX(type_size(t), 1))
		compile_fail(cc, D_DECL_ARRBIG, decl_here(cc), "array dimension too big");
	if (!s->is_empty || (s->is_flexible && !may_be_abstract))
		return type_array(cc->types, t, s->nelems);
	if (spec->storage == KEY_inline)
		syntax_error(cc); /* empty brackets are no parameters */
	if (spec->storage == KEY_extern)
		return type_array(cc->types, t, 0); /* as long as it is where it is defined */
	if (!may_be_abstract)
		compile_fail(cc, D_DECL_ARRNULL, decl_here(cc),
			     "array declaration requires array dimension or tuple signature: %s",
			     d->name);
	return type_pointer(cc->types, t); /* a parameter */
}

static const struct type *apply_pointer(struct compiler *cc, const struct type *t,
					const struct step *s, unsigned spec_quals)
{
	t = type_pointer(cc->types, t);
	if ((spec_quals | s->quals) & QUAL_USERLAND)
		t = type_userland(cc->types, t);
	return decl_qualify(cc, t, s->quals);
}

/*
 * Reads a declarator and returns the type it makes of `base`. What has keys is left as the one step
 * in d->steps, of which the type returned is the element.
 */
const struct type *decl_declarator(struct compiler *cc, const struct spec *spec,
				   const struct type *base, struct declarator *d,
				   bool may_be_abstract)
{
	const struct type *t = base;
	struct step *s;

	d->name = "";
	d->steps = NULL;
	read_steps(cc, d, &d->steps, may_be_abstract);
	for (s = d->steps; s; s = s->next) {
		if (s->kind == STEP_KEYS) {
			if (s->next)
				compile_fail(cc, D_DECL_DYNOBJ, decl_here(cc),
					     "associative array may only be a variable: %s",
					     d->name);
			if (decl_is_void(t))
				compile_fail(cc, D_DECL_VOIDOBJ, decl_here(cc),
					     "cannot declare array of void");
			d->steps = s;
			return t;
		}
		if (s->kind == STEP_POINTER)
			t = apply_pointer(cc, t, s, spec->quals);
		else if (s->kind == STEP_ARRAY)
			t = apply_array(cc, t, s, d, spec, may_be_abstract);
		else
			t = apply_function(cc, t, s);
		if (t->depth > MAX_TYPE_DEPTH)
			compile_fail(cc, D_DECL_COMBO, decl_here(cc), "type is nested too deeply");
	}
	return t;
}

/* typename = specquals [ abstract ] */
const struct type *decl_typename(struct compiler *cc)
{
	bool before = cc->lex->in_decl;
	struct declarator d;
	const struct type *t;
	struct spec s;

	cc->lex->in_decl = true;
	decl_specs(cc, &s, false);
	t = decl_declarator(cc, &s, decl_spec_type(cc, &s), &d, true);
	if (*d.name || (d.steps && d.steps->kind == STEP_KEYS))
		syntax_error(cc);
	cc->lex->in_decl = before;
	return t;
}
