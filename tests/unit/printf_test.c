#include "dlang/print/printf.h"

#include "dlang/print/printagg.h"
#include "dlang/print/printval.h"
#include "dlang/program.h"
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <netdb.h>

static struct arena arena;
static struct options options;

/* clang-format off */
static const struct type
	t_char = {.kind = TYPE_INT, .size = 1, .is_signed = true, .is_char = true},
	t_uchar = {.kind = TYPE_INT, .size = 1},
	t_short = {.kind = TYPE_INT, .size = 2, .is_signed = true},
	t_ushort = {.kind = TYPE_INT, .size = 2},
	t_int = {.kind = TYPE_INT, .size = 4, .is_signed = true},
	t_uint = {.kind = TYPE_INT, .size = 4},
	t_long = {.kind = TYPE_INT, .size = 8, .is_signed = true},
	t_ulong = {.kind = TYPE_INT, .size = 8},
	t_double = {.kind = TYPE_FLOAT, .size = 8},
	t_pointer = {.kind = TYPE_POINTER, .size = 8, .ref = &t_char},
	t_string = {.kind = TYPE_STRING, .size = 256},
	t_chars = {.kind = TYPE_ARRAY, .size = 8, .ref = &t_char, .nelems = 8},
	t_ints = {.kind = TYPE_ARRAY, .size = 16, .ref = &t_int, .nelems = 4},
	t_stack = {.kind = TYPE_STACK, .size = 160},
	t_usym = {.kind = TYPE_USYMADDR, .size = 16};
/* clang-format on */

/* ---- parsing ---- */

static const struct pfmt *parse(const char *text)
{
	const struct pfmt *fmt;
	struct err err = {0};

	if (pfmt_parse(&arena, text, &fmt, &err))
		TEST_FAIL("\"%s\": %s", text, err.text);
	return fmt;
}

static const struct {
	const char *text, *error;
} errors[] = {
	/* clang-format off */
	{"%q",        "format conversion #1 is undefined: %q"},
	{"%hhd",      "format conversion #1 is undefined: %hhd"},
	{"%d %z",     "format conversion #2 is undefined: %z"},
	{"%% %-5q",   "format conversion #1 is undefined: %q"},
	{"%",         "format conversion #1 name expected before end of format string"},
	{"x %d %-5",  "format conversion #2 name expected before end of format string"},
	{"%ll",       "format conversion #1 name expected before end of format string"},
	{"%**d",      "format conversion #1 has more than one '*' specified for the output width"},
	{"%.**d",     "format conversion #1 has more than one '*' specified for the output precision"},
	{"%1.2.3d",   "format conversion #1 has more than one '.' specified"},
	{"%1$d",      "format conversion #1 uses unsupported positional format (%n$)"},
	{"%-%",       "format conversion #1 cannot be combined with other format flags: %%"},
	{"%5%",       "format conversion #1 cannot be combined with other format flags: %%"},
	/* clang-format on */
};

TEST(errors_of_formats)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		const struct pfmt *fmt;
		struct err err = {0};

		CHECK(pfmt_parse(&arena, errors[i].text, &fmt, &err) < 0);
		CHECK_STR(err.text, errors[i].error);
	}
}

TEST(a_format_is_taken_apart)
{
	const struct pfmt *fmt = parse("100%% of %-*.3lld, %@?x|");

	CHECK_EQ(fmt->ndirs, 3);
	CHECK_EQ(fmt->dirs[0].prefixlen, 8);
	CHECK(!memcmp(fmt->dirs[0].prefix, "100% of ", 8));
	CHECK_STR(fmt->dirs[0].conv->name, "lld");
	CHECK_STR(fmt->dirs[0].spec, "%lld");
	CHECK_EQ(fmt->dirs[0].flags, PF_LEFT | PF_DYNWIDTH);
	CHECK_EQ(fmt->dirs[0].prec, 3);
	CHECK_EQ(fmt->dirs[1].flags, PF_AGG);
	CHECK_EQ(fmt->dirs[1].width, 16);
	CHECK_EQ(fmt->dirs[1].num, 2);
	CHECK(!fmt->dirs[2].conv);
	CHECK_EQ(fmt->dirs[2].prefixlen, 1);
	CHECK_EQ(parse("")->ndirs, 0);
}

