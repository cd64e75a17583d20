/*
 * decl.c: C declarations in D (d-language.md §2.1, §3.6, §3.8, §6.2, §16.2).
 *
 * A declarator is read into steps, in the order in which they apply to the type of the specifiers:
 * `int *(*a[3])[4]` is pointer, array 4, pointer, array 3.
 */
#include "dlang/decl.h"

#include "dlang/check.h"
#include "dlang/stab.h"

#define MAX_TYPE_DEPTH 256

enum { /* spec.attrs */
       ATTR_SIGNED = 1 << 0,
       ATTR_UNSIGNED = 1 << 1,
       ATTR_SHORT = 1 << 2,
};

enum { /* qualifiers */
       QUAL_CONST = 1 << 0,
       QUAL_VOLATILE = 1 << 1,
       QUAL_RESTRICT = 1 << 2,
       QUAL_USERLAND = 1 << 3,
};

struct spec {
	int storage; /* the keyword, or 0 */
	unsigned attrs, nlongs, quals;
	int base;		 /* KEY_void, KEY_char, ..., or 0 */
	const struct type *type; /* struct, enum, type name */
};

enum step_kind { STEP_POINTER, STEP_ARRAY, STEP_KEYS, STEP_FUNCTION };

struct step {
	enum step_kind kind;
	unsigned quals; /* pointers */
	bool is_empty;	/* `[]` */
	uint64_t nelems;
	struct param *params;
	unsigned nparams;
	bool varargs, is_void;
	struct step *next;
};

struct declarator {
	const char *name; /* "" if abstract */
	struct step *steps;
};

static const struct type *read_declarator(struct compiler *, const struct spec *,
					  const struct type *base, struct declarator *,
					  bool may_be_abstract);

static int peek(struct compiler *cc)
{
	return lex_peek(cc)->kind;
}

/* Declarations are said to be on the line of the token that ends the declarator. */
static int here(struct compiler *cc)
{
	return lex_peek(cc)->line;
}

/* --- specifiers
 * ----------------------------------------------------------------------------------- */

bool decl_begins_type(struct compiler *cc)
{
	int kind = peek(cc);
	const char *name = lex_peek(cc)->string;

	if (kind != TOK_IDENT)
		return kind == TOK_TNAME || (keyword_flags(kind) & KW_TYPE);
	/* a type of the traced program: asked for only where it may stand */
	if (cc->lex->in_decl || lex_is_cast(cc) == CAST_PERHAPS)
		return !ident_find(cc->idents, SCOPE_GLOBAL, name) && target_type(cc, name);
	return lex_is_cast(cc) == CAST_YES && target_type(cc, name);
}

static bool is_storage(int kind)
{
	return kind == KEY_auto || kind == KEY_register || kind == KEY_static ||
	       kind == KEY_extern || kind == KEY_typedef || kind == KEY_self || kind == KEY_this;
}

static bool has_type(const struct spec *s)
{
	return s->base || s->type || s->attrs || s->nlongs;
}

static const struct type *read_sou(struct compiler *, enum type_kind kind);
static const struct type *read_enum(struct compiler *);

static void set_storage(struct compiler *cc, struct spec *s, int kind)
{
	if (s->storage)
		compile_fail(cc, D_DECL_CLASS, cc->line,
			     "only one storage class allowed in a declaration");
	s->storage = kind;
}

static void check_combo(struct compiler *cc, const struct spec *s)
{
	if (s->base || s->type)
		compile_fail(cc, D_DECL_COMBO, cc->line, "invalid type combination");
}

