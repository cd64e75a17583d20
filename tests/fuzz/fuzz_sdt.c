/* The arguments of a note: whatever they are, what comes out can be used. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/err.h"
#include "symbols/sdt.h"

static void check(const struct sdt_arg *a)
{
	if (a->size != 1 && a->size != 2 && a->size != 4 && a->size != 8)
		abort();
	if (a->base < SDT_NO_REG || a->base > 15 || a->index < SDT_NO_REG || a->index > 15)
		abort();
	if (a->place == SDT_REG && (a->base == SDT_NO_REG || !a->width || a->width > 8))
		abort();
	if (a->symbol && !a->symbol_len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct sdt_arg args[SDT_MAX_ARGS];
	char *text = xmalloc(n + 1);
	unsigned nargs;

	memcpy(text, data, n);
	text[n] = '\0';
	nargs = sdt_parse_args(text, args);
	if (nargs > SDT_MAX_ARGS)
		abort();
	for (unsigned i = 0; i < nargs; i++)
		check(&args[i]);
	free(text);
	return 0;
}
