#include "tests/unit/langrig.h"

#include "dlang/print/printf.h"
#include "dlang/run/aggtable.h"

/* One program per tag of errtags.def that the checker raises. */
TEST(every_wrong_program_has_its_tag)
{
	/* clang-format off */
	static const struct {
		const char *tag, *text;
	} rows[] = {
		{"D_TYPE_MEMBER", "struct s { int a; }; struct s v; BEGIN{ trace(v.zz); }"},
		{"D_CG_EXPR", "BEGIN{ trace(stack()); }"},
		{"D_CG_EXPR", "BEGIN{ count(); }"},
		{"D_PDESC_ZERO", "nosuch:::p {}"},
		{"D_PRED_SCALAR", "BEGIN /execname/ {}"},
		{"D_FUNC_IDENT", "BEGIN{ (1)(2); }"},
		{"D_FUNC_UNDEF", "BEGIN{ nofunc(1); }"},
		{"D_FUNC_IDKIND", "BEGIN{ pid(1); }"},
		{"D_FUNC_IDKIND", "int x; BEGIN{ x(1); }"},
		{"D_FUNC_UNDEF", "BEGIN{ x = 1; x(1); }"},
		{"D_OFFSETOF_TYPE", "BEGIN{ trace(offsetof(int, x)); }"},
		{"D_OFFSETOF_BITFIELD", "struct s { int a:3; }; BEGIN{ trace(offsetof(struct s, a)); }"},
		{"D_SIZEOF_TYPE", "BEGIN{ trace(sizeof(void)); }"},
		{"D_SIZEOF_BITFIELD", "struct s { int a:3; }; struct s v; BEGIN{ trace(sizeof(v.a)); }"},
		{"D_STRINGOF_TYPE", "struct s { int a; }; struct s v; BEGIN{ trace(stringof(v)); }"},
		{"D_OP_INT", "BEGIN{ trace(\"a\" & 1); }"},
		{"D_OP_SCALAR", "BEGIN{ trace(!execname); }"},
		{"D_OP_ARITH", "BEGIN{ trace(-execname); }"},
		{"D_OP_WRITE", "BEGIN{ pid = 1; }"},
		{"D_OP_WRITE", "BEGIN{ execname[0] = 1; }"},
		{"D_OP_LVAL", "BEGIN{ $pid++; }"},
		{"D_OP_LVAL", "BEGIN{ 1 = 2; }"},
		{"D_OP_INCOMPAT", "BEGIN{ x = 1; x = \"a\"; }"},
		{"D_OP_INCOMPAT", "BEGIN{ trace(1 == \"a\"); }"},
		{"D_OP_INCOMPAT", "void *p; BEGIN{ trace(p + 1); }"},
		{"D_OP_INCOMPAT", "BEGIN{ x = count(); }"},
		{"D_OP_INCOMPAT", "BEGIN{ x = 1; x = count(); }"},
		{"D_OP_INCOMPAT", "BEGIN{ x = printf(\"a\"); }"},
		{"D_OP_INCOMPAT", "int x; BEGIN{ x = printf(\"a\"); }"},
		{"D_OP_INCOMPAT", "BEGIN{ 1 + printf(\"a\"); }"},
		{"D_TRACE_VOID", "BEGIN{ trace(printf(\"a\")); }"},
		{"D_OP_INCOMPAT", "BEGIN{ @a = count(); x = @a; }"},
		{"D_OP_INCOMPAT", "BEGIN{ @a = count(); x = @a + 1; }"},
		{"D_OP_VFPTR", "int p; BEGIN{ p -= alloca(4); }"},
		{"D_OP_VFPTR", "void *p; BEGIN{ p++; }"},
		{"D_OP_ARRFUN", "int a[3]; int b[3]; BEGIN{ a = b; }"},
		{"D_OP_PTR", "struct s {int a;}; struct s v; BEGIN{ trace(v->a); }"},
		{"D_OP_SOU", "BEGIN{ trace(pid.x); }"},
		{"D_OP_INCOMPLETE", "struct nodef *p; BEGIN{ trace(p->x); }"},
		{"D_OP_DYN", "BEGIN{ @a = count(); pid ? @a : @a; }"},
		{"D_OP_ACT", "BEGIN{ pid ? printf(\"a\") : printf(\"b\"); }"},
		{"D_OP_ACT", "BEGIN{ printf(\"a\"), printf(\"b\"); }"},
		{"D_AGG_REDEF", "BEGIN{ @a = count(); @a = sum(1); }"},
		{"D_AGG_FUNC", "BEGIN{ @a = 1; }"},
		{"D_AGG_MDIM", "BEGIN{ @a[1][2] = count(); }"},
		{"D_ARR_BADREF", "int x; BEGIN{ x[1, 2] = 1; }"},
		{"D_DEREF_NONPTR", "int x; BEGIN{ x[1] = 1; }"},
		{"D_ARR_LOCAL", "BEGIN{ this->x[1] = 1; }"},
		{"D_ARR_BOUNDS", "int a[3]; BEGIN{ trace(a[3]); }"},
		{"D_DIV_ZERO", "BEGIN{ trace(1 / 0); }"},
		{"D_DIV_ZERO", "BEGIN{ trace(pid / 0); }"},
		{"D_DEREF_NONPTR", "BEGIN{ trace(*pid); }"},
		{"D_DEREF_VOID", "BEGIN{ trace(*(void *)0); }"},
		{"D_DEREF_FUNC", "void (*p)(int); BEGIN{ trace(*p); }"},
		{"D_ADDROF_LVAL", "BEGIN{ trace(&1); }"},
		{"D_ADDROF_VAR", "int i; BEGIN{ trace(&i); }"},
		{"D_ADDROF_BITFIELD", "struct s { int a:3; }; struct s *p; BEGIN{ trace(&p->a); }"},
		{"D_CAST_INVAL", "struct s { int a; }; struct s v; BEGIN{ trace((int)v); }"},
		{"D_CAST_INVAL", "BEGIN{ trace((int)\"a\"); }"},
		{"D_CAST_INVAL", "BEGIN{ trace((char *)\"a\"); }"},
		{"D_IDENT_BADREF", "BEGIN{ a[1] = 1; trace(sizeof(a)); }"},
		{"D_IDENT_BADREF", "BEGIN{ trace(strlen); }"},
		{"D_IDENT_BADREF", "BEGIN{ trace(printf); }"},
		{"D_IDENT_BADREF", "BEGIN{ trace(self); }"},
		{"D_IDENT_UNDEF", "BEGIN{ trace(nosuchvar); }"},
		{"D_IDENT_UNDEF", "BEGIN{ trace(`x); }"},
		{"D_IDENT_UNDEF", "BEGIN{ trace(m`x); }"},
		{"D_IDENT_UNDEF", "BEGIN{ printa(@nosuch); }"},
		{"D_VAR_UNDEF", "BEGIN{ trace(self->x); }"},
		{"D_VAR_UNDEF", "BEGIN{ x += 1; }"},
		{"D_VAR_UNDEF", "BEGIN{ trace(x[1]); }"},
		{"D_VAR_UNDEF", "BEGIN{ @a += count(); }"},
		{"D_PROTO_LEN", "BEGIN{ strlen(\"a\", \"b\"); }"},
		{"D_PROTO_ARG", "BEGIN{ strlen(1); }"},
		{"D_PROTO_LEN", "BEGIN{ a[1] = 1; a[1,2] = 1; }"},
		{"D_PROTO_ARG", "BEGIN{ a[\"x\"] = 1; a[1] = 1; }"},
		{"D_ARGS_NONE", "inline int f = args[0];"},
		{"D_ARGS_IDX", "BEGIN { trace(args[5]); }"},
		{"D_PROTO_ARG", "BEGIN { trace(args[pid]); }"},
		{"D_UNKNOWN", "BEGIN{ trace(uregs[9999]); }"},
		{"D_KEY_TYPE", "BEGIN{ @a[(void)0] = count(); }"},
		{"D_PRINTF_DYN_PROTO", "BEGIN{ printf(\"%*d\"); }"},
		{"D_PRINTF_DYN_TYPE", "BEGIN{ printf(\"%*d\", \"a\", 1); }"},
		{"D_PRINTF_AGG_CONV", "BEGIN{ printf(\"%@d\", 1); }"},
		{"D_PRINTF_ARG_PROTO", "BEGIN{ printf(\"%d\"); }"},
		{"D_PRINTF_ARG_TYPE", "BEGIN{ printf(\"%s\", 1); }"},
		{"D_PRINTF_ARG_EXTRA", "BEGIN{ printf(\"x\", 1); }"},
		{"D_PRINTF_ARG_FMT", "BEGIN{ printf(execname); }"},
		{"D_PRINTF_FMT_EMPTY", "BEGIN{ printf(\"\"); }"},
		{"D_COMM_DREC", "BEGIN{ trace(1); commit(1); }"},
		{"D_SPEC_SPEC", "BEGIN{ speculate(1); speculate(2); }"},
		{"D_SPEC_COMM", "BEGIN{ commit(1); speculate(1); }"},
		{"D_SPEC_DREC", "BEGIN{ trace(1); speculate(1); }"},
		{"D_AGG_COMM", "BEGIN{ commit(1); @ = count(); }"},
		{"D_AGG_SPEC", "BEGIN{ speculate(1); @ = count(); }"},
		{"D_AGG_NULL", "BEGIN{ @a[1]; }"},
		{"D_IDENT_UNDEF", "BEGIN{ @a; }"},
		{"D_AGG_SCALAR", "BEGIN{ @a = sum(execname); }"},
		{"D_ACT_SPEC", "BEGIN{ speculate(1); stop(); }"},
		{"D_EXIT_SPEC", "BEGIN{ speculate(1); exit(0); }"},
		{"D_DREC_COMM", "BEGIN{ commit(1); trace(1); }"},
		{"D_PRINTA_PROTO", "BEGIN{ printa(\"%d\"); }"},
		{"D_PRINTA_AGGARG", "BEGIN{ printa(pid); }"},
		{"D_PRINTA_AGGKEY", "BEGIN{ @a[1] = count(); @b[1,2] = count(); printa(@a, @b); }"},
		{"D_PRINTA_AGGPROTO", "BEGIN{ @a[1] = count(); @b[\"x\"] = count(); printa(@a, @b); }"},
		{"D_TRACE_VOID", "BEGIN{ trace((void)0); }"},
		{"D_TRACE_DYN", "BEGIN{ @a = count(); trace(@a); }"},
		{"D_TRACE_DYN", "BEGIN{ trace(count()); }"},
		{"D_TRACEMEM_ADDR", "struct s { int a; }; struct s v; BEGIN{ tracemem(v, 8); }"},
		{"D_TRACEMEM_SIZE", "BEGIN{ tracemem(1, 0); }"},
		{"D_PROTO_LEN", "BEGIN{ tracemem(1, 8, 2, 3); }"},
		{"D_PROTO_ARG", "BEGIN{ tracemem(1, 8, \"a\"); }"},
		{"D_PROTO_LEN", "BEGIN{ stack(1, 2); }"},
		{"D_STACK_SIZE", "BEGIN{ stack(0); }"},
		{"D_PROTO_ARG", "BEGIN{ stack(\"a\"); }"},
		{"D_USTACK_FRAMES", "BEGIN{ ustack(0); }"},
		{"D_USTACK_STRSIZE", "BEGIN{ ustack(1, pid); }"},
		{"D_LQUANT_BASETYPE", "BEGIN{ @ = lquantize(1, pid, 10); }"},
		{"D_LQUANT_BASEVAL", "BEGIN{ @ = lquantize(1, 0x100000000, 10); }"},
		{"D_LQUANT_LIMTYPE", "BEGIN{ @ = lquantize(1, 0, pid); }"},
		{"D_LQUANT_LIMVAL", "BEGIN{ @ = lquantize(1, 0, 0x100000000); }"},
		{"D_LQUANT_MISMATCH", "BEGIN{ @ = lquantize(1, 10, 0); }"},
		{"D_LQUANT_STEPTYPE", "BEGIN{ @ = lquantize(1, 0, 10, pid); }"},
		{"D_LQUANT_STEPVAL", "BEGIN{ @ = lquantize(1, 0, 1000000, 70000); }"},
		{"D_LQUANT_STEPLARGE", "BEGIN{ @ = lquantize(1, 0, 10, 20); }"},
		{"D_LQUANT_STEPSMALL", "BEGIN{ @ = lquantize(1, 0, 100000); }"},
		{"D_LQUANT_MATCHBASE", "BEGIN{ @ = lquantize(1, 0, 10); @ = lquantize(1, 1, 10); }"},
		{"D_LQUANT_MATCHLIM", "BEGIN{ @ = lquantize(1, 0, 10); @ = lquantize(1, 0, 11); }"},
		{"D_LQUANT_MATCHSTEP", "BEGIN{ @ = lquantize(1, 0, 10, 1); @ = lquantize(1, 0, 10, 2); }"},
		{"D_LLQUANT_FACTORTYPE", "BEGIN{ @ = llquantize(1, pid, 0, 3, 10); }"},
		{"D_LLQUANT_FACTORVAL", "BEGIN{ @ = llquantize(1, 70000, 0, 3, 10); }"},
		{"D_LLQUANT_FACTORVAL", "BEGIN{ @ = llquantize(1, 1, 0, 3, 10); }"},
		{"D_LLQUANT_LMAGTYPE", "BEGIN{ @ = llquantize(1, 10, pid, 3, 10); }"},
		{"D_LLQUANT_HMAGVAL", "BEGIN{ @ = llquantize(1, 10, 3, 2, 10); }"},
		{"D_LLQUANT_HMAGVAL", "BEGIN{ @ = llquantize(1, 10, 0, 25, 10); }"},
		{"D_LLQUANT_STEPVAL", "BEGIN{ @ = llquantize(1, 10, 0, 3, 15); }"},
		{"D_LLQUANT_MATCHHMAG", "BEGIN{ @ = llquantize(1, 10, 0, 2, 10); @ = llquantize(1, 10, 0, 3, 10); }"},
		{"D_PROTO_LEN", "BEGIN{ clear(); }"},
		{"D_CLEAR_AGGARG", "BEGIN{ clear(1); }"},
		{"D_NORMALIZE_AGGARG", "BEGIN{ normalize(1, 2); }"},
		{"D_PROTO_LEN", "BEGIN{ @a = count(); normalize(@a); }"},
		{"D_PROTO_ARG", "BEGIN{ @a = count(); normalize(@a, \"x\"); }"},
		{"D_PROTO_ARG", "BEGIN{ @a = count(); trunc(@a, \"x\"); }"},
		{"D_FREOPEN_INVALID", "BEGIN{ freopen(\".\"); }"},
		{"D_PRINTM_ADDR", "BEGIN{ printm(1, 2); }"},
		{"D_ARR_LOCAL", "BEGIN { trace(this->a[1]); }"},
		{"D_OP_INCOMPAT", "string y; BEGIN { y = 1; }"},
		{"D_OP_INCOMPAT", "BEGIN { y = 1; } string y;"},
		{"D_PROTO_LEN", "BEGIN{ @a[1] = count(); @a = count(); }"},
		{"D_PROTO_ARG", "BEGIN{ @a[1] = count(); @a[\"x\"] = count(); }"},
		{"D_PROTO_LEN", "BEGIN{ @a = count(1); }"},
		{"D_PROTO_LEN", "BEGIN{ @a = sum(); }"},
		{"D_PROTO_LEN", "BEGIN{ @a = lquantize(1); }"},
		{"D_PROTO_LEN", "BEGIN{ @a = quantize(1, 2, 3); }"},
		{"D_PROTO_ARG", "BEGIN{ @a = quantize(1, \"a\"); }"},
	};
	/* clang-format on */

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = rig_compile(rows[i].text);
		size_t n = strlen(rows[i].tag);

		if (!text || text[0] != '[' || strncmp(text + 1, rows[i].tag, n) != 0 ||
		    text[n + 1] != ']')
			TEST_FAIL("%s: %s", rows[i].text, text ? text : "compiles");
	}
}

