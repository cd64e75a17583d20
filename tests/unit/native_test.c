/* Pieces run on the CPU and compared with what C says of the same operations. */
#include "inject/x86/native.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hook/hook_proto.h"
#include "tests/unit/test.h"

static struct native n;
static uint8_t *code;
static uint64_t *block;
static struct native_frame frame;
static struct native_guard guard;

/* What a piece calls: it may change rcx and rdx. */
void answer(void);
__asm__("answer: lea 1(%rax), %rcx\n mov %rcx, answered(%rip)\n xor %edx, %edx\n ret\n");
uint64_t answered;

static taddr_t address(const void *p)
{
	return (taddr_t)(uintptr_t)p;
}

#define WORD  0x278 /* of the control block that glibc leaves alone */
#define BLOCK 0x550000000000UL

static void begin(void)
{
	uint64_t near = ((uint64_t)(uintptr_t)answer & ~0xfffULL) + 0x8000000;
	struct native_context context = {.word = WORD, .frame = frame, .guard = guard};

	if (!frame.saved)
		context.frame = NATIVE_ANY_FRAME;

	if (!code) {
		block = mmap((void *)BLOCK, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		CHECK(block != MAP_FAILED);
		code = mmap((void *)(uintptr_t)near, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(code != MAP_FAILED);
	}
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(BLOCK), "i"(WORD));
	native_begin(&n, &context);
}

/* As a trampoline does it. The third argument of the program is 77, r12 to r15 hold 12 to 15. */
static void run(void)
{
	int len = native_end(&n);
	uint64_t rax = 55, rdx = 77;

	CHECK(len > 0);
	code[0] = 0x50; /* push %rax */
	len = native_copy(&n, address(code + 1), code + 1);
	CHECK(len > 0);
	if (n.cold)
		native_copy_cold(&n, address(code + 1), code + 1, address(code + 4096),
				 code + 4096);
	memcpy(code + 1 + len, (const uint8_t[]){0x58, 0xc3}, 2); /* pop %rax; ret */
	__asm__ volatile(
		"mov $12, %%r12d\n\tmov $13, %%r13d\n\tmov $14, %%r14d\n\tmov $15, %%r15d\n\t"
		"lea -128(%%rsp), %%rsp\n\tcall *%2\n\tlea 128(%%rsp), %%rsp"
		: "+a"(rax), "+d"(rdx)
		: "r"(code)
		: "memory", "cc", "r12", "r13", "r14", "r15");
	CHECK_EQ(rax, 55);
	CHECK_EQ(rdx, 77);
}

static const struct native_type word = {8, false};

/* The value of an expression in local 0 goes to block word 0. */
static uint64_t result(void)
{
	native_expr(&n);
	native_load_local(&n, 1, 0);
	native_store_block(&n, 0, 1, word);
	run();
	return block[0];
}

static uint64_t expected(enum native_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case NATIVE_OR:
		return a | b;
	case NATIVE_XOR:
		return a ^ b;
	case NATIVE_AND:
		return a & b;
	case NATIVE_ADD:
		return a + b;
	case NATIVE_SUB:
		return a - b;
	case NATIVE_MUL:
		return a * b;
	case NATIVE_SLL:
		return a << (b & 63);
	case NATIVE_SRL:
		return a >> (b & 63);
	case NATIVE_SRA:
		return (uint64_t)((int64_t)a >> (b & 63));
	case NATIVE_NOT:
		return ~a;
	case NATIVE_MOV:
		return a;
	}
	return 0;
}

static uint64_t quotient(enum native_divop op, uint64_t a, uint64_t b)
{
	switch (op) {
	case NATIVE_SDIV:
		return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	case NATIVE_UDIV:
		return a / b;
	case NATIVE_SREM:
		return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
	case NATIVE_UREM:
		return a % b;
	}
	return 0;
}

static uint64_t any(void)
{
	uint64_t v = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random();

	switch (random() % 4) {
	case 0:
		return v & 0xff;
	case 1:
		return -(v & 0xff);
	case 2:
		return v & 63;
	default:
		return v;
	}
}

