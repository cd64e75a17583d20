/*
 * http.h: a request of HTTP/1.x and the head of its answer (RFC 9112), as far as a page that is
 * only read needs them. Pure functions of bytes from anybody; nothing of a request is kept.
 */
#ifndef COMMAND_SERVE_HTTP_H
#define COMMAND_SERVE_HTTP_H

#include "base/strbuf.h"

#define HTTP_REQUEST_MAX 4096 /* bytes of a request's head; longer ones are refused (431) */

struct http_request {
	bool is_head;		/* HEAD: the answer without its text */
	bool takes_openmetrics; /* Accept names application/openmetrics-text */
	bool takes_gzip;
	/* into the bytes that were given; n 0: there is none */
	struct http_text {
		const char *s;
		size_t n;
	} path, host, authorization;
};

/*
 * What n bytes are the beginning of: 0, a whole head (*req is filled); -1, more has to come; else
 * the status of the refusal (400, 405, 431, 505).
 */
int http_parse(const char *bytes, size_t n, struct http_request *req);

/* Is a Host of a request one of these: `name`, with or without a port? The name of an address of
 * IPv6 has its brackets. */
bool http_host_is(const struct http_text *host, const char *name);
/* "Bearer TOKEN" with that token; the time it takes does not tell where they differ. */
bool http_bearer_is(const struct http_text *authorization, const char *token, size_t n);

/* The head of an answer with nbody bytes; type NULL: of a refusal, whose text is added. */
void http_add_head(struct strbuf *out, int status, const char *type, bool is_gzip, size_t nbody);

#endif
