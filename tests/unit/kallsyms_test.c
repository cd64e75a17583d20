/* Kernel addresses by /proc/kallsyms. */
#include "symbols/kallsyms.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"

static const char text[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t helper\n"
			   "ffffffff81000200 D some_data\n"
			   "ffffffffc0000000 t fn_in_module\t[mod_a]\n";

static struct kallsyms *load(char path[static 32], const char *s)
{
	FILE *f;

	snprintf(path, 32, "/tmp/kallsyms.XXXXXX");
	f = fdopen(mkstemp(path), "w");
	fputs(s, f);
	fclose(f);
	return kallsyms_new(path);
}

TEST(names)
{
	char path[32];
	struct kallsyms *k = load(path, text);
	struct symname n;

	kallsyms_lookup(k, 0xffffffff81000000, &n);
	CHECK_STR(n.function, "startup_64"); /* of two names the one without underscores */
	CHECK_STR(n.object, "vmlinux");
	CHECK_EQ(n.offset, 0);
	kallsyms_lookup(k, 0xffffffff81000180, &n);
	CHECK_STR(n.function, "helper");
	CHECK_EQ(n.offset, 0x80);
	kallsyms_lookup(k, 0xffffffffc0000008, &n);
	CHECK_STR(n.object, "mod_a");
	kallsyms_lookup(k, 0x1000, &n);
	CHECK(n.function == NULL);
	kallsyms_free(k);
	unlink(path);
}

TEST(an_address_by_its_name)
{
	char path[32];
	struct kallsyms *k = load(path, text);
	struct symname n;

	for (int i = 0; i < 2; i++) { /* before the names have been read, and behind that */
		CHECK_EQ(kallsyms_address(k, "helper"), 0xffffffff81000100);
		CHECK_EQ(kallsyms_address(k, "help"), 0);
		CHECK_EQ(kallsyms_address(k, "some_data"), 0);
		CHECK_EQ(kallsyms_address(k, "fn_in_module"), 0xffffffffc0000000);
		kallsyms_lookup(k, 0xffffffff81000180, &n);
	}
	kallsyms_free(k);
	unlink(path);
}

TEST(addresses_that_are_hidden)
{
	char path[32];
	struct kallsyms *k = load(path, "0000000000000000 T _stext\n0000000000000000 T f\n");
	struct symname n;

	kallsyms_lookup(k, 0xffffffff81000000, &n);
	CHECK(n.function == NULL);
	kallsyms_free(k);
	unlink(path);
}

TEST_MAIN();
