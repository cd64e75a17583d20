/*
 * checkcall.c: what takes a list: functions and their prototypes, associative arrays and their
 * keys, subscripts, inlines with parameters.
 */
#include "dlang/parse/check.h"

#include <assert.h>

#include "dlang/parse/hint.h"
#include "dlang/run/vm.h"

#define MAX_PARAMS 8

/* "string(const char *, int, [int])": [x] may be left out, @ is any type, ... any more. */
struct proto {
	const struct type *result;
	const struct type *params[MAX_PARAMS]; /* NULL: any */
	unsigned nparams, nrequired;
	bool varargs;
};

static const struct type *proto_type(struct compiler *cc, const char *text, size_t len)
{
	char *name = arena_strndup(cc->arena, text, len);
	const struct type *t = parse_type(cc, name);
	size_t n = strcspn(name, " ");

	if (t)
		return t;
	/* "rwlock_t *", which no kernel tells of: only such a pointer will do */
	assert(strcmp(name + n, " *") == 0);
	name[n] = '\0';
	t = type_typedef(cc->types, name, type_forward(cc->types, TYPE_STRUCT, name));
	return type_pointer(cc->types, t);
}

static void parse_param(struct compiler *cc, struct proto *p, const char *text, size_t len)
{
	bool optional = len > 1 && text[0] == '[';

	if (optional) {
		text++;
		len -= 2;
	}
	if (len == 3 && memcmp(text, "...", 3) == 0) {
		p->varargs = true;
		return;
	}
	assert(p->nparams < MAX_PARAMS);
	if (len != 1 || text[0] != '@')
		p->params[p->nparams] = proto_type(cc, text, len);
	p->nparams++;
	p->nrequired += !optional;
}

static void parse_proto(struct compiler *cc, struct proto *p, const char *text)
{
	const char *s = strchr(text, '(');

	memset(p, 0, sizeof(*p));
	p->result = proto_type(cc, text, (size_t)(s - text));
	for (s++; *s != ')' && *s; s += *s == ',') {
		size_t len;

		s += strspn(s, " ");
		len = strcspn(s, ",)");
		parse_param(cc, p, s, len);
		s += len;
	}
}

/* As messages show it: without the const of what it points to. */
static const char *param_text(struct compiler *cc, const struct type *t, char buf[static TYPE_TEXT])
{
	if (t->kind == TYPE_POINTER)
		t = type_pointer(cc->types, type_strip_quals(t->ref));
	return type_name(t, buf, TYPE_TEXT);
}

static void check_count(struct compiler *cc, const struct node *n, const struct proto *p,
			unsigned given)
{
	bool too_many = given > p->nparams && !p->varargs;
	const char *which = p->varargs			 ? "at least "
			    : p->nrequired == p->nparams ? ""
			    : too_many			 ? "at most "
							 : "at least ";

	if (given < p->nrequired || too_many)
		compile_fail(cc, D_PROTO_LEN, n->left->line,
			     "%s( ) prototype mismatch: %u arg%s passed, %s%u expected",
			     n->ident->name, given, given == 1 ? "" : "s", which,
			     too_many ? p->nparams : p->nrequired);
}

static bool is_void_pointer(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER && type_resolve(t->ref)->kind == TYPE_VOID;
}

/* copyin(args[0]): a pointer into the target is an address there. */
static bool is_target_address(const struct type *param, const struct node *arg)
{
	return type_is_integer(param) && type_resolve(param)->size == 8 && !type_is_signed(param) &&
	       type_is_pointer(arg->type) && type_resolve(arg->type)->is_userland;
}

/* A string is handled by its address, so it will do for void *. */
static bool arg_fits(const struct type *param, const struct node *arg)
{
	if (check_fits(param, arg))
		return true;
	if (node_is_dynamic(arg))
		return false;
	if (type_is_strcompat(param))
		return type_is_strcompat(arg->type);
	return (is_void_pointer(param) && type_is_string(arg->type)) ||
	       is_target_address(param, arg);
}

