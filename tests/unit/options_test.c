#include "dlang/options.h"

#include <errno.h>

#include "tests/unit/test.h"

#define BAD "Invalid value for specified option: "

static struct arena arena;
static struct options o;

/* What setting says: "" when it worked. */
static const char *set(const char *name, const char *value, enum opt_when when)
{
	static struct err err;

	err = (struct err){0};
	return options_set(&o, &arena, name, value, when, &err) ? err.text : "";
}

static const struct {
	const char *name, *value;
	int64_t num; /* afterwards, if no error */
	const char *error;
	enum opt_id id;
} values[] = {
	/* clang-format off */
	{"quiet",   NULL,       1, "", OPT_QUIET},
	{"quiet",   "",         OPT_UNSET, "", OPT_QUIET},
	{"quiet",   "0",        1, "", OPT_QUIET},
	{"quiet",   "YES",      1, "", OPT_QUIET},
	{"quiet",   "Disabled", OPT_UNSET, "", OPT_QUIET},
	{"quiet",   "unset",    OPT_UNSET, "", OPT_QUIET},
	{"quiet",   "maybe",    0, BAD, OPT_QUIET},
	{"quiet",   "-1",       0, BAD, OPT_QUIET},
	{"errtags", NULL,       1, "", OPT_ERRTAGS},
	{"errtags", "1",        0, BAD, OPT_ERRTAGS},
	{"droptags", "1",       1, "", OPT_DROPTAGS},
	{"stackframes", "0x10", 16, "", OPT_STACKFRAMES},
	{"stackframes", "010",  8, "", OPT_STACKFRAMES},
	{"stackframes", "-5",   0, BAD, OPT_STACKFRAMES},
	{"stackframes", NULL,   0, BAD, OPT_STACKFRAMES},
	{"stackframes", "5x",   0, BAD, OPT_STACKFRAMES},
	{"bufsize", "4m",       4 << 20, "", OPT_BUFSIZE},
	{"bufsize", "2K",       2048, "", OPT_BUFSIZE},
	{"bufsize", "1T",       INT64_C(1) << 40, "", OPT_BUFSIZE},
	{"bufsize", "77",       77, "", OPT_BUFSIZE},
	{"bufsize", NULL,       0, "", OPT_BUFSIZE},
	{"bufsize", "4kb",      0, BAD, OPT_BUFSIZE},
	{"bufsize", "1.5m",     0, BAD, OPT_BUFSIZE},
	{"bufsize", "-5",       0, BAD, OPT_BUFSIZE},
	{"bufsize", "9999999999g", 0, BAD, OPT_BUFSIZE},
	{"bufsize", "99999999999999999999", 0, BAD, OPT_BUFSIZE},
	{"strsize", "1",        0, BAD, OPT_STRSIZE},
	{"strsize", "2",        2, "", OPT_STRSIZE},
	{"strsize", "5g",       0, "Value too large for defined data type", OPT_STRSIZE},
	{"switchrate", "10hz",  100000000, "", OPT_SWITCHRATE},
	{"switchrate", "10HZ",  100000000, "", OPT_SWITCHRATE},
	{"switchrate", "0hz",   0, "", OPT_SWITCHRATE},
	{"switchrate", "500",   500, "", OPT_SWITCHRATE},
	{"switchrate", "5ms",   5000000, "", OPT_SWITCHRATE},
	{"switchrate", "2sec",  2000000000, "", OPT_SWITCHRATE},
	{"switchrate", "1min",  60000000000, "", OPT_SWITCHRATE},
	{"switchrate", "1Day",  86400000000000, "", OPT_SWITCHRATE},
	{"switchrate", "5 s",   0, BAD, OPT_SWITCHRATE},
	{"switchrate", "99999999999day", 0, BAD, OPT_SWITCHRATE},
	{"switchrate", NULL,    0, BAD, OPT_SWITCHRATE},
	{"logring", "30s",      30000000000, "", OPT_LOGRING},
	{"logring", "30",       0, BAD, OPT_LOGRING},
	{"logring", "0",        0, "", OPT_LOGRING},
	{"evaltime", "exec",    0, "", OPT_EVALTIME},
	{"evaltime", "main",    3, "", OPT_EVALTIME},
	{"evaltime", "Main",    0, BAD, OPT_EVALTIME},
	{"bufpolicy", "switch", 0, "", OPT_BUFPOLICY},
	{"bufpolicy", "ring",   2, "", OPT_BUFPOLICY},
	{"bufpolicy", "heap",   0, BAD, OPT_BUFPOLICY},
	{"iregs", "8",          8, "", OPT_IREGS},
	{"iregs", "4",          0, "Insufficient registers to generate code", OPT_IREGS},
	{"iregs", "9",          0, BAD, OPT_IREGS},
	{"lockmem", "unlimited", INT64_MAX, "", OPT_LOCKMEM},
	{"kernelbuf", "64k",    65536, "", OPT_KERNELBUF},
	{"kernelbuf", "1g",     1 << 30, "", OPT_KERNELBUF},
	{"kernelbuf", "63k",    0, BAD "'63k'; allowed: a size in bytes, with k, m, g or t if need be: 64k to 1g", OPT_KERNELBUF},
	{"kernelbuf", "2g",     0, BAD, OPT_KERNELBUF},
	{"kernelbuf", NULL,     0, BAD, OPT_KERNELBUF},
	{"lockmem", "plenty",   0, BAD, OPT_LOCKMEM},
	{"modpath", "/tmp",     OPT_UNSET, "", OPT_MODPATH},
	{"maxframes", "x",      0, BAD "'x'; allowed: a number from 0 to 2147483647", OPT_MAXFRAMES},
	{"version", "2.0",      INT64_C(2) << 24, "", OPT_VERSION},
	{"version", "9.9",      0, "Requested version is not supported by compiler", OPT_VERSION},
	{"version", "2",        0, "Version is not properly formatted or is too large", OPT_VERSION},
	{"version", "256.1",    0, "Version is not properly formatted or is too large", OPT_VERSION},
	{"version", "1.2.3.4",  0, "Version is not properly formatted or is too large", OPT_VERSION},
	{"version", NULL,       0, "Version is not properly formatted or is too large", OPT_VERSION},
	{"nspec", "3",          3, "", OPT_NSPEC},
	{"version", "1.2",      INT64_C(0x1002000), "", OPT_VERSION},
	{"amin", "Stable/Private/Common", 1, "", OPT_AMIN},
	{"amin", "Stable/Private", 0, BAD, OPT_AMIN},
	{"amin", "Stable/Private/Common/", 0, BAD, OPT_AMIN},
	{"core", NULL,          1, "", OPT_CORE},
	{"core", "1",           0, BAD, OPT_CORE},
	{"lazyload", "anything", 1, "", OPT_LAZYLOAD},
	{"linktype", "ELF",     LINKTYPE_ELF, "", OPT_LINKTYPE},
	{"linktype", "Dof",     LINKTYPE_DOF, "", OPT_LINKTYPE},
	{"linktype", "coff",    0, BAD, OPT_LINKTYPE},
	{"linkmode", "primary", 1, "", OPT_LINKMODE},
	{"linkmode", "Static",  0, BAD, OPT_LINKMODE},
	{"late", "static",      1, "", OPT_LATE},
	{"late", NULL,          0, BAD, OPT_LATE},
	{"tregs", "1",          1, "", OPT_TREGS},
	{"tregs", "0",          0, BAD, OPT_TREGS},
	{"pgmax", "0",          0, "", OPT_PGMAX},
	{"pgmax", "many",       0, "", OPT_PGMAX},
	{"pgmax", "-1",         0, BAD, OPT_PGMAX},
	{"tree", "3",           3, "", OPT_TREE},
	{"tree", "0",           0, BAD, OPT_TREE},
	{"cpu", "1",            1, "", OPT_CPU},
	{"cpu", "one",          0, BAD, OPT_CPU},
	{"kdefs", "yes",        0, BAD, OPT_KDEFS},
	{"grabanon", "no",      OPT_UNSET, "", OPT_GRABANON},
	{"oformat", "xml",      OFORMAT_XML, "", OPT_OFORMAT},
	{"oformat", "jsonl",    OFORMAT_JSONL, "", OPT_OFORMAT},
	{"oformat", "csv",      0, BAD, OPT_OFORMAT},
	{"bogus", "3",          0, "Invalid option name", OPT_QUIET},
	{"",      NULL,         0, "Invalid option name", OPT_QUIET},
	/* clang-format on */
};