TEST(each_operation_in_each_register)
{
	for (unsigned op = NATIVE_OR; op <= NATIVE_MOV; op++)
		for (unsigned round = 0; round < 400; round++) {
			unsigned d = 1 + (unsigned)random() % 7, a = (unsigned)random() % 8,
				 b = (unsigned)random() % 8;
			uint64_t v[NATIVE_NREGS] = {0};

			begin();
			native_expr(&n);
			for (unsigned r = 1; r < NATIVE_NREGS; r++)
				native_constant(&n, r, v[r] = any());
			native_op(&n, op, d, a, b);
			for (unsigned r = 1; r < NATIVE_NREGS; r++)
				native_store_block(&n, r * 8, r, word);
			native_return(&n, d, true);
			native_keep(&n, 0);
			v[d] = expected(op, v[a], v[b]);
			CHECK_EQ(result(), v[d]);
			for (unsigned r = 1; r < NATIVE_NREGS; r++)
				if (r != d)
					CHECK_EQ(block[r], v[r]);
		}
}

/* What leads a division astray, more often than chance. */
static uint64_t any_operand(void)
{
	static const uint64_t edges[] = {0, 1, UINT64_MAX, (uint64_t)INT64_MIN, INT64_MAX};

	return random() % 2 ? any() : edges[random() % (long)ARRAY_SIZE(edges)];
}

/* Block word 8 is 1 where it goes on, and 2 where the divisor is 0. */
static void divide_and_tell(const struct native_division *div, unsigned d, unsigned a, unsigned b)
{
	unsigned zero = native_divide(&n, div, d, a, b), end;

	CHECK_EQ(zero != 0, div->may_be_0);
	for (unsigned r = 1; r < NATIVE_NREGS; r++)
		native_store_block(&n, r * 8, r, word);
	native_return(&n, d, true);
	native_keep(&n, 0);
	native_expr(&n);
	native_constant(&n, 1, 1);
	native_store_block(&n, 64, 1, word);
	if (!zero)
		return;
	end = native_go(&n);
	native_here(&n, zero);
	native_expr(&n);
	native_constant(&n, 1, 2);
	native_store_block(&n, 64, 1, word);
	native_here(&n, end);
}

TEST(divisions_in_each_register_by_any_number)
{
	for (unsigned round = 0; round < 8000; round++) {
		unsigned d = 1 + (unsigned)random() % 7, a = (unsigned)random() % 8,
			 b = (unsigned)random() % 8;
		uint64_t v[NATIVE_NREGS] = {0};
		struct native_division div = {.op = (enum native_divop)(round % 4)};

		begin();
		native_expr(&n);
		for (unsigned r = 1; r < NATIVE_NREGS; r++)
			native_constant(&n, r, v[r] = any_operand());
		div.may_be_0 = !v[b] || random() % 2;
		div.may_be_minus_1 = v[b] == UINT64_MAX || random() % 2;
		divide_and_tell(&div, d, a, b);
		run();
		CHECK_EQ(block[8], v[b] ? 1 : 2);
		if (!v[b])
			continue;
		v[d] = quotient(div.op, v[a], v[b]);
		for (unsigned r = 1; r < NATIVE_NREGS; r++)
			CHECK_EQ(block[r], v[r]);
	}
}

static uint64_t swapped(const struct native_bits *bits, uint64_t v)
{
	return (bits->swaps ? __builtin_bswap64(v) : v) << bits->left >> bits->right;
}

TEST(bits_of_each_register)
{
	for (unsigned round = 0; round < 2000; round++) {
		unsigned d = 1 + (unsigned)random() % 7, a = (unsigned)random() % 8;
		uint64_t v[NATIVE_NREGS] = {0};
		struct native_bits bits = {random() % 2, (uint8_t)(random() % 64),
					   (uint8_t)(random() % 64)};

		if (random() % 2)
			bits.left = 0;
		if (random() % 2)
			bits.right = 0;
		begin();
		native_expr(&n);
		for (unsigned r = 1; r < NATIVE_NREGS; r++)
			native_constant(&n, r, v[r] = any());
		native_bits(&n, &bits, d, a);
		for (unsigned r = 1; r < NATIVE_NREGS; r++)
			native_store_block(&n, r * 8, r, word);
		native_return(&n, d, true);
		native_keep(&n, 0);
		v[d] = swapped(&bits, v[a]);
		CHECK_EQ(result(), v[d]);
		for (unsigned r = 1; r < NATIVE_NREGS; r++)
			CHECK_EQ(block[r], v[r]);
	}
}

