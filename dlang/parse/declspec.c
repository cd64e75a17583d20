/* declspec.c: specifiers, structures, unions, enumerations (docs/spec/d-language.md §2.1, §3.6,
 * §3.8). */
#include "dlang/parse/decl_priv.h"

enum { /* spec.attrs */
       ATTR_SIGNED = 1 << 0,
       ATTR_UNSIGNED = 1 << 1,
       ATTR_SHORT = 1 << 2,
};

/* ---- specifiers ---- */

bool decl_begins_type(struct compiler *cc)
{
	int kind = decl_peek(cc);
	const char *name = lex_peek(cc)->string;

	if (kind != TOK_IDENT)
		return kind == TOK_TNAME || (keyword_flags(kind) & KW_TYPE);
	/* a type of the traced program: asked for only where it may stand */
	if (cc->lex->in_decl || lex_is_cast(cc) == CAST_PERHAPS)
		return !ident_find(cc->idents, SCOPE_GLOBAL, name) && target_type(cc, name);
	return lex_is_cast(cc) == CAST_YES && target_type(cc, name);
}

bool decl_is_storage(int kind)
{
	return kind == KEY_auto || kind == KEY_register || kind == KEY_static ||
	       kind == KEY_extern || kind == KEY_typedef || kind == KEY_self || kind == KEY_this;
}

static bool has_type(const struct spec *s)
{
	return s->base || s->type || s->attrs || s->nlongs;
}

static const struct type *read_sou(struct compiler *, const struct spec *, enum type_kind kind);
static const struct type *read_enum(struct compiler *, const struct spec *);

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

static void check_attributes(struct compiler *cc, const struct spec *s)
{
	bool is_sign = s->attrs & (ATTR_SIGNED | ATTR_UNSIGNED);
	bool is_length = s->nlongs || (s->attrs & ATTR_SHORT);
	bool is_integer = !s->type && (!s->base || s->base == KEY_char || s->base == KEY_int);
	bool is_float = s->base == KEY_float || s->base == KEY_double;

	if (s->base == KEY_char && is_length)
		compile_fail(cc, D_DECL_CHARATTR, decl_here(cc),
			     "invalid type declaration: short and long may not be used with char "
			     "type");
	if (s->base == KEY_void && (is_length || is_sign))
		compile_fail(cc, D_DECL_VOIDATTR, decl_here(cc),
			     "invalid type declaration: attributes may not be used with void type");
	if (!is_integer && is_sign)
		compile_fail(cc, D_DECL_SIGNINT, decl_here(cc),
			     "invalid type declaration: signed and unsigned may only be used with "
			     "integer type");
	if (!is_integer && !is_float && s->nlongs)
		compile_fail(cc, D_DECL_LONGINT, decl_here(cc),
			     "invalid type declaration: long and long long may only be used with "
			     "integer or floating-point type");
}