TEST(messages_name_the_line_of_what_is_wrong)
{
	CHECK_STR(rig_compile("BEGIN\n{\n\tx = 1;\n\tx =\n\"a\"\n;\n}"),
		  "[D_OP_INCOMPAT] line 6: operands have incompatible types: \"int\" = \"string\"");
	CHECK_STR(rig_compile("BEGIN\n{\n\ttrace(\n\tnosuch);\n}"),
		  "[D_IDENT_UNDEF] line 4: failed to resolve nosuch: Unknown variable name");
	CHECK_STR(rig_compile("BEGIN\n{\n\tstrlen(\n\t1\n\t);\n}"),
		  "[D_PROTO_ARG] line 3: strlen( ) argument #1 is incompatible with prototype:\n"
		  "\tprototype: char *\n\t argument: int");
	CHECK_STR(rig_compile("BEGIN\n{\n\tnofunc(\n\t1\n\t);\n}"),
		  "[D_FUNC_UNDEF] line 5: undefined function name: nofunc");
	CHECK_STR(rig_compile("BEGIN\n/execname/\n{\n}"),
		  "[D_PRED_SCALAR] line 4: predicate result must be of scalar type");
	CHECK_STR(rig_compile("BEGIN,\nnosuch\n{\n}"),
		  "[D_PDESC_ZERO] line 2: probe description :::nosuch does not match any probes");
}

