/* Predicates that only one process can fulfil. */
#include "dlang/onlypid.h"

#include "tests/unit/langrig.h"

static uint32_t only_pid(const char *predicate)
{
	char text[256];
	const char *why;

	snprintf(text, sizeof(text), "fake:libc:open:entry /%s/ { trace(1); }", predicate);
	why = rig_compile(text);
	if (why)
		printf("%s\n", why);
	CHECK(!why);
	return difo_only_pid(rig.program->clauses->pred);
}

TEST(one_process)
{
	CHECK_EQ(only_pid("pid == 123"), 123);
	CHECK_EQ(only_pid("pid == 123 && arg0 == 3"), 123);
	CHECK_EQ(only_pid("pid == 123 && arg0 == 3 && tid != pid"), 123);
	CHECK_EQ(only_pid("pid == 123 && (arg0 == 3 || arg0 == 4)"), 123);
}

TEST(perhaps_several)
{
	CHECK_EQ(only_pid("pid != 123"), 0);
	CHECK_EQ(only_pid("pid > 123"), 0);
	CHECK_EQ(only_pid("pid == 123 || arg0 == 3"), 0);
	CHECK_EQ(only_pid("!(pid == 123)"), 0);
	CHECK_EQ(only_pid("pid == 123 ^^ arg0"), 0);
	CHECK_EQ(only_pid("tid == 123"), 0);
	CHECK_EQ(only_pid("arg0 == 3"), 0);
	CHECK_EQ(only_pid("pid == arg0"), 0);
	CHECK_EQ(only_pid("pid == 0"), 0);
	CHECK_EQ(only_pid("(pid == 123) + 1"), 0);
	CHECK_EQ(only_pid("pid == 123 ? arg0 : arg1"), 0);
}

TEST_MAIN();
