#include "command/serve/httpanswer.h"

#include <string.h>

static const char *end_of_head(const char *bytes, size_t n)
{
	return n ? memmem(bytes, n, "\r\n\r\n", 4) : NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* At least as many bytes behind the head as the field says; one that is none says 0. */
static bool has_length(const char *at, const char *end, size_t n)
{
	size_t length = 0;

	while (at < end && *at == ' ')
		at++;
	for (; at < end && is_digit(*at) && length <= n; at++)
		length = length * 10 + (size_t)(*at - '0');
	return n >= length;
}

bool http_answer_is_whole(const char *bytes, size_t n)
{
	static const char field[] = "\r\nContent-Length:";
	const size_t size = sizeof(field) - 1;
	const char *end = end_of_head(bytes, n);

	for (const char *at = bytes; end && at + size <= end; at++)
		if (!strncasecmp(at, field, size))
			return has_length(at + size, end, (size_t)(bytes + n - end) - 4);
	return false;
}

/* ---- the body ---- */

struct reader {
	const unsigned char *at, *end;
};

/* A varint; false: there is none. */
static bool take(struct reader *r, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
		unsigned char c = *r->at++;

		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

/*
 * ExportMetricsServiceResponse (opentelemetry-proto): field 1, partial_success, is a message: 1
 * rejected_data_points, 2 error_message.
 */
static void read_partial(struct http_answer *a)
{
	const unsigned char *body = (const unsigned char *)a->body;
	struct reader r = {body, body + a->nbody};
	uint64_t tag, v;

	if (!take(&r, &tag) || tag != (1 << 3 | 2) || !take(&r, &v))
		return;
	while (take(&r, &tag) && take(&r, &v)) {
		if (tag == (1 << 3 | 0)) {
			a->nrefused = v;
		} else if (tag == (2 << 3 | 2) && v <= (uint64_t)(r.end - r.at)) {
			a->reason = (const char *)r.at;
			a->nreason = v;
			r.at += v;
		} else {
			return;
		}
	}
}

void http_answer_read(const char *bytes, size_t n, bool is_protobuf, struct http_answer *a)
{
	static const char start[] = "HTTP/1.x NNN";
	const char *end = end_of_head(bytes, n);

	*a = (struct http_answer){.status = 0};
	if (n < sizeof(start) - 1 || memcmp(bytes, "HTTP/1.", 7) != 0 || bytes[8] != ' ')
		return;
	for (unsigned i = 9; i < 12; i++) {
		if (!is_digit(bytes[i])) {
			a->status = 0;
			return;
		}
		a->status = a->status * 10 + (unsigned)(bytes[i] - '0');
	}
	if (!end)
		return;
	a->body = end + 4;
	a->nbody = (size_t)(bytes + n - a->body);
	if (is_protobuf)
		read_partial(a);
}
