#include "symbols/sdt.h"

#include "tests/unit/test.h"

static struct sdt_arg parse(const char *text)
{
	struct sdt_arg a[SDT_MAX_ARGS];

	if (sdt_parse_args(text, a) != 1)
		TEST_FAIL("%s: not one argument", text);
	return a[0];
}

TEST(sizes_and_signs)
{
	static const struct {
		const char *text;
		int size, is_signed;
	} rows[] = {
		{"1@$0", 1, 0},	 {"-1@$0", 1, 1}, {"2@$0", 2, 0},  {"-2@$0", 2, 1}, {"4@$0", 4, 0},
		{"-4@$0", 4, 1}, {"8@$0", 8, 0},  {"-8@$0", 8, 1}, {"$0", 8, 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sdt_arg a = parse(rows[i].text);

		CHECK_EQ(a.place, SDT_CONST);
		CHECK_EQ(a.size, rows[i].size);
		CHECK_EQ(a.is_signed, rows[i].is_signed);
	}
}

TEST(registers)
{
	static const struct {
		const char *text;
		int base, width, shift;
	} rows[] = {
		{"%rax", 0, 8, 0},   {"%eax", 0, 4, 0},	  {"%ax", 0, 2, 0},    {"%al", 0, 1, 0},
		{"%ah", 0, 1, 8},    {"%bh", 3, 1, 8},	  {"%dil", 7, 1, 0},   {"%spl", 4, 1, 0},
		{"%bp", 5, 2, 0},    {"%esi", 6, 4, 0},	  {"%r8", 8, 8, 0},    {"%r9d", 9, 4, 0},
		{"%r10w", 10, 2, 0}, {"%r15b", 15, 1, 0}, {"%r12l", 12, 1, 0}, {"%rcx", 1, 8, 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sdt_arg a = parse(rows[i].text);

		CHECK_EQ(a.place, SDT_REG);
		CHECK_EQ(a.base, rows[i].base);
		CHECK_EQ(a.width, rows[i].width);
		CHECK_EQ(a.shift, rows[i].shift);
	}
}

TEST(memory)
{
	struct sdt_arg a = parse("8@-152(%rdi)");

	CHECK_EQ(a.place, SDT_MEM);
	CHECK_EQ(a.base, 7);
	CHECK_EQ(a.disp, -152);
	CHECK_EQ(a.index, SDT_NO_REG);
	a = parse("-4@8(%r12,%rbx,4)");
	CHECK_EQ(a.base, 12);
	CHECK_EQ(a.index, 3);
	CHECK_EQ(a.scale, 4);
	a = parse("4@(,%rcx,8)");
	CHECK_EQ(a.base, SDT_NO_REG);
	CHECK_EQ(a.index, 1);
	a = parse("4@%fs:-8(%rax)");
	CHECK_EQ(a.segment, 'f');
	CHECK_EQ(a.disp, -8);
	a = parse("4@0x600");
	CHECK_EQ(a.place, SDT_MEM);
	CHECK_EQ(a.disp, 0x600);
}

TEST(symbols)
{
	struct sdt_arg a = parse("-4@12+table(%rip)");

	CHECK_EQ(a.place, SDT_MEM);
	CHECK_EQ(a.disp, 12);
	CHECK_EQ(a.symbol_len, 5);
	CHECK(!memcmp(a.symbol, "table", 5));
	a = parse("8@$table-3");
	CHECK_EQ(a.place, SDT_CONST);
	CHECK_EQ(a.disp, -3);
	CHECK_EQ(a.symbol_len, 5);
}

TEST(floats)
{
	struct sdt_arg a = parse("-4f@%xmm1");

	CHECK_EQ(a.place, SDT_XMM);
	CHECK_EQ(a.base, 1);
	CHECK_EQ(a.size, 4);
	CHECK(a.is_float);
	a = parse("8f@%xmm15");
	CHECK_EQ(a.base, 15);
	a = parse("8f@8(%rsp)");
	CHECK_EQ(a.place, SDT_MEM);
	CHECK_EQ(a.base, 4);
	CHECK(a.is_float);
}

TEST(what_is_not_understood_is_nowhere)
{
	static const char *const texts[] = {
		"4@%xmm0", "4@%st",	 "4f@%xmm16", "8f@%rax", "3@%eax",
		"4@",	   "4@12(%rip)", "4@(%eax)",  "4@a+b",	 "4@a-b",
		"4@(%rax", "4@8(%rax)x", "@%eax",     "-@$1",	 "4@%",
		"$",	   "4@$",	 "4@%r16",    "4@%r1",	 "4@(%rax,%rbx,9)",
		"x@$1",	   "4f@$1",	 "2f@%xmm0",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++)
		if (parse(texts[i]).place != SDT_NOWHERE)
			TEST_FAIL("%s was understood", texts[i]);
}

TEST(arguments_are_separated_by_blanks)
{
	struct sdt_arg a[SDT_MAX_ARGS];
	char many[5 * (SDT_MAX_ARGS + 1) + 1];

	CHECK_EQ(sdt_parse_args("", a), 0);
	CHECK_EQ(sdt_parse_args("  ", a), 0);
	CHECK_EQ(sdt_parse_args("-4@%eax 8@$5", a), 2);
	CHECK_EQ(a[1].disp, 5);
	for (unsigned i = 0; i < SDT_MAX_ARGS + 1; i++)
		memcpy(many + 5 * i, "1@$1 ", 6);
	CHECK_EQ(sdt_parse_args(many, a), SDT_MAX_ARGS);
}

TEST_MAIN();
