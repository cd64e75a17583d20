/*
 * printcomp.c: formats against what they print (docs/spec/d-language.md §12.7): the values of
 * printf, system and freopen, the keys and values of printa.
 */
#include "dlang/compile/actcomp.h"

#include "dlang/format.h"

static const struct pfmt *parse_format(struct compiler *cc, const struct node *call)
{
	const char *func = call->ident->name;
	const struct node *arg = call->args;
	const struct pfmt *fmt;
	char text[TYPE_TEXT];
	struct err err;

	if (arg->kind != NODE_STR)
		compile_fail_bare(cc, D_PRINTF_ARG_FMT, call->line,
				  "%s( ) argument #1 is incompatible with prototype:\n"
				  "\tprototype: string constant\n\t argument: %s",
				  func, node_type_text(arg, text));
	if (!arg->string[0] && strcmp(func, "freopen") != 0)
		compile_fail_bare(cc, D_PRINTF_FMT_EMPTY, call->line,
				  "%s( ) format string is empty", func);
	if (pfmt_parse(cc->arena, arg->string, &fmt, &err) < 0)
		compile_fail_bare(cc, D_SYNTAX, call->line, "%s", err.text);
	return fmt;
}

/* ---- printf ---- */

struct values {
	struct compiler *cc;
	const struct node *call;
	struct stmt *st;
	struct node *next; /* the value to be printed next */
	unsigned num;	   /* its number as an operand */
};

static void take_value(struct values *v, bool is_stack)
{
	if (is_stack)
		add_shown(v->cc, v->st, v->next);
	else
		add_value(v->cc, v->st, v->next);
	v->next = v->next->next;
	v->num++;
}

static NORETURN void fail_star_missing(struct compiler *cc, const struct node *call,
				       const struct pdir *d, const char *what)
{
	compile_fail_bare(cc, D_PRINTF_DYN_PROTO, call->line,
			  "%s( ) prototype mismatch: conversion #%u (%s) is missing a "
			  "corresponding \"%s\" argument",
			  call->ident->name, d->num, d->spec, what);
}

static NORETURN void fail_star_type(struct compiler *cc, const struct node *call,
				    const struct pdir *d, const char *what, unsigned num,
				    const char *type)
{
	compile_fail_bare(cc, D_PRINTF_DYN_TYPE, call->line,
			  "%s( ) argument #%u is incompatible with conversion #%u "
			  "prototype:\n\tconversion: %% %s %s\n\t prototype: int\n"
			  "\t  argument: %s",
			  call->ident->name, num, d->num, what, d->conv->name, type);
}

/* What a '*' takes: `what` is "*" or ".*". */
static void take_star(struct values *v, const struct pdir *d, const char *what)
{
	char text[TYPE_TEXT];

	if (!v->next)
		fail_star_missing(v->cc, v->call, d, what);
	if (node_is_dynamic(v->next) || !type_is_integer(v->next->type))
		fail_star_type(v->cc, v->call, d, what, v->num, node_type_text(v->next, text));
	take_value(v, false);
}

static void fail_conversion(struct compiler *cc, const struct node *call, const char *subject,
			    const struct pdir *d, const char *label, const char *type)
{
	compile_fail_bare(cc, D_PRINTF_ARG_TYPE, call->line,
			  "%s( ) %s is incompatible with conversion #%u prototype:\n"
			  "\tconversion: %s\n\t prototype: %s\n\t%10s: %s",
			  call->ident->name, subject, d->num, d->spec, d->conv->proto, label, type);
}

static void fail_missing(struct compiler *cc, const struct node *call, const struct pdir *d)
{
	compile_fail_bare(cc, D_PRINTF_ARG_PROTO, call->line,
			  "%s( ) prototype mismatch: conversion #%u (%s) is missing a "
			  "corresponding value argument",
			  call->ident->name, d->num, d->spec);
}

static bool has_target(const struct compiler *cc)
{
	return cc->session->target_pid != 0;
}

static void take_directive(struct values *v, const struct pdir *d)
{
	struct compiler *cc = v->cc;
	char text[TYPE_TEXT];

	if (d->flags & PF_DYNWIDTH)
		take_star(v, d, "*");
	if (d->flags & PF_DYNPREC)
		take_star(v, d, ".*");
	if (d->flags & PF_AGG)
		compile_fail_bare(cc, D_PRINTF_AGG_CONV, v->call->line,
				  "%%@ conversion requires an aggregation and is not for use with "
				  "%s( )",
				  v->call->ident->name);
	if (!v->next)
		fail_missing(cc, v->call, d);
	if (node_is_dynamic(v->next) || !d->conv->accepts(v->next->type, has_target(cc)))
		fail_conversion(cc, v->call, arena_printf(cc->arena, "argument #%u", v->num), d,
				"argument", node_type_text(v->next, text));
	take_value(v, d->conv->kind == CONV_STACK);
}

