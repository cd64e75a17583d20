/*
 * clause.c: one source clause to the clauses that are enabled: one per description and, where the
 * body has `if`, per straight piece of it (docs/spec/d-language.md §14.3).
 *
 * A piece after the first runs under a hidden clause-local variable that an earlier piece has set:
 *
 *   /P/ { a; if (c) { b } else { d } e }     →     /P/       { a; %2 = c ? 1 : 2; %1 = 1 }
 *                                                 /%2 == 1/ { b }
 *                                                 /%2 == 2/ { d }
 *                                                 /%1 == 1/ { e }
 *
 * Clause-local variables are 0 when a firing begins, so no piece runs that was not chosen.
 */
#include "dlang/compile/actcomp.h"

#include <assert.h>

#include "dlang/parse/hint.h"
#include "dlang/parse/stability.h"

/* The condition of the pieces that are being written: var == value; var NULL: as the clause. */
struct guard {
	struct ident *var;
	uint64_t value;
};

struct body {
	struct compiler *cc;
	const struct node *source;
	struct clause *first, *last; /* the pieces */
	struct clause *piece;	     /* where statements go; NULL: a new piece begins */
	struct ident *reached;	     /* hidden: the first piece has run; NULL: not needed so far */
	uint32_t split;
	/* of the piece, for the order of its actions (docs/spec/d-language.md §13.3) */
	bool committed, speculated, recorded;
};

/* ---- statements ---- */

static struct stmt *add_stmt(struct body *b, int line)
{
	struct clause *c = b->piece;
	struct stmt *stmts;

	if ((c->nstmts & (c->nstmts - 1)) == 0) {
		stmts = arena_alloc(b->cc->arena, MAX(1, 2 * c->nstmts) * sizeof(*stmts));
		if (c->nstmts)
			memcpy(stmts, c->stmts, c->nstmts * sizeof(*stmts));
		c->stmts = stmts;
	}
	c->stmts[c->nstmts].line = line;
	return &c->stmts[c->nstmts++];
}

static void forbid(struct body *b, bool broken, int tag, int line, const char *what,
		   const char *before)
{
	if (broken)
		compile_fail(b->cc, tag, line, "%s may not follow %s", what, before);
}

static void check_order(struct body *b, const struct stmtkind *kind, int line)
{
	static const char data[] = "data-recording action(s)";

	if (kind->kind == STMT_COMMIT) {
		forbid(b, b->recorded, D_COMM_DREC, line, "commit( )", data);
		b->committed = true;
		return;
	}
	if (kind->kind == STMT_SPECULATE) {
		forbid(b, b->speculated, D_SPEC_SPEC, line, "speculate( )", "speculate( )");
		forbid(b, b->committed, D_SPEC_COMM, line, "speculate( )", "commit( )");
		forbid(b, b->recorded, D_SPEC_DREC, line, "speculate( )", data);
		b->speculated = true;
		return;
	}
	if (kind->kind == STMT_EXIT)
		forbid(b, b->speculated, D_EXIT_SPEC, line, "exit( )", "speculate( )");
	if (kind->flags & ACTF_DESTRUCTIVE)
		forbid(b, b->speculated, D_ACT_SPEC, line, "destructive actions", "speculate( )");
	if (kind->flags & ACTF_RECORD) {
		forbid(b, b->committed, D_DREC_COMM, line, "data-recording actions", "commit( )");
		b->recorded = true;
	}
}

static void add_action_stmt(struct body *b, struct node *call, int line)
{
	const struct stmtkind *kind = call->ident->row;
	struct stmt *st = add_stmt(b, line);

	check_order(b, kind, line);
	st->kind = kind->kind;
	b->piece->has_record |= (kind->flags & (ACTF_RECORD | ACTF_LINE)) != 0;
	b->piece->acts_on_aggs |= (kind->flags & ACTF_AGGS) != 0;
	b->piece->shows_aggs |= kind->kind == STMT_PRINTA;
	b->piece->forgets_aggs |= kind->kind == STMT_CLEAR || kind->kind == STMT_TRUNC;
	b->piece->is_destructive |= (kind->flags & ACTF_DESTRUCTIVE) != 0;
	compile_action(b->cc, call, st);
}

static void refuse_bare_agg(struct body *b, const struct node *agg)
{
	const struct ident *id = ident_find(b->cc->idents, SCOPE_AGG, agg->string);

	if (!agg->has_keys && (!id || !id->agg)) {
		b->cc->hint = hint_variable(b->cc, SCOPE_AGG, agg->string);
		compile_fail(b->cc, D_IDENT_UNDEF, agg->line,
			     "failed to resolve @%s: Unknown variable name", agg->string);
	}
	compile_fail(b->cc, D_AGG_NULL, agg->line, "expression has null effect: @%s", agg->string);
}