TEST(command_line_texts_say_which_part_is_wrong)
{
	rig_new();
	CHECK_STR(rig_add(SOURCE_NAME, "BEGIN { trace(nosuch); }"),
		  "[D_IDENT_UNDEF] in action list: failed to resolve nosuch: Unknown variable "
		  "name");
	rig_new();
	CHECK_STR(rig_add(SOURCE_NAME, "BEGIN /nosuch/ { }"),
		  "[D_IDENT_UNDEF] in predicate: failed to resolve nosuch: Unknown variable name");
	rig_new();
	CHECK_STR(rig_add(SOURCE_NAME, "BEGIN { trace(1/0); }"),
		  "[D_DIV_ZERO] expression contains division by zero");
	rig_new();
	CHECK_STR(rig_add(SOURCE_NAME, "BEGIN { printf(\"%d\"); }"),
		  "[D_PRINTF_ARG_PROTO] printf( ) prototype mismatch: conversion #1 (%d) is "
		  "missing a corresponding value argument");
}

static const struct clause *first(const char *text)
{
	const char *error = rig_compile(text);

	if (error)
		TEST_FAIL("%s", error);
	return rig.program->clauses;
}

TEST(records_are_laid_out_by_alignment_and_numbered_by_action)
{
	const struct clause *c = first("BEGIN { trace((char)1); x = 2; trace(3LL); "
				       "printf(\"%d %s\", 4, \"s\"); exit(0); }");
	const struct action *a = c->stmts[3].acts;

	CHECK_EQ(c->nstmts, 5);
	CHECK_EQ(c->stmts[0].acts[0].rec.offset, 0);
	CHECK_EQ(c->stmts[0].acts[0].rec.size, 1);
	CHECK_EQ(c->stmts[1].acts[0].kind, ACT_EXPR);
	CHECK_EQ(c->stmts[2].acts[0].rec.offset, 8);
	CHECK_EQ(a[0].rec.offset, 16);
	CHECK_EQ(a[1].rec.offset, 24);
	CHECK_EQ(a[1].rec.kind, REC_STRING);
	CHECK_EQ(a[1].rec.size, 257);
	CHECK_EQ(a[0].num, 4);
	CHECK_EQ(a[1].num, 5);
	CHECK_EQ(c->stmts[4].acts[0].num, 6);
	CHECK_EQ(c->payload, 24 + 257 + 3 + 4);
	CHECK(c->has_record && c->has_exit && !c->is_destructive);
}