static void check_args(struct compiler *cc, const struct node *n, const struct proto *p)
{
	char a[TYPE_TEXT], b[TYPE_TEXT];
	unsigned i = 0;

	check_count(cc, n, p, node_count(n->args));
	for (struct node *arg = n->args; arg && i < p->nparams; arg = arg->next, i++) {
		arg->param = p->params[i];
		if (p->params[i] && !arg_fits(p->params[i], arg)) {
			cc->hint = hint_foreign(cc, n->ident->name);
			compile_fail(cc, D_PROTO_ARG, n->left->line,
				     "%s( ) argument #%u is incompatible with prototype:\n"
				     "\tprototype: %s\n\t argument: %s",
				     n->ident->name, i + 1, param_text(cc, p->params[i], a),
				     node_type_text(arg, b));
		}
	}
}

static void load_proto(struct compiler *cc, const struct ident *id, struct proto *p)
{
	const struct stmtkind *action = id->row;
	const struct subr *subr = id->row;

	parse_proto(cc, p, id->kind == IDENT_ACTFUNC ? action->proto : subr->proto);
}

/* What has no function is not there: subroutines about messages of STREAMS. */
static void check_available(struct compiler *cc, const struct node *n)
{
	const struct subr *subr = n->ident->row;

	if (n->ident->kind == IDENT_FUNC && !subr->call)
		compile_fail(cc, D_UNKNOWN, n->left->line, "%s( ) is not available yet",
			     n->ident->name);
}

/*
 * Subroutines that allocate scratch memory or write to it. A constant size that never fits is said
 * at once, and where they write is scratch memory whatever the types say.
 */
static void check_scratch(struct compiler *cc, const struct node *n)
{
	uint64_t room = (uint64_t)opt(&cc->session->options, OPT_SCRATCHSIZE);
	const struct node *size = NULL, *to = NULL;

	switch ((const struct subr *)n->ident->row - subrs) {
	case SUBR_ALLOCA:
		size = n->args;
		break;
	case SUBR_COPYIN:
		size = n->args->next;
		break;
	case SUBR_BCOPY:
		to = n->args->next;
		break;
	case SUBR_COPYINTO:
		to = n->args->next->next;
		break;
	}
	if (size && size->kind == NODE_INT && size->value > room)
		compile_fail(cc, D_ALLOCA_SIZE, n->left->line,
			     "alloca(%llu) size larger than scratchsize %llu",
			     (unsigned long long)size->value, (unsigned long long)room);
	if (to && !check_is_scratch(to))
		compile_fail(cc, D_PROTO_ARG, n->left->line,
			     "%s( ) argument #%u is incompatible with prototype:\n"
			     "\tprototype: alloca pointer\n\t argument: non-alloca pointer",
			     n->ident->name, to == n->args->next ? 2 : 3);
}

static void check_strict(struct compiler *cc, const struct node *n)
{
	const struct node *strict = n->args ? n->args->next : NULL;

	if (n->ident->row == &subrs[SUBR_INET_NTOA6] && strict && strict->kind != NODE_INT)
		compile_fail(cc, D_PROTO_ARG, n->left->line,
			     "%s( ) argument #2 must be an integer constant", n->ident->name);
}

/* A text, unless it is the constant 0, which goes on with the one before. */
static void make_strtok_text(struct compiler *cc, struct node *n)
{
	struct node *arg = n->args, *text;

	if (n->ident->row != &subrs[SUBR_STRTOK] || node_is_zero(arg) || type_is_string(arg->type))
		return;
	text = node_new(cc->arena, NODE_OP1, arg->line);
	text->op = OP_STRINGOF;
	text->left = arg;
	text->param = arg->param;
	text->next = arg->next;
	n->args = check_expr(cc, text);
}

struct node *check_call(struct compiler *cc, struct node *n)
{
	const char *name = n->left->string;
	struct proto proto;
	struct ident *id;

