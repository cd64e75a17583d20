#include "base/glob.h"

#include "tests/unit/test.h"

static const struct {
	const char *pattern, *text;
	bool match;
} rows[] = {
	/* clang-format off */
	{"",            "",             true},
	{"",            "a",            false},
	{"malloc",      "malloc",       true},
	{"malloc",      "Malloc",       false},
	{"malloc",      "mallocx",      false},
	{"*",           "",             true},
	{"*",           "anything",     true},
	{"mal*",        "malloc",       true},
	{"*loc",        "malloc",       true},
	{"m*l*c",       "malloc",       true},
	{"m*z",         "malloc",       false},
	{"**",          "x",            true},
	{"*a*b*c",      "xxaxxbxxbxc",  true},
	{"*a*b*c",      "xxaxxbxxbx",   false},
	{"?",           "a",            true},
	{"?",           "",             false},
	{"?",           "ab",           false},
	{"a?c",         "abc",          true},
	{"[abc]",       "b",            true},
	{"[abc]",       "d",            false},
	{"[a-z]",       "m",            true},
	{"[a-z]",       "M",            false},
	{"[!a-z]",      "M",            true},
	{"[!a-z]",      "m",            false},
	{"[!a-z]",      "",             false},
	{"f[0-9][0-9]", "f42",          true},
	{"[a-cx-z]",    "y",            true},
	{"[]]",         "]",            true},
	{"[\\]]",       "]",            true},
	{"[",           "[",            true},
	{"\\*",         "*",            true},
	{"\\*",         "x",            false},
	{"\\a",         "a",            true},
	{"a\\",         "a\\",          true},
	{"operator\\[\\]", "operator[]", true},
	{"[\x80-\xff]", "\xe9",         true},
	/* clang-format on */
};

TEST(every_row_of_the_table)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (glob_match(rows[i].pattern, rows[i].text) != rows[i].match)
			TEST_FAIL("\"%s\" must %smatch \"%s\"", rows[i].pattern,
				  rows[i].match ? "" : "not ", rows[i].text);
}

TEST(only_an_unescaped_wildcard_makes_a_pattern)
{
	CHECK(!glob_is_pattern(""));
	CHECK(!glob_is_pattern("malloc"));
	CHECK(!glob_is_pattern("a\\*b"));
	CHECK(!glob_is_pattern("]-!"));
	CHECK(glob_is_pattern("*"));
	CHECK(glob_is_pattern("a?"));
	CHECK(glob_is_pattern("\\**"));
	CHECK(glob_is_pattern("[a"));
}

TEST(unescape_takes_the_backslashes_out_and_never_overruns)
{
	char out[4];

	glob_unescape("\\*a", out, sizeof(out));
	CHECK_STR(out, "*a");
	glob_unescape("abcdefg", out, sizeof(out));
	CHECK_STR(out, "abc");
}

TEST(many_stars_stay_quick)
{
	char text[2001], pattern[201];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i + 1 < sizeof(pattern); i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[sizeof(pattern) - 1] = '\0';
	CHECK(glob_match(pattern, text));
	pattern[sizeof(pattern) - 2] = 'b';
	CHECK(!glob_match(pattern, text));
}

TEST_MAIN();
