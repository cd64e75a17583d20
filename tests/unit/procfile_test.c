/* The texts of /proc/PID, with the odd names that programs and files give themselves. */
#include "base/procfile.h"

#include <errno.h>
#include <limits.h>
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

TEST(a_mount_is_taken_apart_with_any_number_of_optional_fields)
{
	char none[] = "36 35 98:0 / /mnt rw,noatime - ext4 /dev/sda rw\n";
	char two[] = "37 36 253:17 /a\\040- /mnt/b\\040c\\134040\\012d rw shared:1 master:2 - "
		     "fuse.x\\011y a - b rw,lowerdir=- c";
	struct procmount m;

	CHECK(procmount_parse(none, &m));
	CHECK_EQ(m.id, 36);
	CHECK_EQ(m.dev_major, 98);
	CHECK_EQ(m.dev_minor, 0);
	CHECK_STR(m.root, "/");
	CHECK_STR(m.point, "/mnt");
	CHECK_STR(m.type, "ext4");
	CHECK(procmount_parse(two, &m));
	CHECK_EQ(m.dev_major, 253);
	CHECK_EQ(m.dev_minor, 17);
	CHECK_STR(m.root, "/a -");
	CHECK_STR(m.point, "/mnt/b c\\040\nd");
	CHECK_STR(m.type, "fuse.x\ty");
}

TEST(what_is_no_line_of_mountinfo_is_no_mount)
{
	static const char *const odd[] = {
		"",
		"\n",
		"36",
		"36 35 98:0 / /mnt rw",
		"36 35 98:0 / /mnt rw -",
		"36 35 98:0 / /mnt rw - ",
		"36 35 98:0 / /mnt rw shared:1 ext4 /dev/sda rw",
		"36 35 98 / /mnt rw - ext4 /dev/sda rw",
		"36 35 98:0 /  rw - ext4 /dev/sda rw",
		"36 35 98:0 / /mnt\nrw - ext4 /dev/sda rw",
	};
	char line[128];
	struct procmount m;

	for (unsigned i = 0; i < ARRAY_SIZE(odd); i++) {
		snprintf(line, sizeof(line), "%s", odd[i]);
		if (procmount_parse(line, &m))
			TEST_FAIL("\"%s\" is taken for a mount", odd[i]);
	}
}

static bool is_proc(void *arg, const struct procmount *m)
{
	return !(*(bool *)arg = strcmp(m->point, "/proc") == 0 && strcmp(m->type, "proc") == 0);
}

TEST(the_mounts_of_a_process_are_visited_until_one_is_found)
{
	bool found = false;

	procmounts_each(getpid(), is_proc, &found);
	CHECK(found);
	found = false;
	procmounts_each(INT_MAX, is_proc, &found);
	CHECK(!found);
}

TEST(values_of_the_processor_are_found_by_their_whole_name)
{
	const char *text = "processor\t: 0\ncpu\t\t: x\ncpu MHz\t\t: 2100.5\nflags\t\t: fpu "
			   "constant_tsc_x nonstop_tsc\nvmx flags\t: ept constant_tsc\nodd";

	CHECK_EQ(atoi(cpuinfo_value(text, "cpu MHz")), 2100);
	CHECK_EQ(cpuinfo_value(text, "cpu")[0], 'x');
	CHECK(!cpuinfo_value(text, "odd"));
	CHECK(!cpuinfo_value(text, "MHz"));
	CHECK(!cpuinfo_value("", "cpu"));
	CHECK(cpuinfo_has_flag(text, "fpu"));
	CHECK(cpuinfo_has_flag(text, "nonstop_tsc"));
	CHECK(!cpuinfo_has_flag(text, "constant_tsc"));
	CHECK(!cpuinfo_has_flag(text, "ept"));
	CHECK(!cpuinfo_has_flag("flags\t:", ""));
	CHECK(!cpuinfo_has_flag("flags\t: a  b\n", "c"));
}

TEST(only_a_whole_number_names_a_process)
{
	CHECK_EQ(procid_of("4711"), 4711);
	CHECK_EQ(procid_of("2147483647"), INT_MAX);
	CHECK_EQ(procid_of("2147483648"), 0);
	CHECK_EQ(procid_of("99999999999999999999999"), 0);
	CHECK_EQ(procid_of("12ab"), 0);
	CHECK_EQ(procid_of("-1"), 0);
	CHECK_EQ(procid_of(" 1"), 0);
	CHECK_EQ(procid_of("."), 0);
	CHECK_EQ(procid_of(""), 0);
	CHECK_EQ(procid_of("self"), 0);
}

TEST(we_are_among_the_processes_and_our_first_thread_is_our_only_one)
{
	struct procids ids;
	bool found = false;
	pid_t id;

	CHECK_EQ(procids_open(&ids, 0), 0);
	while ((id = procids_next(&ids)))
		found |= id == getpid();
	procids_close(&ids);
	CHECK(found);
	CHECK_EQ(procids_open(&ids, getpid()), 0);
	CHECK_EQ(procids_next(&ids), getpid());
	CHECK_EQ(procids_next(&ids), 0);
	procids_close(&ids);
	CHECK_EQ(procids_open(&ids, INT_MAX), -ENOENT);
	CHECK_EQ(procids_next(&ids), 0);
	procids_close(&ids);
}

TEST(links_are_read_as_far_as_there_is_room)
{
	char path[4096], start[4];

	CHECK(procfile_link(getpid(), "exe", path, sizeof(path)) > 0);
	CHECK(strstr(path, "procfile_test") != NULL);
	CHECK_EQ(procfile_link(getpid(), "exe", start, sizeof(start)), 3);
	CHECK_EQ(strncmp(path, start, 3), 0);
	CHECK_EQ(procfile_link(getpid(), "no such link", start, sizeof(start)), -ENOENT);
	CHECK_STR(start, "");
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
