/* Names that a program chose: what acts on a terminal becomes an escape, the rest stays. */
#include "base/cleanname.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/utf8.h"
#include "tests/unit/test.h"

static const struct {
	const char *name, *clean;
} rows[] = {
	{"", ""},
	{"main", "main"},
	{"_ZN2ns6memberEv", "_ZN2ns6memberEv"},
	{"operator<(a, b) \"x\" \\ ~", "operator<(a, b) \"x\" \\ ~"},
	{"gr\303\266\303\237e", "gr\303\266\303\237e"},
	{"\346\226\207\345\255\227 \360\237\230\200", "\346\226\207\345\255\227 \360\237\230\200"},
	{"\033[31mred", "\\x1b[31mred"},
	{"two\nlines\r", "two\\x0alines\\x0d"},
	{"tab\tdel\177", "tab\\x09del\\x7f"},
	{"long enough for words\001and more of it", "long enough for words\\x01and more of it"},
	{"c1 \302\233 csi", "c1 \\u009b csi"},
	{"no-break \302\240 stays", "no-break \302\240 stays"},
	{"\342\200\256evil", "\\u202eevil"},
	{"\342\201\246x\342\201\251\342\200\217\330\234", "\\u2066x\\u2069\\u200f\\u061c"},
	{"\342\200\250line", "\\u2028line"},
	{"\302", "\\xc2"},
	{"\377\376", "\\xff\\xfe"},
	{"\300\257", "\\xc0\\xaf"},
	{"\355\240\200", "\\xed\\xa0\\x80"},
	{"\364\220\200\200", "\\xf4\\x90\\x80\\x80"},
	{"cut \346\226", "cut \\xe6\\x96"},
};

TEST(each_kind)
{
	struct arena arena;

	arena_init(&arena);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *clean = name_cleaned(&arena, rows[i].name);

		CHECK_STR(clean, rows[i].clean);
		CHECK_EQ(name_is_clean(rows[i].name, strlen(rows[i].name)),
			 !strcmp(rows[i].name, rows[i].clean));
		CHECK(name_is_clean(clean, strlen(clean)));
	}
	arena_release(&arena);
}

/* At every place in a word, and behind it. */
TEST(each_byte)
{
	char name[20];

	for (unsigned at = 0; at < sizeof(name); at++)
		for (unsigned c = 0; c < 256; c++) {
			memset(name, 'a', sizeof(name));
			name[at] = (char)c;
			CHECK_EQ(name_is_clean(name, sizeof(name)), c >= 0x20 && c < 0x7f);
		}
}

TEST(a_name_without_end)
{
	struct arena arena;
	const char *clean;
	char *name = xmalloc(100001);

	arena_init(&arena);
	memset(name, 1, 100000);
	name[100000] = '\0';
	clean = name_cleaned(&arena, name);
	CHECK_EQ(strlen(clean), 4 * NAME_MOST + 3);
	memset(name, 'a', 100000);
	CHECK(name_cleaned(&arena, name) == name);
	arena_release(&arena);
	free(name);
}

TEST(a_message_keeps_its_lines)
{
	char *text = text_cleaned("one \033[2J:\n\ttwo\302\233\n");

	CHECK_STR(text, "one \\x1b[2J:\n\ttwo\\u009b\n");
	free(text);
	text = text_cleaned("");
	CHECK_STR(text, "");
	free(text);
}

TEST(columns)
{
	CHECK_EQ(utf8_columns("main", 4), 4);
	CHECK_EQ(utf8_columns("gr\303\266\303\237e", 7), 5);
	CHECK_EQ(utf8_columns("\346\226\207\345\255\227", 6), 4);
	CHECK_EQ(utf8_columns("e\314\201", 3), 1);
	CHECK_EQ(utf8_columns("\377x", 2), 2);
	CHECK_EQ(utf8_columns("", 0), 0);
	CHECK_EQ(utf8_columns("a\0\177b", 4), 4);
	CHECK_EQ(utf8_columns("ab\346\226\207cd\345\255\227", 10), 8);
	CHECK_EQ(utf8_columns("ab\346\226\207", 4), 4); /* cut off within a character */
}

TEST_MAIN();