static const struct {
	const char *conv;
	const struct type *type;
	bool accepted, with_target;
} accepted[] = {
	/* clang-format off */
	{"%d", &t_char, true, true},     {"%d", &t_ulong, true, true},   {"%d", &t_pointer, false, false},
	{"%hd", &t_short, true, true},   {"%hd", &t_int, false, false},  {"%hx", &t_char, false, false},
	{"%ld", &t_long, true, true},    {"%ld", &t_int, false, false},
	{"%lld", &t_long, true, true},   {"%lld", &t_ulong, false, false},
	{"%llu", &t_ulong, true, true},  {"%llu", &t_long, false, false},
	{"%llx", &t_ulong, true, true},  {"%llX", &t_long, true, true},
	{"%f", &t_double, true, true},   {"%f", &t_int, false, false},
	{"%c", &t_int, true, true},      {"%c", &t_long, false, false},
	{"%s", &t_string, true, true},   {"%s", &t_chars, true, true},   {"%s", &t_pointer, false, false},
	{"%s", &t_ints, false, false},   {"%S", &t_chars, true, true},
	{"%ws", &t_ints, true, true},    {"%ls", &t_chars, false, false}, {"%wc", &t_int, true, true},
	{"%p", &t_pointer, true, true},  {"%p", &t_int, true, true},     {"%p", &t_string, false, false},
	{"%a", &t_pointer, true, true},  {"%A", &t_usym, true, true},    {"%A", &t_pointer, false, true},
	{"%k", &t_stack, true, true},    {"%k", &t_long, false, false},
	{"%P", &t_ushort, true, true},   {"%P", &t_int, false, false},
	{"%Y", &t_long, true, true},     {"%Y", &t_ulong, true, true},   {"%T", &t_int, false, false},
	/* clang-format on */
};

TEST(types_that_conversions_take)
{
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		const struct pconv *conv = parse(accepted[i].conv)->dirs[0].conv;

		if (conv->accepts(accepted[i].type, false) != accepted[i].accepted ||
		    conv->accepts(accepted[i].type, true) != accepted[i].with_target)
			TEST_FAIL("row %zu: %s", i, accepted[i].conv);
	}
}

/* ---- printing ---- */

static char data[4096];
static struct action acts[16];
static unsigned nacts;
static uint32_t used;
static struct strbuf out;

static void start(void)
{
	if (!out.s)
		strbuf_init(&out);
	strbuf_clear(&out);
	options_init(&options);
	nacts = used = 0;
}

static void add_arg(enum rec_kind kind, const struct type *type, const void *p, uint32_t size)
{
	acts[nacts++].rec = (struct rec){.kind = kind, .offset = used, .size = size, .type = type};
	memcpy(data + used, p, size);
	used += ROUND_UP(size, 8);
}

static void add_int(const struct type *type, int64_t v)
{
	add_arg(REC_INT, type, &v, (uint32_t)type->size);
}

static void add_string(const char *s)
{
	char text[64] = "";

	snprintf(text, sizeof(text), "%s", s);
	add_arg(REC_STRING, &t_string, text, sizeof(text));
}

static const char *print(const char *text)
{
	const struct printer pr = {.out = &out, .options = &options};
	const struct pargs args = {.acts = acts, .n = nacts, .data = data};

	strbuf_clear(&out);
	pfmt_print(&pr, parse(text), &args);
	return out.s;
}

static const char *print_int(const char *text, const struct type *type, int64_t v)
{
	start();
	add_int(type, v);
	return print(text);
}

static const char *print_string(const char *text, const char *s)
{
	start();
	add_string(s);
	return print(text);
}

TEST(widths_precisions_and_flags)
{
	start();
	add_int(&t_int, 65);
	add_int(&t_int, 66);
	add_int(&t_int, 42);
	add_int(&t_int, 42);
	add_int(&t_int, 5);
	add_int(&t_int, 8);
	add_string("abcdefg");
	add_string("xyz");
	add_string("abc");
	CHECK_STR(print("[%5c|%-4c|%8.3d|%05d|%+d|%#o|%10.4s|%-6.2s|%.0s]"),
		  "[    A|B   |     042|00042|+5|010|      abcd|xy    |abc]");
	CHECK_STR(print_int("[% d|", &t_int, 5), "[ 5|");
	CHECK_STR(print_int("%-6d|", &t_int, -42), "-42   |");
	CHECK_STR(print_int("%06d", &t_int, -42), "-00042");
	CHECK_STR(print_int("%#x", &t_int, 255), "0xff");
	CHECK_STR(print_int("%#8X", &t_int, 255), "    0XFF");
	CHECK_STR(print_int("%#x", &t_int, 0), "0");
	CHECK_STR(print_int("%?x", &t_int, 1), "               1");
	CHECK_STR(print_int("%08x", &t_int, 48879), "0000beef");
}

