/* How instructions are crossed: bytes in, plan and slot out; then against the CPU. */
#include "tracer/x86/insn.h"

#include <errno.h>
#include <sys/mman.h>

#include "tests/unit/cpu.h"
#include "tests/unit/test.h"

static int plan(const char *bytes, size_t n, taddr_t pc, struct insn_plan *pl, struct err *err)
{
	return insn_plan((const uint8_t *)bytes, n, pc, pl, err);
}

#define PLAN(bytes, pc, pl) plan(bytes, sizeof(bytes) - 1, pc, pl, NULL)

TEST(endbr64_is_changed_in_place)
{
	struct insn_plan pl;

	CHECK_EQ(PLAN("\xf3\x0f\x1e\xfa", 0x1000, &pl), 0);
	CHECK_EQ(pl.how, INSN_INPLACE);
	CHECK_EQ(pl.len, 4);
}

TEST(push_rbp_runs_in_a_slot)
{
	struct insn_plan pl;
	uint8_t code[SLOT_SIZE];

	CHECK_EQ(PLAN("\x55\x48\x89\xe5", 0x401000, &pl), 0);
	CHECK_EQ(pl.how, INSN_SLOT);
	CHECK_EQ(pl.len, 1);
	CHECK_EQ(insn_slot(&pl, 0x500000, code), 0);
	/* push %rbp; jmp 0x401001 */
	CHECK_EQ(memcmp(code, "\x55\xe9\xfb\x0f\xf0\xff", 6), 0);
}

TEST(a_far_slot_jumps_back_through_memory)
{
	struct insn_plan pl;
	uint8_t code[SLOT_SIZE];

	CHECK_EQ(PLAN("\x55", 0x7f0000001000, &pl), 0);
	CHECK_EQ(insn_slot(&pl, 0x10000, code), 0);
	/* push %rbp; jmp *0(%rip); .quad 0x7f0000001001 */
	CHECK_EQ(memcmp(code, "\x55\xff\x25\0\0\0\0\x01\x10\0\0\0\x7f\0\0", 15), 0);
}

TEST(rip_relative_operands_are_rebased)
{
	struct insn_plan pl;
	uint8_t code[SLOT_SIZE];

	/* mov 0x10(%rip),%rax at 0x401000: the word at 0x401017 */
	CHECK_EQ(PLAN("\x48\x8b\x05\x10\x00\x00\x00", 0x401000, &pl), 0);
	CHECK_EQ(pl.how, INSN_SLOT);
	CHECK_EQ(pl.target, 0x401017);
	CHECK_EQ(insn_slot(&pl, 0x400000, code), 0);
	CHECK_EQ(memcmp(code, "\x48\x8b\x05\x10\x10\x00\x00", 7), 0);
	CHECK_EQ(insn_slot(&pl, 0x7f0000000000, code), -ERANGE);
}

TEST(direct_branches_are_emulated)
{
	struct insn_plan pl;

	CHECK_EQ(PLAN("\xeb\xfe", 0x1000, &pl), 0); /* jmp . */
	CHECK_EQ(pl.how, INSN_EMULATE);
	CHECK_EQ(pl.target, 0x1000);
	CHECK_EQ(PLAN("\x0f\x84\x00\x01\x00\x00", 0x1000, &pl), 0); /* je 0x1106 */
	CHECK_EQ(pl.op, EMUL_JCC);
	CHECK_EQ(pl.target, 0x1106);
	CHECK_EQ(PLAN("\xe3\x10", 0x1000, &pl), 0); /* jrcxz 0x1012 */
	CHECK_EQ(pl.op, EMUL_JRCXZ);
	CHECK_EQ(pl.target, 0x1012);
}

TEST(a_trap_of_the_programs_own_needs_no_other)
{
	struct insn_plan pl;

	CHECK_EQ(PLAN("\xcc", 0x1000, &pl), 0); /* int3 */
	CHECK_EQ(pl.how, INSN_EMULATE);
	CHECK_EQ(pl.op, EMUL_INT3);
	CHECK_EQ(pl.next, 0x1001);
}

TEST(a_call_pushes_its_own_next_address)
{
	struct insn_plan pl;
	uint8_t code[SLOT_SIZE];
	bool undo;

	CHECK_EQ(PLAN("\xe8\x00\x01\x00\x00", 0x401000, &pl), 0); /* call 0x401105 */
	CHECK_EQ(insn_slot(&pl, 0x400000, code), 0);
	/* push 0x12(%rip); jmp *4(%rip); .quad 0x401105, 0x401005 */
	CHECK_EQ(memcmp(code, "\xff\x35\x12\0\0\0\xff\x25\x04\0\0\0", 12), 0);
	CHECK_EQ(memcmp(code + 16, "\x05\x11\x40\0\0\0\0\0\x05\x10\x40\0\0\0\0", 16), 0);
	CHECK_EQ(insn_slot_origin(&pl, 0, &undo), 0x401000);
	CHECK_EQ(insn_slot_origin(&pl, 6, &undo), 0x401105);
	CHECK(!undo);
}

