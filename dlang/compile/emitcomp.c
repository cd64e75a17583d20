/*
 * emitcomp.c: emit(name, fields...) and what etw_trace() makes of its payload: an event with a
 * probe of its own. The probes are there before the first clause is compiled, so that a clause may
 * name one wherever it stands; their fields are known from the first call on.
 */
#include "dlang/compile/actcomp.h"

#include <ctype.h>

#include "dlang/emission.h"
#include "dlang/session_engine.h"

#define FIELDS_MAX 64
#define BYTES_MAX  (1U << 20)

/* ---- probes ---- */

static const struct provider *emit_provider(const struct session *s)
{
	for (unsigned i = 0; i < s->nproviders; i++)
		if (strcmp(s->providers[i]->name, EMIT_PROVIDER) == 0)
			return s->providers[i];
	return NULL;
}

static struct probe *new_probe(struct compiler *cc, const char *const names[4])
{
	const struct provider *pv = emit_provider(cc->session);
	struct probe *p;

	if (!pv)
		return NULL;
	p = probe_create(cc->session, pv, names[0], names[1], names[2], names[3], NULL);
	if (p->provider != pv) /* of a recording, which an earlier program listens to */
		return NULL;
	if (!p->arg)
		p->arg = ARENA_NEW(cc->arena, struct emitted_probe);
	return p;
}

static bool is_event_name(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_-.", s[i]))
			return false;
	return n > 0 && n < 128;
}

/* emit:::NAME. NULL: that is no name. */
static struct probe *emit_probe(struct compiler *cc, const char *name)
{
	return is_event_name(name)
		       ? new_probe(cc, (const char *const[]){EMIT_PROVIDER, "", "", name})
		       : NULL;
}

struct probe *emit_probe_etw(struct compiler *cc, const char *provider, const char *event)
{
	return is_event_name(provider) && is_event_name(event)
		       ? new_probe(cc,
				   (const char *const[]){"etw", provider, event, "generic_event"})
		       : NULL;
}

/* The argument of that number, if it is a string constant. */
static const char *text_at(const struct node *call, unsigned at)
{
	const struct node *n = call->args;

	while (n && at-- > 0)
		n = n->next;
	return n && n->kind == NODE_STR ? n->string : NULL;
}

static void declare_call(struct compiler *cc, const struct node *call)
{
	const char *name = call->left->string, *first = text_at(call, 0), *event;

	if (strcmp(name, "emit") == 0 && first)
		emit_probe(cc, first);
	if (strcmp(name, "etw_trace") != 0 || !first)
		return;
	event = text_at(call, 2);
	if (event && event[0] == '{') /* a group */
		event = text_at(call, 3);
	if (event)
		emit_probe_etw(cc, first, event);
}

void emit_declare(struct compiler *cc, const struct node *list)
{
	for (const struct node *n = list; n; n = n->next) {
		if (n->kind == NODE_CLAUSE || n->kind == NODE_IF)
			emit_declare(cc, n->body);
		if (n->kind == NODE_IF)
			emit_declare(cc, n->orelse);
		if (n->kind == NODE_EXPR && n->left && n->left->kind == NODE_FUNC &&
		    n->left->left && n->left->left->string)
			declare_call(cc, n->left);
	}
}

/* ---- fields ---- */

void emission_begin(struct compiler *cc, struct stmt *st, struct probe *p)
{
	st->emission = ARENA_NEW(cc->arena, struct emission);
	st->emission->probe = p;
}

/* Small integers become int, as arguments of functions do: another call may have a larger one. */
static const struct type *field_type(struct compiler *cc, const struct type *t)
{
	return type_is_scalar(t) && !type_is_pointer(t) && type_bytes(cc, t) < 4 ? cc->types->t_int
										 : t;
}