	id = ident_find(cc->idents, SCOPE_GLOBAL, name);
	if (!id || id->kind == IDENT_SYMBOL ||
	    (!id->builtin && !id->declared &&
	     (id->kind == IDENT_SCALAR || id->kind == IDENT_ARRAY))) {
		cc->hint = hint_function(cc, name);
		compile_fail(cc, D_FUNC_UNDEF, n->end_line, "undefined function name: %s", name);
	}
	n->ident = id;
	if (id->kind == IDENT_AGGFUNC) {
		check_list(cc, &n->args);
		n->type = cc->types->t_dyn;
		return n;
	}
	if (id->kind != IDENT_FUNC && id->kind != IDENT_ACTFUNC)
		compile_fail(cc, D_FUNC_IDKIND, n->left->line,
			     "%s '%s' may not be referenced as a function", ident_kind_name(id),
			     name);
	load_proto(cc, id, &proto);
	check_list(cc, &n->args);
	check_args(cc, n, &proto);
	check_available(cc, n);
	make_strtok_text(cc, n);
	check_strict(cc, n);
	if (id->kind == IDENT_FUNC)
		check_scratch(cc, n);
	n->type = proto.result;
	return n;
}

/* ---- keys ---- */

static const char *key_owner(const struct ident *id)
{
	return id->scope == SCOPE_AGG ? "@" : "";
}

static void check_key_type(struct compiler *cc, const struct ident *id, const struct node *key,
			   unsigned num, int line)
{
	enum type_kind kind = type_resolve(key->type)->kind;

	if (node_is_dynamic(key) || kind == TYPE_VOID || kind == TYPE_FUNCTION)
		compile_fail(cc, D_KEY_TYPE, line,
			     "%s expression may not be used as %s index: key #%u",
			     kind == TYPE_VOID	     ? "void"
			     : kind == TYPE_FUNCTION ? "function"
						     : "dynamic",
			     id->scope == SCOPE_AGG ? "aggregation" : "associative array", num);
}

static void define_keys(struct compiler *cc, struct ident *id, const struct node *keys, int line)
{
	unsigned n = node_count(keys), i = 0;
	const struct type **types = arena_alloc(cc->arena, (n + 1) * sizeof(struct type *));

	for (const struct node *k = keys; k; k = k->next) {
		check_key_type(cc, id, k, i + 1, line);
		types[i++] = type_strip_quals(k->type);
	}
	id->keys = types;
	id->nkeys = n;
}

static bool key_fits(const struct type *proto, const struct node *key)
{
	return check_fits(proto, key) || (!node_is_dynamic(key) && type_same(proto, key->type));
}

void check_keys(struct compiler *cc, struct ident *id, struct node *keys, int line)
{
	unsigned n = node_count(keys), i = 0;
	char a[TYPE_TEXT], b[TYPE_TEXT];

	if (!id->keys) {
		define_keys(cc, id, keys, line);
		return;
	}
	if (n != id->nkeys)
		compile_fail(cc, D_PROTO_LEN, line,
			     "%s%s[ ] prototype mismatch: %u key%s passed, %u expected",
			     key_owner(id), id->name, n, n == 1 ? "" : "s", id->nkeys);
	for (const struct node *k = keys; k; k = k->next, i++) {
		check_key_type(cc, id, k, i + 1, line);
		if (!key_fits(id->keys[i], k))
			compile_fail(cc, D_PROTO_ARG, line,
				     "%s%s[ ] key #%u is incompatible with prototype:\n"
				     "\tprototype: %s\n\t      key: %s",
				     key_owner(id), id->name, i + 1,
				     type_name(id->keys[i], a, sizeof(a)), node_type_text(k, b));
	}
}

/* ---- args[] and uregs[] ---- */

static struct node *check_builtin_index(struct compiler *cc, struct node *n, struct ident *id)
{
	const struct builtin *b = id->row;
	const struct node *index = n->args;
	char text[TYPE_TEXT];

