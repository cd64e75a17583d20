/*
 * actcomp.c: the actions: what each call becomes in the engine, and the table of all of them.
 */
#include "dlang/compile/actcomp.h"

#include "dlang/run/aggtable.h"
#include "dlang/run/corefile.h"

#define PRINT_SIZE_DEFAULT 8192
#define PRINT_SIZE_MAX	   65536

void compile_action(struct compiler *cc, struct node *call, struct stmt *st)
{
	static void (*const compilers[STMT_NKINDS])(struct compiler *, struct node *,
						    struct stmt *) = {
#define ACTION(id, name, proto, flags) [STMT_##id] = compile_##name,
#include "dlang/actions.def"
#undef ACTION
	};

	compilers[st->kind](cc, call, st);
}

/* ---- building ---- */

struct action *add_action(struct compiler *cc, struct stmt *st, enum act_kind kind,
			  const struct difo *difo)
{
	struct action *a;

	if ((st->nacts & (st->nacts - 1)) == 0) { /* room is the next power of two */
		a = arena_alloc(cc->arena, MAX(1, 2 * st->nacts) * sizeof(*a));
		if (st->nacts)
			memcpy(a, st->acts, st->nacts * sizeof(*a));
		st->acts = a;
	}
	a = &st->acts[st->nacts++];
	a->kind = kind;
	a->difo = difo;
	return a;
}

struct action *add_record(struct compiler *cc, struct stmt *st, enum act_kind kind,
			  const struct difo *difo, const struct rec *rec)
{
	struct action *a = add_action(cc, st, kind, difo);

	a->rec = *rec;
	return a;
}

void add_agg(struct compiler *cc, struct stmt *st, struct aggvar *var)
{
	struct aggvar **aggs = arena_alloc(cc->arena, (st->naggs + 1) * sizeof(struct aggvar *));

	if (st->naggs)
		memcpy(aggs, st->aggs, st->naggs * sizeof(struct aggvar *));
	aggs[st->naggs++] = var;
	st->aggs = aggs;
}

void check_record_size(struct compiler *cc, uint64_t size)
{
	if (size > RECORD_MAX)
		compile_fail_bare(cc, D_NONE, cc->desc_line,
				  "%llu bytes are too many to be recorded",
				  (unsigned long long)size);
}

struct rec value_rec(struct compiler *cc, const struct type *t)
{
	uint64_t size = type_bytes(cc, t);

	check_record_size(cc, size);
	if (type_is_string(t))
		return (struct rec){
			.kind = REC_STRING, .size = (uint32_t)size + 1, .align = 8, .type = t};
	if (type_is_byref(t))
		return (struct rec){
			.kind = REC_BYTES, .size = (uint32_t)size, .align = 8, .type = t};
	size = size == 1 || size == 2 || size == 4 ? size : 8;
	return (struct rec){
		.kind = REC_INT, .size = (uint32_t)size, .align = (uint32_t)size, .type = t};
}

/* What maxframes leaves of it. */
static uint32_t frames_of(const struct compiler *cc, uint32_t n)
{
	const struct options *o = &cc->session->options;

	return opt_on(o, OPT_MAXFRAMES) ? MIN(n, (uint32_t)opt(o, OPT_MAXFRAMES)) : n;
}

/* A number that stands for a stack (ustackid()). */
static bool stack_of_number(struct compiler *cc, const struct type *t, struct rec *rec)
{
	bool is_user = type_is_named(t, USTACKID_TYPE);
	uint32_t n;

	if (!is_user && !type_is_named(t, STACKID_TYPE))
		return false;
	n = frames_of(cc, (uint32_t)opt(&cc->session->options,
					is_user ? OPT_USTACKFRAMES : OPT_STACKFRAMES));
	*rec = (struct rec){.kind = is_user ? REC_USTACK : REC_STACK,
			    .size = 8 * (n + is_user),
			    .align = 8,
			    .arg = n,
			    .type = cc->types->t_stack};
	check_record_size(cc, rec->size);
	return true;
}

struct rec shown_rec(struct compiler *cc, const struct type *t)
{
	struct rec rec;

	return stack_of_number(cc, t, &rec) ? rec : value_rec(cc, t);
}

