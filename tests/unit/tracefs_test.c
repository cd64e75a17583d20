/* The format files of tracepoints, and the fields of their records. */
#include "providers/kernel/tracefs/tracefs.h"

#include "tests/unit/test.h"

static const char exec_format[] =
	"name: sched_process_exec\n"
	"ID: 366\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n"
	"\tfield:const char *const * argv;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"filename=%s pid=%d\", __get_str(filename), REC->pid\n";

/* the record: common fields, filename at 40 with 5 bytes, pid -2, comm */
static const unsigned char record[48] = {
	0x6e, 0x01, 0,	  0,	1,   0,	  0, 0,		 40,  0,   5,	0,
	0xfe, 0xff, 0xff, 0xff, 's', 'h', 0, [40] = '/', 'b', 'i', 'n', 0,
};

static struct tpformat *parse(struct arena *a, const char *text)
{
	arena_init(a);
	return tpformat_parse(a, "sched", text);
}

TEST(format)
{
	struct arena a;
	const struct tpformat *f = parse(&a, exec_format);

	CHECK(f != NULL);
	CHECK_STR(f->name, "sched_process_exec");
	CHECK_EQ(f->id, 366);
	CHECK_EQ(f->nfields, 4); /* without the common ones */
	CHECK_EQ(f->size, 40);
	CHECK_EQ(f->fields[0].place, TP_DATA_LOC);
	CHECK_STR(f->fields[0].type, "char");
	CHECK_EQ(f->fields[2].nelems, 16);
	CHECK_STR(f->fields[3].type, "const char *const *");
	CHECK_STR(f->fields[3].name, "argv");
	arena_release(&a);
}

TEST(fields_of_a_record)
{
	struct arena a;
	const struct tpformat *f = parse(&a, exec_format);
	const char *text;
	size_t len;

	CHECK_EQ((int64_t)tpfield_int(tpformat_field(f, "pid"), record, sizeof(record)), -2);
	text = tpfield_bytes(tpformat_field(f, "filename"), record, sizeof(record), &len);
	CHECK_EQ(len, 4);
	CHECK(memcmp(text, "/bin", 4) == 0);
	text = tpfield_bytes(tpformat_field(f, "comm"), record, sizeof(record), &len);
	CHECK_STR(text, "sh");
	CHECK(tpformat_field(f, "nothing") == NULL);
	arena_release(&a);
}

TEST(a_record_that_is_too_short_is_not_believed)
{
	struct arena a;
	const struct tpformat *f = parse(&a, exec_format);
	size_t len = 1;

	CHECK(tpfield_bytes(tpformat_field(f, "filename"), record, 44, &len) == NULL);
	CHECK_EQ(len, 0);
	CHECK_EQ(tpfield_int(tpformat_field(f, "pid"), record, 14), 0);
	arena_release(&a);
}

TEST(what_is_no_format)
{
	struct arena a;

	CHECK(parse(&a, "") == NULL);
	arena_release(&a);
	CHECK(parse(&a, "name: x\n\tfield:int;\toffset:8;\tsize:99999999;\tsigned:0;\n") == NULL);
	arena_release(&a);
}

TEST_MAIN();