/* A body begins: words that do not go with it are refused here, before what is wrong in it. */
static void check_body(struct compiler *cc, const struct spec *s)
{
	struct spec with_body = *s;

	with_body.type = cc->types->t_void;
	if (decl_peek(cc) == '{')
		check_attributes(cc, &with_body);
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
		s->type = kind == KEY_enum     ? read_enum(cc, s)
			  : kind == KEY_struct ? read_sou(cc, s, TYPE_STRUCT)
					       : read_sou(cc, s, TYPE_UNION);
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
void decl_specs(struct compiler *cc, struct spec *s, bool with_storage)
{
	bool any = false;

	memset(s, 0, sizeof(*s));
	for (;; any = true) {
		if (with_storage && decl_is_storage(decl_peek(cc))) {
			set_storage(cc, s, decl_peek(cc));
			lex_skip(cc);
		} else if (!read_spec_word(cc, s)) {
			break;
		}
	}
	if (!any)
		syntax_error(cc);
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

const struct type *decl_qualify(struct compiler *cc, const struct type *t, unsigned quals)
{
	if (quals & QUAL_CONST)
		t = type_qualified(cc->types, TYPE_CONST, t);
	if (quals & QUAL_VOLATILE)
		t = type_qualified(cc->types, TYPE_VOLATILE, t);
	return t; /* restrict is read and ignored; userland belongs to pointers */
}

/* The words written, in C's order, are the name of the type. */
const struct type *decl_spec_type(struct compiler *cc, const struct spec *s)
{
	const char *base = base_word(s->base);
	const struct type *t = s->type;
	char name[128] = "";
	size_t n = 0;

	check_attributes(cc, s);
	if (t)
		return decl_qualify(cc, t, s->quals);
	n += (size_t)snprintf(name, sizeof(name), "%s%s%s", s->attrs & ATTR_SIGNED ? "signed " : "",
			      s->attrs & ATTR_UNSIGNED ? "unsigned " : "",
			      s->attrs & ATTR_SHORT ? "short " : "");
	for (unsigned i = 0; i < MIN(s->nlongs, 4); i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "long ");
	if (base)
		snprintf(name + n, sizeof(name) - n, "%s ", base);
	t = has_type(s) ? types_lookup(cc->types, name) : cc->types->t_int;
	if (!t)
		compile_fail(cc, D_UNKNOWN, decl_here(cc),
			     "failed to resolve type %s: Unknown type name", name);
	return decl_qualify(cc, t, s->quals);
}

/* ---- structs, unions, enums ---- */

static bool is_incomplete(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_FORWARD;
}

/* What stands there by value must have its members: those of the kernel, too, are looked up now. */
bool decl_is_whole(struct compiler *cc, const struct type *t)
{
	return complete_type(cc, t)->kind != TYPE_FORWARD;
}

static void member_width(struct compiler *cc, const struct type *t, const char *name,
			 unsigned *bits)
{
	struct node *n = check_const(cc, parse_cond(cc));
	const struct type *plain = type_resolve(t);

	if (!n || !type_is_integer(n->type) || n->value == 0 ||
	    (type_is_signed(n->type) && (int64_t)n->value < 0))
		compile_fail(cc, D_DECL_BFCONST, decl_here(cc),
			     "positive integral constant expression expected as bit-field size");
	if (!type_is_integer(t))
		compile_fail(cc, D_DECL_BFTYPE, decl_here(cc), "invalid type for bit-field: %s",
			     *name ? name : "(anon)");
	if (n->value > plain->bits)
		compile_fail(cc, D_DECL_BFSIZE, decl_here(cc), "bit-field too big for type: %s",
			     name);
	*bits = (unsigned)n->value;
}

void decl_check_object(struct compiler *cc, const struct type *t, const char *name,
		       const char *what)
{
	char buf[256];

	complete_type(cc, t);
	if (type_resolve(t)->kind == TYPE_VOID)
		compile_fail(cc, D_DECL_VOIDOBJ, decl_here(cc), "cannot have void %s: %s", what,
			     name);
	if (!decl_is_whole(cc, t))
		compile_fail(cc, D_DECL_INCOMPLETE, decl_here(cc),
			     "incomplete struct/union/enum %s: %s",
			     type_name(type_resolve(t), buf, sizeof(buf)), name);
}

static void add_member(struct compiler *cc, struct type_builder *b, const char *name,
		       const struct type *t, unsigned bits)
{
	if (type_add_member(b, name, t, bits) < 0)
		compile_fail(cc, D_UNKNOWN, decl_here(cc),
			     "failed to define member '%s': Duplicate member or variable name.",
			     name);
}

/* mdeclr = declarator [ ":" const_expr ] | ":" const_expr */
static void read_member(struct compiler *cc, struct type_builder *b, const struct spec *s,
			const struct type *base)
{
	struct declarator d = {.name = ""};
	const struct type *t = base;
	unsigned bits = 0;

	if (decl_peek(cc) != ':')
		t = decl_declarator(cc, s, base, &d, false);
	if (strchr(d.name, '`'))
		compile_fail(cc, D_DECL_SCOPE, decl_here(cc),
			     "D scoping operator may not be used in a declaration name (%s)",
			     d.name);
	if (parse_accept(cc, ':'))
		member_width(cc, t, d.name, &bits);
	if (d.steps && d.steps->kind == STEP_KEYS)
		compile_fail(cc, D_DECL_DYNOBJ, decl_here(cc), "cannot have dynamic member: %s",
			     d.name);
	if (type_resolve(t)->kind == TYPE_FUNCTION)
		compile_fail(cc, D_DECL_VOIDOBJ, decl_here(cc), "cannot have void member: %s",
			     d.name);
	decl_check_object(cc, t, d.name, "member");
	add_member(cc, b, d.name, t, bits);
}

/* A structure or union within another, without a name: C has them, D only in headers of C. */
static bool is_unnamed(struct compiler *cc, const struct type *t)
{
	enum type_kind kind = type_resolve(t)->kind;

	return cc->lex->in_system && (kind == TYPE_STRUCT || kind == TYPE_UNION) && !t->name &&
	       parse_accept(cc, ';');
}

/* memberdecl = specquals mdeclr { "," mdeclr } ";" */
static void read_members(struct compiler *cc, struct type_builder *b)
{
	const struct type *base;
	struct spec s;

	if (cc->lex->in_system && parse_accept(cc, '}'))
		return; /* C's extension: a structure of nothing */
	parse_deeper(cc);
	do {
		decl_specs(cc, &s, false);
		base = decl_spec_type(cc, &s);
		if (is_unnamed(cc, base)) {
			add_member(cc, b, "", base, 0);
			continue;
		}
		do
			read_member(cc, b, &s, base);
		while (parse_accept(cc, ','));
		parse_expect(cc, ';');
	} while (decl_peek(cc) != '}');
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
	if (!tag && decl_peek(cc) != '{')
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
	if (t && decl_peek(cc) == ';' && strcmp(t->module, "vmlinux") == 0)
		t = NULL; /* "struct s;": the program's own; the kernel has one of nearly every name
			   */
	if (t)
		return t;
	if (!tick)
		return type_forward(cc->types, kind, tag);
	is_there =
		((tag[0] == 'C' || tag[0] == 'D') && tag[1] == '`') || target_has_module(cc, tag);
	compile_fail(cc, D_UNKNOWN, decl_here(cc), "failed to resolve type %s: %s", name,
		     is_there ? "Unknown type name" : "Module is no longer loaded");
}

/* A body begins at the brace, which is read: the tag must be free, and may be used inside (struct s
 * *next). */
static void define_tag(struct compiler *cc, enum type_kind kind, const char *tag)
{
	const char *name;
	const struct type *t;

	lex_skip(cc);
	if (!tag)
		return;
	if (decl_peek(cc) == '}')
		syntax_error(cc);
	if (strchr(tag, '`'))
		compile_fail(cc, D_DECL_SCOPE, decl_here(cc),
			     "D scoping operator may not be used in a declaration name (%s)", tag);
	name = tag_text(cc, kind, tag);
	t = types_lookup(cc->types, name);
	if (!t)
		type_forward(cc->types, kind, tag);
	else if (!is_incomplete(t))
		compile_fail(cc, D_DECL_TYPERED, decl_here(cc), "type redeclared: %s", name);
}

static const struct type *read_sou(struct compiler *cc, const struct spec *s, enum type_kind kind)
{
	const char *tag = read_tag(cc);
	struct type_builder *b;

	check_body(cc, s);
	if (decl_peek(cc) != '{')
		return use_tag(cc, kind, tag);
	define_tag(cc, kind, tag);
	b = type_begin(cc->types, kind, tag);
	read_members(cc, b);
	return type_finish(b);
}

static int64_t enumerator_value(struct compiler *cc, const char *name)
{
	struct node *n = check_const(cc, parse_cond(cc));
	bool is_signed;

	if (!n || !type_is_integer(n->type))
		compile_fail(cc, D_DECL_ENCONST, decl_here(cc),
			     "enumerator '%s' must be assigned to an integral constant expression",
			     name);
	is_signed = type_is_signed(n->type);
	if ((int64_t)n->value > INT32_MAX || (is_signed && (int64_t)n->value < INT32_MIN) ||
	    (!is_signed && n->value > INT32_MAX))
		compile_fail(cc, D_DECL_ENOFLOW, decl_here(cc),
			     "enumerator '%s' value overflows INT_MAX (%d)", name, INT32_MAX);
	return (int64_t)n->value;
}

static void add_enumerator(struct compiler *cc, const char *name, int64_t value)
{
	struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, name);

	if (id && id->kind == IDENT_INLINE && cc->lex->in_system)
		return; /* a constant of the libraries is that of C's headers */
	if (id && (id->kind != IDENT_ENUM || id->declared))
		compile_fail(cc, D_DECL_IDRED, decl_here(cc), "identifier redeclared: %s", name);
	if (!id)
		id = ident_add(cc->idents, SCOPE_GLOBAL, name, IDENT_ENUM, cc->types->t_int);
	id->value = value;
	id->declared = true;
	id->line = decl_here(cc);
}

/* enumr { "," enumr } */
static const struct type *read_enumerators(struct compiler *cc, struct type_builder *b)
{
	int64_t value = 0;

	do {
		const char *name = lex_peek(cc)->string;

		if (decl_peek(cc) != TOK_IDENT && decl_peek(cc) != TOK_TNAME)
			syntax_error(cc);
		lex_skip(cc);
		if (parse_accept(cc, '='))
			value = enumerator_value(cc, name);
		if (type_add_enumr(b, name, value) < 0)
			compile_fail(cc, D_UNKNOWN, decl_here(cc),
				     "failed to define enumerator '%s': Duplicate member or "
				     "variable name",
				     name);
		add_enumerator(cc, name, value);
		value = (int32_t)((uint32_t)value + 1);
	} while (parse_accept(cc, ',') && (!cc->lex->in_system || decl_peek(cc) != '}'));
	parse_expect(cc, '}');
	return type_finish(b);
}

static const struct type *read_enum(struct compiler *cc, const struct spec *s)
{
	const char *tag = read_tag(cc);

	check_body(cc, s);
	if (decl_peek(cc) != '{')
		return use_tag(cc, TYPE_ENUM, tag);
	define_tag(cc, TYPE_ENUM, tag);
	return read_enumerators(cc, type_begin(cc->types, TYPE_ENUM, tag));
}
