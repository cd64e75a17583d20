/* What a collector answers: what is found of it lies within it. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "command/serve/httpanswer.h"

static void look_at(const char *s, size_t n, const char *bytes, size_t nbytes)
{
	if (n && (s < bytes || s + n > bytes + nbytes))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *exact = xmalloc(n ? n : 1); /* nothing behind it may be read */
	struct http_answer a;

	memcpy(exact, data, n);
	http_answer_is_whole(exact, n);
	http_answer_read(exact, n, true, &a);
	look_at(a.body, a.nbody, exact, n);
	look_at(a.reason, a.nreason, exact, n);
	if (a.status > 999)
		abort();
	http_answer_read(exact, n, false, &a);
	if (a.nrefused || a.nreason)
		abort();
	free(exact);
	return 0;
}
