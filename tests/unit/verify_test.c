#include "dlang/difo.h"

#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

static void check_rejected(const char *why)
{
	struct err err = {0};

	CHECK_EQ(verify_difo(rig_end(), &err), -EINVAL);
	if (!strstr(err.text, why))
		CHECK_STR(err.text, why);
}

static void check_accepted(void)
{
	struct err err = {0};

	if (verify_difo(rig_end(), &err))
		CHECK_STR(err.text, "");
}

/* One instruction, then ret. */
static void one(uint32_t insn)
{
	rig_begin();
	rig_emit(insn);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 0));
}

static void push_and_call(unsigned npushes, unsigned subr)
{
	rig_begin();
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	for (unsigned i = 0; i < npushes; i++)
		rig_emit(DIF_FMT(DIF_OP_PUSHTV, 0, 0, 0));
	rig_emit(DIF_INDEX(DIF_OP_CALL, subr, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
}

TEST(plain_expression_is_accepted)
{
	rig_default();
	rig_begin();
	rig_setx(2, 1);
	rig_sets("x", 2);
	rig_emit(DIF_FMT(DIF_OP_ADD, 1, 2, 7));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 7));
	check_accepted();
}

TEST(text_must_end_in_ret)
{
	rig_default();
	rig_begin();
	check_rejected("exceeds");
	rig_emit(DIF_FMT(DIF_OP_NOP, 0, 0, 0));
	check_rejected("not ret");
}

TEST(opcodes_must_exist)
{
	rig_default();
	one(0);
	check_rejected("opcode");
	one(DIF_FMT(DIF_NOPS, 0, 0, 0));
	check_rejected("opcode");
	one(0xffffffff);
	check_rejected("opcode");
}

TEST(registers_must_exist_and_r0_stays_zero)
{
	rig_default();
	one(DIF_FMT(DIF_OP_ADD, 8, 0, 1));
	check_rejected("register");
	one(DIF_FMT(DIF_OP_ADD, 0, 255, 1));
	check_rejected("register");
	one(DIF_FMT(DIF_OP_ADD, 0, 0, 8));
	check_rejected("register");
	one(DIF_FMT(DIF_OP_ADD, 1, 1, 0));
	check_rejected("%r0");
	one(DIF_FMT(DIF_OP_LDX, 1, 0, 0));
	check_rejected("%r0");
	one(DIF_FMT(DIF_OP_STX, 1, 0, 0)); /* stores through %r0: reads it */
	check_accepted();
	one(DIF_FMT(DIF_OP_COPYS, 1, 1, 0));
	check_accepted();
}

TEST(branches_lead_forward)
{
	rig_default();
	one(DIF_LABEL(DIF_OP_BA, 0));
	check_rejected("backward");
	one(DIF_LABEL(DIF_OP_BE, 2));
	check_rejected("behind the end");
	one(DIF_LABEL(DIF_OP_BE, 0xffffff));
	check_rejected("behind the end");
	one(DIF_LABEL(DIF_OP_BE, 1));
	check_accepted();
}

TEST(constants_must_exist)
{
	rig_default();
	one(DIF_INDEX(DIF_OP_SETX, 0, 1));
	check_rejected("integer constant");
	one(DIF_INDEX(DIF_OP_SETS, 1, 1));
	check_rejected("string constant");
	one(DIF_INDEX(DIF_OP_SETS, 0, 1));
	check_accepted();
	rig.strs[0] = 'x'; /* no NUL */
	check_rejected("does not end");
}

TEST(variables_must_be_declared_as_they_are_used)
{
	rig_default();
	one(DIF_INDEX(DIF_OP_LDGS, 0x500, 1));
	check_rejected("not in the table");
	rig_var(DIF_SCOPE_SELF, 0x500, false);
	check_rejected("not in the table");
	rig_var(DIF_SCOPE_GLOBAL, 0x500, true);
	check_rejected("wrong kind");
	one(DIF_INDEX(DIF_OP_STTAA, 0x501, 1));
	rig_var(DIF_SCOPE_SELF, 0x501, true);
	check_accepted();
	one(DIF_INDEX(DIF_OP_LDLS, 0x500, 1));
	rig_var(DIF_SCOPE_THIS, 0x500, false);
	check_accepted();
}

TEST(builtins_are_read_only)
{
	rig_default();
	one(DIF_INDEX(DIF_OP_LDGS, BUILTIN_TIMESTAMP, 1));
	check_accepted();
	one(DIF_INDEX(DIF_OP_LDGS, 0x4ff, 1));
	check_rejected("built-in");
	one(DIF_INDEX(DIF_OP_LDGS, BUILTIN_UREGS, 1));
	check_rejected("built-in");
	one(DIF_INDEX(DIF_OP_STGS, BUILTIN_TIMESTAMP, 1));
	check_rejected("not in the table");
	one(DIF_FMT(DIF_OP_LDGA, BUILTIN_UREGS, 1, 1));
	check_accepted();
	one(DIF_FMT(DIF_OP_LDGA, 1, 1, 1));
	check_rejected("built-in");
	one(DIF_FMT(DIF_OP_LDTA, BUILTIN_ARGS, 1, 1));
	check_rejected("thread-local");
}

TEST(calls_have_their_arguments)
{
	rig_default();
	push_and_call(1, SUBR_STRLEN);
	check_accepted();
	push_and_call(0, SUBR_STRLEN);
	check_rejected("number of arguments");
	push_and_call(2, SUBR_STRLEN);
	check_rejected("number of arguments");
	push_and_call(2, SUBR_SUBSTR);
	check_accepted();
	push_and_call(3, SUBR_SUBSTR);
	check_accepted();
	push_and_call(4, SUBR_SUBSTR);
	check_rejected("number of arguments");
	push_and_call(0, SUBR_RAND);
	check_accepted();
	push_and_call(2, SUBR_CHECK_INDEX);
	check_accepted();
	push_and_call(1, NSUBRS);
	check_rejected("no such subroutine");
	push_and_call(1, SUBR_MSGSIZE);
	check_rejected("no such subroutine");
}

TEST(tuple_stack_is_bounded)
{
	rig_default();
	one(DIF_FMT(DIF_OP_POPTS, 0, 0, 0));
	check_rejected("underflow");
	one(DIF_FMT(DIF_OP_PUSHTR, 3, 0, 0));
	check_rejected("kind");
	rig_begin();
	for (unsigned i = 0; i <= DIF_NTREGS; i++)
		rig_emit(DIF_FMT(DIF_OP_PUSHTV, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 0));
	check_rejected("overflow");
}

TEST(both_ways_to_a_call_are_followed)
{
	rig_default();
	rig_begin();
	rig_emit(DIF_LABEL(DIF_OP_BE, 2));
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, 0, 0, 0)); /* not when branched over */
	rig_emit(DIF_INDEX(DIF_OP_CALL, SUBR_STRLEN, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	check_rejected("number of arguments");
}

TEST_MAIN();
