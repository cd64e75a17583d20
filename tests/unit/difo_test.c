#include "dlang/difo.h"

#include "base/strbuf.h"
#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

/* What follows the header line, whose address varies. */
static const char *body(void)
{
	static struct strbuf out;
	const char *p;

	if (out.s)
		strbuf_release(&out);
	strbuf_init(&out);
	if (!rig.difo.type)
		rig.difo.type = &rig_int;
	difo_print(rig_end(), &out);
	CHECK(strncmp(out.s, "\nDIFO 0x", 8) == 0);
	p = strstr(out.s, " returns ");
	CHECK(p);
	return p + strlen(" returns ");
}

TEST(header_title_and_lines_are_those_of_the_manual)
{
	rig_default();
	rig_begin();
	rig_setx(7, 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	CHECK_STR(body(), "D type (integer) (size 4)\n"
			  "OFF OPCODE      INSTRUCTION\n"
			  "00: 25000001    setx DT_INTEGER[0], %r1\t\t! 0x7\n"
			  "01: 23000001    ret  %r1\n");
}

TEST(string_result_is_by_reference)
{
	rig_default();
	rig_begin();
	rig.difo.type = &rig_string;
	rig_sets("a\n\"\x01", 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	CHECK_STR(body(), "string (unknown) by ref (size 256)\n"
			  "OFF OPCODE      INSTRUCTION\n"
			  "00: 26000101    sets DT_STRING[1], %r1\t\t! \"a\\n\\\"\\001\"\n"
			  "01: 23000001    ret  %r1\n");
}

TEST(struct_of_the_target_is_by_user_reference)
{
	rig_default();
	rig_begin();
	rig.difo.type = &rig_struct;
	rig.difo.is_userland = true;
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 0));
	CHECK(strncmp(body(), "D type (struct) by user ref (size 24)\n", 38) == 0);
}

TEST(operands_follow_their_format)
{
	rig_default();
	rig_begin();
	rig_emit(DIF_FMT(DIF_OP_ADD, 1, 2, 3));
	rig_emit(DIF_FMT(DIF_OP_NOT, 1, 0, 3));
	rig_emit(DIF_FMT(DIF_OP_CMP, 1, 2, 0));
	rig_emit(DIF_FMT(DIF_OP_TST, 1, 0, 0));
	rig_emit(DIF_LABEL(DIF_OP_BGEU, 5));
	rig_emit(DIF_FMT(DIF_OP_ULDSB, 1, 0, 2));
	rig_emit(DIF_FMT(DIF_OP_STX, 1, 0, 2));
	rig_emit(DIF_FMT(DIF_OP_NOP, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_PUSHTR, DIF_PUSH_STRING, 0, 1));
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, 0, 0, 2));
	rig_emit(DIF_INDEX(DIF_OP_CALL, SUBR_STRLEN, 1));
	rig_emit(DIF_FMT(DIF_OP_LDGA, BUILTIN_ARGS, 1, 2));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	CHECK_STR(strstr(body(), "00:"),
		  "00: 07010203    add  %r1, %r2, %r3\n"
		  "01: 0d010003    not  %r1, %r3\n"
		  "02: 0f010200    cmp  %r1, %r2\n"
		  "03: 10010000    tst  %r1\n"
		  "04: 17000005    bgeu 5\n"
		  "05: 40010002    uldsb [%r1], %r2\n"
		  "06: 3f010002    stx  %r1, [%r2]\n"
		  "07: 24000000    nop\n"
		  "08: 33000000    flushts\n"
		  "09: 30010001    pushtr DT_TYPE(1), %r0, %r1\t\t! DT_TYPE(1) = string\n"
		  "10: 31000002    pushtv DT_TYPE(0), %r2\t\t! DT_TYPE(0) = D type\n"
		  "11: 2f002c01    call DIF_SUBR(44), %r1\t\t! strlen\n"
		  "12: 28000102    ldga DT_VAR(0), %r1, %r2\t\t! DT_VAR(0) = \"args\"\n"
		  "13: 23000001    ret  %r1\n");
}

