/* The first instructions of functions, moved: bytes in, bytes out; then against the CPU. */
#include "inject/x86/reloc.h"

#include <errno.h>
#include <sys/mman.h>

#include "tests/unit/cpu.h"
#include "tests/unit/test.h"

#define FROM 0x401000
#define TO   0x500000

static int move(const char *bytes, size_t n, struct reloc *out, struct err *err)
{
	return reloc_window(
		&(struct reloc_request){
			.bytes = (const uint8_t *)bytes, .n = n, .from = FROM, .to = TO, .need = 5},
		out, err);
}

#define MOVE(bytes, out, err) move(bytes, sizeof(bytes) - 1, out, err)
#define IS_CODE(out, bytes)                                                                        \
	((out).len == sizeof(bytes) - 1 && memcmp((out).code, bytes, sizeof(bytes) - 1) == 0)

TEST(whole_instructions_are_moved)
{
	struct reloc r;

	/* push %rbp; mov %rsp,%rbp; push %r12 */
	CHECK_EQ(MOVE("\x55\x48\x89\xe5\x41\x54", &r, NULL), 0);
	CHECK_EQ(r.window, 6);
	/* the same; jmp 0x401006 */
	CHECK(IS_CODE(r, "\x55\x48\x89\xe5\x41\x54\xe9\xfb\x0f\xf0\xff"));
}

TEST(instructions_within_the_jump_are_found_again)
{
	struct reloc r;

	/* push %rbp; mov 0x10(%rip),%eax */
	CHECK_EQ(MOVE("\x55\x8b\x05\x10\x00\x00\x00", &r, NULL), 0);
	CHECK_EQ(r.new_offset[1], 1);
	CHECK_EQ(r.new_offset[2] | r.new_offset[3] | r.new_offset[4], 0);
	/* je 0x401012; push %rbp; push %rbp; push %rbp: the branch is four bytes longer there */
	CHECK_EQ(MOVE("\x74\x10\x55\x55\x55", &r, NULL), 0);
	CHECK_EQ(r.new_offset[1], 0);
	CHECK_EQ(r.new_offset[2], 6);
	CHECK_EQ(r.new_offset[3], 7);
	CHECK_EQ(r.new_offset[4], 8);
}

TEST(rip_relative_operands_are_rebased)
{
	struct reloc r;

	/* mov 0x10(%rip),%rax: the word at 0x401017 */
	CHECK_EQ(MOVE("\x48\x8b\x05\x10\x00\x00\x00", &r, NULL), 0);
	/* mov -0xfeff0(%rip),%rax; jmp 0x401007 */
	CHECK(IS_CODE(r, "\x48\x8b\x05\x10\x10\xf0\xff\xe9\xfb\x0f\xf0\xff"));
}

TEST(short_branches_become_long)
{
	struct reloc r;

	/* test %edi,%edi; je 0x401010; ret */
	CHECK_EQ(MOVE("\x85\xff\x74\x0c\xc3", &r, NULL), 0);
	/* test %edi,%edi; je 0x401010 (six bytes); ret: nothing follows */
	CHECK(IS_CODE(r, "\x85\xff\x0f\x84\x08\x10\xf0\xff\xc3"));
}

TEST(a_call_pushes_the_address_it_would_have_pushed)
{
	struct reloc r;

	/* call 0x401105 */
	CHECK_EQ(MOVE("\xe8\x00\x01\x00\x00", &r, NULL), 0);
	/* call 1f; jmp 0x401005; 1: movl $0x401005,(%rsp); movl $0,4(%rsp); jmp 0x401105 */
	CHECK(IS_CODE(r, "\xe8\x05\x00\x00\x00\xe9\xfb\x0f\xf0\xff"
			 "\xc7\x04\x24\x05\x10\x40\x00\xc7\x44\x24\x04\x00\x00\x00\x00"
			 "\xe9\xe7\x10\xf0\xff"));
}

TEST(what_cannot_be_moved_is_refused_with_the_reason)
{
	struct reloc r;
	struct err err;

	/* call *%rax; mov %eax,%ebx; ret */
	CHECK_EQ(MOVE("\xff\xd0\x89\xc3\xc3", &r, &err), -EINVAL);
	CHECK_STR(err.text, "a call ends there");
	/* jrcxz; ... */
	CHECK_EQ(MOVE("\xe3\x10\x90\x90\x90", &r, &err), -EINVAL);
	CHECK_STR(err.text, "a loop instruction stands there");
	/* syscall; ret; nop; nop */
	CHECK_EQ(MOVE("\x0f\x05\xc3\x90\x90", &r, &err), -EINVAL);
	CHECK_STR(err.text, "a system call or a repeated instruction stands there");
	/* int3 */
	CHECK_EQ(MOVE("\x90\xcc\x90\x90\x90", &r, &err), -EINVAL);
	/* ends too early */
	CHECK_EQ(MOVE("\x90\x90\x48", &r, &err), -EINVAL);
	CHECK_STR(err.text, "its code cannot be decoded there");
}