/* Each bit of it is set about half of the time, and the upper half is the sign. */
TEST(a_random_int)
{
	enum { ROUNDS = 4000 };
	unsigned set[64] = {0}, d = 1 + (unsigned)random() % 7;
	uint64_t last = 0;

	begin();
	native_expr(&n);
	native_random(&n, d, 512, 12345);
	native_return(&n, d, true);
	native_keep(&n, 0);
	block[64] = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t v;

		if (!i)
			v = result();
		else
			v = (((uint64_t(*)(void))(uintptr_t)code)(), block[0]);
		CHECK_EQ(v, (uint64_t)(int64_t)(int32_t)v);
		CHECK(v != last);
		last = v;
		for (unsigned bit = 0; bit < 64; bit++)
			set[bit] += v >> bit & 1;
	}
	for (unsigned bit = 0; bit < 64; bit++)
		CHECK(set[bit] > ROUNDS * 4 / 10 && set[bit] < ROUNDS * 6 / 10);
}

static bool is_taken(enum native_cond cond, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (cond) {
	case NATIVE_BELOW:
		return a < b;
	case NATIVE_ABOVE_EQUAL:
		return a >= b;
	case NATIVE_EQUAL:
		return a == b;
	case NATIVE_NOT_EQUAL:
		return a != b;
	case NATIVE_BELOW_EQUAL:
		return a <= b;
	case NATIVE_ABOVE:
		return a > b;
	case NATIVE_LESS:
		return sa < sb;
	case NATIVE_GREATER_EQUAL:
		return sa >= sb;
	case NATIVE_LESS_EQUAL:
		return sa <= sb;
	case NATIVE_GREATER:
		return sa > sb;
	case NATIVE_ALWAYS:
		return true;
	}
	return false;
}

TEST(branches_go_where_they_should)
{
	for (unsigned cond = NATIVE_BELOW; cond <= NATIVE_ALWAYS; cond++)
		for (unsigned round = 0; round < 200; round++) {
			uint64_t a = any(), b = round & 1 ? any() : a;

			if (cond > NATIVE_ABOVE && cond < NATIVE_LESS)
				continue;
			begin();
			native_expr(&n);
			native_constant(&n, 1, a);
			native_constant(&n, 2, b);
			native_branch(
				&n, &(struct native_jump){cond, 1, 2, 5, UINT32_MAX}); /* insn 2 */
			native_constant(&n, 3, 10);				       /* insn 3 */
			native_return(&n, 3, false);				       /* insn 4 */
			native_label(&n, 5);
			native_constant(&n, 3, 20);
			native_return(&n, 3, true);
			native_keep(&n, 0);
			CHECK_EQ(result(), is_taken(cond, a, b) ? 20 : 10);
		}
}

TEST(variables_keep_what_their_size_holds)
{
	static const struct native_type types[] = {{1, true}, {1, false}, {2, true}, {2, false},
						   {4, true}, {4, false}, {8, true}};
	static const uint64_t want[] = {(uint64_t)-2, 0xfe,	  (uint64_t)-2,	     0xfffe,
					(uint64_t)-2, 0xfffffffe, 0xfffffffffffffffe};

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
		begin();
		native_expr(&n);
		native_constant(&n, 7, (uint64_t)-2);
		native_store_block(&n, 8, 7, types[i]);
		native_store_local(&n, 3, 7, types[i]);
		native_load_local(&n, 2, 3);
		native_store_block(&n, 16, 2, word);
		native_return(&n, 7, true);
		native_keep(&n, 0);
		CHECK_EQ(result(), (uint64_t)-2);
		CHECK_EQ(block[1], want[i]);
		CHECK_EQ(block[2], want[i]);
	}
}

