#include "command/live/keyboard.h"

#include <string.h>

#include "tests/unit/test.h"

static uint32_t key;

static size_t take(const char *bytes, bool is_all)
{
	return keyboard_take(bytes, strlen(bytes), is_all, &key);
}

TEST(characters)
{
	CHECK_EQ(take("q", false), 1);
	CHECK_EQ(key, 'q');
	CHECK_EQ(take("\303\274x", false), 2);
	CHECK_EQ(key, 0xfc);
	CHECK_EQ(take("\303", false), 0);
	CHECK_EQ(take("\303", true), 1);
	CHECK_EQ(key, KEY_NONE);
	CHECK_EQ(take("\377a", false), 1);
	CHECK_EQ(key, KEY_NONE);
	CHECK_EQ(take("", true), 0);
}

TEST(keys_without_a_character)
{
	static const struct {
		const char *bytes;
		uint32_t key;
	} rows[] = {
		{"\033[A", KEY_UP},	    {"\033OB", KEY_DOWN}, {"\033[5~", KEY_PAGE_UP},
		{"\033[6~", KEY_PAGE_DOWN}, {"\033[H", KEY_HOME}, {"\033[4~", KEY_END},
		{"\r", KEY_ENTER},	    {"\t", KEY_TAB},	  {"\177", KEY_BACKSPACE},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(take(rows[i].bytes, false), strlen(rows[i].bytes));
		CHECK_EQ(key, rows[i].key);
	}
}

TEST(escape_alone_and_sequences_that_are_cut)
{
	CHECK_EQ(take("\033", false), 0);
	CHECK_EQ(take("\033", true), 1);
	CHECK_EQ(key, KEY_ESCAPE);
	CHECK_EQ(take("\033q", true), 1);
	CHECK_EQ(key, KEY_ESCAPE);
	CHECK_EQ(take("\033[", false), 0);
	CHECK_EQ(take("\033[1;5", false), 0);
	CHECK_EQ(take("\033[1;5Cx", false), 6);
	CHECK_EQ(key, KEY_NONE);
	CHECK_EQ(take("\033[11111111111111111111", false), 22);
	CHECK_EQ(key, KEY_NONE);
}

TEST_MAIN();
