#include "tests/unit/dtext.h"
#include "dlang/session_engine.h"

static struct dtext d;

/* The message a text gives as the expression of trace(), or its value. */
static const char *traced(const char *expr)
{
	char text[512];
	const struct node *n;

	dtext_init(&d);
	snprintf(text, sizeof(text), "BEGIN { trace(%s); }", expr);
	if (dtext_parse(&d, text))
		return d.err.text;
	n = d.clauses->body->left->args;
	if (n->kind == NODE_STR)
		return n->string;
	snprintf(d.out, sizeof(d.out), "%s %lld", n->type ? n->type->name : "?",
		 (long long)n->value);
	return d.out;
}

static const char *message(const char *text)
{
	dtext_init(&d);
	return dtext_parse(&d, text);
}

TEST(an_integer_has_the_first_type_that_holds_it)
{
	CHECK_STR(traced("2147483647"), "int 2147483647");
	CHECK_STR(traced("2147483648"), "long 2147483648");
	CHECK_STR(traced("0x80000000"), "unsigned int 2147483648");
	CHECK_STR(traced("0xffffffffffffffff"), "unsigned long -1");
	CHECK_STR(traced("017"), "int 15");
	CHECK_STR(traced("1u"), "unsigned int 1");
	CHECK_STR(traced("1L"), "long 1");
	CHECK_STR(traced("1ULL"), "unsigned long long 1");
	CHECK_STR(traced("18446744073709551615u"), "unsigned long -1");
}

TEST(bad_integers_are_named)
{
	CHECK_STR(traced("0289"), "line 1: constant 0289 contains invalid digit 8");
	CHECK_STR(traced("0x11112222333344445"),
		  "line 1: constant 0x11112222333344445 results in integer overflow");
	CHECK_STR(traced("9223372036854775808"),
		  "line 1: integer constant 0x8000000000000000 cannot be represented in any "
		  "built-in integral type");
	CHECK_STR(traced("1.5"), "line 1: floating-point constants are not permitted");
	CHECK_STR(traced(".5f"), "line 1: floating-point constants are not permitted");
	CHECK_STR(traced("1e3"), "line 1: floating-point constants are not permitted");
}

TEST(a_word_the_reader_does_not_know_is_shown_with_its_line)
{
	CHECK_STR(traced("12abc"), "line 1: syntax error near \"abc); }\"");
	CHECK_STR(message("BEGIN\n{\n\ttrace(0b11);\n}\n"), "line 3: syntax error near \"b11);\"");
	CHECK_STR(message("BEGIN { int x; }"), "line 1: syntax error near \"int\"");
	CHECK_STR(message("BEGIN { trace(1) exit(0); }"), "line 1: syntax error near \"exit\"");
}

TEST(characters_pack_with_the_first_most_significant)
{
	CHECK_STR(traced("'a'"), "int 97");
	CHECK_STR(traced("'ab'"), "int 24930");
	CHECK_STR(traced("'abcde'"), "long 418262508645");
	CHECK_STR(traced("'\\377'"), "int 255");
	CHECK_STR(traced("'\\0'"), "int 0");
	CHECK_STR(traced("'\\''"), "int 23591");
	CHECK_STR(traced("''"), "line 1: empty character constant");
	CHECK_STR(traced("'123456789'"), "line 1: character constant is too long");
	CHECK_STR(message("BEGIN {\ntrace('a\n'); }"),
		  "line 3: newline encountered in character constant");
}

TEST(escapes_in_strings)
{
	CHECK_STR(traced("\"a\\tb\\\\\\\"\""), "a\tb\\\"");
	CHECK_STR(traced("\"\\101\\x42\\x4143\""), "ABC");
	CHECK_STR(traced("\"a\\0b\""), "a");
	CHECK_STR(traced("\"\\'\\q\""), "\\'\\q");
	CHECK_STR(traced("\"\\400x\""), "");
}

TEST(strings_end_on_their_line)
{
	CHECK_STR(message("BEGIN {\ntrace(\"abc);\n}"),
		  "line 3: newline encountered in string literal");
	CHECK_STR(message("BEGIN { trace(\"abc"), "line 1: syntax error near \"\"\"");
	CHECK_STR(message("BEGIN { trace(\"a\\\nb\"); }"), "line 1: syntax error near \"\"\"");
	CHECK_STR(traced("\"a\" \"b\""), "line 1: syntax error near \"\"b\"\"");
}

TEST(comments)
{
	CHECK(message("/* a\n * b */ BEGIN /* c */ { /* d */ }") == NULL);
	CHECK_STR(message("BEGIN { /* a\n /* b */ }"), "line 2: /* encountered inside a comment");
	CHECK_STR(message("BEGIN { }\n/* a\n"),
		  "line 3: end-of-file encountered before matching */");
	CHECK_STR(message("BEGIN { trace(1); // x\n}"), "line 1: syntax error near \"// x\"");
}

TEST(brackets_are_counted)
{
	CHECK_STR(message("BEGIN { trace(1)); }"), "line 1: extra ) in input stream");
	CHECK_STR(message("BEGIN { x]; }"), "line 1: extra ] in input stream");
	CHECK_STR(message("BEGIN { } }"), "line 1: syntax error near \"}\"");
	CHECK_STR(message("BEGIN {"), "line 1: syntax error near end of input");
	CHECK_STR(message("{ }"), "line 1: syntax error near \"{\"");
}