TEST(comparisons_are_numbers)
{
	for (unsigned cond = NATIVE_BELOW; cond < NATIVE_ALWAYS; cond++)
		for (unsigned round = 0; round < 200; round++) {
			unsigned a = (unsigned)random() % 4, b = (unsigned)random() % 4;
			uint64_t v[4] = {0, any(), any(), any()};

			if (cond > NATIVE_ABOVE && cond < NATIVE_LESS)
				continue;
			begin();
			native_expr(&n);
			for (unsigned r = 1; r < 4; r++)
				native_constant(&n, r, v[r]);
			native_compare(&n, cond, 3, a, b);
			native_return(&n, 3, true);
			native_keep(&n, 0);
			CHECK_EQ(result(), is_taken(cond, v[a], v[b]));
		}
}

/* What a piece calls is given what it wants in rax, and nothing else changes. */
TEST(what_is_called_is_found_wherever_the_piece_stands)
{
	static const struct hook_agg agg = {.func = HOOK_AGG_STDDEV};
	const struct native_agg what = {
		.agg = &agg, .there = 999, .function = address((const void *)(uintptr_t)answer)};

	begin();
	native_expr(&n);
	native_load_saved(&n, 4, offsetof(struct hook_regs, rdx));
	native_return(&n, 4, true);
	native_keep(&n, 0);
	native_aggregate(&n, &what);
	CHECK_EQ(result(), 77);
	CHECK_EQ(answered, 1000);
	CHECK_EQ(native_copy(&n, address(code) + (1ULL << 40), code), -ERANGE);
}

/* The third argument, of which the piece needs no register, is read where it is. */
TEST(what_is_not_used_is_not_saved)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		begin();
		native_expr(&n);
		native_load_saved(&n, 4, offsetof(struct hook_regs, rdx));
		native_return(&n, 4, true);
		native_keep(&n, 0);
		CHECK_EQ(result(), 77);
		CHECK(pass == 0 || n.len < 80);
		frame = n.needs;
	}
	frame = (struct native_frame){0};
}

/* Registers that no piece uses, and the stack pointer. */
TEST(registers_that_are_left_alone)
{
	static const unsigned offs[] = {
		offsetof(struct hook_regs, r12), offsetof(struct hook_regs, r13),
		offsetof(struct hook_regs, r14), offsetof(struct hook_regs, r15)};

	for (unsigned pass = 0; pass < 2; pass++) {
		begin();
		native_expr(&n);
		for (unsigned i = 0; i < ARRAY_SIZE(offs); i++) {
			native_load_saved(&n, 5, offs[i]);
			native_store_block(&n, 8 + 8 * i, 5, word);
		}
		native_load_stack_pointer(&n, 3);
		native_store_block(&n, 40, 3, word);
		native_load_stack(&n, 4, 0);
		native_return(&n, 4, true);
		native_keep(&n, 0);
		result();
		for (unsigned i = 0; i < ARRAY_SIZE(offs); i++)
			CHECK_EQ(block[1 + i], 12 + i);
		CHECK(address(__builtin_frame_address(0)) - block[5] < 4096);
		frame = n.needs;
	}
	frame = (struct native_frame){0};
}

/* Result and return address of the function that the trampoline stands in. */
TEST(a_result_and_a_caller)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		begin();
		native_expr(&n);
		native_load_saved(&n, 5, offsetof(struct hook_regs, rax));
		native_store_block(&n, 8, 5, word);
		native_load_stack(&n, 6, 0);
		native_store_block(&n, 16, 6, word);
		native_return(&n, 5, true);
		native_keep(&n, 0);
		CHECK_EQ(result(), 55);
		CHECK_EQ(block[1], 55);
		CHECK(block[2] - address((const void *)(uintptr_t)run) < 4096);
		frame = n.needs;
	}
	frame = (struct native_frame){0};
}

/* A function of the hook object, as a piece calls it: it keeps all registers. */
void recorder(void);
__asm__("recorder: mov %rdx, recorded(%rip)\n mov %eax, recorded+8(%rip)\n"
	"push %rax\n mov 16(%rsp), %rax\n mov %rax, recorded+16(%rip)\n"
	"mov 24(%rsp), %rax\n mov %rax, recorded+24(%rip)\n mov recorded_frame(%rip), %rax\n"
	"mov 24(%rsp,%rax), %rax\n mov %rax, recorded+32(%rip)\n pop %rax\n ret\n");