struct action *add_shown(struct compiler *cc, struct stmt *st, struct node *n)
{
	struct rec rec;

	if (!stack_of_number(cc, n->type, &rec))
		return add_value(cc, st, n);
	return add_record(cc, st, ACT_RECORD, codegen_expr(cc, n), &rec);
}

struct action *add_value(struct compiler *cc, struct stmt *st, struct node *n)
{
	const struct difo *difo = codegen_expr(cc, n);
	struct rec rec = value_rec(cc, n->type);

	if (rec.size == 0)
		compile_fail(cc, D_OP_INCOMPLETE, n->line,
			     "a value of unknown size cannot be recorded");
	return add_record(cc, st, ACT_RECORD, difo, &rec);
}

static struct rec word_rec(const struct type *t)
{
	return (struct rec){.kind = REC_INT, .size = 8, .align = 8, .type = t};
}

/* An integer recorded as 64 bits. */
static void add_word(struct compiler *cc, struct stmt *st, struct node *n, const struct type *t)
{
	struct rec rec = word_rec(t);

	add_record(cc, st, ACT_RECORD, codegen_expr(cc, n), &rec);
}

/* ---- values ---- */

void compile_trace(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct node *arg = call->args;

	if (type_resolve(arg->type)->kind == TYPE_VOID)
		compile_fail(cc, D_TRACE_VOID, call->line,
			     "trace( ) may not be applied to a void expression");
	if (node_is_dynamic(arg))
		compile_fail(cc, D_TRACE_DYN, call->line,
			     "trace( ) may not be applied to a dynamic expression");
	add_shown(cc, st, arg);
}

static void check_print_size(struct compiler *cc, const struct node *call, const struct type *t)
{
	char text[TYPE_TEXT];

	if (!type_bytes(cc, t) || type_resolve(t)->kind == TYPE_FORWARD)
		compile_fail(cc, D_PRINT_SIZE, call->line,
			     "print( ) argument #1 reference has type '%s' with size 0; cannot "
			     "print( ) it.",
			     type_name(t, text, sizeof(text)));
}

/* Of a larger value the first bytes are taken. */
static uint32_t print_size(const struct compiler *cc, const struct type *t)
{
	uint64_t max = (uint64_t)opt(&cc->session->options, OPT_PRINTSIZE);

	if (!max || max > PRINT_SIZE_MAX)
		max = PRINT_SIZE_DEFAULT;
	return (uint32_t)MIN(type_bytes(cc, t), max);
}

/* A pointer is shown with what it points to. */
static void add_pointee(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct node *arg = call->args;
	const struct type *pointer = type_resolve(arg->type);
	struct rec rec = {.kind = REC_POINTEE, .align = 8, .type = pointer->ref};
	struct difo *difo;

	complete_type(cc, pointer->ref);
	check_print_size(cc, call, pointer->ref);
	rec.size = 8 + print_size(cc, pointer->ref);
	difo = codegen_expr(cc, arg);
	difo->needs |= memory_needs(pointer);
	difo->can_fault = true;
	difo->is_userland = pointer->is_userland;
	add_record(cc, st, ACT_RECORD, difo, &rec);
}

void compile_print(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct node *arg = call->args;
	const struct type *t = type_resolve(arg->type);
	char text[TYPE_TEXT];

	if (t->kind == TYPE_VOID)
		compile_fail(cc, D_PRINT_VOID, call->line,
			     "print( ) may not be applied to a void expression");
	if (arg->kind == NODE_AGG)
		compile_fail(cc, D_PROTO_ARG, call->line,
			     "print( ) argument #1 is incompatible with prototype:\n"
			     "\tprototype: void *\n\t argument: %s",
			     node_type_text(arg, text));
	if (node_is_dynamic(arg))
		compile_fail(cc, D_PRINT_DYN, call->line,
			     "print( ) may not be applied to a dynamic expression");
	if (t->kind == TYPE_POINTER && !type_is_function(t->ref)) {
		add_pointee(cc, call, st);
		return;
	}
	check_print_size(cc, call, t);
	add_value(cc, st, arg);
}

