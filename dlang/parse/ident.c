#include "dlang/parse/ident.h"

#include "dlang/difo.h"

#define MAX_ID UINT16_MAX

struct idents *idents_new(struct arena *arena)
{
	struct idents *ids = ARENA_NEW(arena, struct idents);

	ids->arena = arena;
	for (int i = 0; i < SCOPE_NSCOPES; i++) {
		strmap_init(&ids->scopes[i]);
		ids->next_id[i] = i == SCOPE_AGG ? 1 : DIF_VAR_USER;
	}
	return ids;
}

void idents_release(struct idents *ids)
{
	for (int i = 0; i < SCOPE_NSCOPES; i++)
		strmap_release(&ids->scopes[i]);
}

struct ident *ident_find(const struct idents *ids, enum ident_scope scope, const char *name)
{
	return strmap_get(&ids->scopes[scope], name);
}

struct ident *ident_add(struct idents *ids, enum ident_scope scope, const char *name,
			enum ident_kind kind, const struct type *type)
{
	bool has_id = kind == IDENT_SCALAR || kind == IDENT_ARRAY || kind == IDENT_AGG;
	struct ident *id;

	if (has_id && ids->next_id[scope] > MAX_ID)
		return NULL;
	id = ARENA_NEW(ids->arena, struct ident);
	id->name = arena_strdup(ids->arena, name);
	id->kind = kind;
	id->scope = scope;
	id->type = type;
	id->is_library = ids->in_library;
	if (has_id)
		id->id = (uint16_t)ids->next_id[scope]++;
	strmap_put(&ids->scopes[scope], id->name, id);
	return id;
}

struct ident *ident_replace(struct idents *ids, enum ident_scope scope, const char *name,
			    struct ident *id)
{
	struct ident *before = strmap_get(&ids->scopes[scope], name);

	if (before || id)
		strmap_put(&ids->scopes[scope], name, id);
	return before;
}

const char *ident_kind_name(const struct ident *id)
{
	switch (id->kind) {
	case IDENT_ARRAY:
		return "associative array";
	case IDENT_INLINE:
		return id->nparams ? "associative array" : "scalar";
	case IDENT_PTR:
		return "pointer";
	case IDENT_SYMBOL:
		return "symbol";
	case IDENT_ENUM:
		return "enumerator";
	case IDENT_FUNC:
		return "function";
	case IDENT_AGG:
		return "aggregation";
	case IDENT_AGGFUNC:
		return "aggregating function";
	case IDENT_ACTFUNC:
		return "tracing function";
	default:
		return "scalar";
	}
}
