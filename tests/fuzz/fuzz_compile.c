/*
 * A D program: lexer, parser, checks, code generation, verifier. Whatever the text, compiling ends
 * with a program or with one sentence.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/arena.h"
#include "dlang/dlang.h"
#include "dlang/provider.h"
#include "dlang/session_engine.h"
#include "providers/providers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const args[] = {"1", "two", "three four"};
	/* the others look for processes, or read the system */
	static const struct provider *const without_world[] = {&prov_dtrace, &prov_profile};
	struct program *program;
	struct session *s;
	struct source src;
	struct arena a;
	struct err err;

	if (arena_init_shared(&a, (size_t)256 << 20, &err) < 0)
		abort();
	s = session_new(&a, "dtrace");
	s->providers = without_world;
	s->nproviders = ARRAY_SIZE(without_world);
	session_init_engine(s);
	err.text[0] = '\0';
	if (probes_provide(s, &err) < 0)
		abort();
	src = (struct source){.kind = SOURCE_SCRIPT,
			      .name = "fuzz.d",
			      .text = arena_strndup(&a, (const char *)data, n),
			      .arg0 = "fuzz.d",
			      .args = args,
			      .nargs = ARRAY_SIZE(args)};
	src.length = strlen(src.text);
	if (dlang_compile(s, &src, &program, &err) < 0 && !err.text[0])
		abort();
	session_free_engine(s);
	arena_release(&a);
	return 0;
}