void compile_tracemem(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct node *addr = call->args, *size = addr->next;
	struct rec rec = {.kind = REC_BYTES, .align = 8};
	struct difo *difo;
	bool is_array = type_resolve(addr->type)->kind == TYPE_ARRAY; /* as where it begins */
	char text[TYPE_TEXT];

	if (node_is_dynamic(addr) || (!type_is_scalar(addr->type) && !is_array))
		compile_fail(cc, D_TRACEMEM_ADDR, call->line,
			     "tracemem( ) argument #1 is incompatible with prototype:\n"
			     "\tprototype: pointer or integer\n\t argument: %s",
			     node_type_text(addr, text));
	if (size->kind != NODE_INT || size->value == 0 || size->value > RECORD_MAX)
		compile_fail(
			cc, D_TRACEMEM_SIZE, call->line,
			"tracemem( ) argument #2 must be a non-zero positive integral constant "
			"expression");
	rec.size = (uint32_t)size->value;
	rec.type = type_array(cc->types, cc->types->t_uchar, rec.size);
	difo = codegen_expr(cc, addr);
	difo->needs |= memory_needs(addr->type);
	difo->can_fault = true;
	difo->is_userland = is_array ? addr->is_userland : type_resolve(addr->type)->is_userland;
	add_record(cc, st, ACT_TRACEMEM, difo, &rec);
	if (size->next)
		add_word(cc, st, size->next, cc->types->t_ulong);
}

/* memref() made the two words the pointer leads to: an address and a size. */
void compile_printm(struct compiler *cc, struct node *call, struct stmt *st)
{
	const struct node *size = call->args;
	struct node *ref = size->next;
	const struct type *t = type_resolve(ref->type);
	struct rec rec = {.kind = REC_BYTES, .align = 8};
	struct difo *difo;

	if (size->kind != NODE_INT || size->value == 0 || size->value > RECORD_MAX)
		compile_fail(cc, D_PRINTM_SIZE, call->line,
			     "printm( ) argument #1 must be a non-zero positive integral constant "
			     "expression");
	if (node_is_dynamic(ref) || t->kind != TYPE_POINTER ||
	    type_bytes(cc, t->ref) != sizeof(uintptr_t) || !type_is_integer(t->ref))
		compile_fail(cc, D_PRINTM_ADDR, call->line,
			     "printm( ) argument #2 must be the result of memref( )");
	rec.size = 8 + (uint32_t)size->value;
	rec.type = type_array(cc->types, cc->types->t_uchar, rec.size);
	difo = codegen_expr(cc, ref);
	difo->needs |= NEED_MEM | NEED_TARGET;
	difo->can_fault = true;
	add_record(cc, st, ACT_PRINTM, difo, &rec);
}

static uint32_t positive_constant(struct compiler *cc, const struct node *call,
				  const struct node *arg, unsigned num, int tag, bool or_zero)
{
	if (arg->kind != NODE_INT || arg->value > RECORD_MAX || (arg->value == 0 && !or_zero))
		compile_fail(cc, tag, call->line,
			     "%s( ) argument #%u must be a %spositive integer constant",
			     call->ident->name, num, or_zero ? "" : "non-zero ");
	return (uint32_t)arg->value;
}

static void stack_rec(struct compiler *cc, const struct node *call, struct rec *rec)
{
	const struct node *frames = call->args;
	uint32_t n = (uint32_t)opt(&cc->session->options, OPT_STACKFRAMES);

	if (frames)
		n = positive_constant(cc, call, frames, 1, D_STACK_SIZE, false);
	n = frames_of(cc, n);
	check_record_size(cc, 8 * (uint64_t)n);
	rec->size = 8 * n;
	rec->arg = n;
}

static void user_stack_rec(struct compiler *cc, const struct node *call, struct rec *rec,
			   uint32_t n, uint64_t strsize)
{
	const struct node *frames = call->args;

	if (frames)
		n = positive_constant(cc, call, frames, 1, D_USTACK_FRAMES, false);
	if (frames && frames->next)
		strsize = positive_constant(cc, call, frames->next, 2, D_USTACK_STRSIZE, true);
	n = frames_of(cc, n);
	check_record_size(cc, 8 * (1 + (uint64_t)n) + MIN(strsize, (uint64_t)UINT32_MAX));
	rec->size = 8 * (1 + n) + (uint32_t)strsize;
	rec->arg = n | strsize << 32;
}

