/*
 * aggcomp.c: @a[keys] = func(args): the variable, its keys, and the parameters of the functions
 * (docs/spec/d-language.md §11).
 */
#include "dlang/compile/actcomp.h"

#include <assert.h>

#include "dlang/parse/hint.h"
#include "dlang/run/aggtable.h"
#include "dlang/session_engine.h"

/* ---- parameters of histograms ---- */

static void fail_param(struct compiler *cc, const struct stmt *st, int tag, const char *func,
		       unsigned num, const char *what)
{
	compile_fail(cc, tag, st->line, "%s( ) argument #%u %s", func, num, what);
}

static int64_t int_param(struct compiler *cc, const struct stmt *st, const struct node *arg,
			 const char *func, unsigned num, int tag)
{
	if (arg->kind != NODE_INT)
		fail_param(cc, st, tag, func, num, "must be an integer constant");
	return (int64_t)arg->value;
}

static void require(struct compiler *cc, const struct stmt *st, bool ok, int tag, const char *func,
		    unsigned num, const char *what)
{
	if (!ok)
		fail_param(cc, st, tag, func, num, what);
}

static bool fits_int32(int64_t v)
{
	return v == (int32_t)v;
}

/* Returns the increment, if there is one. */
static struct node *lquantize_params(struct compiler *cc, const struct stmt *st, struct node *value,
				     int64_t p[4])
{
	struct node *base = value->next, *limit = base->next, *step = limit->next;
	const char *f = "lquantize";
	int64_t levels;

	p[0] = int_param(cc, st, base, f, 2, D_LQUANT_BASETYPE);
	require(cc, st, fits_int32(p[0]), D_LQUANT_BASEVAL, f, 2, "must be a 32-bit quantity");
	p[1] = int_param(cc, st, limit, f, 3, D_LQUANT_LIMTYPE);
	require(cc, st, fits_int32(p[1]), D_LQUANT_LIMVAL, f, 3, "must be a 32-bit quantity");
	require(cc, st, p[0] < p[1], D_LQUANT_MISMATCH, f, 2,
		"(base) must be less than argument #3 (limit)");
	p[2] = 1;
	if (step) {
		p[2] = int_param(cc, st, step, f, 4, D_LQUANT_STEPTYPE);
		require(cc, st, p[2] > 0, D_LQUANT_STEPTYPE, f, 4,
			"must be a non-zero positive integer constant");
		require(cc, st, p[2] <= UINT16_MAX, D_LQUANT_STEPVAL, f, 4,
			"must be a 16-bit quantity");
	}
	levels = (p[1] - p[0]) / p[2];
	require(cc, st, levels >= 1, D_LQUANT_STEPLARGE, f, 4,
		"(step) is too large: there must be at least one quantization level");
	require(cc, st, levels <= UINT16_MAX, D_LQUANT_STEPSMALL, f, 4,
		"(step) is too small: there are more than 65535 quantization levels");
	return step ? step->next : NULL;
}

static struct node *llquantize_params(struct compiler *cc, const struct stmt *st,
				      struct node *value, int64_t p[4])
{
	struct node *factor = value->next, *low = factor->next, *high = low->next;
	struct node *steps = high->next;
	const char *f = "llquantize";
	uint64_t top;

	p[0] = int_param(cc, st, factor, f, 2, D_LLQUANT_FACTORTYPE);
	require(cc, st, p[0] >= 2 && p[0] <= UINT16_MAX, D_LLQUANT_FACTORVAL, f, 2,
		"(factor) must be between 2 and 65535");
	p[1] = int_param(cc, st, low, f, 3, D_LLQUANT_LMAGTYPE);
	require(cc, st, p[1] >= 0 && p[1] <= UINT16_MAX, D_LLQUANT_LMAGVAL, f, 3,
		"(low magnitude) must be an unsigned 16-bit quantity");
	p[2] = int_param(cc, st, high, f, 4, D_LLQUANT_HMAGTYPE);
	require(cc, st, p[2] >= 0 && p[2] <= UINT16_MAX, D_LLQUANT_HMAGVAL, f, 4,
		"(high magnitude) must be an unsigned 16-bit quantity");
	require(cc, st, p[2] >= p[1], D_LLQUANT_HMAGVAL, f, 4,
		"(high magnitude) must not be less than argument #3 (low magnitude)");
	top = llquantize_power((uint64_t)p[0], (uint64_t)p[2] + 1);
	require(cc, st, top != 0, D_LLQUANT_HMAGVAL, f, 4,
		"(high magnitude) is too large: the range does not fit 64 bits");
	p[3] = int_param(cc, st, steps, f, 5, D_LLQUANT_STEPTYPE);
	require(cc, st, p[3] > 0, D_LLQUANT_STEPTYPE, f, 5,
		"must be a non-zero positive integer constant");
	require(cc, st, p[3] <= UINT16_MAX, D_LLQUANT_STEPVAL, f, 5, "must be a 16-bit quantity");
	require(cc, st, llquantize_steps_are_even(p[0], p[1], p[3]), D_LLQUANT_STEPVAL, f, 5,
		"(steps) must divide the factor, or be a multiple of it that divides the range of "
		"an order evenly");
	return steps->next;
}