TEST(what_makes_a_record)
{
	CHECK(first("BEGIN { }")->has_record);
	CHECK(!first("BEGIN { x = 1; }")->has_record);
	CHECK(!first("BEGIN { @ = count(); }")->has_record);
	CHECK(first("BEGIN { printf(\"x\"); }")->has_record);
	CHECK(first("BEGIN { raise(1); }")->has_record);
	CHECK(!first("BEGIN { stop(); }")->has_record);
	CHECK(first("BEGIN { stop(); }")->is_destructive);
	CHECK_EQ(first("BEGIN { stop(); ustack(); }")->needs, NEED_ACT | NEED_USTACK);
}

TEST(stacks_and_symbols)
{
	const struct clause *c = first("BEGIN { stack(3); ustack(5, 16); usym(arg0); mod(arg0); }");
	const struct rec *r = &c->stmts[1].acts[0].rec;

	CHECK_EQ(c->stmts[0].acts[0].rec.size, 24);
	CHECK_EQ(r->kind, REC_USTACK);
	CHECK_EQ(r->size, 8 * 6 + 16);
	CHECK_EQ(r->arg, 5 | 16ULL << 32);
	CHECK_EQ(c->stmts[2].acts[0].rec.kind, REC_USYM);
	CHECK_EQ(c->stmts[2].acts[0].rec.size, 16);
	CHECK_EQ(c->stmts[3].acts[0].rec.kind, REC_MOD);
}

