#include "tests/unit/dtext.h"
#include "dlang/session_engine.h"

static struct dtext d;

static const char *tree(const char *text)
{
	dtext_init(&d);
	return dtext_dump(&d, text);
}

static const char *cmdline(enum source_kind kind, const char *text)
{
	dtext_init(&d);
	d.src.kind = kind;
	return dtext_dump(&d, text);
}

/* The message of the last of these texts, each a program of one session. */
static const char *message(const char *text)
{
	dtext_init(&d);
	return dtext_parse(&d, text);
}

static const char *body(const char *expr)
{
	static const char before[] = ":::BEGIN ";
	char text[512];
	const char *t;

	snprintf(text, sizeof(text), "BEGIN { %s }", expr);
	t = tree(text);
	return strncmp(t, before, strlen(before)) == 0 ? t + strlen(before) : t;
}

TEST(operators_bind_as_in_the_table)
{
	CHECK_STR(body("a = b + c * d;"), "{ (= a (+ b (* c d))); }");
	CHECK_STR(body("a - b - c;"), "{ (- (- a b) c); }");
	CHECK_STR(body("a = b = c;"), "{ (= a (= b c)); }");
	CHECK_STR(body("a || b ^^ c && d | e ^ f & g == h < i << j + k * l;"),
		  "{ (|| a (^^ b (&& c (| d (^ e (& f (== g (< h (<< i (+ j (* k l))))))))))); }");
	CHECK_STR(body("a ? b : c ? d : e;"), "{ (?: a b (?: c d e)); }");
	CHECK_STR(body("-a.b->c[d]++;"), "{ (- (++post ([ (-> (. a b) c) d))); }");
	CHECK_STR(body("!*&a, ++b;"), "{ (, (! (* (& a))) (++ b)); }");
	CHECK_STR(body("sizeof a + 1;"), "{ (+ (sizeof a) 1); }");
	CHECK_STR(body("sizeof (a)->b;"), "{ (sizeof (-> a b)); }");
	CHECK_STR(body("stringof (a);"), "{ (stringof a); }");
	CHECK_STR(body("a += b >>= 1;"), "{ (+= a (>>= b 1)); }");
}

TEST(casts_and_types)
{
	CHECK_STR(body("(char)a;"), "{ ((cast) char a); }");
	CHECK_STR(body("(struct s *)a;"), "{ ((cast) struct s * a); }");
	CHECK_STR(body("(int (*)(int, ...))a;"), "{ ((cast) int (*)(int, ...) a); }");
	CHECK_STR(body("(userland char *)a;"), "{ ((cast) userland char * a); }");
	CHECK_STR(body("(uint64_t)a;"), "{ ((cast) uint64_t a); }");
	CHECK_STR(body("sizeof (unsigned long int);"), "{ (sizeof unsigned long); }");
	CHECK_STR(body("sizeof (pid_t[4]);"), "{ (sizeof pid_t [4]); }");
	CHECK_STR(body("sizeof (x[4]);"), "{ (sizeof ([ x 4)); }");
	CHECK_STR(body("offsetof(struct s, probe_x);"), "{ offsetof(struct s, probe_x); }");
	CHECK_STR(body("(int)a = 1;"), "line 1: syntax error near \"=\"");
}

TEST(a_type_name_before_an_assignment_is_a_variable)
{
	CHECK_STR(body("pid_t = 1;"), "{ (= pid_t 1); }");
	CHECK_STR(body("pid_t[1] = 1;"), "{ (= ([ pid_t 1) 1); }");
	CHECK_STR(body("pid_t++;"), "{ (++post pid_t); }");
	CHECK_STR(body("pid_t == 1;"), "line 1: syntax error near \"pid_t == 1; }\"");
}

TEST(variables_aggregations_and_calls)
{
	CHECK_STR(body("self->x = this->y;"), "{ (= (-> self x) (-> this y)); }");
	CHECK_STR(body("@a[1, b] = count();"), "{ (= @a[1, b] count()); }");
	CHECK_STR(body("@ = sum(a);"), "{ (= @_ sum(a)); }");
	CHECK_STR(body("@a[1][2];"), "{ ([ @a[1] 2); }");
	CHECK_STR(body("f(a, (b, c))(d);"), "line 1: function designator is not of function type");
	CHECK_STR(body("p->self + p.string;"), "{ (+ (-> p self) (. p string)); }");
	CHECK_STR(body("a[];"), "line 1: syntax error near \"]\"");
	CHECK_STR(body("p->int;"), "line 1: syntax error near \"int\"");
}