TEST(a_call_through_a_register_can_be_undone)
{
	struct insn_plan pl;
	uint8_t code[SLOT_SIZE];
	bool undo;

	CHECK_EQ(PLAN("\x41\xff\xd3", 0x401000, &pl), 0); /* call *%r11 */
	CHECK_EQ(insn_slot(&pl, 0x400000, code), 0);
	CHECK_EQ(memcmp(code, "\xff\x35\x12\0\0\0\x41\xff\xe3", 9), 0);
	CHECK_EQ(insn_slot_origin(&pl, 6, &undo), 0x401000);
	CHECK(undo);
}

static const struct {
	const char *bytes, *why;
} refused[] = {
	{"\x66\xcc", "it is a breakpoint instruction (int3) with prefixes"},
	{"\xcd\x80", "it is a software interrupt"},
	{"\xf1", "it is a software interrupt"},
	{"\x48\xcf", "it is a far return"},
	{"\xcb", "it is a far return"},
	{"\x8e\xd0", "it loads the stack segment"},
	{"\xff\x18", "it is a far branch"},
	{"\xff\xd4", "it calls through the stack pointer"},
	{"\x66\xe8\x01\x02\x03\x04", "it is a branch with a 16-bit operand size"},
	{"\xc7\xf8\x10\x10\x10\x10", "it begins a transaction, which a breakpoint aborts"},
	{"\x67\x8b\x05\x01\x01\x01\x01", "it uses a 32-bit pc-relative address"},
	{"\x06", "the instruction cannot be decoded"},
	{"\x48", "the instruction cannot be decoded"},
};

TEST(what_cannot_be_probed_says_why)
{
	for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
		struct insn_plan pl;
		struct err err;

		CHECK_EQ(plan(refused[i].bytes, strlen(refused[i].bytes), 0x1000, &pl, &err),
			 -EINVAL);
		CHECK_STR(err.text, refused[i].why);
	}
}

TEST(the_call_in_a_start_routine)
{
	/* xor %ebp,%ebp; mov %rdx,%r9; call *0x2fe2(%rip) */
	static const uint8_t start[] = {0x31, 0xed, 0x49, 0x89, 0xd1, 0xff,
					0x15, 0xe2, 0x2f, 0x00, 0x00};
	struct first_call call;

	CHECK(insn_first_call(start, sizeof(start), 0x1000, &call));
	CHECK_EQ(call.pc, 0x1005);
	CHECK_EQ(call.target, 0);
	/* jne +16; call +0 */
	CHECK(!insn_first_call((const uint8_t *)"\x75\x10\xe8\0\0\0\0", 7, 0x1000, &call));
	/* nop; jmp +16 */
	CHECK(insn_first_call((const uint8_t *)"\x90\xeb\x10", 3, 0x1000, &call));
	CHECK_EQ(call.pc, 0x1001);
	CHECK_EQ(call.target, 0x1013);
}

/* Whatever the bytes: a plan within them, or a reason. */
TEST(any_bytes_at_all)
{
	for (unsigned i = 0; i < 200000; i++) {
		char bytes[16];
		size_t n = 1 + cpu_random() % sizeof(bytes);
		uint8_t code[SLOT_SIZE];
		struct insn_plan pl;
		struct err err = {.text = ""};
		taddr_t pc = cpu_random() & 0x7fffffffffff;
		bool undo;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (char)cpu_random();
		if (plan(bytes, n, pc, &pl, &err)) {
			CHECK(err.text[0]);
			continue;
		}
		CHECK(pl.len > 0 && pl.len <= n && pl.len <= INSN_MAX);
		CHECK_EQ(pl.next, pc + pl.len);
		CHECK(pl.how != INSN_EMULATE || pl.op != EMUL_NONE);
		CHECK_EQ(insn_slot_origin(&pl, 0, &undo), pc);
		if (pl.how == INSN_SLOT)
			CHECK(insn_slot(&pl, pc & ~31ULL, code) <= 0);
	}
}

/* ---- the property: a slot does what the instruction does ---- */

