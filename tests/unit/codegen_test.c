#include "tests/unit/langrig.h"

/* The code of the last statement of a BEGIN clause, without its final ret; or the message. */
static const char *code(const char *declarations, const char *statements)
{
	static char text[2048];
	const struct clause *c;
	const struct stmt *st;
	const char *error;
	char *ret;

	snprintf(text, sizeof(text), "%s BEGIN { %s }", declarations, statements);
	error = rig_compile(text);
	if (error)
		return error;
	c = rig.program->clauses;
	st = &c->stmts[c->nstmts - 1];
	snprintf(text, sizeof(text), "%s", rig_difo(st->acts[st->nacts - 1].difo));
	ret = strstr(text, "; ret ");
	CHECK(ret && !strchr(ret + 2, ';'));
	*ret = '\0';
	return text;
}

TEST(constants_and_variables)
{
	CHECK_STR(code("", "trace(5);"), "setx #5,1");
	CHECK_STR(code("", "trace(2 + 3 * 4);"), "setx #14,1");
	CHECK_STR(code("", "trace(\"a\");"), "sets 'a',1");
	CHECK_STR(code("", "trace(pid);"), "ldgs pid,1");
	CHECK_STR(code("self int x;", "trace(self->x);"), "ldts x,1");
	CHECK_STR(code("this int x;", "trace(this->x);"), "ldls x,1");
	CHECK_STR(code("", "trace(uregs[20]);"), "setx #20,1; ldga uregs[1],1");
	CHECK_STR(code("", "x = 3;"), "setx #3,1; setx #32,2; sll 1,2,1; sra 1,2,1; stgs 1,x");
	CHECK_STR(code("", "x = 3LL;"), "setx #3,1; stgs 1,x");
	CHECK_STR(code("", "trace(NULL);"), "setx #0,1; setx #32,2; sll 1,2,1; sra 1,2,1");
}

TEST(the_shapes_that_fault_offsets_show)
{
	CHECK_STR(code("int *x;", "trace(*x);"), "ldgs x,1; ldsw 1,1");
	CHECK_STR(code("int n, m;", "trace(n / (m - 2));"),
		  "ldgs n,1; ldgs m,2; setx #2,3; sub 2,3,2; sdiv 1,2,1");
	CHECK_STR(code("", "trace(*(char *)NULL);"),
		  "setx #0,1; setx #32,2; sll 1,2,1; sra 1,2,1; ldsb 1,1");
}

TEST(arithmetic_takes_its_sign_from_the_common_type)
{
	CHECK_STR(code("int a; uint_t b;", "trace(a / b);"), "ldgs a,1; ldgs b,2; udiv 1,2,1");
	CHECK_STR(code("long a; uint_t b;", "trace(a % b);"), "ldgs a,1; ldgs b,2; srem 1,2,1");
	CHECK_STR(code("int a; uint_t b;", "trace(a >> b);"), "ldgs a,1; ldgs b,2; sra 1,2,1");
	CHECK_STR(code("uint_t b;", "trace(b >> 1);"), "ldgs b,1; setx #1,2; srl 1,2,1");
	CHECK_STR(code("int a;", "trace(-a);"), "ldgs a,1; sub 0,1,1");
	CHECK_STR(code("int a;", "trace(~a);"), "ldgs a,1; not 1,1");
	CHECK_STR(code("int a;", "trace(+a);"), "ldgs a,1");
}

TEST(pointers_count_in_elements)
{
	CHECK_STR(code("int *p;", "trace(p + 2);"),
		  "ldgs p,1; setx #2,2; setx #4,3; mul 2,3,2; add 1,2,1");
	CHECK_STR(code("char *p;", "trace(p - 2);"), "ldgs p,1; setx #2,2; sub 1,2,1");
	CHECK_STR(code("int *p; int *q;", "trace(p - q);"),
		  "ldgs p,1; ldgs q,2; sub 1,2,1; setx #4,2; udiv 1,2,1");
	CHECK_STR(code("long *p;", "trace(p[3]);"),
		  "ldgs p,1; setx #3,2; setx #8,3; mul 2,3,2; add 1,2,1; ldx 1,1");
	CHECK_STR(code("userland short *p;", "trace(*p);"), "ldgs p,1; uldsh 1,1");
	CHECK_STR(code("string s;", "trace(s[1]);"), "ldgs s,1; setx #1,2; add 1,2,1; ldsb 1,1");
}

TEST(a_variable_subscript_of_an_array_is_checked)
{
	CHECK_STR(code("int a[10]; int i;", "trace(a[i]);"),
		  "ldgs a,1; ldgs i,2; flushts; pushtv 0:0,2; setx #10,3; pushtv 0:0,3; "
		  "call [],2; setx #4,3; mul 2,3,2; add 1,2,1; ldsw 1,1");
	CHECK_STR(code("int a[10];", "trace(a[1]);"),
		  "ldgs a,1; setx #1,2; setx #4,3; mul 2,3,2; add 1,2,1; ldsw 1,1");
}