struct place {
	struct body *body;
	int line;
};

static struct stmt *add_at(void *arg)
{
	const struct place *p = arg;

	return add_stmt(p->body, p->line);
}

/* Any aggregation; of a histogram the sums of its values, too, while metrics ask for them. */
static void compile_aggregations(struct body *b, struct node *n, int line)
{
	struct node *sums = sums_of_histogram(b->cc, n);

	compile_aggregation(b->cc, n, add_stmt(b, line));
	if (!sums)
		return;
	compile_aggregation(b->cc, sums, add_stmt(b, line));
	mark_sums(b->cc, n, sums);
}

static void compile_stmt(struct body *b, struct node *n)
{
	struct place here = {b, n->line};
	struct node *e = n->left;
	struct stmt *st;

	b->cc->at = n->at;
	if (e->kind == NODE_AGG)
		refuse_bare_agg(b, e);
	if (e->kind == NODE_OP2 && e->op == OP_ASGN && e->left->kind == NODE_AGG) {
		forbid(b, b->committed, D_AGG_COMM, n->line, "aggregating actions", "commit( )");
		forbid(b, b->speculated, D_AGG_SPEC, n->line, "aggregating actions",
		       "speculate( )");
		compile_aggregations(b, e, n->line);
		return;
	}
	if (compile_rewrite(b->cc, e, add_at, &here))
		return;
	e = check_expr(b->cc, e);
	if (node_is_action(e)) {
		add_action_stmt(b, e, n->line);
		return;
	}
	while (e->kind == NODE_XLATE) /* nobody reads a member */
		e = e->right;
	st = add_stmt(b, n->line);
	add_action(b->cc, st, ACT_EXPR, codegen_expr(b->cc, e));
	forbid(b, b->speculated && st->acts->difo->is_destructive, D_ACT_SPEC, n->line,
	       "destructive actions", "speculate( )");
}

/* ---- pieces ---- */

static struct ident *hidden_variable(struct body *b)
{
	struct idents *ids = b->cc->idents;
	const char *name = arena_printf(b->cc->arena, "%%%u", (unsigned)ids->next_id[SCOPE_THIS]);
	struct ident *id = ident_add(ids, SCOPE_THIS, name, IDENT_SCALAR, b->cc->types->t_int);

	if (!id)
		fail_no_ids(b->cc, b->source->line);
	return id;
}

static struct node *variable_node(struct body *b, struct ident *id)
{
	struct node *n = node_new(b->cc->arena, NODE_VAR, b->source->line);

	n->ident = id;
	n->type = id->type;
	n->is_lval = true;
	n->is_writable = true;
	n->is_checked = true;
	return n;
}

static struct node *op_node(struct body *b, enum node_op op, struct node *l, struct node *r)
{
	struct node *n = node_new(b->cc->arena, NODE_OP2, b->source->line);

	n->op = op;
	n->left = l;
	n->right = r;
	return n;
}

static struct node *int_node(struct body *b, uint64_t value)
{
	struct node *n = make_int(b->cc, b->source, value, b->cc->types->t_int);

	n->next = NULL;
	return n;
}

static void assign_hidden(struct body *b, struct ident *var, struct node *value)
{
	struct node *n = op_node(b, OP_ASGN, variable_node(b, var), value);

	add_action(b->cc, add_stmt(b, b->source->line), ACT_EXPR,
		   codegen_expr(b->cc, check_expr(b->cc, n)));
}

static void open_piece(struct body *b, struct guard g)
{
	struct compiler *cc = b->cc;
	struct clause *c;
	struct node *pred;

	if (b->piece)
		return;
	c = ARENA_NEW(cc->arena, struct clause);
	if (b->last)
		b->last->next = c;
	else
		b->first = c;
	b->last = b->piece = cc->clause = c;
	b->committed = b->speculated = b->recorded = false;
	if (g.var) {
		pred = op_node(b, OP_EQ, variable_node(b, g.var), int_node(b, g.value));
		c->pred = codegen_expr(cc, check_expr(cc, pred));
	}
}

static void compile_list(struct body *b, struct node *list, struct guard g);

static void compile_if(struct body *b, struct node *n, struct guard *g)
{
	struct compiler *cc = b->cc;
	struct ident *var = hidden_variable(b);
	struct node *choice = node_new(cc->arena, NODE_OP3, n->line);

	b->split = var->id;
	choice->expr = check_expr(cc, n->expr);
	if (node_is_dynamic(choice->expr) || !type_is_scalar(choice->expr->type))
		compile_fail(cc, D_OP_SCALAR, n->line, "if condition must be of scalar type");
	choice->left = int_node(b, 1);
	choice->right = int_node(b, 2);
	assign_hidden(b, var, choice);
	if (!g->var && b->source->expr) {
		b->reached = hidden_variable(b);
		assign_hidden(b, b->reached, int_node(b, 1));
		*g = (struct guard){b->reached, 1};
	}
	b->piece = NULL;
	compile_list(b, n->body, (struct guard){var, 1});
	b->piece = NULL;
	compile_list(b, n->orelse, (struct guard){var, 2});
	b->piece = NULL;
}