TEST(variables_have_a_table)
{
	rig_default();
	rig_begin();
	rig_var(DIF_SCOPE_GLOBAL, 0x500, false);
	rig_var(DIF_SCOPE_SELF, 0x500, true);
	rig.vars[0].name = "x";
	rig.vars[0].is_read = rig.vars[0].is_written = true;
	rig.vars[0].type = &rig_int;
	rig.vars[1].name = "y";
	rig.vars[1].is_written = true;
	rig.vars[1].type = &rig_string;
	rig_emit(DIF_INDEX(DIF_OP_LDGS, 0x500, 1));
	rig_emit(DIF_INDEX(DIF_OP_STTAA, 0x500, 1));
	rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_PID, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	CHECK_STR(strstr(body(), "00:"),
		  "00: 29050001    ldgs DT_VAR(1280), %r1\t\t! DT_VAR(1280) = \"x\"\n"
		  "01: 37050001    sttaa %r1, DT_VAR(1280)\t\t! DT_VAR(1280) = \"y\"\n"
		  "02: 29011601    ldgs DT_VAR(278), %r1\t\t! DT_VAR(278) = \"pid\"\n"
		  "03: 23000001    ret  %r1\n"
		  "\nNAME             ID   KND SCP FLAG TYPE\n"
		  "x                1280 scl glb r/w  D type (integer) (size 4)\n"
		  "y                1280 arr tls w    string (unknown) by ref (size 256)\n");
}

static uint64_t computed(unsigned op, uint64_t a, uint64_t b)
{
	uint64_t v = 0;

	CHECK(insn_compute(op, a, b, &v));
	return v;
}

TEST(what_instructions_compute_of_numbers_alone)
{
	uint64_t v = 7;

	CHECK_EQ(computed(DIF_OP_OR, 5, 3), 7);
	CHECK_EQ(computed(DIF_OP_XOR, 5, 3), 6);
	CHECK_EQ(computed(DIF_OP_AND, 5, 3), 1);
	CHECK_EQ(computed(DIF_OP_SLL, 1, 65), 2);
	CHECK_EQ(computed(DIF_OP_SRL, UINT64_MAX, 127), 1);
	CHECK_EQ(computed(DIF_OP_SRA, -8ULL, 65), -4ULL);
	CHECK_EQ(computed(DIF_OP_SUB, 1, 2), UINT64_MAX);
	CHECK_EQ(computed(DIF_OP_ADD, UINT64_MAX, 2), 1);
	CHECK_EQ(computed(DIF_OP_MUL, 1ULL << 63, 3), 1ULL << 63);
	CHECK_EQ(computed(DIF_OP_NOT, 0, 9), UINT64_MAX);
	CHECK_EQ(computed(DIF_OP_MOV, 4, 9), 4);
	CHECK(!insn_compute(DIF_OP_SDIV, 4, 2, &v)); /* it may fault */
	CHECK(!insn_compute(DIF_OP_LDX, 4, 2, &v));
	CHECK(!insn_compute(DIF_OP_BE, 4, 2, &v));
	CHECK_EQ(v, 7);
}

TEST(all_that_computes_without_a_fault_is_of_class_value)
{
	uint64_t v;

	for (unsigned op = 0; op < DIF_NOPS; op++)
		if (insn_compute(op, 1, 1, &v) && insn_class[op] != INSN_VALUE)
			TEST_FAIL("operation %u has class %u", op, insn_class[op]);
}

TEST(a_turned_branch_is_taken_when_the_operands_are_exchanged)
{
	static const uint64_t v[] = {0, 1, 2, 1ULL << 63, INT64_MAX, UINT64_MAX};
	unsigned n = 0;

	for (unsigned op = DIF_OP_NONE; op < DIF_NOPS; op++) {
		if (!(insn_class[op] & INSN_BRANCH) || op == DIF_OP_BA)
			continue;
		n++;
		CHECK_EQ(insn_turned(insn_turned(op)), op);
		for (unsigned i = 0; i < ARRAY_SIZE(v); i++)
			for (unsigned k = 0; k < ARRAY_SIZE(v); k++)
				CHECK_EQ(insn_is_taken(op, v[i], v[k]),
					 insn_is_taken(insn_turned(op), v[k], v[i]));
	}
	CHECK_EQ(n, 10);
	CHECK(insn_is_taken(DIF_OP_BL, -1ULL, 0));
	CHECK(!insn_is_taken(DIF_OP_BLU, -1ULL, 0));
	CHECK(insn_is_taken(DIF_OP_BGEU, -1ULL, -1ULL));
	CHECK(!insn_is_taken(DIF_OP_BNE, 3, 3));
}

TEST(loads_have_a_size_a_sign_and_whose_memory)
{
	CHECK_EQ(insn_loads[DIF_OP_LDSB].size, 1);
	CHECK(insn_loads[DIF_OP_LDSB].is_signed);
	CHECK(!insn_loads[DIF_OP_LDSB].is_user);
	CHECK_EQ(insn_loads[DIF_OP_RLDUW].size, 4);
	CHECK(!insn_loads[DIF_OP_RLDUW].is_signed);
	CHECK(insn_loads[DIF_OP_ULDX].is_user);
	CHECK_EQ(insn_loads[DIF_OP_ULDX].size, 8);
	CHECK_EQ(insn_loads[DIF_OP_STX].size, 0);
	CHECK_EQ(insn_loads[DIF_OP_LDGS].size, 0);
}

TEST_MAIN();
