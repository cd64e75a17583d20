#include "base/cleanname.h"

#include "base/err.h"
#include "base/utf8.h"

/* Letters, digits and signs of ASCII, eight at a time: most names are nothing else. */
static size_t plain_length(const char *s, size_t n)
{
	const uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
	size_t i = 0;
	uint64_t v;

	for (; i + sizeof(v) <= n; i += sizeof(v)) {
		memcpy(&v, s + i, sizeof(v));
		/* below 0x20; 0x7f; above */
		if (((v - 0x20 * ones) | (v + ones) | v) & high)
			break;
	}
	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

/* It turns the direction of text round, or ends a line, or controls (C1). */
static bool acts(uint32_t c)
{
	return (c >= 0x80 && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* The length of what may stay, at s; 0: the next byte or character may not. */
static size_t clean_length(const char *s, size_t n)
{
	size_t len = plain_length(s, n);

	if (!len && n) {
		len = utf8_length(s, n);
		if (len == 1 || (len && acts(utf8_char(s, len))))
			len = 0; /* one byte: it would have been plain */
	}
	return len;
}

bool name_is_clean(const char *name, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = clean_length(name + i, n - i);
		if (!len)
			return false;
	}
	return true;
}

static size_t add_escape(struct strbuf *out, const char *s, size_t n)
{
	size_t len = utf8_length(s, n);

	if (len > 1)
		strbuf_addf(out, "\\u%04x", utf8_char(s, len));
	else
		strbuf_addf(out, "\\x%02x", (unsigned char)*s);
	return MAX(len, 1);
}

static void clean(struct strbuf *out, const char *s, size_t n, const char *kept)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = clean_length(s + i, n - i);
		if (!len && s[i] && strchr(kept, s[i]))
			len = 1;
		if (len)
			strbuf_add(out, s + i, len);
		else
			len = add_escape(out, s + i, n - i);
	}
}

void name_clean(struct strbuf *out, const char *name, size_t n)
{
	size_t most = name_is_clean(name, n) ? n : MIN(n, (size_t)NAME_MOST);

	while (most && most < n && ((unsigned char)name[most] & 0xc0) == 0x80)
		most--; /* not within a character */
	clean(out, name, most, "");
	if (most < n)
		strbuf_adds(out, "...");
}

const char *name_cleaned(struct arena *arena, const char *name)
{
	size_t n = strlen(name);
	struct strbuf text;
	const char *copy;

	if (name_is_clean(name, n))
		return name;
	strbuf_init(&text);
	name_clean(&text, name, n);
	copy = arena_strdup(arena, text.s);
	strbuf_release(&text);
	return copy;
}

char *text_cleaned(const char *text)
{
	struct strbuf out;
	char *copy;

	strbuf_init(&out);
	clean(&out, text, strlen(text), "\n\t");
	copy = xstrdup(out.s ? out.s : "");
	strbuf_release(&out);
	return copy;
}
