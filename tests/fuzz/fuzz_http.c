/* A request of HTTP: what is found of it lies within it, and a whole head stays one whatever
 * follows. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "command/serve/http.h"

static void look_at(const struct http_text *t, const char *bytes, size_t n)
{
	if (t->n && (t->s < bytes || t->s + t->n > bytes + n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *bytes = xmalloc(n + 1), *exact = xmalloc(n ? n : 1);
	struct http_request req, again;
	int status;

	memcpy(exact, data, n); /* nothing behind it may be read */
	status = http_parse(exact, n, &req);
	look_at(&req.path, exact, n);
	look_at(&req.host, exact, n);
	look_at(&req.authorization, exact, n);
	http_host_is(&req.host, "localhost");
	http_bearer_is(&req.authorization, "token", 5);
	memcpy(bytes, data, n);
	bytes[n] = 'x';
	if (status == 0 && http_parse(bytes, n + 1, &again) != 0)
		abort();
	free(bytes);
	free(exact);
	return 0;
}