static void compile_list(struct body *b, struct node *list, struct guard g)
{
	for (; list; list = list->next) {
		open_piece(b, g);
		if (list->kind == NODE_IF)
			compile_if(b, list, &g);
		else
			compile_stmt(b, list);
	}
}

/* ---- a whole clause ---- */

/* A line of JSON has the name of the program it is about, which a record has not. */
static void add_execname(struct body *b, struct clause *c)
{
	struct compiler *cc = b->cc;
	struct node *n;

	if (!c->has_record || opt(&cc->session->options, OPT_OFORMAT) != OFORMAT_JSONL)
		return;
	b->piece = cc->clause = c;
	n = node_new(cc->arena, NODE_IDENT, b->source->line);
	n->string = "execname";
	c->execname = &add_value(cc, add_stmt(b, n->line), check_expr(cc, n))->rec;
}

static void note_difo(struct clause *c, const struct difo *d)
{
	if (!d)
		return;
	c->needs |= d->needs;
	c->can_fault |= d->can_fault;
	c->is_destructive |= d->is_destructive;
}

/* Of the data as D knows them: characters stand anywhere. */
static uint32_t natural_alignment(const struct rec *rec)
{
	return rec->kind == REC_STRING ? 1 : rec->align;
}

static void finish_piece(struct compiler *cc, struct clause *c)
{
	unsigned num = 0;

	c->counted = 4; /* the EPID */
	note_difo(c, c->pred);
	for (unsigned i = 0; i < c->nstmts; i++) {
		for (unsigned j = 0; j < c->stmts[i].nacts; j++) {
			struct action *a = &c->stmts[i].acts[j];

			a->num = (uint16_t)++num;
			note_difo(c, a->difo);
			note_difo(c, a->incr);
			c->can_fault |= a->kind == ACT_CHILL || a->kind == ACT_RAISE ||
					a->kind == ACT_PANIC || a->kind == ACT_DROP ||
					a->kind == ACT_BECOME || a->kind == ACT_SET ||
					a->kind == ACT_SETTEXT;
			if (a->kind == ACT_USTACK || (a->rec.kind == REC_USTACK && !a->difo))
				c->needs |= NEED_USTACK;
			if (a->rec.kind == REC_USYM || a->rec.kind == REC_UMOD ||
			    a->rec.kind == REC_UADDR)
				c->needs |= NEED_USYM;
			if (a->kind == ACT_STACK || (a->rec.kind == REC_STACK && !a->difo))
				c->needs |= NEED_KSTACK;
			if (a->kind == ACT_STOP || a->kind == ACT_RAISE)
				c->needs |= NEED_ACT;
			if (a->kind == ACT_LKD)
				c->needs |= NEED_ACT | NEED_REGS | NEED_MEM | NEED_TARGET;
			if (a->kind == ACT_AGGKEY || a->kind == ACT_FIELD ||
			    a->rec.kind == REC_NONE)
				continue;
			a->rec.offset = ROUND_UP(c->payload, a->rec.align);
			c->payload = a->rec.offset + a->rec.size;
			check_record_size(cc, c->payload);
			c->counted = ROUND_UP(c->counted, natural_alignment(&a->rec)) + a->rec.size;
		}
	}
}

static void compile_body(struct body *b)
{
	struct compiler *cc = b->cc;
	struct node *list = node_copy(cc->arena, b->source->body);

	cc->phase = PHASE_BODY;
	b->first = b->last = b->piece = NULL;
	b->reached = NULL;
	b->split = 0;
	open_piece(b, (struct guard){0});
	compile_list(b, list, (struct guard){0});
	if (!list)
		b->first->has_record = true; /* the default action */
	for (struct clause *c = b->first; c; c = c->next)
		add_execname(b, c);
}

static const struct difo *compile_predicate(struct body *b)
{
	struct compiler *cc = b->cc;
	struct node *n;

	if (!b->source->expr)
		return NULL;
	cc->phase = PHASE_PREDICATE;
	cc->at = b->source->expr->at;
	n = check_expr(cc, node_copy(cc->arena, b->source->expr));
	if (node_is_dynamic(n) || !type_is_scalar(n->type))
		compile_fail(cc, D_PRED_SCALAR, b->source->line,
			     "predicate result must be of scalar type");
	return codegen_expr(cc, n);
}