TEST(statements)
{
	CHECK_STR(body(""), "{ }");
	CHECK_STR(body(";; a;; b"), "{ a; b; }");
	CHECK_STR(body("if (a) b; else if (c) { d; e } f;"),
		  "{ if a { b; } else { if c { d; e; } else {  } } f; }");
	CHECK_STR(body("if (a) ; else { }"), "{ if a {  } else {  } }");
	CHECK_STR(body("if (a) if (b) c; else d;"),
		  "{ if a { if b { c; } else { d; } } else {  } }");
	CHECK_STR(body("while (1);"), "line 1: syntax error near \"while\"");
}

TEST(constants_are_folded_while_parsing)
{
	CHECK_STR(body("x = 1 + 2 * 3;"), "{ (= x 7); }");
	CHECK_STR(body("x = -1 < 1 ? 5 : y;"), "{ (= x 5); }");
	CHECK_STR(message("BEGIN {\n trace(1 / 0\n);\n}"),
		  "line 3: expression contains division by zero");
}

TEST(fields_are_given_from_the_right)
{
	CHECK_STR(tree("f:entry { }"), "::f:entry { }");
	CHECK_STR(tree("p:m:f:n, :::, BEGIN { }"), "p:m:f:n,:::,:::BEGIN { }");
	CHECK_STR(cmdline(SOURCE_FUNCTION, "libc.so.6:open"), ":libc.so.6:open:");
	CHECK_STR(cmdline(SOURCE_MODULE, "syscall:vm"), "syscall:vm::");
	CHECK_STR(cmdline(SOURCE_PROVIDER, "sys*"), "sys*:::");
	CHECK_STR(cmdline(SOURCE_FUNCTION, "::read:"), ":read::");
	CHECK_STR(cmdline(SOURCE_MODULE, "::vm"), ":vm::");
	CHECK_STR(cmdline(SOURCE_PROVIDER, ":sys"), "sys:::");
	CHECK_STR(cmdline(SOURCE_NAME, "::::END"), ":::END");
	CHECK_STR(tree("::::END { }"), ":::END { }");
	CHECK_STR(cmdline(SOURCE_NAME, "12"), "12");
	CHECK_STR(cmdline(SOURCE_NAME, "BEGIN, END END"), ":::BEGIN,:::END :::END");
}

TEST(bad_descriptions)
{
	CHECK_STR(message("a:b:c:d:e { }"),
		  "line 1: invalid probe description \"a:b:c:d:e\": Overspecified probe "
		  "description");
	CHECK_STR(cmdline(SOURCE_FUNCTION, ":::read:"),
		  "invalid probe description \":::read:\": Overspecified probe description");
	CHECK_STR(cmdline(SOURCE_PROVIDER, "a:b"),
		  "invalid probe description \"a:b\": Overspecified probe description");
	CHECK_STR(message("pid$9 { }"),
		  "line 1: invalid probe description \"pid$9\": Undefined macro variable in probe "
		  "description");
	CHECK_STR(message("0 { }"), "line 1: invalid probe identifier 0: Unknown probe identifier");
	CHECK_STR(cmdline(SOURCE_MODULE, "12"),
		  "probe identifier 12 not permitted when specifying modules");
}

TEST(macros_in_descriptions)
{
	static const char *const args[] = {"7", "x"};

	dtext_init(&d);
	d.src.args = args;
	d.src.nargs = 2;
	CHECK_STR(dtext_dump(&d, "pid$target:$2y::a$$1b { }"), "pid4711:xy::a7b { }");
	CHECK(d.arg_used[1] && d.arg_used[2]);
}

TEST(a_slash_ends_a_predicate_before_a_brace)
{
	CHECK_STR(tree("BEGIN /a/ { }"), ":::BEGIN /a/ { }");
	CHECK_STR(tree("BEGIN / 10 / x == 2 /\n/* c */\n{ }"), ":::BEGIN /(== (/ 10 x) 2)/ { }");
	CHECK_STR(message("BEGIN /1/ END { }"), "line 1: syntax error near \"{\"");
	CHECK_STR(message("BEGIN\n/1/"), "line 2: syntax error near end-of-input");
	CHECK_STR(message("BEGIN /1/;"), "line 1: expected actions { } following probe "
					 "description and predicate");
	CHECK_STR(cmdline(SOURCE_NAME, "BEGIN /1/"),
		  "expected actions { } following probe description and predicate");
}

TEST(an_operator_of_a_predicate_has_the_line_of_the_brace)
{
	CHECK(tree("BEGIN\n/pid = 1/\n{ }"));
	CHECK_EQ(d.clauses->expr->line, 3);
	CHECK_EQ(d.clauses->args->line, 1);
	CHECK_EQ(d.clauses->line, 3);
}

