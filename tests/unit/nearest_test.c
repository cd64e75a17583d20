#include "base/nearest.h"

#include "tests/unit/test.h"

static const char *const names[] = {"malloc", "mlock", "free",	     "execname",   "pid",
				    "tid",    "func",  "profile-97", "profile-99", "timestamp"};

static bool says(const char *want, const char *text)
{
	struct nearest near;
	struct strbuf out;
	bool is_same;

	nearest_init(&near, want);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		nearest_add(&near, names[i]);
	strbuf_init(&out);
	nearest_say(&near, &out);
	is_same = !strcmp(out.s, text);
	strbuf_release(&out);
	nearest_release(&near);
	return is_same;
}

TEST(the_nearest_are_named)
{
	CHECK(says("mallco", "did you mean malloc?"));
	CHECK(says("EXECNAME", "did you mean execname?"));
	CHECK(says("execnme", "did you mean execname?"));
	CHECK(says("malock", "did you mean mlock?"));
	CHECK(says("uid", "did you mean pid or tid?"));
	CHECK(says("timestmp", "did you mean timestamp?"));
}

TEST(what_is_not_near_is_not_named)
{
	CHECK(says("", ""));
	CHECK(says("x", ""));
	CHECK(says("pd", ""));
	CHECK(says("nofunc", ""));
	CHECK(says("frobnicate", ""));
	CHECK(says("free", ""));
	CHECK(says("profile-97", "")); /* it is there */
}

TEST(numbers_are_not_misspelled)
{
	CHECK(says("profil-99", "did you mean profile-99?"));
	CHECK(says("profile-98", ""));
}

TEST_MAIN();
