/* A format of printf or printa: parsing ends, and every directive it gives is well-formed. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/arena.h"
#include "dlang/printf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct pfmt *fmt;
	struct arena a;
	struct err err;

	arena_init(&a);
	err.text[0] = '\0';
	if (pfmt_parse(&a, arena_strndup(&a, (const char *)data, n), &fmt, &err) < 0) {
		if (!err.text[0])
			abort();
	} else {
		for (unsigned i = 0; i < fmt->ndirs; i++)
			if (!fmt->dirs[i].prefix || (fmt->dirs[i].conv && !fmt->dirs[i].spec))
				abort();
	}
	arena_release(&a);
	return 0;
}