/*
 * By the parser a row names: values that are taken, and others that are not; NULL is none. What no
 * option may take is in `never`.
 */
#define MAX_VALUES 12
static const struct {
	const char *parser;
	const char *good[MAX_VALUES], *bad[MAX_VALUES];
	bool may_lack; /* none is a value */
} parsers[] = {
	/* clang-format off */
	{"FLAG",      {0}, {"", "x", "0", "-1", "yes"}, true},
	{"SWITCH",    {"", "x", "1"}, {0}, true},
	{"BOOL",      {"", "on", "OFF", "0", "7", "unset"}, {"x", "-1", "1k", "no!", "18446744073709551616"}, true},
	{"NUM",       {"0", "7", "2147483647"}, {"", "x", "-1", "1k", "2147483648", "18446744073709551616", "0x", " 1"}, false},
	{"INDENT",    {"0", "4096"}, {"", "x", "4097", "-1"}, false},
	{"NSPEC",     {"0", "1000000"}, {"", "x", "-1", "1000001", "18446744073709551616"}, false},
	{"SIZE",      {"0", "7", "4k", "1T", "0x10"}, {"", "x", "-1", "1kk", "8388608t", "18446744073709551616", "1.5m"}, true},
	{"STRSIZE",   {"2", "4k"}, {"", "x", "-1", "1", "4g", "18446744073709551616"}, false},
	{"KERNELBUF", {"64k", "1g", "100000"}, {"", "x", "-1", "63k", "1025m", "18446744073709551616"}, false},
	{"LOCKMEM",   {"0", "4k", "unlimited"}, {"", "x", "-1", "18446744073709551616"}, false},
	{"RATE",      {"0", "7", "5ms", "10hz", "1Day"}, {"", "x", "-1", "1k", "hz", "106752day", "18446744073709551616"}, false},
	{"TIME",      {"0", "7s", "5ms", "1Day"}, {"", "x", "7", "-1s", "10hz", "106752day"}, false},
	{"TEXT",      {"x", "0", "-1"}, {""}, false},
	{"LIST",      {"x", "0", "-1"}, {""}, false},
	{"ENVIRON",   {"X=1", "X"}, {"", "=1"}, false},
	{"IREGS",     {"8"}, {"", "x", "-1", "0", "7", "9", "18446744073709551616"}, false},
	{"TREGS",     {"1", "8"}, {"", "x", "-1", "0", "18446744073709551616"}, false},
	{"TREE",      {"1", "3"}, {"", "x", "-1", "0", "18446744073709551616"}, false},
	{"PGMAX",     {"0", "7", "x"}, {"-1"}, false},
	{"AMIN",      {"Stable/Private/Common"}, {"", "x", "-1", "Stable", "Stable/Private/Common/"}, false},
	{"VERSION",   {"1.2", "2.0"}, {"", "x", "-1", "2", "9.9", "256.1"}, false},
	{"ENCODING",  {"ascii", "utf8"}, {"", "x", "0", "-1", "ASCII"}, false},
	{"COLOR",     {"auto"}, {"", "x", "0", "-1"}, false},
	{"LIVE",      {"on", "full", "full,capture", "off"}, {"x", "capture", "full,"}, true},
	{"EVALTIME",  {"exec", "main"}, {"", "x", "0", "-1"}, false},
	{"LATE",      {"dynamic"}, {"", "x", "0", "-1"}, false},
	{"LINKMODE",  {"kernel"}, {"", "x", "0", "-1"}, false},
	{"LINKTYPE",  {"elf", "DOF"}, {"", "x", "0", "-1"}, false},
	{"STDC",      {"a", "t"}, {"", "x", "0", "-1"}, false},
	{"BUFPOLICY", {"fill"}, {"", "x", "0", "-1"}, false},
	{"BUFRESIZE", {"auto"}, {"", "x", "0", "-1"}, false},
	{"FALLBACK",  {"none"}, {"", "x", "0", "-1"}, false},
	{"EXPLAIN",   {"on", "json", "off"}, {"", "x", "0", "-1"}, true},
	{"ONESHOT",   {"off", "process", "run"}, {"", "x", "0", "-1"}, true},
	{"FPIDFULL",  {"wait"}, {"", "x", "0", "-1"}, false},
	{"PROCEXIT",  {"code"}, {"", "x", "0", "-1"}, false},
	{"REGKEYS",   {"path", "sysctl"}, {"", "x", "0", "-1"}, false},
	{"ALIASES",   {"one", "all"}, {"", "x", "0", "-1"}, false},
	{"OFORMAT",   {"json"}, {"", "x", "0", "-1"}, false},
	/* clang-format on */
};