/* One word of the specifiers; false: it is none. */
static bool read_spec_word(struct compiler *cc, struct spec *s)
{
	const struct token *t = lex_peek(cc);
	int kind = t->kind;

	switch (kind) {
	case KEY_const:
		s->quals |= QUAL_CONST;
		break;
	case KEY_volatile:
		s->quals |= QUAL_VOLATILE;
		break;
	case KEY_restrict:
		s->quals |= QUAL_RESTRICT;
		break;
	case KEY_userland:
		s->quals |= QUAL_USERLAND;
		break;
	case KEY_signed:
		s->attrs |= ATTR_SIGNED;
		break;
	case KEY_unsigned:
		s->attrs |= ATTR_UNSIGNED;
		break;
	case KEY_short:
		s->attrs |= ATTR_SHORT;
		break;
	case KEY_long:
		s->nlongs++;
		break;
	case KEY_void:
	case KEY_char:
	case KEY_int:
	case KEY_float:
	case KEY_double:
	case KEY_string:
		check_combo(cc, s);
		s->base = kind;
		break;
	case KEY_struct:
	case KEY_union:
	case KEY_enum:
		check_combo(cc, s);
		lex_skip(cc);
		s->type = kind == KEY_enum     ? read_enum(cc)
			  : kind == KEY_struct ? read_sou(cc, TYPE_STRUCT)
					       : read_sou(cc, TYPE_UNION);
		return true;
	case TOK_TNAME:
		if (has_type(s))
			return false;
		s->type = types_lookup(cc->types, t->string);
		if (!s->type)
			s->type = target_type(cc, t->string);
		break;
	case TOK_IDENT:
		if (has_type(s))
			return false;
		s->type = target_type(cc, t->string);
		if (!s->type)
			return false;
		break;
	default:
		return false;
	}
	lex_skip(cc);
	return true;
}

/* declspecs with storage classes, specquals without. At least one word. */
static void read_specs(struct compiler *cc, struct spec *s, bool with_storage)
{
	bool any = false;

	memset(s, 0, sizeof(*s));
	for (;; any = true) {
		if (with_storage && is_storage(peek(cc))) {
			set_storage(cc, s, peek(cc));
			lex_skip(cc);
		} else if (!read_spec_word(cc, s)) {
			break;
		}
	}
	if (!any)
		syntax_error(cc);
}

static void check_attributes(struct compiler *cc, const struct spec *s)
{
	bool is_sign = s->attrs & (ATTR_SIGNED | ATTR_UNSIGNED);
	bool is_length = s->nlongs || (s->attrs & ATTR_SHORT);
	bool is_integer = !s->type && (!s->base || s->base == KEY_char || s->base == KEY_int);
	bool is_float = s->base == KEY_float || s->base == KEY_double;

	if (s->base == KEY_char && is_length)
		compile_fail(cc, D_DECL_CHARATTR, here(cc),
			     "invalid type declaration: short and long may not be used with char "
			     "type");
	if (s->base == KEY_void && (is_length || is_sign))
		compile_fail(cc, D_DECL_VOIDATTR, here(cc),
			     "invalid type declaration: attributes may not be used with void type");
	if (!is_integer && is_sign)
		compile_fail(cc, D_DECL_SIGNINT, here(cc),
			     "invalid type declaration: signed and unsigned may only be used with "
			     "integer type");
	if (!is_integer && !is_float && s->nlongs)
		compile_fail(cc, D_DECL_LONGINT, here(cc),
			     "invalid type declaration: long and long long may only be used with "
			     "integer or floating-point type");
}

static const char *base_word(int base)
{
	switch (base) {
	case KEY_void:
		return "void";
	case KEY_char:
		return "char";
	case KEY_int:
		return "int";
	case KEY_float:
		return "float";
	case KEY_double:
		return "double";
	case KEY_string:
		return "string";
	default:
		return NULL;
	}
}

static const struct type *qualify(struct compiler *cc, const struct type *t, unsigned quals)
{
	if (quals & QUAL_CONST)
		t = type_qualified(cc->types, TYPE_CONST, t);
	if (quals & QUAL_VOLATILE)
		t = type_qualified(cc->types, TYPE_VOLATILE, t);
	return t; /* restrict is read and ignored; userland belongs to pointers */
}

/* The words written, in C's order, are the name of the type. */
static const struct type *spec_type(struct compiler *cc, const struct spec *s)
{
	const char *base = base_word(s->base);
	const struct type *t = s->type;
	char name[128] = "";
	size_t n = 0;

	check_attributes(cc, s);
	if (t)
		return qualify(cc, t, s->quals);
	n += (size_t)snprintf(name, sizeof(name), "%s%s%s", s->attrs & ATTR_SIGNED ? "signed " : "",
			      s->attrs & ATTR_UNSIGNED ? "unsigned " : "",
			      s->attrs & ATTR_SHORT ? "short " : "");
	for (unsigned i = 0; i < MIN(s->nlongs, 4); i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "long ");
	if (base)
		snprintf(name + n, sizeof(name) - n, "%s ", base);
	t = has_type(s) ? types_lookup(cc->types, name) : cc->types->t_int;
	if (!t)
		compile_fail(cc, D_UNKNOWN, here(cc),
			     "failed to resolve type %s: Unknown type name", name);
	return qualify(cc, t, s->quals);
}

