#include "base/json/json.h"

#include <errno.h>

#include "base/structout.h"
#include "base/utf8.h"

#define EXACT (1LL << 53) /* numbers beyond are strings */

/* ---- writing ---- */

void json_add_text(struct strbuf *out, const char *text, size_t n)
{
	strbuf_addc(out, '"');
	so_text(out, SO_JSON, text, n);
	strbuf_addc(out, '"');
}

void json_add_number(struct strbuf *out, int64_t v)
{
	bool is_exact = v > -EXACT && v < EXACT;

	strbuf_addf(out, is_exact ? "%lld" : "\"%lld\"", (long long)v);
}

void json_add_unsigned(struct strbuf *out, uint64_t v)
{
	strbuf_addf(out, v < EXACT ? "%llu" : "\"%llu\"", (unsigned long long)v);
}

bool json_is_utf8(const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = utf8_length(s + i, n - i);
		if (!len)
			return false;
	}
	return true;
}

/* ---- reading ---- */

struct reading {
	struct arena *arena;
	const char *start, *p, *end;
	struct err *err;
	unsigned depth;
};

static bool fail(struct reading *r, const char *what)
{
	err_set(r->err, -EINVAL, "no JSON: %s at byte %zu", what, (size_t)(r->p - r->start) + 1);
	return false;
}

static int peek(const struct reading *r)
{
	return r->p < r->end ? (unsigned char)*r->p : -1;
}

static void skip_blanks(struct reading *r)
{
	while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r')
		r->p++;
}

