#include "tests/unit/langrig.h"

static bool names(enum source_kind kind, const char *text)
{
	static const char *const args[] = {"fpid12"};
	struct source src = {.kind = kind,
			     .name = "t.d",
			     .text = text,
			     .length = strlen(text),
			     .arg0 = "dtrace"};

	src.args = args;
	src.nargs = 1;
	rig_new();
	return dlang_names_provider(rig.session, &src, "fpid");
}

static bool script(const char *text)
{
	return names(SOURCE_SCRIPT, text);
}

TEST(providers_of_descriptions_are_found)
{
	CHECK_EQ(script("fpid$target:libc:puts:entry { }"), 1);
	CHECK_EQ(script("BEGIN { } fpid12:::entry { }"), 1);
	CHECK_EQ(script("BEGIN / 1 / { trace(\"}\"); } BEGIN , fpid*:a.out::{ }"), 1);
	CHECK_EQ(script("int x;\nstruct s { int a : 3; };\n#pragma D option quiet\nfpid1:::entry { "
			"}"),
		 1);
	CHECK_EQ(script("inline int y = 1 ? 2 : 3; fpid1:::entry { }"), 1);
	CHECK_EQ(script("pid1:::entry /arg0 \\/ 2 == '{' && execname == \"/ {\"/ { } fpid1:::entry "
			"{ }"),
		 1);
	CHECK_EQ(script("/* ' */ fpid1:a.out:ns::C::m:entry { }"), 1);
	CHECK_EQ(script("fpid1:::entry"), 1);
	CHECK_EQ(names(SOURCE_NAME, "$1:::entry { }"), 1);
	CHECK_EQ(names(SOURCE_PROVIDER, "fpid$target"), 1);
	CHECK_EQ(names(SOURCE_MODULE, "fpid$target:libc"), 1);
	CHECK_EQ(script("f*d$target:::entry { }"), 1);
	CHECK_EQ(script("?pid12:::entry { }"), 1);
	CHECK_EQ(names(SOURCE_FUNCTION, "fpid1:a:b, pid1:a:b"), 1);
}

TEST(words_elsewhere_are_no_providers)
{
	CHECK_EQ(script("/* fpid1:::entry { } */ syscall:::entry { }"), 0);
	CHECK_EQ(script("BEGIN { printf(\"fpid1:::entry { }\"); }"), 0);
	CHECK_EQ(script("BEGIN /execname == \"fpid1:::\"/ { fpid = 1; }"), 0);
	CHECK_EQ(script("inline string fpid = \"; fpid1:::entry { }\"; BEGIN { }"), 0);
	CHECK_EQ(script("translator fpid_t < int *fpid > { a = \"fpid1:::\"; }; BEGIN { }"), 0);
	CHECK_EQ(script("int fpid1; self int fpid; fpid { }"), 0);
	CHECK_EQ(script("#pragma D option cppargs=fpid1:::\nsyscall::fpid:entry { }"), 0);
	CHECK_EQ(script("pid1:fpid:fpid:fpid { }"), 0);
	CHECK_EQ(names(SOURCE_NAME, "syscall:::entry { } $2:::entry { }"), 0);
	CHECK_EQ(names(SOURCE_PROVIDER, "pid$target"), 0);
	CHECK_EQ(script("p*d$target:::entry { }"), 0);
	CHECK_EQ(script("*:::entry { }"), 0);
	CHECK_EQ(names(SOURCE_MODULE, "fpid1"), 0);
	CHECK_EQ(script("BEGIN { \"fpid1:::entry"), 0);
	CHECK_EQ(script("/* fpid1:::entry"), 0);
	CHECK_EQ(script("BEGIN / fpid1:::entry"), 0);
}

TEST_MAIN();
