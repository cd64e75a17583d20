/*
 * A D text: lexer, parser, declarations, without checks of clauses. The first byte chooses how the
 * text was given; whatever it is, reading ends with a tree or with one sentence.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "dlang/parse/compiler.h"
#include "dlang/session_engine.h"

static void parse(struct session *s, const struct source *src)
{
	struct compiler *cc = ARENA_NEW(s->arena, struct compiler);
	bool arg_used[4] = {false}, has_inline;
	struct err err = {0};

	cc->session = s;
	cc->arena = s->arena;
	cc->types = &s->engine->types;
	cc->idents = s->engine->idents;
	cc->src = src;
	cc->err = &err;
	cc->arg_used = arg_used;
	if (setjmp(cc->fail) == 0)
		parse_program(cc, &has_inline);
	else if (!err.text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const args[] = {"1", "two", "three four"};
	struct source src = {.arg0 = "fuzz.d", .args = args, .nargs = ARRAY_SIZE(args)};
	struct session *s;
	struct arena a;
	char *text;

	if (n == 0)
		return 0;
	src.kind = data[0] == '\n' ? SOURCE_SCRIPT : data[0] % (SOURCE_SCRIPT + 1);
	arena_init(&a);
	s = session_new(&a, "dtrace");
	session_init_engine(s);
	check_init(s);
	text = arena_alloc(&a, n);
	memcpy(text, data + 1, n - 1);
	src.text = text;
	src.length = n - 1;
	parse(s, &src);
	session_free_engine(s);
	arena_release(&a);
	return 0;
}
