#include "base/utf8.h"

size_t utf8_length(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = !n		   ? 0
		     : s[0] < 0x80 ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong, surrogate, beyond U+10FFFF */
	if (len == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)))
		return 0;
	if (len == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)))
		return 0;
	return len;
}

uint32_t utf8_char(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c = len == 1 ? s[0] : s[0] & (0xffU >> (len + 1));

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

size_t utf8_put(char to[UTF8_MAX], uint32_t c)
{
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(len == 1 ? c : (c & (0x7fU >> len)) | (0xf00U >> len & 0xff));
	return len;
}

size_t utf8_shown(const char *s, size_t n)
{
	size_t len = utf8_length(s, n);
	uint32_t c = len ? utf8_char(s, len) : 0;

	return c < ' ' || (c >= 0x7f && c < 0xa0) ? 0 : len;
}

struct span {
	uint32_t first, last;
};

static bool is_in(const struct span *spans, unsigned n, uint32_t c)
{
	for (unsigned i = 0; i < n; i++)
		if (c >= spans[i].first && c <= spans[i].last)
			return true;
	return false;
}

/* Characters that stand above the one before, or show nothing (Unicode: Mn, Me, Cf). */
static const struct span no_column[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
	{0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0x302a, 0x302d},
	{0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

/* Unicode, East Asian Width: W and F. */
static const struct span two_columns[] = {
	{0x1100, 0x115f},   {0x231a, 0x231b},	{0x2e80, 0x303e},   {0x3041, 0x33ff},
	{0x3400, 0x4dbf},   {0x4e00, 0x9fff},	{0xa000, 0xa4cf},   {0xa960, 0xa97f},
	{0xac00, 0xd7a3},   {0xf900, 0xfaff},	{0xfe30, 0xfe6f},   {0xff00, 0xff60},
	{0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff},
	{0x20000, 0x3fffd},
};

static unsigned columns_of(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if (is_in(no_column, ARRAY_SIZE(no_column), c))
		return 0;
	return 1 + is_in(two_columns, ARRAY_SIZE(two_columns), c);
}

size_t utf8_columns(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0, len; i < n; i += MAX(len, 1)) {
		/* nearly all texts are ASCII: one column a byte */
		while (i < n && (unsigned char)s[i] < 0x80) {
			columns++;
			i++;
		}
		if (i == n)
			break;
		len = utf8_length(s + i, n - i);
		columns += len ? columns_of(utf8_char(s + i, len)) : 1;
	}
	return columns;
}