static void ustack_rec(struct compiler *cc, const struct node *call, struct rec *rec)
{
	user_stack_rec(cc, call, rec, (uint32_t)opt(&cc->session->options, OPT_USTACKFRAMES), 0);
}

static void jstack_rec(struct compiler *cc, const struct node *call, struct rec *rec)
{
	const struct options *o = &cc->session->options;

	user_stack_rec(cc, call, rec, (uint32_t)opt(o, OPT_JSTACKFRAMES),
		       (uint64_t)opt(o, OPT_JSTACKSTRSIZE));
}

/* The actions that are values, and how these are recorded. */
static const struct special {
	enum act_kind act;
	enum rec_kind kind;
	uint32_t size; /* of its operand; 0: it has none, and */
	void (*measure)(struct compiler *, const struct node *call, struct rec *);
} specials[STMT_NKINDS] = {
	[STMT_STACK] = {ACT_STACK, REC_STACK, 0, stack_rec},
	[STMT_USTACK] = {ACT_USTACK, REC_USTACK, 0, ustack_rec},
	[STMT_JSTACK] = {ACT_USTACK, REC_USTACK, 0, jstack_rec},
	[STMT_SYM] = {ACT_RECORD, REC_SYM, 8, NULL},
	[STMT_FUNC] = {ACT_RECORD, REC_SYM, 8, NULL},
	[STMT_MOD] = {ACT_RECORD, REC_MOD, 8, NULL},
	[STMT_USYM] = {ACT_RECORD, REC_USYM, 16, NULL},
	[STMT_UFUNC] = {ACT_RECORD, REC_USYM, 16, NULL},
	[STMT_UMOD] = {ACT_RECORD, REC_UMOD, 16, NULL},
	[STMT_UADDR] = {ACT_RECORD, REC_UADDR, 16, NULL},
};

bool special_value(struct compiler *cc, struct node *n, enum act_kind *kind, struct rec *rec,
		   struct node **operand)
{
	const struct stmtkind *row = node_is_action(n) ? n->ident->row : &stmtkinds[STMT_PLAIN];
	const struct special *s = &specials[row->kind];

	*rec = (struct rec){.align = 8, .type = n->type};
	*operand = NULL;
	if (!s->size && !s->measure)
		return false;
	*kind = s->act;
	rec->kind = s->kind;
	rec->size = s->size;
	if (s->measure)
		s->measure(cc, n, rec);
	else
		*operand = n->args;
	return true;
}

static void compile_special(struct compiler *cc, struct node *call, struct stmt *st)
{
	enum act_kind kind = ACT_RECORD;
	struct node *operand;
	struct rec rec;

	special_value(cc, call, &kind, &rec, &operand);
	add_record(cc, st, kind, operand ? codegen_expr(cc, operand) : NULL, &rec);
}

#define SPECIAL(name)                                                                              \
	void compile_##name(struct compiler *cc, struct node *call, struct stmt *st)               \
	{                                                                                          \
		compile_special(cc, call, st);                                                     \
	}
SPECIAL(stack)
SPECIAL(ustack)
SPECIAL(jstack)
SPECIAL(sym)
SPECIAL(func)
SPECIAL(mod)
SPECIAL(usym)
SPECIAL(ufunc)
SPECIAL(umod)
SPECIAL(uaddr)
#undef SPECIAL

void compile_exit(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct rec rec = {.kind = REC_INT, .size = 4, .align = 4, .type = cc->types->t_int};

	add_record(cc, st, ACT_EXIT, codegen_expr(cc, call->args), &rec);
	cc->clause->has_exit = true;
}

/* ---- printed text ---- */

void compile_printf(struct compiler *cc, struct node *call, struct stmt *st)
{
	compile_format(cc, call, st);
}

void compile_system(struct compiler *cc, struct node *call, struct stmt *st)
{
	compile_format(cc, call, st);
}