TEST(records_are_bounded)
{
	CHECK(!rig_compile("BEGIN { ustack(536870912); }")); /* maxframes */
	CHECK_STR(rig_compile("BEGIN { tracemem(0, 1073741824); tracemem(0, 1073741824); }"),
		  "line 1: 2147483648 bytes are too many to be recorded");
}

TEST(aggregations_have_keys_and_parameters)
{
	const struct stmt *st =
		first("BEGIN { @a[(char)1, 2LL, \"k\"] = lquantize(3, -10, 20, 5, 2); }")->stmts;
	const struct aggvar *v = st->aggs[0];

	CHECK_STR(v->name, "a");
	CHECK_EQ(v->id, 1);
	CHECK_EQ(v->nkeys, 3);
	CHECK_EQ(v->keys[1].offset, 8);
	CHECK_EQ(v->keys[2].offset, 16);
	CHECK_EQ(v->keysize, 16 + 264);
	CHECK_EQ(v->params[0], -10);
	CHECK_EQ(v->params[2], 5);
	CHECK_EQ(v->nwords, 8);
	CHECK_EQ(st->nacts, 4);
	CHECK_EQ(st->acts[3].kind, ACT_AGG);
	CHECK(st->acts[3].incr != NULL);
}

TEST(a_predicate_may_use_what_its_body_assigns)
{
	CHECK_STR(rig_compile("BEGIN /x/ { x = 1; }"), NULL);
	CHECK_STR(rig_compile("BEGIN /x++/ { trace(x); }"), NULL);
	CHECK_STR(rig_compile("BEGIN /x/ { trace(x); }"),
		  "[D_IDENT_UNDEF] line 1: failed to resolve x: Unknown variable name");
	CHECK_STR(rig_compile("BEGIN { trace(x); x = 1; }"),
		  "[D_IDENT_UNDEF] line 1: failed to resolve x: Unknown variable name");
}

