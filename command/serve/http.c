#include "command/serve/http.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool text_is(const struct http_text *t, const char *s)
{
	return t->n == strlen(s) && !strncasecmp(t->s, s, t->n);
}

/* ---- requests ---- */

/* The end of the head, behind its empty line; 0: it has not come yet. Lines may end without a \r.
 */
static size_t head_length(const char *p, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (p[i] != '\n')
			continue;
		if (p[i + 1] == '\n')
			return i + 2;
		if (i + 2 < n && p[i + 1] == '\r' && p[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

/* The next line without its end. */
static struct http_text take_line(const char **p, const char *end)
{
	const char *nl = memchr(*p, '\n', (size_t)(end - *p)), *stop = nl ? nl : end;
	struct http_text line = {*p, (size_t)(stop - *p)};

	*p = nl ? nl + 1 : end;
	if (line.n && line.s[line.n - 1] == '\r')
		line.n--;
	return line;
}

/* What stands in front of the next divider; the divider is taken, too. */
static struct http_text take_part(struct http_text *list, char divider)
{
	const char *at = memchr(list->s, divider, list->n);
	struct http_text part = {list->s, at ? (size_t)(at - list->s) : list->n};
	size_t used = part.n + (at != NULL);

	list->s += used;
	list->n -= used;
	return part;
}

static int parse_first_line(struct http_text line, struct http_request *req)
{
	struct http_text method = take_part(&line, ' '), path = take_part(&line, ' '),
			 version = line;
	const char *query;

	if (version.n != 8 || memcmp(version.s, "HTTP/", 5) != 0)
		return 400;
	if (memcmp(version.s, "HTTP/1.", 7) != 0)
		return 505;
	if (!path.n || *path.s != '/')
		return 400;
	req->is_head = method.n == 4 && !memcmp(method.s, "HEAD", 4);
	if (!req->is_head && (method.n != 3 || memcmp(method.s, "GET", 3) != 0))
		return 405;
	query = memchr(path.s, '?', path.n);
	req->path = (struct http_text){path.s, query ? (size_t)(query - path.s) : path.n};
	return 0;
}

static struct http_text trimmed(struct http_text t)
{
	while (t.n && (*t.s == ' ' || *t.s == '\t')) {
		t.s++;
		t.n--;
	}
	while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
		t.n--;
	return t;
}

/* "q=0" and zeros: a weight that means "not this". */
static bool is_refused(struct http_text params)
{
	const char *q = params.n ? memmem(params.s, params.n, "q=", 2) : NULL;

	if (!q)
		return false;
	for (q += 2; q < params.s + params.n && *q != ';'; q++)
		if (*q != '0' && *q != '.' && *q != ' ')
			return false;
	return true;
}

/* Does a list like "gzip;q=0.5, br" have the word, with another weight than 0 (RFC 9110, 12.4)? */
static bool accepts(struct http_text list, const char *word)
{
	while (list.n) {
		struct http_text item = take_part(&list, ','),
				 name = trimmed(take_part(&item, ';'));

		if (text_is(&name, word))
			return !is_refused(item);
	}
	return false;
}

static int parse_field(struct http_text line, struct http_request *req)
{
	const char *colon = memchr(line.s, ':', line.n);
	struct http_text name = {line.s, colon ? (size_t)(colon - line.s) : 0}, value;

	if (!name.n || memchr(name.s, ' ', name.n))
		return 400;
	value = trimmed((struct http_text){colon + 1, line.n - name.n - 1});
	if (text_is(&name, "Host")) {
		if (req->host.n)
			return 400;
		req->host = value;
	} else if (text_is(&name, "Authorization")) {
		req->authorization = value;
	} else if (text_is(&name, "Accept")) {
		req->takes_openmetrics |= accepts(value, "application/openmetrics-text");
	} else if (text_is(&name, "Accept-Encoding")) {
		req->takes_gzip |= accepts(value, "gzip");
	}
	return 0;
}

int http_parse(const char *bytes, size_t n, struct http_request *req)
{
	size_t len = head_length(bytes, MIN(n, HTTP_REQUEST_MAX));
	const char *p = bytes, *end = bytes + len;
	int rc;

	*req = (struct http_request){.is_head = false};
	if (!len)
		return n >= HTTP_REQUEST_MAX ? 431 : -1;
	if (memchr(bytes, '\0', len))
		return 400;
	rc = parse_first_line(take_line(&p, end), req);
	while (rc == 0) {
		struct http_text line = take_line(&p, end);

		if (!line.n)
			break;
		rc = parse_field(line, req);
	}
	return rc;
}

bool http_host_is(const struct http_text *host, const char *name)
{
	size_t n = strlen(name);

	if (host->n < n || strncasecmp(host->s, name, n))
		return false;
	if (host->n == n)
		return true;
	for (size_t i = n + 1; i < host->n; i++)
		if (!isdigit((unsigned char)host->s[i]))
			return false;
	return host->s[n] == ':';
}

bool http_bearer_is(const struct http_text *authorization, const char *token, size_t n)
{
	static const char scheme[] = "Bearer ";
	const size_t nscheme = sizeof(scheme) - 1;
	unsigned char differ = 0;

	if (authorization->n != nscheme + n || strncasecmp(authorization->s, scheme, nscheme))
		return false;
	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(authorization->s[nscheme + i] ^ token[i]);
	return !differ;
}

/* ---- answers ---- */

static const char *reason_of(int status)
{
	static const struct {
		int status;
		const char *reason;
	} rows[] = {
		{200, "OK"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{408, "Request Timeout"},
		{421, "Misdirected Request"},
		{431, "Request Header Fields Too Large"},
		{505, "HTTP Version Not Supported"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].status == status)
			return rows[i].reason;
	return "Error";
}

void http_add_head(struct strbuf *out, int status, const char *type, bool is_gzip, size_t nbody)
{
	const char *reason = reason_of(status);

	strbuf_addf(out,
		    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
		    "Connection: close\r\n",
		    status, reason, type ? type : "text/plain; charset=utf-8",
		    type ? nbody : strlen(reason) + 1);
	if (is_gzip)
		strbuf_adds(out, "Content-Encoding: gzip\r\n");
	if (status == 401)
		strbuf_adds(out, "WWW-Authenticate: Bearer\r\n");
	if (status == 405)
		strbuf_adds(out, "Allow: GET, HEAD\r\n");
	strbuf_adds(out, "\r\n");
	if (!type)
		strbuf_addf(out, "%s\n", reason);
}