/* False: the body uses a name that is not known yet. */
static bool try_body(struct body *b)
{
	jmp_buf unknown;

	if (setjmp(unknown)) {
		b->cc->retry = NULL;
		return false;
	}
	b->cc->retry = &unknown;
	compile_body(b);
	b->cc->retry = NULL;
	return true;
}

/* The body first: the predicate may use what is first assigned there. If that fails, the other way.
 */
static void compile_both(struct body *b)
{
	const struct difo *pred;

	if (b->source->expr && !try_body(b)) {
		pred = compile_predicate(b);
		compile_body(b);
	} else {
		if (!b->source->expr)
			compile_body(b);
		pred = compile_predicate(b);
	}
	b->first->pred = pred;
}

static bool may_come(const struct session *s, const struct probe_desc *d)
{
	for (unsigned i = 0; i < s->nproviders; i++) {
		const struct provider *p = s->providers[i];

		if (p->may_come && p->on_demand && p->on_demand(d->prov) && p->may_come(s, d))
			return true;
	}
	return false;
}

/* why: what the provider knows of it, or NULL. */
static NORETURN void fail_unmatched(struct compiler *cc, const struct node *n, const char *why)
{
	cc->hint = hint_desc(cc->session, n->desc);
	compile_fail(cc, D_PDESC_ZERO, n->line,
		     "probe description %s:%s:%s:%s does not match any probes%s%s", n->desc->prov,
		     n->desc->mod, n->desc->func, n->desc->name, why ? ": " : "", why ? why : "");
}

static void match_probes(struct compiler *cc, const struct node *n, struct clause *c)
{
	struct err err = {0};
	int tag = D_NONE, found;

	found = probe_match(cc->session, n->desc, &c->probes, &tag, &err);
	if (found < 0) {
		if (tag == D_PROC_BADPID && strstr(n->desc_text, "$target") &&
		    !cc->session->target_pid)
			cc->hint = "$target is a process of -c or -p, and neither is given";
		else if (tag == D_PDESC_ZERO)
			fail_unmatched(cc, n, err.text);
		compile_fail(cc, tag, n->line, "%s", err.text);
	}
	c->nprobes = (unsigned)found;
	if (!found && n->desc->id) /* with -Z and -l too */
		compile_fail(cc, D_PDESC_INVAL, n->line,
			     "invalid probe identifier %u: Unknown probe identifier", n->desc->id);
	if (found || cc->library || opt_on(&cc->session->options, OPT_ZDEFS) ||
	    may_come(cc->session, n->desc))
		return;
	fail_unmatched(cc, n, NULL);
}

static void append(struct program *p, const struct session *s, const struct body *b,
		   const struct clause *match)
{
	*p->clauses_tail = b->first;
	for (struct clause *c = b->first; c; c = c->next) {
		p->clauses_tail = &c->next;
		c->program = p;
		c->desc = match->desc;
		c->probes = match->probes;
		c->nprobes = match->nprobes;
		c->split = b->split;
		c->written = p->nwritten;
		c->line = c->nstmts ? c->stmts[0].line : b->source->line;
		c->attr = b->cc->attr;
		finish_piece(b->cc, c);
		p->nclauses++;
	}
	p->nmatched += match->nprobes;
	p->may_match |= may_come(s, match->desc);
	p->counts_probes |= match->nprobes != 0;
}

static void check_desc_attr(struct compiler *cc, const struct node *source)
{
	struct attr a = attr_of_desc(cc->session, cc->desc);
	char text[ATTR_TEXT];

	if (!cc->library && attr_is_less(a, attr_amin(cc->session)))
		compile_fail(cc, D_ATTR_MIN, source->line,
			     "attributes for clause (%s) are less than predefined minimum",
			     attr_text(a, text));
}

static void compile_description(struct compiler *cc, const struct node *source,
				const struct node *n)
{
	struct body b = {.cc = cc, .source = source};
	struct clause match = {.desc = n->desc};

	cc->phase = PHASE_PARSE;
	cc->at = n->at;
	match_probes(cc, n, &match);
	cc->desc = n->desc;
	cc->desc_line = n->line;
	cc->probe = match.nprobes ? match.probes[0] : NULL;
	cc->attr = attr_stable;
	check_desc_attr(cc, source);
	cc->nprobes = match.nprobes;
	compile_both(&b);
	append(cc->program, cc->session, &b, &match);
	cc->desc = NULL;
	cc->probe = NULL;
	cc->clause = NULL;
	cc->phase = PHASE_PARSE;
	cc->at = NULL;
}

void compile_clause(struct compiler *cc, struct node *source)
{
	cc->program->nwritten++;
	for (const struct node *n = source->args; n; n = n->next)
		compile_description(cc, source, n);
}
