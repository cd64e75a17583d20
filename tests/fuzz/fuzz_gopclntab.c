/* The table of Go's functions: each has a name and lines within it, or is left out. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/err.h"
#include "symbols/gopclntab.h"

#define MAX_FUNCS 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy = xmalloc(n + 1); /* with the zero behind it that the header asks for */
	struct gopclntab t;
	struct gofunc f;
	const char *file;
	unsigned line;

	if (n)
		memcpy(copy, data, n);
	copy[n] = '\0';
	if (gopclntab_open(&t, copy, n, 0x401000))
		for (uint64_t i = 0; i < t.nfuncs && i < MAX_FUNCS; i++) {
			if (!gopclntab_func(&t, i, &f))
				continue;
			if (f.end <= f.start || f.name + strlen(f.name) > (const char *)copy + n)
				abort();
			for (unsigned k = 0; k < 4; k++)
				if (gopclntab_line(&t, &f, f.start + (f.end - f.start) / 4 * k,
						   &file, &line) &&
				    file + strlen(file) > (const char *)copy + n)
					abort();
		}
	free(copy);
	return 0;
}
