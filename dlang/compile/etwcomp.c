/*
 * etwcomp.c: etw_trace(provider, guid, [group,] event, level, keyword, {type, field, value}): what
 * it is given must be constant but for the values (docs/spec/d-language.md §9.1). The values are
 * fields of an event that fires etw:PROVIDER:EVENT:generic_event, as emit() fires its own. Names
 * that no probe can have are names of nothing: the values are evaluated all the same.
 */
#include "dlang/compile/actcomp.h"

#include <ctype.h>

/* What the value of a payload type must be. */
enum etw_value { ETW_ANY_INT, ETW_TEXT, ETW_FLOAT, ETW_COUNT, ETW_MISSING };

static const struct {
	const char *name;
	enum etw_value value;
} etw_types[] = {
	{"etw_struct", ETW_COUNT},	    {"etw_string", ETW_TEXT},
	{"etw_mbcsstring", ETW_TEXT},	    {"etw_int8", ETW_ANY_INT},
	{"etw_int16", ETW_ANY_INT},	    {"etw_int32", ETW_ANY_INT},
	{"etw_int64", ETW_ANY_INT},	    {"etw_uint8", ETW_ANY_INT},
	{"etw_uint16", ETW_ANY_INT},	    {"etw_uint32", ETW_ANY_INT},
	{"etw_uint64", ETW_ANY_INT},	    {"etw_float", ETW_FLOAT},
	{"etw_double", ETW_FLOAT},	    {"etw_bool32", ETW_ANY_INT},
	{"etw_bool8", ETW_ANY_INT},	    {"etw_hexint8", ETW_ANY_INT},
	{"etw_hexint16", ETW_ANY_INT},	    {"etw_hexint32", ETW_ANY_INT},
	{"etw_hexint64", ETW_ANY_INT},	    {"etw_intptr", ETW_ANY_INT},
	{"etw_uintptr", ETW_ANY_INT},	    {"etw_pointer", ETW_ANY_INT},
	{"etw_char8", ETW_ANY_INT},	    {"etw_char16", ETW_ANY_INT},
	{"etw_pid", ETW_ANY_INT},	    {"etw_tid", ETW_ANY_INT},
	{"etw_widestring", ETW_MISSING},    {"etw_utf16string", ETW_MISSING},
	{"etw_binary", ETW_MISSING},	    {"etw_guid", ETW_MISSING},
	{"etw_filetime", ETW_MISSING},	    {"etw_systemtime", ETW_MISSING},
	{"etw_sid", ETW_MISSING},	    {"etw_port", ETW_MISSING},
	{"etw_ipv4", ETW_MISSING},	    {"etw_ipv6", ETW_MISSING},
	{"etw_socketaddress", ETW_MISSING},
};

/* The argument being looked at. */
struct etw_args {
	struct compiler *cc;
	const struct node *call;
	struct node *arg; /* NULL: there are no more */
	unsigned num;	  /* of arg, from 1 */
};

static NORETURN void refuse(const struct etw_args *a, int tag, const char *text)
{
	compile_fail(a->cc, tag, a->call->line, "etw_trace( ) argument #%u %s", a->num, text);
}

static struct node *take(struct etw_args *a, const char *what)
{
	struct node *n = a->arg;

	if (!n)
		compile_fail(a->cc, D_ETW_TRACE_PARAMS, a->call->line,
			     "etw_trace( ) argument #%u missing - %s", a->num, what);
	return n;
}

static void next(struct etw_args *a)
{
	a->arg = a->arg->next;
	a->num++;
}

static const char *take_text(struct etw_args *a, const char *what, int tag)
{
	const struct node *n = take(a, what);

	if (node_is_dynamic(n) || !type_is_strcompat(n->type))
		refuse(a, tag, "must be a string");
	if (n->kind != NODE_STR)
		refuse(a, tag, "must not be a variable");
	return n->string;
}

static uint64_t take_int(struct etw_args *a, const char *what, int tag)
{
	const struct node *n = take(a, what);

	if (n->kind != NODE_INT)
		refuse(a, tag, "must be an integer");
	return n->value;
}