static bool take(struct reading *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return false;
	r->p += n;
	return true;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool digits(struct reading *r)
{
	if (!is_digit(peek(r)))
		return fail(r, "a digit is missing");
	while (is_digit(peek(r)))
		r->p++;
	return true;
}

static bool read_number(struct reading *r, struct json *v)
{
	const char *from = r->p;

	take(r, "-");
	if (!take(r, "0") && !digits(r))
		return false;
	if (take(r, ".") && !digits(r))
		return false;
	if (take(r, "e") || take(r, "E")) {
		if (!take(r, "+"))
			take(r, "-");
		if (!digits(r))
			return false;
	}
	v->kind = JSON_NUMBER;
	v->len = (size_t)(r->p - from);
	v->text = arena_strndup(r->arena, from, v->len);
	return true;
}

/* Four hexadecimal digits. */
static bool read_unit(struct reading *r, unsigned *unit)
{
	unsigned v = 0;

	for (unsigned i = 0; i < 4; i++, r->p++) {
		int c = peek(r);

		if (is_digit(c))
			v = v * 16 + (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = v * 16 + (unsigned)((c | 0x20) - 'a' + 10);
		else
			return fail(r, "a hexadecimal digit is missing");
	}
	*unit = v;
	return true;
}

#define REPLACEMENT 0xfffd

/* Behind \u. */
static bool read_unicode(struct reading *r, char *to, size_t *n)
{
	unsigned high, low;
	uint32_t u;

	if (!read_unit(r, &high))
		return false;
	u = high;
	if (high >= 0xd800 && high < 0xe000) {
		const char *behind = r->p;

		u = REPLACEMENT;
		if (high < 0xdc00 && take(r, "\\u")) {
			if (!read_unit(r, &low))
				return false;
			if (low >= 0xdc00 && low < 0xe000)
				u = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
			else
				r->p = behind;
		}
	}
	*n += utf8_put(to + *n, u);
	return true;
}

static bool read_escape(struct reading *r, char *to, size_t *n)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	int c = peek(r);
	const char *at = c > 0 ? strchr(letters, c) : NULL;

	if (c < 0)
		return fail(r, "a string has no end");
	r->p++;
	if (c == 'u')
		return read_unicode(r, to, n);
	if (!at) {
		r->p--;
		return fail(r, "an escape is not known");
	}
	to[(*n)++] = bytes[at - letters];
	return true;
}

/* At its first quote. What it holds is never longer than how it is written. */
static bool read_text(struct reading *r, const char **text, size_t *len)
{
	const char *end = ++r->p;
	size_t n = 0;
	char *to;

	while (end < r->end && *end != '"')
		end += *end == '\\' && end + 1 < r->end ? 2 : 1;
	to = arena_alloc(r->arena, (size_t)(end - r->p) + 8);
	while (peek(r) != '"') {
		int c = peek(r);
		size_t width = c < 0 ? 0 : utf8_length(r->p, (size_t)(r->end - r->p));

		if (c < 0)
			return fail(r, "a string has no end");
		if (c < 0x20)
			return fail(r, "a control character is not escaped");
		if (c == '\\') {
			r->p++;
			if (!read_escape(r, to, &n))
				return false;
			continue;
		}
		if (!width)
			return fail(r, "it is no UTF-8");
		memcpy(to + n, r->p, width);
		n += width;
		r->p += width;
	}
	r->p++;
	to[n] = '\0';
	*text = to;
	*len = n;
	return true;
}

static bool read_value(struct reading *r, struct json *v);

/* Members of what has begun, up to its end. */
static bool read_members(struct reading *r, struct json *v, bool is_object)
{
	const struct json **tail = &v->first;
	const char *end = is_object ? "}" : "]";

	v->kind = is_object ? JSON_OBJECT : JSON_ARRAY;
	if (++r->depth > JSON_MAX_DEPTH)
		return fail(r, "it is too deep");
	r->p++;
	skip_blanks(r);
	for (bool is_first = true; !take(r, end); is_first = false) {
		struct json *member = ARENA_NEW(r->arena, struct json);
		size_t len;

		if (!is_first && !take(r, ","))
			return fail(r, "a comma is missing");
		skip_blanks(r);
		if (is_object && peek(r) != '"')
			return fail(r, "a name is missing");
		if (is_object && !read_text(r, &member->name, &len))
			return false;
		skip_blanks(r);
		if (is_object && !take(r, ":"))
			return fail(r, "a colon is missing");
		if (!read_value(r, member))
			return false;
		*tail = member;
		tail = &member->next;
		v->n++;
	}
	r->depth--;
	return true;
}

static bool read_value(struct reading *r, struct json *v)
{
	bool is_done = true;

	skip_blanks(r);
	if (peek(r) == '{' || peek(r) == '[') {
		is_done = read_members(r, v, peek(r) == '{');
	} else if (peek(r) == '"') {
		v->kind = JSON_STRING;
		is_done = read_text(r, &v->text, &v->len);
	} else if (peek(r) == '-' || is_digit(peek(r))) {
		is_done = read_number(r, v);
	} else if (take(r, "true")) {
		v->kind = JSON_TRUE;
	} else if (take(r, "false")) {
		v->kind = JSON_FALSE;
	} else if (take(r, "null")) {
		v->kind = JSON_NULL;
	} else {
		return fail(r, r->p < r->end ? "a value is missing" : "it is cut off");
	}
	skip_blanks(r);
	return is_done;
}

const struct json *json_parse(struct arena *a, const char *text, size_t n, struct err *err)
{
	struct reading r = {.arena = a, .start = text, .p = text, .end = text + n, .err = err};
	struct json *v = ARENA_NEW(a, struct json);

	if (!read_value(&r, v))
		return NULL;
	if (r.p < r.end) {
		fail(&r, "something follows");
		return NULL;
	}
	return v;
}

/* ---- values ---- */

const struct json *json_member(const struct json *v, const char *name)
{
	if (!v || v->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *m = v->first; m; m = m->next)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

/* The digits of an integer without its sign; NULL: it is none. */
static const char *integer(const struct json *v, bool *is_negative)
{
	const char *p;

	if (!v || (v->kind != JSON_NUMBER && v->kind != JSON_STRING))
		return NULL;
	p = v->text;
	*is_negative = *p == '-';
	p += *is_negative;
	if (!*p || strspn(p, "0123456789") != v->len - *is_negative)
		return NULL;
	return p;
}

static bool magnitude(const char *digits, uint64_t *v)
{
	uint64_t n = 0;

	for (; *digits; digits++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*digits - '0'), &n))
			return false;
	*v = n;
	return true;
}

bool json_int(const struct json *j, int64_t *v)
{
	bool is_negative;
	const char *digits = integer(j, &is_negative);
	uint64_t n;

	if (!digits || !magnitude(digits, &n) || n > (uint64_t)INT64_MAX + is_negative)
		return false;
	*v = (int64_t)(is_negative ? -n : n);
	return true;
}

bool json_unsigned(const struct json *j, uint64_t *v)
{
	bool is_negative;
	const char *digits = integer(j, &is_negative);

	return digits && !is_negative && magnitude(digits, v);
}

const char *json_text(const struct json *v)
{
	return v && v->kind == JSON_STRING && strlen(v->text) == v->len ? v->text : NULL;
}
