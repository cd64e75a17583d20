/* Rows of call frame information, boiled down for the walk in the target. */
#include "inject/stacktab.h"

#include "tests/unit/test.h"

static struct cfi_row row_with(struct cfi_rule cfa)
{
	struct cfi_row row = {.cfa = cfa};

	row.regs[CFI_RA] = (struct cfi_rule){.how = CFI_SAVED, .off = -8};
	return row;
}

static struct cfi_rule base(uint8_t reg, int64_t off)
{
	return (struct cfi_rule){.how = CFI_REGISTER, .reg = reg, .off = off};
}

#define EXPR(bytes)                                                                                \
	(struct cfi_rule)                                                                          \
	{                                                                                          \
		.how = CFI_VALEXPR, .len = sizeof(bytes) - 1, .expr = (const uint8_t *)(bytes)     \
	}

static void check(struct cfi_row row, uint8_t how, int32_t off, int16_t rbp, uint8_t add)
{
	struct hook_rule r = stacktab_rule(&row);

	CHECK_EQ(r.how, how);
	CHECK_EQ(r.off, off);
	CHECK_EQ(r.rbp, rbp);
	CHECK_EQ(r.add, add);
}

TEST(a_register_and_an_offset)
{
	struct cfi_row row = row_with(base(CFI_RBP, 16));

	check(row_with(base(CFI_RSP, 8)), HOOK_RULE_RSP, 8, 0, 0);
	check(row_with(EXPR("\x77\x10\x38\x22")), HOOK_RULE_RSP, 24, 0, 0);
	row.regs[CFI_RBP] = (struct cfi_rule){.how = CFI_SAVED, .off = -16};
	check(row, HOOK_RULE_RBP, 16, -2, 0);
}

TEST(what_lies_in_memory)
{
	struct cfi_row row = row_with(EXPR("\x76\x78\x06"));

	/* DW_OP_breg7 16; deref; plus_uconst 8: perlasm */
	check(row_with(EXPR("\x77\x10\x06\x23\x08")), HOOK_RULE_AT_RSP, 16, 0, 8);
	check(row_with(EXPR("\x77\xf8\x00\x06\x23\x08")), HOOK_RULE_AT_RSP, 120, 0, 8);
	check(row_with(EXPR("\x77\x88\x7f\x06")), HOOK_RULE_AT_RSP, -120, 0, 0);
	check(row_with(EXPR("\x77\x10\x06\x23\x88\x01")), HOOK_RULE_AT_RSP, 16, 0, 136);
	/* DW_OP_breg6 -8; deref, and rbp lies at rbp: a realigned stack */
	row.regs[CFI_RBP] = EXPR("\x76\x00");
	row.regs[CFI_RBP].how = CFI_EXPR;
	check(row, HOOK_RULE_AT_RBP, -8, HOOK_RBP_AT_RBP, 0);
}

TEST(ends_and_signals)
{
	struct cfi_row row = row_with(base(CFI_RSP, 8));

	row.regs[CFI_RA].how = CFI_UNDEFINED;
	check(row, HOOK_RULE_END, 0, 0, 0);
	row.is_signal = true;
	check(row, HOOK_RULE_SIGNAL, 0, 0, 0);
}

TEST(anything_else_is_odd)
{
	struct cfi_row row = row_with(base(CFI_RSP, 8));

	check(row_with(base(CFI_RBX, 8)), HOOK_RULE_ODD, 0, 0, 0);
	check(row_with(base(CFI_RSP, 1LL << 40)), HOOK_RULE_ODD, 0, 0, 0);
	check(row_with(EXPR("\x77")), HOOK_RULE_ODD, 0, 0, 0);
	check(row_with(EXPR("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22")), HOOK_RULE_ODD, 0, 0,
	      0);
	check(row_with(EXPR("\x77\x10\x06\x23\x88\x02")), HOOK_RULE_ODD, 0, 0, 0);
	check(row_with(EXPR("\x73\x10\x06")), HOOK_RULE_ODD, 0, 0, 0);
	row.regs[CFI_RA].off = -16;
	check(row, HOOK_RULE_ODD, 0, 0, 0);
	row = row_with(base(CFI_RSP, 8));
	row.regs[CFI_RBP] = (struct cfi_rule){.how = CFI_REGISTER, .reg = 3};
	check(row, HOOK_RULE_ODD, 0, 0, 0);
}

TEST_MAIN();