TEST(control_lines)
{
	CHECK(message("#!/usr/sbin/dtrace -s\n#\n#pragma\n#pragma D\n#pragma ident \"x\"\n"
		      "#ident \"x\"\nBEGIN { }") == NULL);
	CHECK_STR(message("BEGIN { }\n#foo bar\n"), "line 2: invalid control directive: #foo");
	CHECK_STR(message("# include <x.h>\n"), "line 1: invalid control directive: #include");
	CHECK_STR(message("#error stop here\n"), "line 1: #error: stop here ");
	CHECK_STR(message("#pragma error x\n"), "line 1: #error: x ");
	CHECK_STR(message("#pragma D foo\n"), "line 1: invalid D pragma: foo");
	CHECK_STR(message("#line x\n"), "line 1: malformed #line <line> [ [\"file\"] state ]");
	CHECK_STR(message("BEGIN {\n#pragma D \\\nfoo\n}"), "line 2: invalid D pragma: foo");
}

TEST(line_directives_shift_the_lines)
{
	CHECK_STR(message("# 10 \"foo.c\"\nBEGIN { + }"),
		  "\"foo.c\", line 10: syntax error near \"}\"");
	CHECK_STR(message("#line 20\nBEGIN { + }"), "line 21: syntax error near \"}\"");
	CHECK_STR(message("#line 20 \"q.d\" 1\nBEGIN { + }"),
		  "\"q.d\", line 21: syntax error near \"}\"");
}

TEST(a_backslash_continues_a_line)
{
	CHECK_STR(traced("1 + \\\n 2"), "int 3");
}

TEST(options_by_pragma)
{
	CHECK(message("#pragma D option strsize=16\nBEGIN { }") == NULL);
	CHECK_EQ(opt(&d.session->options, OPT_STRSIZE), 16);
	CHECK_EQ(d.session->engine->types.t_string->size, 16);
	CHECK_STR(message("#pragma D option\n"), "line 1: malformed #pragma option <option>=<val>");
	CHECK_STR(message("#pragma D option quiet strsize=1\n"),
		  "line 1: superfluous arguments specified for #pragma option");
	CHECK_STR(message("#pragma D option bufsize=1q\n"),
		  "line 1: failed to set option 'bufsize' to '1q': Invalid value for specified "
		  "option: '1q'; allowed: a size in bytes, with k, m, g or t if need be");
	CHECK_STR(message("#pragma D option nosuch\n"),
		  "line 1: failed to set option 'nosuch': Invalid option name");
}

TEST(other_pragmas)
{
	CHECK_STR(message("#pragma D attributes Stable/Stable x\n"),
		  "line 1: invalid attributes specified by #pragma attributes");
	CHECK_STR(message("#pragma D attributes Stable/Stable/Common pid\n"),
		  "line 1: #pragma attributes cannot modify entity defined outside program scope");
	CHECK_STR(message("#pragma D depends_on foo x\n"),
		  "line 1: invalid class foo specified by #pragma depends_on");
	CHECK_STR(message("#pragma D depends_on library x.d\n"),
		  "line 1: main program may not explicitly depend on a library");
	CHECK_STR(message("#pragma D depends_on provider noprov\n"),
		  "line 1: program requires provider noprov");
	CHECK(message("#pragma D binding \"1.5\" x\nint x; BEGIN { }") == NULL);
}

static const char *const args[] = {
	"5", "-7", "010", "0x1f", "abc", "a b", "\"q\"", "99999999999999999999", "12ab", ""};

static const char *with_args(const char *expr)
{
	char text[512];
	const struct node *n;

	dtext_init(&d);
	d.src.args = args;
	d.src.nargs = ARRAY_SIZE(args);
	snprintf(text, sizeof(text), "BEGIN { trace(%s); }", expr);
	if (dtext_parse(&d, text))
		return d.err.text;
	n = d.clauses->body->left->args;
	if (n->kind == NODE_INT)
		snprintf(d.out, sizeof(d.out), "%s %lld", n->type->name, (long long)n->value);
	else
		snprintf(d.out, sizeof(d.out), "%s \"%s\"",
			 n->kind == NODE_STR ? "string" : "ident", n->string);
	return d.out;
}

TEST(operands_become_tokens)
{
	CHECK_STR(with_args("$1"), "int 5");
	CHECK_STR(with_args("$2"), "int -7");
	CHECK_STR(with_args("$3"), "int 8");
	CHECK_STR(with_args("$4"), "int 31");
	CHECK_STR(with_args("$5"), "ident \"abc\"");
	CHECK_STR(with_args("$6"), "string \"a b\"");
	CHECK_STR(with_args("$7"), "string \"q\"");
	CHECK_STR(with_args("$$7"), "string \"\"q\"\"");
	CHECK_STR(with_args("$$1"), "string \"5\"");
	CHECK_STR(with_args("$9"), "int 12");
	CHECK_STR(with_args("$10"), "string \"\"");
	CHECK_STR(with_args("$$0"), "string \"t.d\"");
	CHECK_STR(with_args("$target"), "int 4711");
	CHECK_STR(with_args("$$target"), "string \"4711\"");
	CHECK(d.arg_used[1] == false);
}

TEST(missing_operands)
{
	CHECK_STR(with_args("$11"), "line 1: macro argument $11 is not defined");
	CHECK_STR(with_args("$$11"), "line 1: macro argument $$11 is not defined");
	CHECK_STR(with_args("$nosuch"), "line 1: macro variable $nosuch is not defined\n"
					"dtrace: a variable of a clause is this->nosuch");
	CHECK_STR(with_args("$8"), "line 1: macro argument $8 constant 99999999999999999999 "
				   "results in integer overflow");
}

TEST(blanks_are_those_of_c)
{
	for (int c = -1; c < 256; c++)
		CHECK_EQ(lex_is_blank(c), c > 0 && strchr(LEX_BLANKS, c) != NULL);
}

TEST_MAIN();