/* What stands at a stop: nop, once more for each stop before it. */
static int fill_nops(void *arg, unsigned i, taddr_t at UNUSED, uint8_t *code, unsigned room)
{
	unsigned *stops = arg;

	CHECK(room > i);
	memset(code, 0x90, i + 1);
	++*stops;
	return (int)i + 1;
}

#define STOP(at, exits)                                                                            \
	{                                                                                          \
		.off = at, .is_exit = exits                                                        \
	}

static int move_with(const char *bytes, size_t n, const struct reloc_stop *stops, unsigned nstops,
		     struct reloc *out)
{
	unsigned seen = 0;
	struct reloc_request rq = {.bytes = (const uint8_t *)bytes,
				   .n = n,
				   .from = FROM,
				   .to = TO,
				   .need = (unsigned)n,
				   .stops = stops,
				   .nstops = nstops,
				   .fill = fill_nops,
				   .arg = &seen};
	int r;

	r = reloc_window(&rq, out, NULL);
	CHECK(r || seen == nstops);
	return r;
}

#define MOVE_WITH(bytes, out, ...)                                                                 \
	move_with(bytes, sizeof(bytes) - 1, (const struct reloc_stop[]){__VA_ARGS__},              \
		  ARRAY_SIZE(((const struct reloc_stop[]){__VA_ARGS__})), out)

TEST(stops_stand_before_their_instructions)
{
	struct reloc r;

	/* mov %edi,%eax; pop %rbx; ret; nop: the value is there when what we add runs */
	CHECK_EQ(MOVE_WITH("\x89\xf8\x5b\xc3\x90", &r, STOP(3, true)), 0);
	CHECK(IS_CODE(r, "\x89\xf8\x5b\x90\xc3"));
	/* entry and return of one small function */
	CHECK_EQ(MOVE_WITH("\x31\xc0\xc3\x66\x90", &r, STOP(0, false), STOP(2, true)), 0);
	CHECK(IS_CODE(r, "\x90\x31\xc0\x90\x90\xc3"));
	/* jmp 0x401105, which leaves: both before it */
	CHECK_EQ(MOVE_WITH("\xe9\x00\x01\x00\x00", &r, STOP(0, false), STOP(0, true)), 0);
	CHECK(IS_CODE(r, "\x90\x90\x90\xe9\xfd\x10\xf0\xff"));
}

TEST(a_stop_at_a_conditional_jump_is_on_the_way_it_takes)
{
	struct reloc r;

	/* je 0x401106 (six bytes) */
	CHECK_EQ(MOVE_WITH("\x0f\x84\x00\x01\x00\x00", &r, STOP(0, false), STOP(0, true)), 0);
	/* nop; jne past; nop; nop; jmp 0x401106; past: jmp 0x401006 */
	CHECK(IS_CODE(r, "\x90\x0f\x85\x07\x00\x00\x00\x90\x90\xe9\xf8\x10\xf0\xff"
			 "\xe9\xf3\x0f\xf0\xff"));
	/* jrcxz 0x401105 */
	CHECK_EQ(MOVE_WITH("\xe3\x10\x90\x90\x90", &r, STOP(0, true)), -EINVAL);
}

TEST(a_jump_to_a_return_returns)
{
	const struct reloc_stop jump = {.is_exit = true, .leads_to_ret = true, .ret = 3};
	struct reloc r;

	/* jge 0x401005 (a ret); inc %rax */
	CHECK_EQ(move_with("\x7d\x03\x48\xff\xc0", 5, &jump, 1, &r), 0);
	/* jl past; nop; ret; past: inc %rax; jmp 0x401005 */
	CHECK(IS_CODE(r, "\x0f\x8c\x02\x00\x00\x00\x90\xc3\x48\xff\xc0\xe9\xf5\x0f\xf0\xff"));
	/* jmp 0x401005; padding */
	CHECK_EQ(move_with("\xeb\x03\x0f\x1f\x00", 5, &jump, 1, &r), 0);
	CHECK(IS_CODE(r, "\x90\xc3"));
}