static const struct {
	const char *name, *parser;
} options[] = {
#define OPT(id, name, phase, parser, dflt) {name, #parser},
#include "dlang/options.def"
#undef OPT
};

static void check_value(const char *name, const char *value, bool is_good)
{
	const char *said, *shown = value ? value : "(none)";

	options_init(&o);
	said = set(name, value, OPT_CMDLINE);
	if (is_good ? *said != '\0' : !strstr(said, "allowed: "))
		TEST_FAIL("%s=%s says \"%s\"", name, shown, said);
	if (!is_good && value && *value && !strstr(said, value))
		TEST_FAIL("%s=%s: the value is not in \"%s\"", name, shown, said);
	if (strchr(said, '\n'))
		TEST_FAIL("%s=%s: more than a line", name, shown);
}

TEST(every_option_checks_its_value)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		size_t k = 0;

		while (k < ARRAY_SIZE(parsers) && strcmp(parsers[k].parser, options[i].parser) != 0)
			k++;
		if (k == ARRAY_SIZE(parsers)) {
			TEST_FAIL("%s: %s is not in the table", options[i].name, options[i].parser);
			continue;
		}
		for (size_t n = 0; n < MAX_VALUES && parsers[k].good[n]; n++)
			check_value(options[i].name, parsers[k].good[n], true);
		for (size_t n = 0; n < MAX_VALUES && parsers[k].bad[n]; n++)
			check_value(options[i].name, parsers[k].bad[n], false);
		check_value(options[i].name, NULL, parsers[k].may_lack);
	}
}