TEST(lines_of_nodes)
{
	const struct node *n;

	tree("BEGIN {\nx =\n\"a\"\n; f(1,\n2\n); }");
	n = d.clauses->body;
	CHECK_EQ(n->left->line, 4);
	CHECK_EQ(n->left->left->line, 2);
	CHECK_EQ(n->line, 4);
	n = n->next;
	CHECK_EQ(n->left->line, 4);
	CHECK_EQ(n->left->end_line, 6);
}

TEST(a_script_wants_bodies)
{
	CHECK_STR(message("foo"), "line 1: expected predicate and/or actions following probe "
				  "description");
	CHECK_STR(message("unknown_t x;"), "line 1: expected predicate and/or actions following "
					   "probe description");
	CHECK_STR(message("foo;"), "line 1: syntax error near \";\"");
	CHECK_STR(cmdline(SOURCE_NAME, "foo;"), "syntax error near \";\"");
	CHECK_STR(message("/1/ { }"), "line 1: syntax error near \"/\"");
}

TEST(words_in_a_script_may_begin_declarations)
{
	CHECK(message("int x; pid_t y; int*z; pid_t*w; _Bool b;") == NULL);
	CHECK_STR(cmdline(SOURCE_NAME, "pid_t"), ":::pid_t");
	CHECK_STR(cmdline(SOURCE_NAME, "int x; BEGIN"), ":::BEGIN");
	CHECK_STR(tree("pid_t:a { }"), "::pid_t:a { }");
}

static const char *type_of(const char *decl, const char *name)
{
	const struct ident *id;

	if (message(decl))
		return d.err.text;
	id = ident_find(d.session->engine->idents, SCOPE_GLOBAL, name);
	return id ? type_name(id->type, d.out, sizeof(d.out)) : "(none)";
}

TEST(declarators_nest)
{
	CHECK_STR(type_of("int *a[3];", "a"), "int *[3]");
	CHECK_STR(type_of("int (*a)[3];", "a"), "int (*)[3]");
	CHECK_STR(type_of("int a[10][3];", "a"), "int [10][3]");
	CHECK_STR(type_of("char *(*f)(int, char *[]);", "f"), "char *(*)(int, char **)");
	CHECK_STR(type_of("int (*a[2])(void);", "a"), "int (*[2])()");
	CHECK_STR(type_of("const char *volatile s;", "s"), "const char *volatile");
	CHECK_STR(type_of("long unsigned int x;", "x"), "unsigned long");
	CHECK_STR(type_of("struct s { int a; } v, *p;", "p"), "struct s *");
}

TEST(members_and_tags)
{
	struct type_member m;

	CHECK(message("struct s { int a : 3, : 2, b : 4; char c[4]; struct s *next; };"
		      "enum e { A, B = 5, C }; typedef struct s s_t; s_t v; int a[C];") == NULL);
	CHECK(type_member(types_lookup(&d.session->engine->types, "struct s"), "b", &m));
	CHECK_EQ(m.bit_offset, 5);
	CHECK_EQ(ident_find(d.session->engine->idents, SCOPE_GLOBAL, "C")->value, 6);
	CHECK_EQ(type_size(ident_find(d.session->engine->idents, SCOPE_GLOBAL, "a")->type), 24);
}

TEST(variables_of_each_scope)
{
	const struct ident *id;

	CHECK(message("self int x; int self y; this string x; int a[int, string]; self int b[int];"
		      "int x; int x;") == NULL);
	id = ident_find(d.session->engine->idents, SCOPE_GLOBAL, "a");
	CHECK(id->kind == IDENT_ARRAY && id->nkeys == 2);
	CHECK(ident_find(d.session->engine->idents, SCOPE_SELF, "y"));
	CHECK(ident_find(d.session->engine->idents, SCOPE_THIS, "x")->type ==
	      d.session->engine->types.t_string);
}