/* Functions whose constants are parameters of the variable: how they are read and what they are. */
static const struct params {
	/* To p; returns the increment, if there is one. */
	struct node *(*read)(struct compiler *, const struct stmt *, struct node *value,
			     int64_t p[4]);
	const char *call; /* as messages about a later use write it */
	struct {
		const char *name;
		int tag;
	} match[4];
} with_params[AGG_NFUNCS] = {
	[AGG_LQUANTIZE] = {lquantize_params,
			   "lquantize( )",
			   {{"base", D_LQUANT_MATCHBASE},
			    {"limit", D_LQUANT_MATCHLIM},
			    {"step", D_LQUANT_MATCHSTEP}}},
	[AGG_LLQUANTIZE] = {llquantize_params,
			    "llquantize()",
			    {{"factor", D_LLQUANT_MATCHFACTOR},
			     {"lmag", D_LLQUANT_MATCHLMAG},
			     {"hmag", D_LLQUANT_MATCHHMAG},
			     {"steps", D_LLQUANT_MATCHSTEPS}}},
};

/* NULL: its operands are values. */
static const struct params *params_of(const struct aggfunc *f)
{
	return with_params[f->id].read ? &with_params[f->id] : NULL;
}

/* Later uses of an aggregation have the same numbers as the first. */
static void match_params(struct compiler *cc, const struct stmt *st, const struct aggvar *var,
			 const int64_t now[4])
{
	const struct params *row = params_of(var->func);

	for (unsigned i = 0; row && i < 4; i++)
		if (now[i] != var->params[i])
			compile_fail(cc, row->match[i].tag, st->line,
				     "%s %s (argument #%u) doesn't match previous declaration: "
				     "expected %lld, found %lld",
				     row->call, row->match[i].name, i + 1,
				     (long long)var->params[i], (long long)now[i]);
}

/* ---- the variable ---- */

static void check_count(struct compiler *cc, const struct node *call, const struct aggfunc *f)
{
	unsigned n = node_count(call->args);
	const char *s = n == 1 ? "" : "s";

	if (f->min_args == f->max_args && n != f->min_args)
		compile_fail(cc, D_PROTO_LEN, call->line,
			     "%s( ) prototype mismatch: %u arg%s passed, %u expected", f->name, n,
			     s, f->min_args);
	if (n < f->min_args || n > f->max_args)
		compile_fail(cc, D_PROTO_LEN, call->line,
			     "%s( ) prototype mismatch: %u arg%s passed, at %s %u expected",
			     f->name, n, s, n < f->min_args ? "least" : "most",
			     n < f->min_args ? f->min_args : f->max_args);
}

static struct ident *find_variable(struct compiler *cc, const struct node *n,
				   const struct node *agg, const struct aggfunc *f)
{
	struct ident *id = ident_find(cc->idents, SCOPE_AGG, agg->string);
	const struct aggfunc *before;

	if (!id)
		id = ident_add(cc->idents, SCOPE_AGG, agg->string, IDENT_AGG, NULL);
	if (!id)
		fail_no_ids(cc, agg->line);
	before = id->row;
	if (before && before != f)
		compile_fail(cc, D_AGG_REDEF, n->line,
			     "aggregation redefined: @%s\n\t current: @%s = %s( )\n"
			     "\tprevious: @%s = %s( ) : line %d",
			     id->name, id->name, f->name, id->name, before->name, id->line);
	return id;
}

/* How each key is recorded follows from its type, or from the action that gives it. */
static void lay_out_keys(struct compiler *cc, struct aggvar *var, const struct ident *id,
			 struct node *keys)
{
	uint32_t at = 0;