TEST(what_may_be_moved_with_others_behind_it)
{
	static const struct {
		const char *code;
		bool may;
	} v[] = {
		{"\x48\x89\xf8", true},	 /* mov %rdi,%rax */
		{"\x74\x10", true},	 /* je */
		{"\xe3\x10", false},	 /* jrcxz */
		{"\xc3", false},	 /* ret */
		{"\xe8\0\0\0\0", false}, /* call */
		{"\xf3\xaa", false},	 /* rep stosb */
		{"\x0f\x05", false},	 /* syscall */
		{"\xcc", false},	 /* int3 */
	};
	struct insn in;

	for (unsigned i = 0; i < ARRAY_SIZE(v); i++) {
		const uint8_t *code = (const uint8_t *)v[i].code;

		CHECK(insn_decode(code, 5, FROM, &in));
		CHECK_EQ(reloc_may_move(code, &in, FROM), v[i].may);
	}
}

TEST(a_stop_that_is_not_reached_is_refused)
{
	struct reloc r;

	/* ret; nops; a stop behind it */
	CHECK_EQ(MOVE_WITH("\xc3\x90\x90\x90\x90", &r, STOP(2, true)), -EINVAL);
}

TEST(data_out_of_reach_is_refused)
{
	const uint8_t mov[] = {0x48, 0x8b, 0x05, 0x10, 0, 0, 0};
	struct reloc r;

	CHECK_EQ(reloc_window(&(struct reloc_request){.bytes = mov,
						      .n = sizeof(mov),
						      .from = 0x7f0000001000,
						      .to = TO,
						      .need = 5},
			      &r, NULL),
		 -ERANGE);
}

/* clang-format off */
#define PROLOGUES(X)                                                                               \
	X(p1, "push %r12\n push %rbx\n mov %rsp, %rbp")                                            \
	X(p2, "endbr64\n sub $0x28, %rsp\n lea 8(%rsp), %rax")                                     \
	X(p3, "mov cpu_words(%rip), %rcx\n add $3, %rcx")                                          \
	X(p4, "lea cpu_words+16(%rip), %rdx\n mov (%rdx), %r8")                                    \
	X(p5, "test %edi, %edi\n je 9f\n xor %eax, %eax\n nop")                                    \
	X(p6, "cmp %rcx, %rdx\n jb 9f\n jo 9f\n nop")                                              \
	X(p7, "xor %eax, %eax\n jmp 9f\n nop\n nop")                                               \
	X(p8, "addq $1, cpu_words+8(%rip)\n nop")                                                  \
	X(p9, "movups cpu_words(%rip), %xmm0\n nop")                                               \
	X(p10, "xchg %ax, %ax\n jmp *%r11\n nop")                                                  \
	X(p11, "mov %fs:0x28, %r9\n xor %r9d, %r9d")                                               \
	X(p12, "cmpb $0, cpu_words(%rip)\n jne 9f")
/* clang-format on */

CPU_CASES(prologues, PROLOGUES)

static bool same_result(const struct cpu *a, const struct cpu *b)
{
	return memcmp(a->r, b->r, sizeof(a->r)) == 0 && ((a->flags ^ b->flags) & CPU_ARITH) == 0 &&
	       a->branched == b->branched && memcmp(a->xmm0, b->xmm0, sizeof(a->xmm0)) == 0;
}

static bool moved_does_the_same(const struct cpu_case *c, uint8_t *area)
{
	uint64_t memory[CPU_WORDS], words[ARRAY_SIZE(cpu_words)];
	struct cpu want;
	struct reloc r;

	if (reloc_window(&(struct reloc_request){.bytes = c->code,
						 .n = 64,
						 .from = (taddr_t)(uintptr_t)c->code,
						 .to = (taddr_t)(uintptr_t)area,
						 .need = 5},
			 &r, NULL))
		return false;
	memcpy(area, r.code, r.len);
	cpu_randomise();
	memcpy(memory, cpu_memory, sizeof(memory));
	memcpy(words, cpu_words, sizeof(words));
	cpu_run(c->code);
	want = cpu_out;
	memcpy(cpu_memory, memory, sizeof(memory));
	memcpy(cpu_words, words, sizeof(words));
	cpu_run(area);
	return same_result(&want, &cpu_out);
}

TEST(moved_code_does_what_it_did)
{
	/* near our text, which the operands are relative to */
	taddr_t near = ((taddr_t)(uintptr_t)prologues[0].code & ~0xfffULL) + 0x8000000;
	uint8_t *area = mmap((void *)(uintptr_t)near, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(area != MAP_FAILED);
	for (unsigned i = 0; i < ARRAY_SIZE(prologues); i++)
		for (unsigned round = 0; round < 200; round++)
			if (!moved_does_the_same(&prologues[i], area)) {
				printf("    in round %u of: %s\n", round, prologues[i].text);
				CHECK(false);
				break;
			}
	munmap(area, 4096);
}

TEST_MAIN();
