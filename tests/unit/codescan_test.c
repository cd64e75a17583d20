#include "symbols/x86/codescan.h"

#include "tests/unit/test.h"

static unsigned returns(const uint8_t *code, size_t n, uint32_t *offs)
{
	return code_returns(code, n, offs, 4);
}

TEST(returns_are_found_behind_branches_and_calls)
{
	static const uint8_t code[] = {
		0x85, 0xff,		      /* 0: test %edi,%edi */
		0x74, 0x06,		      /* 2: je a */
		0xe8, 0x00, 0x00, 0x00, 0x00, /* 4: call 9 */
		0xc3,			      /* 9: ret */
		0xc2, 0x10, 0x00,	      /* a: ret $16 */
	};
	uint32_t offs[4];

	CHECK_EQ(returns(code, sizeof(code), offs), 2);
	CHECK_EQ(offs[0], 9);
	CHECK_EQ(offs[1], 10);
}

TEST(data_behind_a_jump_is_no_code)
{
	static const uint8_t code[] = {
		0xeb, 0x03,	  /* 0: jmp 5 */
		0xc3, 0xc3, 0xb8, /* 2: data that looks like code */
		0xff, 0xe0,	  /* 5: jmp *%rax */
		0xc3,		  /* 7: nobody comes here */
	};
	uint32_t offs[4];

	CHECK_EQ(returns(code, sizeof(code), offs), 0);
	CHECK_EQ(code_insns(code, sizeof(code), offs, 4), 2);
	CHECK_EQ(offs[0], 0);
	CHECK_EQ(offs[1], 5);
}

TEST(what_does_not_decode_is_no_instruction)
{
	static const uint8_t code[] = {
		0x74, 0x01, /* 0: je 3 */
		0x90,	    /* 2: nop */
		0x06,	    /* 3: no instruction */
	};
	uint32_t offs[4];

	CHECK_EQ(code_insns(code, sizeof(code), offs, 4), 2);
	CHECK_EQ(offs[1], 2);
}

TEST(loops_and_ends_in_the_middle_of_an_instruction)
{
	static const uint8_t loop[] = {0x90, 0xeb, 0xfd};
	static const uint8_t cut[] = {0x75, 0x01, 0xc3, 0xb8, 0x00};
	uint32_t offs[4];

	CHECK_EQ(returns(loop, sizeof(loop), offs), 0);
	CHECK_EQ(returns(cut, sizeof(cut), offs), 1);
	CHECK_EQ(offs[0], 2);
	CHECK_EQ(returns(cut, 0, offs), 0);
}

TEST_MAIN();
