#include "base/glob.h"

bool glob_is_pattern(const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == '*' || *s == '?' || *s == '[')
			return true;
	}
	return false;
}

void glob_unescape(const char *pattern, char *out, size_t size)
{
	size_t n = 0;

	for (; *pattern && n + 1 < size; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		out[n++] = *pattern;
	}
	if (size)
		out[n] = '\0';
}

/*
 * Matches c against the set at p (just behind its '['). Returns the end of the set, or NULL when
 * there is no closing bracket: then '[' is an ordinary character.
 */
static const char *glob_set(const char *p, unsigned char c, bool *hit)
{
	bool negate = *p == '!', found = false;

	if (negate)
		p++;
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char lo, hi;

		if (*p == '\\' && p[1])
			p++;
		lo = hi = (unsigned char)*p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			p += 2;
			if (*p == '\\' && p[1])
				p++;
			hi = (unsigned char)*p;
		}
		if (c >= lo && c <= hi)
			found = true;
	}
	if (*p != ']')
		return NULL;
	*hit = found != negate;
	return p + 1;
}

/* One pattern element against one character; returns the next element or NULL for no match. */
static const char *glob_one(const char *p, char c)
{
	bool hit = false;
	const char *end;

	switch (*p) {
	case '?':
		return p + 1;
	case '[':
		end = glob_set(p + 1, (unsigned char)c, &hit);
		if (end)
			return hit ? end : NULL;
		return c == '[' ? p + 1 : NULL;
	case '\\':
		if (p[1])
			p++;
		return *p == c ? p + 1 : NULL;
	default:
		return *p == c ? p + 1 : NULL;
	}
}

bool glob_match(const char *p, const char *text)
{
	const char *star = NULL, *resume = NULL, *next;

	while (*text) {
		if (*p == '*') {
			star = ++p;
			resume = text;
			continue;
		}
		next = *p ? glob_one(p, *text) : NULL;
		if (next) {
			p = next;
			text++;
		} else if (star) { /* let the last star take one more character */
			p = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

bool glob_field(const char *pattern, const char *text)
{
	return !pattern[0] || glob_match(pattern, text);
}
