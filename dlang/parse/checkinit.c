/*
 * checkinit.c: the names every program finds: built-in variables, subroutines, actions, aggregating
 * functions, self and this, NULL.
 */
#include "dlang/parse/check.h"

#include "dlang/run/aggtable.h"
#include "dlang/run/vm.h"
#include "dlang/session_engine.h"

static struct ident *add(struct idents *ids, const char *name, enum ident_kind kind,
			 const void *row)
{
	struct ident *id = ident_add(ids, SCOPE_GLOBAL, name, kind, NULL);

	id->builtin = true;
	id->row = row;
	return id;
}

/* Built-ins have numbers of their own, those of the program are left for the program. */
static void add_variables(struct idents *ids)
{
	uint32_t next = ids->next_id[SCOPE_GLOBAL];

	for (unsigned i = 0; i < nbuiltins; i++) {
		const struct builtin *b = &builtins[i];

		add(ids, b->name, b->is_array ? IDENT_ARRAY : IDENT_SCALAR, b)->id = b->id;
	}
	ids->next_id[SCOPE_GLOBAL] = next;
}

static void add_null(struct session *s)
{
	struct ident *id = ident_add(s->engine->idents, SCOPE_GLOBAL, "NULL", IDENT_INLINE,
				     s->engine->types.t_long);

	id->expr = node_new(s->arena, NODE_INT, 0);
	id->expr->type = s->engine->types.t_int;
	id->expr->is_checked = true;
	id->builtin = true;
}

static const struct type *boolean_type(struct session *s)
{
	static const char *const names[] = {"B_FALSE", "B_TRUE"};
	struct type_builder *b = type_begin(&s->engine->types, TYPE_ENUM, NULL);
	struct ident *id;

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		type_add_enumr(b, names[i], i);
		id = ident_add(s->engine->idents, SCOPE_GLOBAL, names[i], IDENT_ENUM,
			       s->engine->types.t_int);
		id->value = i;
	}
	return type_finish(b);
}

static const struct type *time_type(struct session *s)
{
	struct type_builder *b = type_begin(&s->engine->types, TYPE_STRUCT, "timestruc");

	type_add_member(b, "tv_sec", s->engine->types.t_long, 0);
	type_add_member(b, "tv_nsec", s->engine->types.t_long, 0);
	return type_finish(b);
}

static const struct attr curthread_attr = {STABILITY_STABLE, STABILITY_PRIVATE, CLASS_COMMON};

void check_init(struct session *s)
{
	struct idents *ids = s->engine->idents;

	add_variables(ids);
	type_typedef(&s->engine->types, "in6_addr_t",
		     type_forward(&s->engine->types, TYPE_STRUCT, "in6_addr"));
	type_typedef(&s->engine->types, "kthread_t",
		     type_forward(&s->engine->types, TYPE_STRUCT, "task_struct"));
	type_forward(&s->engine->types, TYPE_STRUCT, "path");
	type_typedef(&s->engine->types, "file_t",
		     type_forward(&s->engine->types, TYPE_STRUCT, "file"));
	type_typedef(&s->engine->types, "boolean_t", boolean_type(s));
	type_typedef(&s->engine->types, "timestruc_t", time_type(s));
	for (unsigned i = 0; i < nsubrs; i++)
		if (subrs[i].name[0] != '[')
			add(ids, subrs[i].name, IDENT_FUNC, &subrs[i]);
	for (unsigned i = STMT_PLAIN + 1; i < STMT_NKINDS; i++)
		add(ids, stmtkinds[i].name, IDENT_ACTFUNC, &stmtkinds[i]);
#define AGGFUNC(name, id) add(ids, #name, IDENT_AGGFUNC, &aggfunc_##name);
#include "dlang/run/aggfuncs.def"
#undef AGGFUNC
	add(ids, "self", IDENT_PTR, NULL);
	add(ids, "this", IDENT_PTR, NULL);
	add_null(s);
	ident_find(ids, SCOPE_GLOBAL, "curthread")->attr = &curthread_attr;
}

/* Actions and aggregating functions that did not come with the first version. */
static const struct {
	const char *name, *version;
} newer[] = {
	{"freopen", "1.1"}, {"sym", "1.2"},	   {"func", "1.2"},  {"mod", "1.2"},
	{"usym", "1.2"},    {"ufunc", "1.2"},	   {"umod", "1.2"},  {"uaddr", "1.2"},
	{"stddev", "1.6"},  {"llquantize", "1.7"}, {"print", "1.9"},
};

void check_hide_newer(struct session *s)
{
	int64_t asked = opt(&s->options, OPT_VERSION);

	if (asked == OPT_UNSET)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(newer); i++)
		if (option_version(newer[i].version) > asked)
			ident_replace(s->engine->idents, SCOPE_GLOBAL, newer[i].name, NULL);
	for (unsigned i = 0; i < nsubrs; i++)
		if (option_version(subrs[i].version) > asked)
			ident_replace(s->engine->idents, SCOPE_GLOBAL, subrs[i].name, NULL);
	for (unsigned i = 0; i < nbuiltins; i++)
		if (option_version(builtins[i].version) > asked)
			ident_replace(s->engine->idents, SCOPE_GLOBAL, builtins[i].name, NULL);
}
