/* The texts of /proc/PID, with the odd names that programs and files give themselves. */
#include "base/procfile.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "tests/unit/test.h"

TEST(a_stat_field_is_counted_behind_the_name)
{
	const char *text = "12 (a) b (c) S 7 12 12 0 -1 4194304";

	CHECK_EQ(procstat_field(text, 3)[0], 'S');
	CHECK_EQ(atoi(procstat_field(text, 4)), 7);
	CHECK_EQ(atoi(procstat_field(text, 9)), 4194304);
	CHECK(!procstat_field(text, 10));
	CHECK(!procstat_field("", 3));
}

TEST(a_status_value_is_found_by_its_whole_name)
{
	const char *text = "Name:\tUid:\nTracerUid:\t5\nUid:\t1000\t1001\nSeccomp:\t2\n"
			   "Seccomp_filters:\t3\n";

	CHECK_EQ(atoi(procstatus_value(text, "Uid")), 1000);
	CHECK_EQ(atoi(procstatus_value(text, "Seccomp")), 2);
	CHECK_EQ(atoi(procstatus_value(text, "Seccomp_filters")), 3);
	CHECK(!procstatus_value(text, "Threads"));
	CHECK(!procstatus_value("", "Uid"));
}

TEST(maps_are_cut_into_mappings)
{
	char text[] = "00400000-0040b000 r-xp 00001000 fe:01 4711   /usr/bin/a b (deleted)\n"
		      "nonsense\n"
		      "7f00-7f10 rw-s 00000000 00:00 0 \n"
		      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]\n"
		      "1000-2000 r-xp 0000"; /* cut off */
	char *at = text;
	struct procmap m;

	CHECK(procmap_next(&at, &m));
	CHECK_EQ(m.start, 0x400000);
	CHECK_EQ(m.end, 0x40b000);
	CHECK(m.read && !m.write && m.exec && !m.shared);
	CHECK_EQ(m.offset, 0x1000);
	CHECK_EQ(m.dev_major, 0xfe);
	CHECK_EQ(m.dev_minor, 1);
	CHECK_EQ(m.ino, 4711);
	CHECK_STR(m.path, "/usr/bin/a b (deleted)");
	CHECK(procmap_next(&at, &m));
	CHECK(m.read && m.write && !m.exec && m.shared);
	CHECK_STR(m.path, "");
	CHECK(procmap_next(&at, &m));
	CHECK_EQ(m.start, 0xffffffffff600000);
	CHECK_STR(m.path, "[vsyscall]");
	CHECK(!procmap_next(&at, &m));
}

TEST(files_are_read_whole_or_from_their_start)
{
	struct strbuf text;
	char buf[8];

	strbuf_init(&text);
	CHECK_EQ(procfile_slurp(getpid(), "maps", &text), 0);
	CHECK(strstr(text.s, "[stack]") != NULL);
	CHECK_EQ(procfile_start(getpid(), "maps", buf, sizeof(buf)), 7);
	CHECK_EQ(strncmp(text.s, buf, 7), 0);
	CHECK_EQ(procfile_start(getpid(), "no such file", buf, sizeof(buf)), -ENOENT);
	CHECK_STR(buf, "");
	CHECK_EQ(slurp("/", &text), -EISDIR);
	strbuf_release(&text);
	CHECK_EQ(procauxv(getpid(), AT_PHDR), getauxval(AT_PHDR));
	CHECK_EQ(procauxv(getpid(), 12345), 0);
}

TEST_MAIN();
