/* A pattern, a NUL, a text: matching ends, and agrees with the definition for short texts. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = xmalloc(n + 2), plain[64];
	const char *pattern = text, *subject;

	memcpy(text, data, n);
	text[n] = text[n + 1] = '\0';
	subject = pattern + strlen(pattern) + (strlen(pattern) < n);
	if (glob_match("*", subject) != true)
		abort();
	glob_match(pattern, subject);
	if (!glob_is_pattern(pattern) && strlen(pattern) < sizeof(plain)) {
		glob_unescape(pattern, plain, sizeof(plain));
		if (glob_match(pattern, subject) != (strcmp(plain, subject) == 0))
			abort();
	}
	free(text);
	return 0;
}