/* --- structs, unions, enums ----------------------------------------------------------------------
 */

static bool is_incomplete(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_FORWARD;
}

static void member_width(struct compiler *cc, const struct type *t, const char *name,
			 unsigned *bits)
{
	struct node *n = check_const(cc, parse_cond(cc));
	const struct type *plain = type_resolve(t);

	if (!n || !type_is_integer(n->type) || n->value == 0 ||
	    (type_is_signed(n->type) && (int64_t)n->value < 0))
		compile_fail(cc, D_DECL_BFCONST, here(cc),
			     "positive integral constant expression expected as bit-field size");
	if (!type_is_integer(t))
		compile_fail(cc, D_DECL_BFTYPE, here(cc), "invalid type for bit-field: %s", name);
	if (n->value > plain->bits)
		compile_fail(cc, D_DECL_BFSIZE, here(cc), "bit-field too big for type: %s", name);
	*bits = (unsigned)n->value;
}

static void check_object(struct compiler *cc, const struct type *t, const char *name,
			 const char *what)
{
	char buf[256];

	if (type_resolve(t)->kind == TYPE_VOID)
		compile_fail(cc, D_DECL_VOIDOBJ, here(cc), "cannot have void %s: %s", what, name);
	if (is_incomplete(t))
		compile_fail(cc, D_DECL_INCOMPLETE, here(cc), "incomplete struct/union/enum %s: %s",
			     type_name(type_resolve(t), buf, sizeof(buf)), name);
}

/* mdeclr = declarator [ ":" const_expr ] | ":" const_expr */
static void read_member(struct compiler *cc, struct type_builder *b, const struct spec *s,
			const struct type *base)
{
	struct declarator d = {.name = ""};
	const struct type *t = base;
	unsigned bits = 0;

	if (peek(cc) != ':')
		t = read_declarator(cc, s, base, &d, false);
	if (strchr(d.name, '`'))
		compile_fail(cc, D_DECL_SCOPE, here(cc),
			     "D scoping operator may not be used in a declaration name (%s)",
			     d.name);
	if (parse_accept(cc, ':'))
		member_width(cc, t, d.name, &bits);
	if (d.steps && d.steps->kind == STEP_KEYS)
		compile_fail(cc, D_DECL_DYNOBJ, here(cc), "cannot have dynamic member: %s", d.name);
	if (type_resolve(t)->kind == TYPE_FUNCTION)
		compile_fail(cc, D_DECL_COMBO, here(cc), "cannot have function member: %s", d.name);
	check_object(cc, t, d.name, "member");
	if (type_add_member(b, d.name, t, bits) < 0)
		compile_fail(cc, D_UNKNOWN, here(cc),
			     "failed to define member '%s': Duplicate member or variable name.",
			     d.name);
}

/* memberdecl = specquals mdeclr { "," mdeclr } ";" */
static void read_members(struct compiler *cc, struct type_builder *b)
{
	const struct type *base;
	struct spec s;

	parse_deeper(cc);
	do {
		read_specs(cc, &s, false);
		base = spec_type(cc, &s);
		do
			read_member(cc, b, &s, base);
		while (parse_accept(cc, ','));
		parse_expect(cc, ';');
	} while (peek(cc) != '}');
	lex_skip(cc);
	parse_shallower(cc);
}

/* The tag after struct, union, enum; NULL: there is none. */
static const char *read_tag(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	const char *tag = NULL;

	if (t->kind == TOK_IDENT || t->kind == TOK_TNAME) {
		tag = t->string;
		lex_skip(cc);
	}
	if (!tag && peek(cc) != '{')
		syntax_error(cc);
	return tag;
}

static const char *tag_text(struct compiler *cc, enum type_kind kind, const char *tag)
{
	return arena_printf(cc->arena, "%s %s",
			    kind == TYPE_STRUCT	 ? "struct"
			    : kind == TYPE_UNION ? "union"
						 : "enum",
			    tag);
}