	if (node_count(index) != 1)
		compile_fail(cc, D_PROTO_LEN, n->line,
			     "%s[ ] prototype mismatch: %u keys passed, 1 expected", id->name,
			     node_count(index));
	if (!b->type && !cc->desc)
		compile_fail(cc, D_ARGS_NONE, n->line,
			     "args[ ] may not be referenced outside of a probe clause");
	if (b->type && b->id != BUILTIN_UREGS ? !type_is_integer(index->type)
					      : index->kind != NODE_INT)
		compile_fail(cc, D_PROTO_ARG, n->line,
			     "%s[ ] key #1 is incompatible with prototype:\n"
			     "\tprototype: integer constant\n\t      key: %s",
			     id->name, node_type_text(index, text));
	n->ident = id;
	n->is_lval = true;
	if (!b->type)
		return check_probe_arg(cc, n, index->value);
	if (b->id == BUILTIN_UREGS && index->kind == NODE_INT && index->value >= VM_NUREGS)
		compile_fail(cc, D_UNKNOWN, n->line, "uregs[]: index out of bounds (%lld)",
			     (long long)index->value);
	if (!id->type)
		id->type = parse_type(cc, b->type);
	n->type = id->type;
	n->kind = NODE_VAR;
	return n;
}

/* ---- subscripts ---- */

static void bind_param(struct compiler *cc, struct node **list, const struct ident *id,
		       const struct node *args)
{
	for (; *list; list = &(*list)->next) {
		struct node *n = *list;
		const struct node *arg = args;

		bind_param(cc, &n->left, id, args);
		bind_param(cc, &n->right, id, args);
		bind_param(cc, &n->expr, id, args);
		bind_param(cc, &n->args, id, args);
		for (unsigned i = 0; n->kind == NODE_VAR && arg && i < id->nparams;
		     i++, arg = arg->next) {
			struct node *value;

			if (n->ident != id->params[i])
				continue;
			value = node_new(cc->arena, NODE_INLINE, n->line);
			value->ident = n->ident;
			value->type = n->type;
			value->is_checked = true;
			value->left = arena_memdup(cc->arena, arg, sizeof(*arg));
			value->left->next = NULL;
			value->next = n->next;
			*list = value;
			break;
		}
	}
}

static struct node *call_inline(struct compiler *cc, struct node *n, struct ident *id)
{
	const struct node *arg;
	struct node *body;
	unsigned i = 0, given = node_count(n->args);
	char a[TYPE_TEXT], b[TYPE_TEXT];

	if (!id->expr) /* in its own definition */
		compile_fail(cc, D_IDENT_UNDEF, n->line,
			     "failed to resolve %s: Unknown variable name", id->name);
	if (given != id->nparams)
		compile_fail(cc, D_PROTO_LEN, n->line,
			     "%s[ ] prototype mismatch: %u arg%s passed, %u expected", id->name,
			     given, given == 1 ? "" : "s", id->nparams);
	check_list(cc, &n->args);
	for (arg = n->args; arg && i < id->nparams; arg = arg->next, i++)
		if (!arg_fits(id->params[i]->type, arg))
			compile_fail(cc, D_PROTO_ARG, n->line,
				     "%s[ ] argument #%u is incompatible with prototype:\n"
				     "\tprototype: %s\n\t argument: %s",
				     id->name, i + 1, param_text(cc, id->params[i]->type, a),
				     node_type_text(arg, b));
	body = expand_definition(cc, id->expr);
	bind_param(cc, &body, id, n->args);
	if (body->kind == NODE_XLATE)
		return body;
	n->kind = NODE_INLINE;
	n->ident = id;
	n->type = id->type;
	n->left = body;
	n->args = NULL;
	return n;
}

static void fail_undeclared(struct compiler *cc, const struct node *n, const struct node *name,
			    enum ident_scope scope)
{
	if (scope == SCOPE_THIS)
		compile_fail(cc, D_ARR_LOCAL, n->line,
			     "local variables may not be used as associative arrays: %s",
			     name->string);
	fail_unset(cc, name->line, scope == SCOPE_SELF ? "self->" : "", name->string);
}

struct node *check_element(struct compiler *cc, struct node *n, bool make)
{
	enum ident_scope scope;
	struct node *name = variable_name(n->left, &scope);
	struct ident *id = ident_find(cc->idents, scope, name->string);

