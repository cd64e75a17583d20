/*
 * lexgnu.c: what headers of the C library and the kernel hold that D has not, read only in files
 * that the preprocessor calls system headers: GNU C's other spellings of keywords, attributes, and
 * bodies of inline functions. (GCC manual, "Alternate Keywords", "Attribute Syntax".)
 */
#include <ctype.h>
#include <string.h>

#include "dlang/parse/lex_priv.h"

static bool is_word(const char *p, const char *end)
{
	return p < end && (isalnum((unsigned char)*p) || *p == '_');
}

static const char *past_blanks(const char *p, const char *end)
{
	while (p < end && lex_is_blank((unsigned char)*p))
		p++;
	return p;
}

/* Past the word, if it stands at p; else NULL. */
static const char *past_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - p) < n || memcmp(p, word, n) != 0 || is_word(p + n, end))
		return NULL;
	return p + n;
}

/* Past the brackets that open at p, and all within; else p. */
static const char *past_brackets(const char *p, const char *end)
{
	const char *from = p;
	unsigned depth = 0;

	for (; p < end; p++) {
		depth += *p == '(' || *p == '{';
		if ((*p == ')' || *p == '}') && depth && --depth == 0)
			return p + 1;
		if (!depth)
			return from;
	}
	return from;
}

/* A function defined in a header: static inline, its attributes, its head and its body. */
static const char *past_function(const char *p, const char *end)
{
	static const char *const inlines[] = {"inline", "__inline", "__inline__"};
	const char *at = past_word(p, end, "static"), *word = NULL;

	if (!at)
		return p;
	at = past_blanks(at, end);
	for (unsigned i = 0; i < ARRAY_SIZE(inlines) && !word; i++)
		word = past_word(at, end, inlines[i]);
	if (!word)
		return p;
	while (word < end && *word != '{' && *word != ';')
		word++;
	return word < end && *word == '{' ? past_brackets(word, end) : p;
}

const char *gnu_skip(const char *p, const char *end, bool is_outer)
{
	const char *past = past_word(p, end, "__extension__");

	if (past)
		return past;
	past = past_word(p, end, "__attribute__");
	if (past)
		return past_brackets(past_blanks(past, end), end);
	return is_outer ? past_function(p, end) : p;
}

void gnu_spelling(const char **word, size_t *n)
{
	const char *s = *word;

	if (*n <= 4 || s[0] != '_' || s[1] != '_')
		return;
	*n -= s[*n - 1] == '_' && s[*n - 2] == '_' ? 4 : 2;
	*word = s + 2;
}