/* A use of a tag. An unknown one is promised; one of a module must be there. */
static const struct type *use_tag(struct compiler *cc, enum type_kind kind, const char *tag)
{
	const char *name = tag_text(cc, kind, tag);
	const struct type *t = types_lookup(cc->types, name);
	const char *tick = strrchr(tag, '`');
	bool is_there;

	if (!t)
		t = target_type(cc, name);
	if (t && peek(cc) == ';' && strcmp(t->module, "vmlinux") == 0)
		t = NULL; /* "struct s;": the program's own; the kernel has one of nearly every name */
	if (t)
		return t;
	if (!tick)
		return type_forward(cc->types, kind, tag);
	is_there =
		((tag[0] == 'C' || tag[0] == 'D') && tag[1] == '`') || target_has_module(cc, tag);
	compile_fail(cc, D_UNKNOWN, here(cc), "failed to resolve type %s: %s", name,
		     is_there ? "Unknown type name" : "Module is no longer loaded");
}

/* A body begins: the tag must be free, and may be used inside (struct s *next). */
static void define_tag(struct compiler *cc, enum type_kind kind, const char *tag)
{
	const char *name;
	const struct type *t;

	if (!tag)
		return;
	if (strchr(tag, '`'))
		compile_fail(cc, D_DECL_SCOPE, here(cc),
			     "D scoping operator may not be used in a declaration name (%s)", tag);
	name = tag_text(cc, kind, tag);
	t = types_lookup(cc->types, name);
	if (!t)
		type_forward(cc->types, kind, tag);
	else if (!is_incomplete(t))
		compile_fail(cc, D_DECL_TYPERED, here(cc), "type redeclared: %s", name);
}

static const struct type *read_sou(struct compiler *cc, enum type_kind kind)
{
	const char *tag = read_tag(cc);
	struct type_builder *b;

	if (peek(cc) != '{')
		return use_tag(cc, kind, tag);
	define_tag(cc, kind, tag);
	lex_skip(cc);
	b = type_begin(cc->types, kind, tag);
	read_members(cc, b);
	return type_finish(b);
}

static int64_t enumerator_value(struct compiler *cc, const char *name)
{
	struct node *n = check_const(cc, parse_cond(cc));
	bool is_signed;

	if (!n || !type_is_integer(n->type))
		compile_fail(cc, D_DECL_ENCONST, here(cc),
			     "enumerator '%s' must be assigned an integral constant expression",
			     name);
	is_signed = type_is_signed(n->type);
	if ((int64_t)n->value > INT32_MAX || (is_signed && (int64_t)n->value < INT32_MIN) ||
	    (!is_signed && n->value > INT32_MAX))
		compile_fail(cc, D_DECL_ENOFLOW, here(cc),
			     "enumerator '%s' value overflows INT_MAX (%d)", name, INT32_MAX);
	return (int64_t)n->value;
}

/* Enumerators are looked up after variables: one that a variable hides has no global name. */
static void add_enumerator(struct compiler *cc, const char *name, int64_t value)
{
	struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, name);

	if (id && id->kind == IDENT_ENUM)
		compile_fail(cc, D_DECL_IDRED, here(cc), "identifier redeclared: %s", name);
	if (id)
		return;
	id = ident_add(cc->idents, SCOPE_GLOBAL, name, IDENT_ENUM, cc->types->t_int);
	id->value = value;
	id->declared = true;
	id->line = here(cc);
}

/* enumr { "," enumr } */
static const struct type *read_enumerators(struct compiler *cc, struct type_builder *b)
{
	int64_t value = 0;

	do {
		const char *name = lex_peek(cc)->string;

		if (peek(cc) != TOK_IDENT && peek(cc) != TOK_TNAME)
			syntax_error(cc);
		lex_skip(cc);
		if (parse_accept(cc, '='))
			value = enumerator_value(cc, name);
		add_enumerator(cc, name, value);
		if (type_add_enumr(b, name, value) < 0)
			compile_fail(cc, D_DECL_IDRED, here(cc), "identifier redeclared: %s", name);
		value = (int32_t)((uint32_t)value + 1);
	} while (parse_accept(cc, ','));
	parse_expect(cc, '}');
	return type_finish(b);
}

