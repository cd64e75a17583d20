#include "command/live/keyboard.h"

#include <string.h>

#include "base/utf8.h"

#define LONGEST 16 /* of a sequence; what goes on is none */

static const struct {
	const char *bytes; /* behind ESC */
	uint32_t key;
} sequences[] = {
	{"[A", KEY_UP},	      {"OA", KEY_UP},	      {"[B", KEY_DOWN}, {"OB", KEY_DOWN},
	{"[5~", KEY_PAGE_UP}, {"[6~", KEY_PAGE_DOWN}, {"[H", KEY_HOME}, {"OH", KEY_HOME},
	{"[1~", KEY_HOME},    {"[F", KEY_END},	      {"OF", KEY_END},	{"[4~", KEY_END},
};

/* The length of what begins with ESC, as far as it is there; 0: it goes on. */
static size_t sequence_length(const char *p, size_t n)
{
	if (n < 2)
		return 0;
	if (p[1] == 'O')
		return n < 3 ? 0 : 3;
	if (p[1] != '[')
		return 1;
	for (size_t i = 2; i < n; i++)
		if (p[i] >= 0x40 && p[i] <= 0x7e) /* its last byte */
			return i + 1;
	return n >= LONGEST ? n : 0;
}

static size_t take_sequence(const char *p, size_t n, bool is_all, uint32_t *key)
{
	size_t len = sequence_length(p, n);

	if (!len && !is_all)
		return 0;
	*key = len > 1 ? KEY_NONE : KEY_ESCAPE;
	for (unsigned i = 0; len > 1 && i < ARRAY_SIZE(sequences); i++)
		if (strlen(sequences[i].bytes) == len - 1 &&
		    !memcmp(sequences[i].bytes, p + 1, len - 1))
			*key = sequences[i].key;
	return len ? len : 1;
}

size_t keyboard_take(const char *p, size_t n, bool is_all, uint32_t *key)
{
	size_t len;

	*key = KEY_NONE;
	if (!n)
		return 0;
	if (*p == '\033')
		return take_sequence(p, n, is_all, key);
	len = utf8_length(p, n);
	if (!len) /* cut off, or none */
		return (unsigned char)*p >= 0xc2 && (unsigned char)*p < 0xf5 && n < 4 && !is_all
			       ? 0
			       : 1;
	*key = *p == '\r' || *p == '\n'	    ? KEY_ENTER
	       : *p == '\t'		    ? KEY_TAB
	       : *p == '\177' || *p == '\b' ? KEY_BACKSPACE
					    : utf8_char(p, len);
	return len;
}