const char *emission_add(struct compiler *cc, struct stmt *st, const char *name, struct node *value)
{
	struct emission *em = st->emission;
	struct emitted_field *f;
	struct rec rec;

	if (node_is_dynamic(value) || type_resolve(value->type)->kind == TYPE_VOID ||
	    type_is_float(value->type))
		return "must be an integer, a pointer, a string or a structure";
	rec = value_rec(cc, field_type(cc, value->type));
	if (rec.size == 0)
		return "has no size that is known";
	rec.offset = ROUND_UP(em->size, 8);
	if (em->nfields == FIELDS_MAX || rec.size > BYTES_MAX || rec.offset > BYTES_MAX - rec.size)
		return "is more than an event can hold: 64 fields, 1 MB";
	if (!em->fields)
		em->fields = arena_alloc(cc->arena, FIELDS_MAX * sizeof(*em->fields));
	f = &em->fields[em->nfields++];
	f->name = name;
	f->rec = rec;
	em->size = rec.offset + rec.size;
	add_action(cc, st, ACT_FIELD, codegen_expr(cc, value))->rec = rec;
	return NULL;
}

/* Where args[i] of n is: in argN, or, of those that do not fit, behind the address in the last. */
static struct probe_arg arg_of(const struct emitted_field *f, unsigned i, unsigned n)
{
	struct probe_arg a = {.type = f->rec.type, .name = f->name, .at = i, .is_ours = true};

	if (n > EVENT_ARGS && i >= EVENT_ARGS - 1) {
		a.place = ARG_FIELD;
		a.at = EVENT_ARGS - 1;
		a.offset = f->rec.offset;
	} else {
		a.place = f->rec.kind == REC_INT ? ARG_VALUE : ARG_ADDRESS;
	}
	return a;
}

static void give_fields(struct compiler *cc, const struct emission *em, struct emitted_probe *ep)
{
	ep->fields = arena_alloc(cc->arena, MAX(em->nfields, 1) * sizeof(*ep->fields));
	ep->places = arena_alloc(cc->arena, MAX(em->nfields, 1) * sizeof(*ep->places));
	for (unsigned i = 0; i < em->nfields; i++) {
		const struct rec *rec = &em->fields[i].rec;

		ep->fields[i] = arg_of(&em->fields[i], i, em->nfields);
		ep->places[i] =
			(struct emitted_place){rec->offset, rec->size, rec->kind == REC_INT};
	}
	ep->nfields = em->nfields;
	ep->has_fields = true;
}

/* The clauses that read the field read any of both. */
static bool is_same_field(struct compiler *cc, const struct probe_arg *a,
			  const struct emitted_field *f)
{
	const struct type *t = f->rec.type;

	if (type_is_string(a->type) || type_is_byref(a->type))
		return type_same(a->type, t);
	return f->rec.kind == REC_INT &&
	       (a->place == ARG_FIELD ? type_bytes(cc, a->type) == f->rec.size
				      : type_bytes(cc, a->type) >= f->rec.size);
}

const char *emission_end(struct compiler *cc, struct stmt *st)
{
	const struct emission *em = st->emission;
	struct emitted_probe *ep = em->probe->arg;
	bool is_same = true;

	add_action(cc, st, ACT_EMIT, NULL);
	if (!ep->has_fields) {
		give_fields(cc, em, ep);
		return NULL;
	}
	is_same = ep->nfields == em->nfields;
	for (unsigned i = 0; is_same && i < em->nfields; i++)
		is_same = is_same_field(cc, &ep->fields[i], &em->fields[i]);
	return is_same ? NULL : "has other or smaller fields where it is emitted first";
}

void compile_emit(struct compiler *cc, struct node *call, struct stmt *st)
{
	const struct node *name = call->args;
	struct probe *p;
	const char *why;
	unsigned num = 1;

	if (name->kind != NODE_STR)
		compile_fail(cc, D_EMIT_NAME, call->line,
			     "emit( ) argument #1 must be a string constant");
	p = emit_probe(cc, name->string);
	if (!p)
		compile_fail(cc, D_EMIT_NAME, call->line,
			     "emit( ) argument #1 must be the name of an event: letters, digits, "
			     "'_', '-' and '.'");
	emission_begin(cc, st, p);
	for (struct node *n = name->next; n; n = n->next) {
		why = emission_add(cc, st, n->kind == NODE_VAR && n->ident ? n->ident->name : NULL,
				   n);
		num++;
		if (why)
			compile_fail(cc, D_EMIT_FIELD, call->line, "emit( ) argument #%u %s", num,
				     why);
	}
	why = emission_end(cc, st);
	if (why)
		compile_fail(cc, D_EMIT_FIELD, call->line, "event %s %s", name->string, why);
}