static const struct type *read_enum(struct compiler *cc)
{
	const char *tag = read_tag(cc);

	if (peek(cc) != '{')
		return use_tag(cc, TYPE_ENUM, tag);
	define_tag(cc, TYPE_ENUM, tag);
	lex_skip(cc);
	return read_enumerators(cc, type_begin(cc->types, TYPE_ENUM, tag));
}

/* --- parameters
 * ----------------------------------------------------------------------------------- */

struct param *decl_param(struct compiler *cc)
{
	struct param *p = ARENA_NEW(cc->arena, struct param);
	struct declarator d = {.name = ""};
	struct spec s;

	read_specs(cc, &s, true);
	if (s.storage)
		compile_fail(cc, D_DECL_PARMCLASS, here(cc),
			     "storage class not appropriate for a parameter");
	p->type = read_declarator(cc, &s, spec_type(cc, &s), &d, true);
	if (d.steps && d.steps->kind == STEP_KEYS)
		compile_fail(cc, D_DECL_DYNOBJ, here(cc), "cannot have dynamic parameter: %s",
			     d.name);
	p->name = *d.name ? d.name : NULL;
	return p;
}

static bool begins_params(struct compiler *cc)
{
	return decl_begins_type(cc) || is_storage(peek(cc)) || peek(cc) == TOK_ELLIPSIS;
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

static bool is_void(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_VOID;
}

static void check_function_params(struct compiler *cc, struct step *step)
{
	for (const struct param *p = step->params; p; p = p->next) {
		if (!is_void(p->type))
			continue;
		if (p->name)
			compile_fail(cc, D_DECL_PROTO_NAME, here(cc),
				     "void parameter may not have a name: %s", p->name);
		if (step->nparams > 1 || step->varargs)
			compile_fail(cc, D_DECL_PROTO_VOID, here(cc),
				     "void must be sole parameter");
		step->is_void = true;
	}
}

struct param *decl_params(struct compiler *cc, unsigned *n)
{
	struct step s = {0};

	if (peek(cc) != ')') {
		if (!begins_params(cc))
			syntax_error(cc);
		read_params(cc, &s);
		check_function_params(cc, &s);
	}
	if (s.varargs)
		compile_fail(cc, D_DECL_PROTO_VARARGS, here(cc),
			     "probe prototype may not use a variable-length argument list");
	parse_expect(cc, ')');
	*n = s.is_void ? 0 : s.nparams;
	return s.is_void ? NULL : s.params;
}

/* Keys of an associative array, parameters of an inline: what has a value, and a fixed number. */
static void check_key_params(struct compiler *cc, struct step *step)
{
	unsigned n = 0;
	char buf[256];

	if (step->varargs)
		compile_fail(cc, D_DECL_PROTO_VARARGS, here(cc),
			     "associative array prototype may not use a variable-length argument "
			     "list");
	for (const struct param *p = step->params; p; p = p->next) {
		enum type_kind kind = type_resolve(p->type)->kind;

		n++;
		if (kind == TYPE_VOID && step->nparams == 1) {
			if (p->name)
				compile_fail(cc, D_DECL_PROTO_NAME, here(cc),
					     "void parameter may not have a name: %s", p->name);
			step->is_void = true;
		} else if (kind == TYPE_VOID || kind == TYPE_FUNCTION || kind == TYPE_FORWARD ||
			   kind == TYPE_FLOAT) {
			compile_fail(cc, D_DECL_PROTO_TYPE, here(cc),
				     "associative array parameter #%u may not be of type %s", n,
				     type_name(p->type, buf, sizeof(buf)));
		}
	}
}

/* --- declarators
 * ---------------------------------------------------------------------------------- */

static struct step *new_step(struct compiler *cc, enum step_kind kind)
{
	struct step *s = ARENA_NEW(cc->arena, struct step);

	s->kind = kind;
	return s;
}

static uint64_t array_dimension(struct compiler *cc)
{
	struct node *n = check_const(cc, parse_cond(cc));

	if (!n || !type_is_integer(n->type) || n->value == 0 ||
	    (type_is_signed(n->type) && (int64_t)n->value < 0))
		compile_fail(cc, D_DECL_ARRSUB, here(cc),
			     "positive integral constant expression or tuple signature expected as "
			     "array declaration subscript");
	if (n->value > UINT32_MAX)
		compile_fail(cc, D_DECL_ARRBIG, here(cc), "array dimension too big");
	return n->value;
}

/* After "[". */
static struct step *read_brackets(struct compiler *cc)
{
	struct step *s = new_step(cc, STEP_ARRAY);

	if (peek(cc) == ']') {
		s->is_empty = true;
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

	if (peek(cc) != ')') {
		if (!begins_params(cc))
			syntax_error(cc);
		read_params(cc, s);
		check_function_params(cc, s);
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
			if (peek(cc) == KEY_const)
				s->quals |= QUAL_CONST;
			else if (peek(cc) == KEY_volatile)
				s->quals |= QUAL_VOLATILE;
			else if (peek(cc) == KEY_userland)
				s->quals |= QUAL_USERLAND;
			else if (peek(cc) != KEY_restrict)
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
	return peek(cc) != ')' && !begins_params(cc);
}

static void read_steps(struct compiler *cc, struct declarator *d, struct step **last,
		       bool may_be_abstract)
{
	struct step *inner = NULL, *suffixes = NULL, **end;

	parse_deeper(cc);
	last = read_stars(cc, last);
	if (peek(cc) == TOK_IDENT || peek(cc) == TOK_TNAME) {
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
	if (is_void(t))
		compile_fail(cc, D_DECL_VOIDOBJ, here(cc), "cannot declare array of void");
	if (is_incomplete(t))
		check_object(cc, t, d->name, "object");
	if (type_resolve(t)->kind == TYPE_FUNCTION)
		compile_fail(cc, D_DECL_COMBO, here(cc), "cannot declare array of functions");
	if (!s->is_empty && s->nelems > INT64_MAX / MAX(type_size(t), 1))
		compile_fail(cc, D_DECL_ARRBIG, here(cc), "array dimension too big");
	if (!s->is_empty)
		return type_array(cc->types, t, s->nelems);
	if (spec->storage == KEY_inline)
		syntax_error(cc); /* empty brackets are no parameters */
	if (!may_be_abstract)
		compile_fail(cc, D_DECL_ARRNULL, here(cc),
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
	return qualify(cc, t, s->quals);
}

/*
 * Reads a declarator and returns the type it makes of `base`. What has keys is left as the one step
 * in d->steps, of which the type returned is the element.
 */
static const struct type *read_declarator(struct compiler *cc, const struct spec *spec,
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
				compile_fail(cc, D_DECL_DYNOBJ, here(cc),
					     "associative array may only be a variable: %s",
					     d->name);
			if (is_void(t))
				compile_fail(cc, D_DECL_VOIDOBJ, here(cc),
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
			compile_fail(cc, D_DECL_COMBO, here(cc), "type is nested too deeply");
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
	read_specs(cc, &s, false);
	t = read_declarator(cc, &s, spec_type(cc, &s), &d, true);
	if (*d.name || (d.steps && d.steps->kind == STEP_KEYS))
		syntax_error(cc);
	cc->lex->in_decl = before;
	return t;
}

/* --- variables
 * ------------------------------------------------------------------------------------ */

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
		compile_fail(cc, D_DECL_IDRED, here(cc), "built-in identifier redeclared: %s",
			     id->name);
	if ((id->kind == IDENT_SCALAR || id->kind == IDENT_INLINE || was_array) &&
	    was_array == (keys != NULL) && id->nparams == 0 &&
	    (!id->type || type_same(id->type, t)) && (!keys || !id->keys || same_keys(id, keys)))
		return;
	compile_fail(cc, D_DECL_IDRED, here(cc),
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
		compile_fail(cc, D_ID_OFLOW, here(cc), "failed to declare '%s': too many variables",
			     name);
	id->declared = true;
	if (is_new) {
		id->line = here(cc);
	}
	if (!id->type)
		id->type = t;
	if (keys && !id->keys)
		set_keys(cc, id, keys);
	if (id->kind == IDENT_SCALAR || id->kind == IDENT_ARRAY)
		vars_define(&cc->session->vars, (enum dif_scope)scope, id->id, id->name, id->type,
			    id->kind == IDENT_ARRAY);
}

static void declare_typedef(struct compiler *cc, const char *name, const struct type *t)
{
	if (types_lookup(cc->types, name))
		compile_fail(cc, D_DECL_IDRED, here(cc), "typedef redeclared: %s", name);
	type_typedef(cc->types, name, t);
}

static void check_storage(struct compiler *cc, const struct spec *s)
{
	if (s->storage == KEY_auto || s->storage == KEY_register || s->storage == KEY_static)
		compile_fail(cc, D_DECL_BADCLASS, here(cc),
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
		compile_fail(cc, D_DECL_SCOPE, here(cc),
			     "D scoping operator may not be used in a declaration name (%s)",
			     d->name);
	}
	if (keys && s->storage == KEY_typedef)
		compile_fail(cc, D_DECL_DYNOBJ, here(cc),
			     "associative array may only be a variable: %s", d->name);
	if (s->storage == KEY_typedef) {
		declare_typedef(cc, d->name, t);
		return;
	}
	if (!keys && type_resolve(t)->kind == TYPE_FUNCTION)
		return; /* an external function: cannot be called, so there is nothing to know */
	if (keys && s->storage == KEY_this)
		compile_fail(cc, D_DECL_LOCASSC, here(cc),
			     "associative arrays may not be declared as local variables: %s",
			     d->name);
	if (s->storage != KEY_extern || is_void(t))
		check_object(cc, t, d->name, "object");
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
	read_specs(cc, &s, true);
	base = spec_type(cc, &s);
	if (peek(cc) == ';') {
		check_storage(cc, &s);
		if (!s.type || s.storage)
			compile_fail(cc, D_DECL_USELESS, here(cc), "useless declaration");
	} else {
		do {
			t = read_declarator(cc, &s, base, &d, false);
			declare(cc, &s, &d, t);
		} while (parse_accept(cc, ','));
	}
	if (peek(cc) != ';')
		syntax_error(cc);
	lex_skip(cc);
	cc->lex->in_decl = false;
	lex_enter(cc, LEX_OUTER, 0);
}

/* --- inlines
 * -------------------------------------------------------------------------------------- */

static void check_inline_name(struct compiler *cc, const char *name)
{
	const struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, name);

	if (strchr(name, '`'))
		compile_fail(cc, D_DECL_SCOPE, here(cc),
			     "D scoping operator may not be used in a declaration name (%s)", name);
	if (id && id->kind != IDENT_ENUM)
		compile_fail(cc, D_DECL_IDRED, here(cc),
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
			compile_fail(cc, D_DECL_PROTO_NAME, here(cc),
				     "inline parameter #%u must have a name", id->nparams + 1);
		if (is_void(p->type))
			compile_fail(cc, D_DECL_PROTO_TYPE, here(cc),
				     "inline parameter %s may not be of type void", p->name);
		param->name = p->name;
		param->kind = IDENT_SCALAR;
		param->scope = SCOPE_GLOBAL;
		param->type = p->type;
		param->declared = true;
		param->is_input = true;
		param->line = here(cc);
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
	read_specs(cc, &s, true);
	check_storage(cc, &s);
	s.storage = KEY_inline;
	t = read_declarator(cc, &s, spec_type(cc, &s), &d, false);
	keys = d.steps && d.steps->kind == STEP_KEYS ? d.steps : NULL;
	if (peek(cc) != '=')
		syntax_error(cc);
	if (is_void(t))
		compile_fail(cc, D_DECL_VOIDOBJ, here(cc), "cannot declare void inline: %s",
			     d.name);
	check_object(cc, t, d.name, "object");
	check_inline_name(cc, d.name);
	cc->lex->in_decl = false;
	lex_skip(cc);
	expr = parse_assign(cc);
	id = ident_add(cc->idents, SCOPE_GLOBAL, d.name, IDENT_INLINE, t);
	id->declared = true;
	id->line = here(cc);
	if (keys)
		add_inline_params(cc, id, keys);
	if (peek(cc) != ';')
		syntax_error(cc);
	check_definition(cc, id, expr, here(cc));
	lex_skip(cc);
	lex_enter(cc, LEX_OUTER, 0);
}