TEST(each_description_is_a_clause)
{
	const struct clause *c = first("BEGIN, fake:libc::entry { trace(1); }");

	CHECK_EQ(rig.program->nclauses, 2);
	CHECK_EQ(rig.program->nmatched, 3);
	CHECK_EQ(c->nprobes, 1);
	CHECK_EQ(c->next->nprobes, 2);
	CHECK_STR(c->next->probes[1]->func, "close");
}

TEST(if_makes_pieces)
{
	const struct clause *c = first("BEGIN /pid/ { a = 1; if (a) { trace(1); } "
				       "else { trace(2); } b = 3; }");

	CHECK_EQ(rig.program->nclauses, 4);
	CHECK_EQ(rig.program->nmatched, 1);
	CHECK_EQ(c->nstmts, 3); /* a = 1, the condition, "reached" */
	CHECK(!c->has_record && c->next->has_record);
	CHECK(c->split && c->split == c->next->split);
	CHECK_STR(rig_difo(c->next->pred),
		  "ldls %1280,1; setx #1,2; cmp 1,2; be @6; mov 0,1; ba @7; setx #1,1; nop; ret 1");
	CHECK_STR(rig_difo(c->next->next->pred),
		  "ldls %1280,1; setx #2,2; cmp 1,2; be @6; mov 0,1; ba @7; setx #1,1; nop; ret 1");
	CHECK_STR(rig_difo(c->next->next->next->pred),
		  "ldls %1281,1; setx #1,2; cmp 1,2; be @6; mov 0,1; ba @7; setx #1,1; nop; ret 1");
}