TEST(comparisons_give_0_or_1)
{
	CHECK_STR(code("int a;", "trace(a < 1);"),
		  "ldgs a,1; setx #1,2; cmp 1,2; bl @6; mov 0,1; ba @7; setx #1,1; nop");
	CHECK_STR(code("uint_t a;", "trace(a >= 1);"),
		  "ldgs a,1; setx #1,2; cmp 1,2; bgeu @6; mov 0,1; ba @7; setx #1,1; nop");
	CHECK_STR(code("", "trace(execname == \"a\");"),
		  "ldgs execname,1; sets 'a',2; scmp 1,2; be @6; mov 0,1; ba @7; setx #1,1; nop");
	CHECK_STR(code("int a;", "trace(!a);"),
		  "ldgs a,1; tst 1; be @5; mov 0,1; ba @6; setx #1,1; nop");
}

TEST(logical_operators)
{
	CHECK_STR(code("int a, b;", "trace(a && b);"),
		  "ldgs a,1; tst 1; be @8; ldgs b,1; tst 1; be @8; setx #1,1; ba @9; mov 0,1; nop");
	CHECK_STR(code("int a, b;", "trace(a || b);"),
		  "ldgs a,1; tst 1; bne @6; ldgs b,1; tst 1; be @8; setx #1,1; ba @9; mov 0,1; "
		  "nop");
	CHECK_STR(code("int a, b;", "trace(a ^^ b);"),
		  "ldgs a,1; tst 1; be @4; setx #1,1; nop; ldgs b,2; tst 2; be @9; setx #1,2; "
		  "xor 1,2,1");
	CHECK_STR(code("int a, b, c;", "trace(a ? b : c);"),
		  "ldgs a,1; tst 1; be @6; ldgs b,1; mov 1,1; ba @8; nop; ldgs c,1; nop");
	CHECK_STR(code("int a, b;", "trace((a, b));"), "ldgs a,1; ldgs b,1");
}

TEST(casts)
{
	CHECK_STR(code("int i;", "trace((char)i);"), "ldgs i,1; setx #56,2; sll 1,2,1; sra 1,2,1");
	CHECK_STR(code("int i;", "trace((uint8_t)i);"),
		  "ldgs i,1; setx #56,2; sll 1,2,1; srl 1,2,1");
	CHECK_STR(code("int i;", "trace((long)i);"), "ldgs i,1; setx #32,2; sll 1,2,1; sra 1,2,1");
	CHECK_STR(code("uint_t i;", "trace((long)i);"), "ldgs i,1");
	CHECK_STR(code("long i;", "trace((uint64_t)i);"), "ldgs i,1");
	CHECK_STR(code("char c;", "trace((uint16_t)c);"),
		  "ldgs c,1; setx #56,2; sll 1,2,1; sra 1,2,1; setx #48,2; sll 1,2,1; srl 1,2,1");
}

TEST(members_and_bit_fields)
{
	static const char s[] = "struct s { int a; char b; int x:3; unsigned y:4; }; "
				"struct s v; struct s *p;";

	CHECK_STR(code(s, "trace(p->a);"), "ldgs p,1; ldsw 1,1");
	CHECK_STR(code(s, "trace(p->b);"), "ldgs p,1; setx #4,2; add 1,2,1; ldsb 1,1");
	CHECK_STR(code(s, "trace(v.b);"), "ldgs v,1; setx #4,2; add 1,2,1; ldsb 1,1");
	CHECK_STR(code(s, "trace(p->x);"), "ldgs p,1; setx #4,2; add 1,2,1; ldsw 1,1; "
					   "setx #53,2; sll 1,2,1; setx #61,2; sra 1,2,1");
	CHECK_STR(code(s, "trace(p->y);"), "ldgs p,1; setx #4,2; add 1,2,1; lduw 1,1; "
					   "setx #11,2; srl 1,2,1; setx #15,2; and 1,2,1");
	CHECK_STR(code(s, "trace(&p->b);"), "ldgs p,1; setx #4,2; add 1,2,1");
	CHECK_STR(code(s, "p->b = 1;"), "setx #1,1; ldgs p,2; setx #4,3; add 2,3,2; "
					"setx #56,3; sll 1,3,1; sra 1,3,1; stb 1,[2]");
	CHECK_STR(code(s, "*p = v;"), "ldgs v,1; ldgs p,2; setx #8,3; copys 1,3,2");
}

TEST(associative_arrays)
{
	CHECK_STR(code("long a[int, string];", "trace(a[1, \"k\"]);"),
		  "setx #1,1; sets 'k',2; flushts; setx #32,3; sll 1,3,1; sra 1,3,1; "
		  "pushtv 0:0,1; setx #256,1; pushtr 1:1,2; ldgaa a,1");
	CHECK_STR(code("self long a[long];", "self->a[arg0] = 5LL;"),
		  "setx #5,1; ldgs arg0,2; flushts; pushtv 0:0,2; sttaa 1,a");
}