void compile_freopen(struct compiler *cc, struct node *call, struct stmt *st)
{
	const struct node *fmt = call->args;

	if (fmt->kind == NODE_STR && strcmp(fmt->string, ".") == 0)
		compile_fail(cc, D_FREOPEN_INVALID, call->line,
			     "freopen( ) argument #1 cannot be \".\"");
	compile_format(cc, call, st);
}

void compile_ftruncate(struct compiler *cc, struct node *call UNUSED, struct stmt *st)
{
	add_action(cc, st, ACT_EXPR, NULL);
}

void compile_setopt(struct compiler *cc, struct node *call, struct stmt *st)
{
	for (struct node *arg = call->args; arg; arg = arg->next) {
		struct rec rec = value_rec(cc, cc->types->t_string);

		add_record(cc, st, ACT_RECORD, codegen_expr(cc, arg), &rec);
	}
}

/* ---- what acts on aggregations ---- */

/* The aggregation is the first operand; its number is recorded, so that the action has a record. */
static void add_first_agg(struct compiler *cc, struct node *call, struct stmt *st, int tag)
{
	const struct node *arg = call->args;
	struct rec rec = word_rec(cc->types->t_uint64);
	char text[TYPE_TEXT];

	if (arg->kind != NODE_AGG)
		compile_fail(cc, tag, call->line,
			     "%s( ) argument #1 is incompatible with prototype:\n"
			     "\tprototype: aggregation\n\t argument: %s",
			     call->ident->name, node_type_text(arg, text));
	add_agg(cc, st, arg->ident->agg);
	add_record(cc, st, ACT_CONST, NULL, &rec)->arg = arg->ident->agg->id;
}

void compile_printa(struct compiler *cc, struct node *call, struct stmt *st)
{
	compile_printa_format(cc, call, st);
	for (unsigned i = 0; i < st->naggs; i++) {
		struct rec rec = word_rec(cc->types->t_uint64);

		add_record(cc, st, ACT_CONST, NULL, &rec)->arg = st->aggs[i]->id;
	}
}

void compile_normalize(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_first_agg(cc, call, st, D_NORMALIZE_AGGARG);
	add_word(cc, st, call->args->next, cc->types->t_uint64);
}

void compile_denormalize(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_first_agg(cc, call, st, D_NORMALIZE_AGGARG);
}

void compile_clear(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_first_agg(cc, call, st, D_CLEAR_AGGARG);
}

void compile_trunc(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_first_agg(cc, call, st, D_TRUNC_AGGARG);
	if (call->args->next)
		add_word(cc, st, call->args->next, cc->types->t_int64);
}

/* ---- what acts on the process, speculations ---- */

void compile_stop(struct compiler *cc, struct node *call UNUSED, struct stmt *st)
{
	add_action(cc, st, ACT_STOP, NULL);
}

void compile_raise(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_action(cc, st, ACT_RAISE, codegen_expr(cc, call->args));
}

/* The file's name is recorded, and printed as trace() prints it. */
void compile_lkd(struct compiler *cc, struct node *call, struct stmt *st)
{
	struct rec rec = value_rec(cc, cc->types->t_string);

	rec.size = MAX(rec.size, COREFILE_NAME);
	add_record(cc, st, ACT_LKD, call->args ? codegen_expr(cc, call->args) : NULL, &rec);
}

void compile_chill(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_action(cc, st, ACT_CHILL, codegen_expr(cc, call->args));
}

void compile_breakpoint(struct compiler *cc, struct node *call UNUSED, struct stmt *st)
{
	add_action(cc, st, ACT_BREAKPOINT, NULL);
}

void compile_panic(struct compiler *cc, struct node *call UNUSED, struct stmt *st)
{
	add_action(cc, st, ACT_PANIC, NULL);
}

void compile_logdump(struct compiler *cc, struct node *call UNUSED, struct stmt *st)
{
	add_action(cc, st, ACT_LOGDUMP, NULL);
}

void compile_speculate(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_action(cc, st, ACT_SPECULATE, codegen_expr(cc, call->args));
}

void compile_commit(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_action(cc, st, ACT_COMMIT, codegen_expr(cc, call->args));
}

void compile_discard(struct compiler *cc, struct node *call, struct stmt *st)
{
	add_action(cc, st, ACT_DISCARD, codegen_expr(cc, call->args));
}