TEST(size_and_sign_follow_the_argument)
{
	CHECK_STR(print_int("%d", &t_char, -1), "-1");
	CHECK_STR(print_int("%x", &t_char, -1), "ff");
	CHECK_STR(print_int("%u", &t_short, -1), "65535");
	CHECK_STR(print_int("%o", &t_uchar, 255), "377");
	CHECK_STR(print_int("%d", &t_uint, 4294967295), "4294967295");
	CHECK_STR(print_int("%i", &t_uint, 4294967295), "4294967295");
	CHECK_STR(print_int("%u", &t_int, -1), "4294967295");
	CHECK_STR(print_int("%x", &t_long, -1), "ffffffffffffffff");
	CHECK_STR(print_int("%d", &t_ulong, -1), "18446744073709551615");
	CHECK_STR(print_int("%d", &t_long, INT64_MIN), "-9223372036854775808");
	CHECK_STR(print_int("%p", &t_int, -1), "ffffffff");
	CHECK_STR(print_int("%#p", &t_pointer, 0x1000), "0x1000");
	CHECK_STR(print_int("%p", &t_pointer, 0), "0");
}

TEST(stars_take_arguments)
{
	start();
	add_int(&t_int, 6);
	add_int(&t_int, 7);
	CHECK_STR(print("[%*d]"), "[     7]");
	start();
	add_int(&t_int, -6);
	add_int(&t_int, 2);
	add_string("xyz");
	CHECK_STR(print("[%*.*s]"), "[xy    ]");
	start();
	add_int(&t_int, -2);
	add_string("xyz");
	CHECK_STR(print("[%.*s]"), "[xyz]");
}

TEST(characters_and_escapes)
{
	start();
	add_int(&t_char, 0);
	print("a%cb");
	CHECK_EQ(out.len, 3);
	CHECK(!memcmp(out.s, "a\0b", 3));
	CHECK_STR(print_int("%C", &t_char, '\n'), "\\n");
	CHECK_STR(print_int("%C", &t_char, 0), "\\0");
	CHECK_STR(print_int("%C", &t_char, 27), "\\033");
	CHECK_STR(print_int("%C", &t_char, 'x'), "x");
	CHECK_STR(print_string("[%S]", "a\n"), "[a\\n\\0]");
	CHECK_STR(print_string("[%S]", ""), "[\\0]");
	CHECK_STR(print_string("%S", "\"\\ \xff~"), "\\\"\\\\ \\377~\\0");
}

TEST(arrays_as_text)
{
	static const int32_t wide[] = {'h', 0xe9, 0x20ac, 0};

	start();
	add_arg(REC_BYTES, &t_chars, "12345678", 8);
	CHECK_STR(print("%s."), "12345678.");
	start();
	add_arg(REC_BYTES, &t_ints, wide, sizeof(wide));
	CHECK_STR(print("%ws"), "h\303\251\342\202\254");
	CHECK_STR(print_int("%wc", &t_int, 0x1f600), "\360\237\230\200");
}

TEST(floats)
{
	const double d = -2.5;

	start();
	add_arg(REC_BYTES, &t_double, &d, sizeof(d));
	CHECK_STR(print("[%f]"), "[-2.500000]");
	CHECK_STR(print("[%8.1f]"), "[    -2.5]");
	CHECK_STR(print("[%-10e]"), "[-2.500000e+00]");
	CHECK_STR(print("[%g]"), "[-2.5]");
}

TEST(times_and_names)
{
	setenv("TZ", "UTC", 1);
	CHECK_STR(print_int("%Y", &t_long, 0), "1970 Jan  1 00:00:00");
	CHECK_STR(print_int("%Y", &t_long, INT64_C(946684799000000000)), "1999 Dec 31 23:59:59");
	CHECK_STR(print_int("%T", &t_long, 0), "Thu, 01 Jan 1970 00:00:00 UTC");
	/* /etc/services may be missing */
	CHECK_STR(print_int("%P", &t_ushort, 1), getservbyport(htons(1), NULL) ? "tcpmux" : "1");
	CHECK_STR(print_string("%I", "no address"), "no address");
	CHECK_STR(print_int("%a", &t_pointer, 0x1000), "0x1000");
	CHECK_STR(print_int("%10a|", &t_pointer, 0x1000), "    0x1000|");
}

TEST(a_percent_in_the_data_is_inert)
{
	CHECK_STR(print_string("%s", "%d %s"), "%d %s");
}

TEST_MAIN();
