/* Pieces run on the CPU and compared with what C says of the same operations. */
#include "inject/native.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hook/hook_proto.h"
#include "tests/unit/test.h"

static struct native n;
static uint8_t *code;
static uint64_t *block;
static unsigned saved = NATIVE_ALL;
static uint64_t seen_keys[2], seen_value;
static const void *seen_block;

/* What pieces call must be near them: functions of our own text are. */
static uint64_t now(void)
{
	return 12345;
}

static void aggregate(const void *b, const uint64_t *agg, const uint64_t *keys, uint64_t value)
{
	seen_block = b;
	seen_keys[0] = keys[0];
	seen_keys[1] = keys[1];
	seen_value = value + *agg;
}

static taddr_t address(const void *p)
{
	return (taddr_t)(uintptr_t)p;
}

#define WORD	 0x278	    /* of the control block that glibc leaves alone */
#define BLOCKS	 0x70000000 /* ours is the second one */
#define DISTANCE 4096

static void begin(void)
{
	uint64_t near = ((uint64_t)(uintptr_t)now & ~0xfffULL) + 0x8000000;
	struct native_place place = {.word = WORD, .blocks = BLOCKS, .saved = saved};

	if (!code) {
		block = mmap((void *)BLOCKS, 8192, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		CHECK(block != MAP_FAILED);
		block += DISTANCE / sizeof(*block);
		code = mmap((void *)(uintptr_t)near, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(code != MAP_FAILED);
	}
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"((uint64_t)DISTANCE), "i"(WORD));
	place.at = address(code);
	native_begin(&n, &place);
}

/* As a stub does it. The third argument of the program is 77. */
static void run(void)
{
	int len = native_end(&n);
	uint64_t rax = 55, rdx = 77;

	CHECK(len > 0);
	memcpy(code, n.code, (size_t)len);
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %%rax\n\tcall *%2\n\tpop %%rax\n\t"
			 "lea 128(%%rsp), %%rsp"
			 : "+a"(rax), "+d"(rdx)
			 : "r"(code)
			 : "memory", "cc");
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
	case NATIVE_SDIV:
		return (uint64_t)((int64_t)a / (int64_t)b);
	case NATIVE_UDIV:
		return a / b;
	case NATIVE_SREM:
		return (uint64_t)((int64_t)a % (int64_t)b);
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
	for (unsigned op = NATIVE_OR; op <= NATIVE_UREM; op++)
		for (unsigned round = 0; round < 400; round++) {
			unsigned d = 1 + (unsigned)random() % 7, a = (unsigned)random() % 8,
				 b = (unsigned)random() % 8;
			uint64_t v[NATIVE_NREGS] = {0};

			begin();
			native_expr(&n);
			for (unsigned r = 1; r < NATIVE_NREGS; r++)
				native_constant(&n, r, v[r] = any());
			if (op >= NATIVE_SDIV && (v[b] == 0 || v[b] == UINT64_MAX))
				continue;
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
			native_branch(&n, cond, 1, 2, 5); /* insn 2 */
			native_constant(&n, 3, 10);	  /* insn 3 */
			native_return(&n, 3, false);	  /* insn 4 */
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

TEST(values_are_handed_to_what_is_called)
{
	static const uint64_t agg = 1000;
	static uint64_t words[2];

	for (unsigned pass = 0; pass < 2; pass++) {
		unsigned skip;

		seen_value = 0;
		begin();
		native_expr(&n);
		native_load_saved(&n, 4, offsetof(struct hook_regs, rdx));
		native_return(&n, 4, true);
		native_keep(&n, 1); /* the second key */
		native_call_now(&n, address((const void *)(uintptr_t)now), 0);
		native_expr(&n);
		native_constant(&n, 1, pass);
		native_return(&n, 1, true);
		native_keep(&n, 4);
		skip = native_if(&n);
		native_call_aggregate(&n, address((const void *)(uintptr_t)aggregate),
				      address(&agg), 0, 4);
		native_add_words(&n, address(words), 0, 4);
		native_here(&n, skip);
		run();
		CHECK_EQ(seen_value, pass ? 1001 : 0);
	}
	CHECK(seen_block == block);
	CHECK_EQ(seen_keys[0], 12345);
	CHECK_EQ(seen_keys[1], 77);
	CHECK_EQ(words[0], 1);
	CHECK_EQ(words[1], 1);
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
		CHECK(pass == 0 || n.len < 140);
		saved = n.used;
	}
	saved = NATIVE_ALL;
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
		native_constant(&n, 1, i);
	CHECK(native_end(&n) < 0);
}

TEST_MAIN();