TEST(every_row_of_the_table)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const char *said;

		options_init(&o);
		said = set(values[i].name, values[i].value, OPT_CMDLINE);
		if (strncmp(said, values[i].error, strlen(values[i].error)) != 0 ||
		    !*said != !*values[i].error)
			TEST_FAIL("%s=%s says \"%s\"", values[i].name, values[i].value, said);
		if (!*said && o.num[values[i].id] != values[i].num)
			TEST_FAIL("%s=%s is %" PRId64, values[i].name, values[i].value,
				  o.num[values[i].id]);
	}
}

TEST(a_bad_value_changes_nothing)
{
	options_init(&o);
	set("bufsize", "8m", OPT_CMDLINE);
	set("bufsize", "x", OPT_CMDLINE);
	CHECK_EQ(opt(&o, OPT_BUFSIZE), 8 << 20);
}

TEST(only_dynamic_options_change_while_tracing)
{
	options_init(&o);
	CHECK_STR(set("quiet", "1", OPT_RUNTIME), "");
	CHECK(opt_on(&o, OPT_QUIET));
	CHECK_STR(set("strsize", "64", OPT_RUNTIME), "Operation illegal when tracing is active");
	CHECK_STR(set("errtags", "1", OPT_RUNTIME), "Operation illegal when tracing is active");
	CHECK_STR(set("nonesuch", "3", OPT_RUNTIME), "Invalid option name");
}

TEST(some_options_are_not_for_programs)
{
	options_init(&o);
	CHECK_STR(set("define", "X", OPT_PRAGMA), "Option cannot be used from within a D program");
	CHECK_STR(set("strsize", "64", OPT_PRAGMA), "");
	CHECK_EQ(opt(&o, OPT_STRSIZE), 64);
}

static void count_set(void *arg, const char *name UNUSED, const char *value UNUSED)
{
	++*(unsigned *)arg;
}

TEST(the_environment_sets_what_it_can_and_says_nothing)
{
	char quiet[] = "DTRACE_OPT_QUIET=1", size[] = "DTRACE_OPT_BUFSIZE=x",
	     other[] = "DTRACE_OPT_NONE=1", no_value[] = "DTRACE_OPT_", path[] = "PATH=/bin",
	     tags[] = "DTRACE_OPT_ERRTAGS=1";
	char *env[] = {path, other, no_value, size, quiet, tags, NULL};
	unsigned nset = 0;

	options_init(&o);
	options_from_env(&o, &arena, env, count_set, &nset);
	CHECK(opt_on(&o, OPT_QUIET));
	CHECK(opt_on(&o, OPT_ERRTAGS)); /* takes no value */
	CHECK_EQ(opt(&o, OPT_BUFSIZE), 4 << 20);
	CHECK_EQ(nset, 2);
}

TEST_MAIN();