TEST(ordering_rules_hold_for_each_piece)
{
	CHECK_STR(rig_compile("BEGIN { trace(1); if (pid) { commit(1); } }"), NULL);
	CHECK_STR(rig_compile("BEGIN { commit(1); commit(2); }"), NULL);
	CHECK_STR(rig_compile("BEGIN { speculate(1); commit(1); discard(2); x = 1; }"), NULL);
}

TEST(types_follow_the_first_assignment)
{
	CHECK_STR(rig_compile("BEGIN { x = 'a'; y = x; z = \"s\"; z = execname; }"), NULL);
	CHECK_STR(rig_compile("BEGIN { p = alloca(8); q = (int *)p; q = p; q = NULL; q = 0; }"),
		  NULL);
	CHECK_STR(rig_compile("int *q; long *r; BEGIN { q = r; }"),
		  "[D_OP_INCOMPAT] line 1: operands have incompatible types: \"int *\" = "
		  "\"long *\"");
	CHECK_STR(rig_compile("int *q; BEGIN { q = pid; }"),
		  "[D_OP_INCOMPAT] line 1: operands have incompatible types: \"int *\" = "
		  "\"pid_t\"");
	CHECK_STR(rig_compile("enum e { A, B }; enum e v; BEGIN { v = B; trace(v == A); v = 7; }"),
		  NULL);
	CHECK_STR(rig_compile("string s; struct t { char n[8]; } v; BEGIN { s = v.n; "
			      "trace(v.n == s); trace(s == NULL); }"),
		  NULL);
}

/* The record of trace(): its size is that of the type. */
static uint32_t traced(const char *expr)
{
	char text[256];

	snprintf(text, sizeof(text), "int i; char c; BEGIN { trace(%s); }", expr);
	return first(text)->stmts[0].acts[0].rec.size;
}

TEST(expressions_have_the_types_of_the_manual)
{
	CHECK_EQ(traced("c + c"), 1);
	CHECK_EQ(traced("c + 300"), 4);
	CHECK_EQ(traced("c < c"), 4);
	CHECK_EQ(traced("-c"), 1);
	CHECK_EQ(traced("!c"), 4);
	CHECK_EQ(traced("c << i"), 1);
	CHECK_EQ(traced("i ? c : 1L"), 8);
	CHECK_EQ(traced("1 ? 'a' : 1L"), 4);
	CHECK_EQ(traced("sizeof(c)"), 8);
	CHECK_EQ(traced("NULL"), 4);
	CHECK_EQ(traced("(i, c)"), 1);
}

TEST_MAIN();
