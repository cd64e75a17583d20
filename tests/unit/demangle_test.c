#include "symbols/demangle.h"

#include "tests/unit/test.h"

static const char *named(const char *mangled, bool with_params)
{
	static char text[DEMANGLED_MAX];

	return demangle(mangled, with_params, text) ? text : mangled;
}

TEST(names_of_cplusplus)
{
	CHECK_STR(named("_ZN4shop6Widget5paintEPKci", true),
		  "shop::Widget::paint(char const*, int)");
	CHECK_STR(named("_ZN4shop6Widget5paintEPKci", false), "shop::Widget::paint");
	CHECK_STR(named("_ZN4shop5twiceIiEET_S1_", true), "shop::twice<int>(int)");
	CHECK_STR(named("_ZN4shop5twiceIiEET_S1_", false), "shop::twice<int>");
}

TEST(names_of_rust_without_their_hash)
{
	CHECK_STR(named("_ZN1r4shop5paint17h20d759a75a8b0b40E", true), "r::shop::paint");
	CHECK_STR(named("_RNvNtCs6GmmlP4bgsG_1r4shop5paint", true), "r::shop::paint");
}

TEST(other_names_stay)
{
	CHECK_STR(named("main", true), "main");
	CHECK_STR(named("_start", true), "_start");
	CHECK_STR(named("_Zzz", true), "_Zzz");
	CHECK_STR(named("_R", true), "_R");
	CHECK_STR(named("", true), "");
}

/* A short name that stands for 2^30 types: each pair holds the one before it twice. */
TEST(a_name_that_explodes_is_left_alone)
{
	const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char bomb[1024] = "_Z1fSt4pairIiiE";
	size_t n = strlen(bomb);

	for (int i = 0; i < 30; i++) {
		n += (size_t)snprintf(bomb + n, sizeof(bomb) - n, "S_IS%c_S%c_E", digits[i],
				      digits[i]);
		if (i == 1)
			CHECK(strcmp(named(bomb, true), bomb) != 0);
	}
	CHECK_STR(named(bomb, true), bomb);
}

TEST(a_deep_name_is_left_alone)
{
	char deep[8192] = "_Z1f";

	memset(deep + 4, 'P', sizeof(deep) - 6);
	deep[sizeof(deep) - 2] = 'i';
	CHECK_STR(named(deep, true), deep);
	deep[4000] = '\0';
	CHECK_STR(named(deep, true), deep);
}

TEST_MAIN();