uint64_t recorded[5]; /* rdx, number, rax, the first local, what is above the frame */
uint64_t recorded_frame;

/* What asks for a record finds the program's registers, and its own locals on the stack; the piece
 * goes on as if nothing had happened. */
TEST(a_record_is_asked_for_with_the_registers_of_the_program)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		const struct native_record_call call = {
			.function = address((const void *)(uintptr_t)recorder),
			.number = 321,
			.keep = 2};

		begin();
		recorded_frame = native_frame_words(&n) * 8;
		native_expr(&n);
		native_constant(&n, 1, 111);
		native_store_local(&n, 0, 1, word);
		native_load_saved(&n, 4, offsetof(struct hook_regs, rdx));
		native_return(&n, 4, true);
		native_keep(&n, 1);
		native_call_record(&n, &call);
		native_expr(&n);
		native_load_local(&n, 1, 1);
		native_store_block(&n, 0, 1, word);
		block[0] = 0;
		run();
		CHECK_EQ(block[0], 77);
		CHECK_EQ(recorded[0], 77);
		CHECK_EQ(recorded[1], 321);
		CHECK_EQ(recorded[2], 55);
		CHECK_EQ(recorded[3], 111);
		CHECK(recorded[4] - address((const void *)(uintptr_t)run) < 4096);
		frame = n.needs;
	}
	frame = (struct native_frame){0};
}

TEST(a_thread_without_a_block_does_nothing)
{
	begin();
	block[0] = 1;
	native_expr(&n);
	native_constant(&n, 1, 2);
	native_store_block(&n, 0, 1, word);
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(0UL), "i"(WORD));
	run();
	CHECK_EQ(block[0], 1);
}

TEST(what_is_too_long_is_refused)
{
	begin();
	for (unsigned i = 0; i < NATIVE_MAX / 4; i++)
		native_constant(&n, 1, UINT64_MAX / 2 - i);
	CHECK(native_end(&n) < 0);
}

static bool holds(enum native_cond cond, int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	const bool is[] = {[NATIVE_BELOW] = ua<ub, [NATIVE_ABOVE_EQUAL] = ua >= ub,
					       [NATIVE_EQUAL] = a == b, [NATIVE_NOT_EQUAL] = a != b,
					       [NATIVE_BELOW_EQUAL] = ua <= ub, [NATIVE_ABOVE] = ua>
				   ub,
			   [NATIVE_LESS] = a<b, [NATIVE_GREATER_EQUAL] = a >= b,
					     [NATIVE_LESS_EQUAL] = a <= b, [NATIVE_GREATER] = a>
				   b};

	return is[cond];
}

static void pass(enum native_cond cond, unsigned off, bool is_block, int64_t value)
{
	static const int32_t constants[] = {-1, 0, 54, 55, 56, 76, 77, 78, INT32_MAX, INT32_MIN};

	for (unsigned i = 0; i < ARRAY_SIZE(constants); i++) {
		guard = (struct native_guard){true, cond, is_block, off, constants[i]};
		begin();
		native_expr(&n);
		native_constant(&n, 1, 99);
		native_store_block(&n, 0, 1, word);
		block[0] = 0;
		run();
		CHECK_EQ(block[0], holds(cond, value, constants[i]) ? 99 : 0);
	}
}

TEST(a_piece_with_a_guard_is_run_where_that_holds)
{
	static const enum native_cond conds[] = {
		NATIVE_BELOW,	    NATIVE_ABOVE_EQUAL, NATIVE_EQUAL, NATIVE_NOT_EQUAL,
		NATIVE_BELOW_EQUAL, NATIVE_ABOVE,	NATIVE_LESS,  NATIVE_GREATER_EQUAL,
		NATIVE_LESS_EQUAL,  NATIVE_GREATER};

	for (unsigned i = 0; i < ARRAY_SIZE(conds); i++) {
		pass(conds[i], offsetof(struct hook_regs, rdx), false, 77);
		pass(conds[i], offsetof(struct hook_regs, rax), false, 55);
		block[3] = (uint64_t)-5;
		pass(conds[i], 24, true, -5);
	}
	guard.is_there = false;
}

TEST_MAIN();