void compile_format(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct values v = {cc, call, st, call->args->next, 2};

	st->fmt = parse_format(cc, call);
	for (unsigned i = 0; i < st->fmt->ndirs; i++)
		if (st->fmt->dirs[i].conv)
			take_directive(&v, &st->fmt->dirs[i]);
	if (v.next)
		compile_fail_bare(cc, D_PRINTF_ARG_EXTRA, call->line,
				  "%s( ) prototype mismatch: only %u arguments required by this "
				  "format string",
				  call->ident->name, v.num - 2);
	if (!st->nacts)
		add_action(cc, st, ACT_EXPR, NULL);
}

/* ---- printa ---- */

static void take_star_key(struct compiler *cc, const struct node *call, const struct pdir *d,
			  const char *what, const struct ident *agg, unsigned *key)
{
	char text[TYPE_TEXT];

	if (*key == agg->nkeys)
		fail_star_missing(cc, call, d, what);
	if (!type_is_integer(agg->keys[*key]))
		fail_star_type(cc, call, d, what, *key + 2,
			       type_name(agg->keys[*key], text, sizeof(text)));
	(*key)++;
}

static void check_printa_directive(struct compiler *cc, const struct node *call,
				   const struct pdir *d, const struct ident *agg, unsigned *key)
{
	char text[TYPE_TEXT];

	if (d->flags & PF_DYNWIDTH)
		take_star_key(cc, call, d, "*", agg, key);
	if (d->flags & PF_DYNPREC)
		take_star_key(cc, call, d, ".*", agg, key);
	if (d->flags & PF_AGG) {
		if (!d->conv->accepts(cc->types->t_int64, has_target(cc)))
			fail_conversion(cc, call, "aggregating action", d, "argument", "int64_t");
		return;
	}
	if (*key == agg->nkeys)
		fail_missing(cc, call, d);
	if (!d->conv->accepts(agg->keys[*key], has_target(cc)))
		fail_conversion(cc, call, arena_printf(cc->arena, "argument #%u", *key + 2), d,
				"argument", type_name(agg->keys[*key], text, sizeof(text)));
	(*key)++;
}

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* Several aggregations are joined by their keys. */
static void check_same_keys(struct compiler *cc, const struct ident *a, const struct ident *b,
			    int line)
{
	char ta[TYPE_TEXT], tb[TYPE_TEXT];

	if (a->nkeys != b->nkeys)
		compile_fail(cc, D_PRINTA_AGGKEY, line,
			     "printa( ): @%s and @%s do not have matching key signatures: @%s has "
			     "%u key%s, @%s has %u key%s",
			     a->name, b->name, a->name, a->nkeys, plural(a->nkeys), b->name,
			     b->nkeys, plural(b->nkeys));
	for (unsigned i = 0; i < a->nkeys; i++)
		if (!type_same(a->keys[i], b->keys[i]))
			compile_fail(cc, D_PRINTA_AGGPROTO, line,
				     "printa( ): @%s[ ] key #%u is incompatible with @%s:\n"
				     "%9s key #%u: %s\n%9s key #%u: %s",
				     b->name, i + 1, a->name, a->name, i + 1,
				     type_name(a->keys[i], ta, sizeof(ta)), b->name, i + 1,
				     type_name(b->keys[i], tb, sizeof(tb)));
}

void compile_printa_format(struct compiler *cc, struct node *call, struct stmt *st)
{
	const struct node *arg = call->args, *first;
	unsigned num = 1, key = 0;
	char text[TYPE_TEXT];

	if (type_is_string(arg->type)) {
		st->fmt = parse_format(cc, call);
		arg = arg->next;
		num++;
	}
	if (!arg)
		compile_fail(cc, D_PRINTA_PROTO, call->line,
			     "printa( ) prototype mismatch: 1 args passed, 2 expected");
	first = arg;
	for (; arg; arg = arg->next, num++) {
		if (arg->kind != NODE_AGG)
			compile_fail(cc, D_PRINTA_AGGARG, call->line,
				     "printa( ) argument #%u is incompatible with prototype:\n"
				     "\tprototype: aggregation\n\t argument: %s",
				     num, node_type_text(arg, text));
		if (arg != first)
			check_same_keys(cc, first->ident, arg->ident, call->line);
		add_agg(cc, st, arg->ident->agg);
	}
	for (unsigned i = 0; st->fmt && i < st->fmt->ndirs; i++)
		if (st->fmt->dirs[i].conv)
			check_printa_directive(cc, call, &st->fmt->dirs[i], first->ident, &key);
}