	for (struct node *k = keys; k; k = k->next) {
		struct rec *rec = &var->keys[var->nkeys];
		enum act_kind kind;
		struct node *operand;

		if (!special_value(cc, k, &kind, rec, &operand))
			*rec = shown_rec(cc, id->keys[var->nkeys]);
		rec->offset = ROUND_UP(at, rec->align);
		at = rec->offset + rec->size;
		check_record_size(cc, at);
		var->nkeys++;
	}
	var->keysize = ROUND_UP(at, 8);
}

static struct aggvar *new_variable(struct compiler *cc, struct ident *id, const struct aggfunc *f,
				   const struct node *agg, const int64_t params[4])
{
	struct aggvar *var = ARENA_NEW(cc->arena, struct aggvar);
	struct session *s = cc->session;

	if (node_count(agg->args) > AGG_MAX_KEYS)
		compile_fail(cc, D_NONE, agg->line, "@%s has more than %d keys", id->name,
			     AGG_MAX_KEYS);
	var->name = id->name;
	var->id = id->id;
	var->func = f;
	var->line = agg->line;
	memcpy(var->params, params, sizeof(var->params));
	var->nwords = f->nwords ? f->nwords : f->hist->nbuckets(var->params);
	lay_out_keys(cc, var, id, agg->args);
	id->row = f;
	id->agg = var;
	id->line = agg->line;
	*s->engine->aggvars_tail = var;
	s->engine->aggvars_tail = &var->next;
	s->naggvars++;
	return var;
}

static void add_keys(struct compiler *cc, struct stmt *st, const struct ident *id,
		     struct node *keys)
{
	const struct rec *rec = id->agg->keys;

	for (struct node *k = keys; k; k = k->next, rec++) {
		enum act_kind kind;
		struct node *value;
		struct rec now;

		if (!special_value(cc, k, &kind, &now, &value))
			value = k;
		else if (now.size != rec->size)
			compile_fail(cc, D_PROTO_ARG, st->line,
				     "@%s[ ] key #%u has another size than before", id->name,
				     (unsigned)(rec - id->agg->keys) + 1);
		add_record(cc, st, ACT_AGGKEY, value ? codegen_expr(cc, value) : NULL, rec);
	}
}

/* Its aggregating function; else the message. */
static const struct aggfunc *function_of(struct compiler *cc, const struct node *n,
					 const struct node *call)
{
	if (call->kind != NODE_FUNC || call->ident->kind != IDENT_AGGFUNC) {
		hint_no_aggregation(cc, n->left);
		compile_fail(cc, D_AGG_FUNC, n->line,
			     "@%s must be assigned the result of an aggregating function",
			     n->left->string);
	}
	return call->ident->row;
}

static bool is_number(const struct node *n)
{
	return !node_is_dynamic(n) && type_is_scalar(n->type);
}

/* The operands; returns the increment, if there is one. */
static struct node *read_operands(struct compiler *cc, const struct stmt *st,
				  const struct node *call, const struct aggfunc *f,
				  int64_t params[4])
{
	const struct params *row = params_of(f);
	struct node *value = call->args, *incr = NULL;

	assert(value || f->min_args == 0);
	if (value && !is_number(value))
		compile_fail(cc, D_AGG_SCALAR, call->line,
			     "%s( ) argument #1 must be of scalar type", f->name);
	if (f->is_hist)
		incr = row ? row->read(cc, st, value, params) : value->next;
	if (incr && !is_number(incr))
		compile_fail(cc, D_PROTO_ARG, call->line,
			     "increment value (argument #%u) must be of scalar type",
			     node_count(call->args));
	return incr;
}

void compile_aggregation(struct compiler *cc, struct node *n, struct stmt *st)
{
	struct node *agg = n->left, *call = n->right, *incr;
	int64_t params[4] = {0};
	const struct aggfunc *f;
	struct action *act;
	struct ident *id;

	check_list(cc, &agg->args);
	call = check_expr(cc, call);
	f = function_of(cc, n, call);
	id = find_variable(cc, n, agg, f);
	check_keys(cc, id, agg->args, agg->line);
	check_count(cc, call, f);
	incr = read_operands(cc, st, call, f, params);
	if (!id->agg)
		new_variable(cc, id, f, agg, params);
	else
		match_params(cc, st, id->agg, params);
	add_agg(cc, st, id->agg);
	add_keys(cc, st, id, agg->args);
	act = add_action(cc, st, ACT_AGG, call->args ? codegen_expr(cc, call->args) : NULL);
	act->incr = incr ? codegen_expr(cc, incr) : NULL;
}