	if (!id || (id->kind == IDENT_ARRAY && !id->builtin && !id->type)) {
		if (!make || scope == SCOPE_THIS)
			fail_undeclared(cc, n, name, scope);
		if (!id)
			id = ident_add(cc->idents, scope, name->string, IDENT_ARRAY, NULL);
		if (!id)
			fail_no_ids(cc, name->line);
		id->line = name->line;
	}
	if (id->kind == IDENT_INLINE && id->nparams)
		return call_inline(cc, n, id);
	if (id->kind != IDENT_ARRAY) {
		if (id->kind == IDENT_SCALAR && node_count(n->args) > 1)
			compile_fail(cc, D_ARR_BADREF, n->line,
				     "cannot access scalar %s as an associative array", id->name);
		return NULL;
	}
	check_list(cc, &n->args);
	n->is_checked = true;
	if (id->builtin)
		return check_builtin_index(cc, n, id);
	check_keys(cc, id, n->args, n->line);
	n->type = id->type;
	n->kind = NODE_VAR;
	n->ident = id;
	n->is_lval = true;
	n->is_writable = true;
	return n;
}

/* p[i] is *(p + i). */
static struct node *index_pointer(struct compiler *cc, struct node *n)
{
	const struct type *t = type_resolve(n->left->type), *ref;
	struct node *i = n->args;
	char a[TYPE_TEXT], b[TYPE_TEXT];

	if (!type_is_string(t) && t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY)
		compile_fail(cc, D_DEREF_NONPTR, n->line, "cannot dereference non-pointer type");
	if (i->next)
		compile_fail(cc, D_ARR_BADREF, n->line,
			     "cannot access an expression of type %s as an associative array",
			     node_type_text(n->left, a));
	if (!type_is_integer(i->type))
		compile_fail(cc, D_OP_INCOMPAT, n->line,
			     "operands have incompatible types: \"%s\" + \"%s\"",
			     node_type_text(n->left, a), node_type_text(i, b));
	ref = type_is_string(t) ? cc->types->t_char : type_resolve(t->ref);
	if (ref->kind == TYPE_VOID)
		compile_fail(cc, D_DEREF_VOID, n->line, "cannot dereference pointer to void");
	if (ref->kind == TYPE_FUNCTION)
		compile_fail(cc, D_DEREF_FUNC, n->line, "cannot dereference pointer to function");
	if (t->kind == TYPE_ARRAY && i->kind == NODE_INT && t->nelems && i->value >= t->nelems)
		compile_fail(cc, D_ARR_BOUNDS, n->line,
			     "index outside array bounds: %llu, max is %llu",
			     (unsigned long long)i->value, (unsigned long long)t->nelems);
	n->type = type_is_string(t) ? ref : t->ref;
	n->right = i;
	n->is_lval = true;
	n->is_writable = t->kind == TYPE_POINTER || n->left->is_writable;
	n->is_userland = n->left->is_userland || t->is_userland;
	if (complete_type(cc, n->type)->kind == TYPE_FORWARD)
		compile_fail(cc, D_OP_INCOMPLETE, n->line,
			     "operator [] cannot be applied to a forward declaration: no %s "
			     "definition is available",
			     type_name(type_resolve(n->type), a, sizeof(a)));
	note_userland(cc, n);
	return n;
}

struct node *check_index(struct compiler *cc, struct node *n)
{
	enum ident_scope scope;
	struct node *r, *name;

	if (n->left->kind == NODE_AGG)
		compile_fail(cc, D_AGG_MDIM, n->line,
			     "improper attempt to reference @%s as a multi-dimensional array",
			     n->left->string);
	name = variable_name(n->left, &scope);
	if (name && !strchr(name->string, '`')) {
		r = check_element(cc, n, false);
		if (r)
			return r;
	}
	n->left = check_expr(cc, n->left);
	check_list(cc, &n->args);
	return index_pointer(cc, n);
}
