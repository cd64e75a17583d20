#include "command/serve/http.h"

#include <string.h>

#include "tests/unit/test.h"

static struct http_request req;

static int parse(const char *text)
{
	return http_parse(text, strlen(text), &req);
}

static bool text_is(const struct http_text *t, const char *s)
{
	return t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

TEST(a_request_of_a_browser)
{
	CHECK(parse("GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9435\r\nAccept: text/html\r\n"
		    "accept-ENCODING: br, gzip;q=0.5\r\nAuthorization:  Bearer abc \r\n\r\n") == 0);
	CHECK(!req.is_head && req.takes_gzip && !req.takes_openmetrics);
	CHECK(text_is(&req.path, "/metrics"));
	CHECK(text_is(&req.host, "localhost:9435"));
	CHECK(text_is(&req.authorization, "Bearer abc"));
}

TEST(what_readers_of_metrics_accept)
{
	CHECK(parse("HEAD / HTTP/1.0\n"
		    "Accept: "
		    "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5\n\n") == 0);
	CHECK(req.is_head && req.takes_openmetrics && !req.takes_gzip && !req.host.n);
	CHECK(parse("GET / HTTP/1.1\r\nAccept: application/openmetrics-text;q=0\r\n"
		    "Accept-Encoding: gzip;q=0.00, *\r\n\r\n") == 0);
	CHECK(!req.takes_openmetrics && !req.takes_gzip);
	CHECK(parse("GET / HTTP/1.1\r\nAccept-Encoding: gzip;q=0.001\r\n\r\n") == 0);
	CHECK(req.takes_gzip);
}

TEST(a_head_that_has_not_come_to_its_end)
{
	static const char text[] = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";

	for (size_t n = 0; n < sizeof(text) - 1; n++)
		CHECK(http_parse(text, n, &req) == -1);
	CHECK(http_parse(text, sizeof(text) - 1, &req) == 0);
}

TEST(what_is_refused)
{
	static const struct {
		const char *text;
		int status;
	} rows[] = {
		{"POST /metrics HTTP/1.1\r\n\r\n", 405},
		{"get / HTTP/1.1\r\n\r\n", 405},
		{"GET / HTTP/2.0\r\n\r\n", 505},
		{"GET /\r\n\r\n", 400},
		{"GET  / HTTP/1.1\r\n\r\n", 400},
		{"\r\n\r\n", 400},
		{"GET http://a/ HTTP/1.1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nno field\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n: x\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nA B: x\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(parse(rows[i].text), rows[i].status);
	CHECK_EQ(http_parse("GET / HTTP/1.1\r\nA: \0\r\n\r\n", 24, &req), 400);
}

TEST(a_head_without_an_end)
{
	char bytes[HTTP_REQUEST_MAX + 4];

	memset(bytes, 'a', sizeof(bytes));
	CHECK_EQ(http_parse(bytes, HTTP_REQUEST_MAX - 1, &req), -1);
	CHECK_EQ(http_parse(bytes, HTTP_REQUEST_MAX, &req), 431);
	memcpy(bytes + HTTP_REQUEST_MAX, "\r\n\r\n", 4); /* too late */
	CHECK_EQ(http_parse(bytes, sizeof(bytes), &req), 431);
}

static bool host_is(const char *host, const char *name)
{
	struct http_text t = {host, strlen(host)};

	return http_host_is(&t, name);
}

TEST(hosts)
{
	CHECK(host_is("localhost", "localhost"));
	CHECK(host_is("LocalHost:9435", "localhost"));
	CHECK(host_is("[::1]:1", "[::1]"));
	CHECK(!host_is("localhost.evil.example", "localhost"));
	CHECK(!host_is("localhost:1.evil", "localhost"));
	CHECK(!host_is("localhos", "localhost"));
	CHECK(!host_is("", "localhost"));
}

static bool bearer_is(const char *field, const char *token)
{
	struct http_text t = {field, strlen(field)};

	return http_bearer_is(&t, token, strlen(token));
}

TEST(tokens)
{
	CHECK(bearer_is("Bearer secret", "secret"));
	CHECK(bearer_is("bearer secret", "secret"));
	CHECK(!bearer_is("Bearer secre", "secret"));
	CHECK(!bearer_is("Bearer secretx", "secret"));
	CHECK(!bearer_is("Bearer Secret", "secret"));
	CHECK(!bearer_is("Basic secret", "secret"));
	CHECK(!bearer_is("", "secret"));
}

TEST(heads_of_answers)
{
	struct strbuf out;

	strbuf_init(&out);
	http_add_head(&out, 200, "text/plain", true, 12);
	CHECK(strstr(out.s,
		     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n"));
	CHECK(strstr(out.s, "\r\nContent-Encoding: gzip\r\n\r\n"));
	strbuf_clear(&out);
	http_add_head(&out, 401, NULL, false, 0);
	CHECK(strstr(out.s, "\r\nWWW-Authenticate: Bearer\r\n\r\nUnauthorized\n"));
	CHECK(strstr(out.s, "Content-Length: 13\r\n"));
	strbuf_release(&out);
}

TEST_MAIN();