/* clang-format off */
#define SLOT_INSNS(X)                                          \
	X(push_rbx, "push %rbx") X(push_r12, "push %r12") X(push_imm, "push $-5")   \
	X(pop_rax, "pop %rax") X(push_mem, "pushq 8(%rbx)") X(pushf, "pushfq")      \
	X(mov_rr, "mov %rsp, %rbp") X(mov_rm, "mov 16(%rbx), %rax")                 \
	X(mov_mr, "mov %r9, 16(%rsi)") X(mov_imm, "movabs $0x123456789abcdef, %r10")\
	X(sub_rsp, "sub $0x48, %rsp") X(and_rsp, "and $-32, %rsp") X(leave, "leave")\
	X(xor, "xor %eax, %eax") X(add, "add %rdx, %rax") X(adc, "adc %r8, 8(%rdi)")\
	X(imul, "imul $77, %r8, %r9") X(test, "test %rdi, %rdi")                    \
	X(cmp, "cmpb $1, 3(%rbx)") X(lock, "lock xadd %rax, (%rsi)")                \
	X(cmov, "cmovg %rdx, %rax") X(setcc, "setb %cl") X(bsf, "bsf %rdx, %rax")   \
	X(movzx, "movzbl 1(%rdi), %eax") X(lea, "lea (%rax,%rdx,4), %r8")           \
	X(fs, "mov %fs:0, %rax") X(movs, "movsq") X(rep_movs, "rep movsb")          \
	X(repne_scas, "repne scasb") X(movups, "movups (%rsi), %xmm0")              \
	X(paddd, "paddd %xmm0, %xmm0") X(rip_load, "mov cpu_words(%rip), %rax")     \
	X(rip_store, "mov %rdx, cpu_words+16(%rip)")                                \
	X(rip_lea, "lea cpu_words(%rip), %rdi") X(rip_cmp, "cmpl $0x1234567, cpu_words+4(%rip)") \
	X(rip_cmpb, "cmpb $7, cpu_words+4(%rip)") X(rip_movw, "movw $7, cpu_words+20(%rip)")    \
	X(rip_sse, "movaps cpu_words(%rip), %xmm0") X(rip_imul, "imul $9, cpu_words(%rip), %rcx") \
	X(rip_push, "pushq cpu_words(%rip)") X(rip_shufps, "shufps $27, cpu_words(%rip), %xmm0") \
	X(rip_inc, "incq cpu_words+24(%rip)") X(rip_jmp, "jmp *cpu_words+8(%rip)")  \
	X(rip_xchg, "xchg %rax, cpu_words+32(%rip)") X(rip_pop, "popq cpu_words+40(%rip)")      \
	X(ret, "ret") X(rep_ret, "rep ret") X(ret_imm, "ret $16")                   \
	X(jmp_reg, "jmp *%r11") X(jmp_mem, "jmp *8(%rbx)") X(jmp_rsp, "jmp *8(%rsp)")\
	X(call, "call 9f") X(call_reg, "call *%r11") X(call_mem, "call *8(%rbx)")   \
	X(call_rip, "call *cpu_words+8(%rip)") X(pause, "pause")
/* clang-format on */

CPU_CASES(slot_cases, SLOT_INSNS)

struct outcome {
	struct cpu cpu;
	uint64_t memory[CPU_WORDS], words[8];
};

static void run_case(const void *code, struct outcome *o)
{
	memset(&cpu_out, 0, sizeof(cpu_out));
	cpu_run(code);
	o->cpu = cpu_out;
	o->cpu.flags &= CPU_ARITH;
	memcpy(o->memory, cpu_memory, sizeof(cpu_memory));
	memcpy(o->words, cpu_words, sizeof(cpu_words));
}

static uint8_t *slot_page(void)
{
	uintptr_t near = ((uintptr_t)cpu_back0 & ~0xfffUL) - 0x4000000;
	void *p = mmap((void *)near, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

TEST(slots_do_what_the_cpu_does)
{
	static struct outcome want, got;
	static uint64_t memory[CPU_WORDS], words[8];
	uint8_t *slot = slot_page();

	for (unsigned i = 0; i < ARRAY_SIZE(slot_cases); i++) {
		const struct cpu_case *c = &slot_cases[i];
		struct insn_plan pl;
		struct err err;

		if (plan((const char *)c->code, 16, (taddr_t)(uintptr_t)c->code, &pl, &err))
			TEST_FAIL("%s: %s", c->text, err.text);
		if (pl.len != c->end - c->code || pl.how != INSN_SLOT)
			TEST_FAIL("%s: planned wrongly", c->text);
		CHECK_EQ(insn_slot(&pl, (taddr_t)(uintptr_t)slot, slot), 0);
		for (unsigned round = 0; round < 200; round++) {
			cpu_randomise();
			memcpy(memory, cpu_memory, sizeof(memory));
			memcpy(words, cpu_words, sizeof(words));
			run_case(c->code, &want);
			memcpy(cpu_memory, memory, sizeof(memory));
			memcpy(cpu_words, words, sizeof(words));
			run_case(slot, &got);
			if (memcmp(&want, &got, sizeof(want)) != 0)
				TEST_FAIL("%s: the slot differs", c->text);
		}
	}
	munmap(slot, 4096);
}

TEST(vector_instructions_are_moved_by_their_lengths)
{
	struct insn_plan pl;
	uint8_t code[SLOT_SIZE];
	int32_t disp;

	CHECK_EQ(PLAN("\xc4\xe2\x7d\x5a\x2d\x10\x00\x00\x00", 0x1000, &pl), 0); /* vbroadcasti128 */
	CHECK_EQ(pl.len, 9);
	CHECK_EQ(pl.target, 0x1019);
	CHECK_EQ(insn_slot(&pl, 0x1100, code), 0);
	memcpy(&disp, code + 5, 4);
	CHECK_EQ(disp, 0x1019 - 0x1109);
	CHECK_EQ(PLAN("\x62\xf2\x7e\x48\x39\xc8", 0x1000, &pl), 0); /* vpmovd2m */
	CHECK_EQ(pl.how, INSN_SLOT);
}

TEST_MAIN();