/* clang-format off */
static const struct {
	const char *text, *message;
} errors[] = {
	{"unsigned float x;", "invalid type declaration: signed and unsigned may only be used with integer type"},
	{"long char x;", "invalid type declaration: short and long may not be used with char type"},
	{"char long x;", "invalid type declaration: short and long may not be used with char type"},
	{"void x;", "cannot have void object: x"},
	{"short void x;", "invalid type declaration: attributes may not be used with void type"},
	{"long struct s x;", "invalid type declaration: long and long long may only be used with integer or floating-point type"},
	{"static int x;", "specified storage class not appropriate in D"},
	{"self this int x;", "only one storage class allowed in a declaration"},
	{"int int x;", "invalid type combination"},
	{"long long long x;", "failed to resolve type long long long : Unknown type name"},
	{"short long x;", "failed to resolve type short long : Unknown type name"},
	{"long float x;", "failed to resolve type long float : Unknown type name"},
	{"signed unsigned int x;", "failed to resolve type signed unsigned int : Unknown type name"},
	{"int `x;", "D scoping operator may not be used in a declaration name (`x)"},
	{"int a[];", "array declaration requires array dimension or tuple signature: a"},
	{"int a[0];", "positive integral constant expression or tuple signature expected as array declaration subscript"},
	{"int a[-7];", "positive integral constant expression or tuple signature expected as array declaration subscript"},
	{"int a[0x100000000];", "array dimension too big"},
	{"this int a[int];", "associative arrays may not be declared as local variables: a"},
	{"struct s { int a:0; };", "positive integral constant expression expected as bit-field size"},
	{"struct s { int a:33; };", "bit-field too big for type: a"},
	{"struct s { float a:3; };", "invalid type for bit-field: a"},
	{"struct s { int a; char a; };", "failed to define member 'a': Duplicate member or variable name."},
	{"struct s { void a; };", "cannot have void member: a"},
	{"void a[3];", "cannot declare array of void"},
	{"struct s { struct s m; };", "incomplete struct/union/enum struct s: m"},
	{"struct q p;", "incomplete struct/union/enum struct q: p"},
	{"struct s { int a; }; struct s { int b; };", "type redeclared: struct s"},
	{"typedef int foo; typedef long foo;", "typedef redeclared: foo"},
	{"enum e { A = 2147483648 };", "enumerator 'A' value overflows INT_MAX (2147483647)"},
	{"enum e { A, A };", "failed to define enumerator 'A': Duplicate member or variable name"},
	{"int x; string x;", "identifier redeclared: x\n\t current: scalar string\n\tprevious: scalar int"},
	{"int pid;", "built-in identifier redeclared: pid"},
	{"extern int;", "useless declaration"},
	{"int f(int, void);", "void must be sole parameter"},
	{"int x = 3;", "syntax error near \"=\""},
	{"struct s { int probe; };", "syntax error near \"probe\""},
	{"struct s { int; };", "syntax error near \";\""},
	{"enum e { A, };", "syntax error near \"}\""},
	{"inline void x = 1;", "cannot declare void inline: x"},
	{"inline int x;", "syntax error near \";\""},
	{"inline int x[];", "syntax error near \";\""},
	{"inline int f = \"a\";", "inline f definition uses incompatible types: \"int\" = \"string\""},
	{"inline int a = 1; inline int a = 2;", "identifier redefined: a\n\t current: inline definition\n\tprevious: scalar inline"},
	{"int a; inline int a = 2;", "identifier redefined: a\n\t current: inline definition\n\tprevious: scalar "},
	{"translator struct o < int i > { };", "incomplete struct/union/enum struct o"},
	{"provider p { probe x() };", "syntax error near \"}\""},
};
/* clang-format on */

TEST(declarations_that_fail)
{
	for (unsigned i = 0; i < ARRAY_SIZE(errors); i++) {
		char want[512];

		snprintf(want, sizeof(want), "line 1: %s", errors[i].message);
		CHECK_STR(message(errors[i].text), want);
	}
}

TEST(a_declaration_is_on_the_line_of_what_ends_it)
{
	CHECK_STR(message("void\nx\n;"), "line 3: cannot have void object: x");
}

TEST(prototypes_are_types)
{
	const struct type *t;

	dtext_init(&d);
	t = parse_type(&d.cc, "const char *");
	CHECK(t && type_same(t, d.session->engine->types.t_charptr));
	CHECK(parse_type(&d.cc, "kthread_nosuch_t *") == NULL);
	CHECK(parse_type(&d.cc, "int [") == NULL);
	CHECK(parse_type(&d.cc, "size_t") == types_lookup(&d.session->engine->types, "size_t"));
}

TEST(deep_nesting_is_refused)
{
	static char text[100000];

	memset(text, '(', sizeof(text) - 1);
	memcpy(text, "BEGIN{x=", 8);
	CHECK_STR(message(text), "line 1: program is nested too deeply");
	memset(text + 8, '-', sizeof(text) - 9);
	for (size_t i = 9; i < sizeof(text) - 1; i += 2)
		text[i] = ' ';
	CHECK_STR(message(text), "line 1: program is nested too deeply");
	memset(text, '*', sizeof(text) - 1);
	memcpy(text, "int ", 4);
	memcpy(text + sizeof(text) - 4, "x;", 3);
	CHECK_STR(message(text), "line 1: type is nested too deeply");
}

TEST_MAIN();