/* {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx} */
static bool is_guid(const char *s)
{
	static const char form[] = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";

	for (size_t i = 0; i < sizeof(form); i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)s[i]) : s[i] != form[i])
			return false;
	return true;
}

static enum etw_value value_kind(struct etw_args *a)
{
	const char *name = take_text(a, "payload type", D_ETW_TRACE_PAYLOAD);

	for (size_t i = 0; i < ARRAY_SIZE(etw_types); i++)
		if (strcmp(etw_types[i].name, name) == 0) {
			if (etw_types[i].value == ETW_MISSING)
				refuse(a, D_ETW_TRACE_PAYLOAD,
				       "is an etw type that is not implemented");
			return etw_types[i].value;
		}
	refuse(a, D_ETW_TRACE_PAYLOAD, "is not a supported etw type");
}

static bool value_fits(enum etw_value kind, const struct node *n)
{
	if (node_is_dynamic(n))
		return false;
	switch (kind) {
	case ETW_TEXT:
		return type_is_strcompat(n->type);
	case ETW_FLOAT:
		return type_is_float(n->type);
	case ETW_COUNT:
		return n->kind == NODE_INT;
	default:
		return type_is_scalar(n->type);
	}
}

/* The value as its etw type has it. etw_struct says how many fields belong together: it is none. */
static void add_field(struct etw_args *a, struct stmt *st, enum etw_value kind, const char *name)
{
	const char *why;

	if (kind == ETW_COUNT)
		return;
	if (!st->emission) {
		add_action(a->cc, st, ACT_EXPR, codegen_expr(a->cc, a->arg));
		return;
	}
	why = emission_add(a->cc, st, name, a->arg);
	if (why)
		refuse(a, D_ETW_TRACE_PAYLOADTYPE, why);
}

static void compile_payload(struct etw_args *a, struct stmt *st)
{
	if (node_count(a->arg) % 3 != 0)
		compile_fail(
			a->cc, D_ETW_TRACE_PAYLOAD, a->call->line,
			"etw_trace( ) payload must be type, field and value, as often as wanted");
	while (a->arg) {
		enum etw_value kind = value_kind(a);
		const char *name;

		next(a);
		name = take_text(a, "field name", D_ETW_TRACE_PAYLOAD);
		next(a);
		if (!value_fits(kind, a->arg))
			refuse(a, D_ETW_TRACE_PAYLOADTYPE, "is incompatible with its etw type");
		add_field(a, st, kind, name);
		next(a);
	}
}

void compile_etw_trace(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct etw_args a = {.cc = cc, .call = call, .arg = call->args, .num = 1};
	const char *provider, *event, *why = NULL;
	struct probe *p;

	provider = take_text(&a, "provider name", D_ETW_TRACE_PNAME);
	next(&a);
	if (!is_guid(take_text(&a, "provider guid", D_ETW_TRACE_PGUID)))
		refuse(&a, D_ETW_TRACE_PGUID, "must be a guid");
	next(&a);
	if (a.arg && a.arg->kind == NODE_STR && is_guid(a.arg->string))
		next(&a);
	event = take_text(&a, "event name", D_ETW_TRACE_ENAME);
	next(&a);
	if (take_int(&a, "level", D_ETW_TRACE_LEVEL) > 5)
		refuse(&a, D_ETW_TRACE_LEVEL, "must be a valid integer between 0 and 5");
	next(&a);
	take_int(&a, "keyword", D_ETW_TRACE_KEYWORD);
	next(&a);
	p = emit_probe_etw(cc, provider, event);
	if (p)
		emission_begin(cc, st, p);
	compile_payload(&a, st);
	if (p)
		why = emission_end(cc, st);
	else if (st->nacts == 0)
		add_action(cc, st, ACT_EXPR, NULL);
	if (why)
		compile_fail(cc, D_ETW_TRACE_PAYLOAD, call->line, "event %s of %s %s", event,
			     provider, why);
}
