/*
 * sumcomp.c: the sum of the values of a histogram, which those who read metrics expect beside its
 * buckets: @a[keys] = quantize(v) has a hidden @"a sum"[keys] = sum(v), which only metrics and
 * lines of JSON have. It is a statement of its own, that runs wherever statements do.
 */
#include "dlang/compile/actcomp.h"
#include "dlang/run/aggtable.h"
#include "dlang/session_engine.h"

/* Another call of them does, or says, something else. */
static const char *const once[] = {"rand", "strtok", "copyinto", "bcopy"};

/* Forms that have sums, as suffixes and in front (-x report). */
static bool has_form(const char *reports)
{
	static const char *const forms[] = {".prom",  "prom:",	 ".jsonl",
					    "jsonl:", ".ndjson", "ndjson:"};

	for (unsigned i = 0; reports && i < ARRAY_SIZE(forms); i++)
		if (strstr(reports, forms[i]))
			return true;
	return false;
}

static bool is_asked(const struct options *o)
{
	return o->text[OPT_METRICS] || o->text[OPT_OTLP] || has_form(o->text[OPT_REPORT]) ||
	       opt(o, OPT_OFORMAT) == OFORMAT_JSONL;
}

static const char *name_of(const struct node *call)
{
	return call->kind == NODE_FUNC && call->left ? call->left->string : NULL;
}

static bool is_once_name(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(once); i++)
		if (!strcmp(name, once[i]))
			return true;
	return false;
}

static bool is_once(const struct compiler *cc, const struct node *n)
{
	const struct ident *id;

	if (!n)
		return false;
	if (n->kind == NODE_IDENT) {
		id = ident_find(cc->idents, SCOPE_GLOBAL, n->string);
		return is_once_name(n->string) ||
		       (id && id->kind == IDENT_INLINE && is_once(cc, id->expr));
	}
	if (node_assigns(n))
		return true;
	for (const struct node *a = n->args; a; a = a->next)
		if (is_once(cc, a))
			return true;
	return is_once(cc, n->left) || is_once(cc, n->right) || is_once(cc, n->expr);
}

static struct node *operand(struct node *call, unsigned number)
{
	struct node *a = call->args;

	while (a && number--)
		a = a->next;
	return a;
}

/* value, or value * increment */
static struct node *weighted(struct compiler *cc, struct node *call, unsigned number)
{
	struct node *value = call->args, *incr = operand(call, number), *product;

	value->next = NULL;
	if (!incr)
		return value;
	incr->next = NULL;
	product = node_new(cc->arena, NODE_OP2, call->line);
	product->op = OP_MUL;
	product->left = value;
	product->right = incr;
	product->depth = MAX(value->depth, incr->depth) + 1;
	return product;
}

static bool is_repeatable(const struct compiler *cc, const struct node *n)
{
	return !is_once(cc, n->left) && !is_once(cc, n->right);
}

static const char *hidden_name(struct compiler *cc, const char *of)
{
	size_t size = strlen(of) + sizeof(" sum");
	char *name = arena_alloc(cc->arena, size);

	snprintf(name, size, "%s sum", of);
	return name;
}

struct node *sums_of_histogram(struct compiler *cc, const struct node *n)
{
	const char *name = name_of(n->right);
	const struct aggfunc *f = name ? aggfunc_find(name) : NULL;
	struct node *copy;

	if (!f || !f->hist || !n->right->args || !is_asked(&cc->session->options) ||
	    !is_repeatable(cc, n))
		return NULL;
	copy = node_copy(cc->arena, n);
	copy->left->string = hidden_name(cc, n->left->string);
	copy->right->left->string = aggfunc_sum.name;
	copy->right->args = weighted(cc, copy->right, f->max_args - 1);
	return copy;
}

void mark_sums(struct compiler *cc, const struct node *histogram, const struct node *sums)
{
	const struct ident *of = ident_find(cc->idents, SCOPE_AGG, histogram->left->string);
	const struct ident *id = ident_find(cc->idents, SCOPE_AGG, sums->left->string);

	id->agg->sums_of = of->agg;
}
