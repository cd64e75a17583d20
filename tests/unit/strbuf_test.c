#include "base/strbuf.h"

#include "tests/unit/test.h"

static struct strbuf sb;

TEST(text_is_appended_and_always_ends_with_NUL)
{
	strbuf_init(&sb);
	CHECK_STR(sb.s, "");
	strbuf_adds(&sb, "ab");
	strbuf_addc(&sb, 'c');
	strbuf_add(&sb, "defg", 2);
	strbuf_addf(&sb, "%d%s", 42, "!");
	CHECK_STR(sb.s, "abcde42!");
	CHECK_EQ(sb.len, 8);
	strbuf_release(&sb);
}

TEST(it_grows_past_any_first_size)
{
	char big[5000];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	strbuf_init(&sb);
	for (int i = 0; i < 1000; i++)
		strbuf_addc(&sb, 'y');
	strbuf_addf(&sb, "%s", big);
	CHECK_EQ(sb.len, 5999);
	CHECK_EQ(strlen(sb.s), 5999);
	strbuf_release(&sb);
}

TEST(text_flush_right_is_as_printf_makes_it)
{
	static const char *const words[] = {"", "ab", "abcde", "abcdefgh"};
	char want[16];

	for (unsigned i = 0; i < 4; i++) {
		strbuf_init(&sb);
		strbuf_addr(&sb, words[i], 5);
		snprintf(want, sizeof(want), "%5s", words[i]);
		CHECK_STR(sb.s, want);
		CHECK_EQ(sb.len, strlen(want));
		strbuf_release(&sb);
	}
}

TEST(bytes_may_hold_NUL)
{
	strbuf_init(&sb);
	strbuf_add(&sb, "a\0b", 3);
	CHECK_EQ(sb.len, 3);
	CHECK_EQ(sb.s[2], 'b');
	CHECK_EQ(sb.s[3], 0);
	strbuf_release(&sb);
}

TEST(clear_empties_and_detach_gives_away)
{
	char *mine;

	strbuf_init(&sb);
	strbuf_adds(&sb, "old");
	strbuf_clear(&sb);
	CHECK_STR(sb.s, "");
	strbuf_adds(&sb, "new");
	mine = strbuf_detach(&sb);
	CHECK_STR(mine, "new");
	CHECK_STR(sb.s, "");
	free(mine);
	strbuf_release(&sb);
}

TEST_MAIN();