TEST(calls)
{
	CHECK_STR(code("", "trace(strlen(\"a\"));"),
		  "sets 'a',1; flushts; setx #256,2; pushtr 1:2,1; call strlen,1");
	CHECK_STR(code("", "trace(rand());"), "flushts; call rand,1");
	CHECK_STR(code("", "trace(copyin(arg0, 4));"),
		  "ldgs arg0,1; setx #4,2; flushts; pushtv 0:0,1; "
		  "setx #32,1; sll 2,1,2; sra 2,1,2; pushtv 0:0,2; call copyin,1");
}

TEST(steps_and_compound_assignments)
{
	CHECK_STR(code("int x;", "x++;"), "ldgs x,1; setx #1,2; add 1,2,2; stgs 2,x");
	CHECK_STR(code("int x;", "--x;"), "ldgs x,1; setx #1,2; sub 1,2,1; stgs 1,x");
	CHECK_STR(code("long *p;", "p++;"), "ldgs p,1; setx #8,2; add 1,2,2; stgs 2,p");
	CHECK_STR(code("long x;", "x += 2;"), "ldgs x,1; setx #2,2; add 1,2,1; stgs 1,x");
	CHECK_STR(code("long x;", "x /= 2;"), "ldgs x,1; setx #2,2; sdiv 1,2,1; stgs 1,x");
	CHECK_STR(code("int *p;", "p += 2;"),
		  "ldgs p,1; setx #2,2; setx #4,3; mul 2,3,2; add 1,2,1; stgs 1,p");
}

TEST(inlines_are_expanded_in_place)
{
	CHECK_STR(code("inline int five = 5;", "trace(five);"), "setx #5,1");
	CHECK_STR(code("inline char low = arg0;", "trace(low);"),
		  "ldgs arg0,1; setx #56,2; sll 1,2,1; sra 1,2,1");
	CHECK_STR(code("inline long f[long a, long b] = a - b;", "trace(f[arg1, arg0]);"),
		  "ldgs arg1,1; ldgs arg0,2; sub 1,2,1");
}

TEST(more_keys_than_the_tuple_stack_has)
{
	CHECK_STR(code("", "a[1,2,3,4,5,6,7,8,9] = 1;"),
		  "Insufficient tuple registers to generate code");
}

/* arg0 + (arg0 + (... arg0)), of so many additions */
static const struct difo *deep(int n)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, "BEGIN { ");
	for (int i = 0; i < n; i++)
		strbuf_adds(&text, "arg0 + (");
	strbuf_adds(&text, "arg0");
	for (int i = 0; i < n; i++)
		strbuf_adds(&text, ")");
	strbuf_adds(&text, "; }");
	CHECK_STR(rig_compile(text.s), NULL);
	strbuf_release(&text);
	return rig.program->clauses->stmts[0].acts[0].difo;
}

static unsigned count_op(const struct difo *d, unsigned op)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->ninsns; i++)
		n += DIF_OP(d->text[i]) == op;
	return n;
}

TEST(deep_expressions_take_more_registers)
{
	CHECK_EQ(deep(9)->nregs, 11);
	CHECK_EQ(deep(200)->nregs, 202);
	CHECK_EQ(count_op(deep(200), DIF_OP_STLS), 0);
}

TEST(what_registers_hold_is_kept_where_most_are_taken)
{
	const struct difo *d = deep(300);
	unsigned kept = count_op(d, DIF_OP_STLS);

	CHECK(kept > 200 && kept < 300);
	CHECK_EQ(count_op(d, DIF_OP_LDLS), kept);
	CHECK_EQ(count_op(d, DIF_OP_ADD), 300);
	CHECK(d->nregs < DIF_NREGS);
}

TEST(a_difo_says_what_it_needs)
{
	const struct difo *d;

	CHECK_STR(rig_compile("BEGIN { trace(*(int *)arg0); }"), NULL);
	d = rig.program->clauses->stmts[0].acts[0].difo;
	CHECK_EQ(d->needs, NEED_ARGS | NEED_MEM | NEED_TARGET);
	CHECK(d->can_fault);
	CHECK_STR(rig_compile("BEGIN { x = pid + 1; }"), NULL);
	d = rig.program->clauses->stmts[0].acts[0].difo;
	CHECK_EQ(d->needs, NEED_THREAD);
	CHECK(!d->can_fault);
	CHECK_STR(rig_compile("BEGIN { x = epid + 1; }"), NULL);
	CHECK_EQ(rig.program->clauses->stmts[0].acts[0].difo->needs, 0);
	CHECK_STR(rig_compile("BEGIN { copyoutstr(\"a\", arg0, 2); }"), NULL);
	CHECK(rig.program->clauses->is_destructive);
}

TEST_MAIN();
