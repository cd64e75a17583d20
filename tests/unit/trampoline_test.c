/* What trampolines do, run on the CPU: counts and records appear, and the program sees nothing of
 * it. */
#include "inject/x86/trampoline.h"

#include <cpuid.h>
#include <sys/mman.h>

#include "inject/hookobj.h"
#include "tests/unit/cpu.h"
#include "tests/unit/test.h"

#define LOW	   0x550000000000UL
#define WORD	   0x278 /* of glibc's thread control block */
#define SITES	   8
#define RING_SIZE  4096U
#define CELL	   3
#define DROPS_CELL 4

/* A target of our own: the memory of hook_proto.h far from anything, and code near our text. */
static struct hook_shared *shared;
static struct hook_site *sites;
static struct hook_block *block;
static uint64_t *cells;
static uint8_t *code;
static unsigned code_used;

/* The last one is no function's beginning: it reads below its stack pointer. */
/* clang-format off */
#define FUNCTIONS(X)                                                                               \
	X(f1, "push %rbp\n mov %rsp, %rbp\n push %r12\n pop %r12\n pop %rbp")                      \
	X(f2, "adc $1, %rcx\n jo 9f\n nop\n nop")                                                  \
	X(f3, "cmp %rcx, %rdx\n jb 9f\n nop\n nop")                                                \
	X(f4, "mov %rax, -8(%rsp)\n mov -16(%rsp), %r9\n nop")
/* clang-format on */

CPU_CASES(functions, FUNCTIONS)

static void *map(uint64_t near, size_t n, int prot, int flags)
{
	void *p = mmap((void *)(uintptr_t)near, n, prot,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void set_up(void)
{
	uint64_t text = (uint64_t)(uintptr_t)functions[0].code & ~0xfffULL;
	struct hook_object *o;
	uint8_t *low;

	if (shared)
		return;
	low = map(LOW, 65536, PROT_READ | PROT_WRITE, 0);
	shared = (void *)low;
	sites = (void *)(low + 4096);
	block = (void *)(low + 8192);
	cells = (void *)(low + 8192 + HOOK_BLOCK_HEADER);
	block->ring = LOW + 8192 + 32768;
	code = map(text + 0x8000000, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, 0);
	memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
	o = (void *)code;
	o->where = (struct hook_where){
		.blocks = LOW + 4096, .shared = LOW, .sites = LOW + 4096, .word = WORD};
	code_used = (unsigned)ROUND_UP(HOOKOBJ_SIZE, 64);
}

static void empty_ring(void)
{
	block->head = block->tail = block->gap = block->busy = block->limit = 0;
	block->ring_size = RING_SIZE;
}

/* An empty ring; our thread has the block. */
static void begin(void)
{
	set_up();
	memset(cells, 0, 4096);
	empty_ring();
	shared->is_recording = 1;
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(block), "i"(WORD));
}

static const struct payload *call(enum hook_function fn, uint32_t number)
{
	static struct payload p[2] = {{.kind = PAYLOAD_COUNT}, {.kind = PAYLOAD_CALL}};

	p[0].cell = HOOK_BLOCK_HEADER + CELL * 8;
	p[1].function = (uintptr_t)code + ((struct hook_object *)code)->functions[fn];
	p[1].number = number;
	return p;
}

/* The same as a record that is written in the trampoline. */
static const struct payload *written(uint32_t number)
{
	static struct native_record record;
	static struct payload p[2];
	const struct hook_object *o = (void *)code;

	memcpy(p, call(HOOK_FN_RECORD, number), sizeof(p));
	record = (struct native_record){.site = &sites[number],
					.number = number,
					.function = p[1].function,
					.leave = (uintptr_t)code + o->functions[HOOK_FN_LEAVE]};
	CHECK(native_can_record(record.site, true));
	p[1].record = &record;
	return p;
}

static void *trampoline(const struct cpu_case *c, const struct payload *p, unsigned n,
			bool keeps_flags_and_redzone)
{
	uint8_t *to = code + code_used;
	static const struct reloc_stop entry = {0};
	struct payloads ps = {.n = n};
	struct trampoline_request rq = {.moved = {.bytes = c->code,
						  .n = 64,
						  .from = (uintptr_t)c->code,
						  .to = (uintptr_t)to,
						  .need = JUMP_LEN,
						  .stops = &entry,
						  .nstops = 1},
					.payloads = &ps,
					.keeps_flags_and_redzone = keeps_flags_and_redzone,
					.word = WORD};
	struct reloc s;

	memcpy(ps.v, p, n * sizeof(*p));
	CHECK_EQ(trampoline_emit(&rq, &s, NULL), 0);
	memcpy(to, s.code, s.len);
	code_used = (code_used + s.len + 15) % 60000 & ~15U;
	if (code_used < HOOKOBJ_SIZE)
		code_used = (unsigned)ROUND_UP(HOOKOBJ_SIZE, 64);
	return to;
}

static const uint64_t *ring(void)
{
	return (const uint64_t *)(uintptr_t)block->ring;
}

static bool same_result(const struct cpu *a, const struct cpu *b, uint64_t flags)
{
	return memcmp(a->r, b->r, sizeof(a->r)) == 0 && ((a->flags ^ b->flags) & flags) == 0 &&
	       a->branched == b->branched && memcmp(a->xmm0, b->xmm0, sizeof(a->xmm0)) == 0;
}

/* The same function with and without us, from the same registers and memory. */
static void check_unseen(const struct cpu_case *c, const void *with, uint64_t flags, bool red_zone)
{
	static uint64_t memory[CPU_WORDS], after[CPU_WORDS];
	unsigned from = red_zone ? CPU_STACK - 16 : CPU_STACK;
	struct cpu want;

	cpu_randomise();
	memcpy(memory, cpu_memory, sizeof(memory));
	cpu_run(c->code);
	want = cpu_out;
	memcpy(after, cpu_memory, sizeof(memory));
	memcpy(cpu_memory, memory, sizeof(memory));
	cpu_run(with);
	CHECK(same_result(&want, &cpu_out, flags));
	CHECK(memcmp(after + from, cpu_memory + from, (CPU_WORDS - from) * 8) == 0);
}

TEST(a_trampoline_counts_and_calls_and_the_function_sees_nothing)
{
	begin();
	sites[2] = (struct hook_site){.flags = HOOK_TIME | HOOK_ARGS, .nargs = 6, .max_words = 8};
	for (unsigned i = 0; i < ARRAY_SIZE(functions); i++)
		for (unsigned round = 0; round < 600; round++) {
			bool careful = round & 1 || i + 1 == ARRAY_SIZE(functions);
			const struct payload *p = round % 3 == 2 ? written(2)
						  : round % 3	 ? call(HOOK_FN_RECORD_FULL, 2)
								 : call(HOOK_FN_RECORD, 2);

			block->tail = block->head;
			cells[CELL] = 0;
			check_unseen(&functions[i], trampoline(&functions[i], p, 2, careful),
				     careful ? CPU_ARITH : 1 /* CF */, careful);
			CHECK_EQ(cells[CELL], 1);
		}
	CHECK_EQ(cells[DROPS_CELL], 0);
}

TEST(a_record_has_what_its_site_asks_for)
{
	const struct payload *p = call(HOOK_FN_RECORD_FULL, 5);
	const uint64_t *r;

	begin();
	sites[5] = (struct hook_site){.flags = HOOK_ARGS | HOOK_CALLER | HOOK_REGS,
				      .nargs = 8,
				      .max_words = 1 + 8 + 1 + HOOK_NREGS};
	for (unsigned careful = 0; careful < 2; careful++) {
		empty_ring();
		cpu_randomise();
		cpu_run(trampoline(&functions[0], p + 1, 1, careful));
		r = ring();
		CHECK_EQ(block->head, (1 + 8 + 1 + HOOK_NREGS) * 8);
		CHECK_EQ(((const struct hook_record *)r)->site, 5);
		CHECK_EQ(((const struct hook_record *)r)->words, 28);
		CHECK_EQ(r[1], cpu_in.r[7]); /* rdi */
		CHECK_EQ(r[6], cpu_in.r[9]);
		CHECK_EQ(r[7], cpu_memory[CPU_STACK + 1]);
		CHECK_EQ(r[8], cpu_memory[CPU_STACK + 2]);
		CHECK_EQ(r[9], cpu_memory[CPU_STACK]);
		CHECK_EQ(r[10], cpu_in.r[15]);
		CHECK_EQ(r[14], cpu_in.r[5]);
		CHECK_EQ(r[15], cpu_in.r[3]);
		CHECK_EQ(r[26], cpu_in.r[0]);
		CHECK_EQ(r[27], (uintptr_t)&cpu_memory[CPU_STACK]);
	}
}

static bool cpu_has_rdpid(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_RDPID);
}

/* All that may be in it, in pairs: the second one is not the first of its ring. */
TEST(a_record_in_the_trampoline_is_the_same)
{
	static const uint32_t flags[] = {
		0,
		HOOK_ARGS,
		HOOK_RESULT,
		HOOK_CALLER | HOOK_CPU,
		HOOK_TIME | HOOK_RESULT,
		HOOK_TIME | HOOK_ARGS | HOOK_CALLER | HOOK_RESULT | HOOK_CPU,
	};

	begin();
	for (unsigned i = 0; i < 4 * ARRAY_SIZE(flags); i++) {
		uint32_t f = flags[i / 4];
		uint16_t words = 1 + 10 * !!(f & HOOK_ARGS) + 2 * !!(f & HOOK_RESULT) +
				 !!(f & HOOK_CALLER) + !!(f & HOOK_TIME);
		const struct payload *p;
		uint64_t want[16];
		void *by_call, *in_trampoline;

		sites[3] = (struct hook_site){.flags = f, .nargs = 10, .max_words = words};
		if (f & HOOK_CPU && !cpu_has_rdpid()) /* then it is called */
			continue;
		p = call(HOOK_FN_RECORD, 3);
		by_call = trampoline(&functions[0], p + 1, 1, i & 1);
		p = written(3);
		in_trampoline = trampoline(&functions[0], p + 1, 1, i & 1);
		shared->has_rdpid = cpu_has_rdpid();
		empty_ring();
		block->limit = i & 2 ? RING_SIZE : 0; /* the first is left to the function */
		cpu_randomise();
		cpu_run(by_call);
		memcpy(want, ring(), words * 8);
		CHECK_EQ(block->head, words * 8U);
		cpu_run(in_trampoline);
		CHECK_EQ(block->head, 2 * words * 8U);
		CHECK_EQ(block->busy, block->head);
		if (f & HOOK_TIME)
			CHECK(ring()[words + 1] > want[1]);
		if (f & HOOK_CPU) /* it may have moved */
			((uint16_t *)want)[3] = ((const uint16_t *)(ring() + words))[3];
		want[1] = f & HOOK_TIME ? ring()[words + 1] : want[1];
		CHECK(!memcmp(ring() + words, want, words * 8));
	}
	sites[3].flags = HOOK_REGS;
	CHECK(!native_can_record(&sites[3], true));
	sites[3].flags = HOOK_CPU;
	sites[3].max_words = 1;
	CHECK(!native_can_record(&sites[3], false));
}

TEST(a_full_ring_is_left_alone_and_the_loss_counted)
{
	const struct payload *p = call(HOOK_FN_RECORD, 1);
	void *f;

	begin();
	sites[1] = (struct hook_site){
		.flags = HOOK_ARGS, .nargs = 6, .max_words = 7, .drops_cell = DROPS_CELL};
	f = trampoline(&functions[0], p + 1, 1, false);
	for (unsigned i = 0; i < 100; i++) {
		cpu_randomise();
		cpu_run(f);
	}
	/* 73 of 56 bytes are 4088; the next would begin a new round */
	CHECK_EQ(block->head, 73 * 56);
	CHECK_EQ(cells[DROPS_CELL], 27);
	block->tail = block->head;
	cpu_run(f);
	CHECK_EQ(block->gap, RING_SIZE);
	CHECK_EQ(ring()[0], 73 * 56); /* the gap before begins here */
	CHECK_EQ(ring()[1], 0);
	CHECK_EQ(block->head, RING_SIZE + 16 + 56);
	CHECK_EQ(ring()[2 + 1], cpu_in.r[7]);
}

TEST(without_a_ring_all_is_lost_and_before_the_start_nothing)
{
	const struct payload *p = call(HOOK_FN_RECORD, 1);
	void *f;

	begin();
	sites[1] = (struct hook_site){.max_words = 1, .drops_cell = DROPS_CELL};
	f = trampoline(&functions[0], p + 1, 1, false);
	block->ring_size = 0;
	cpu_randomise();
	cpu_run(f);
	block->ring_size = RING_SIZE;
	shared->is_recording = 0;
	cpu_run(f);
	CHECK_EQ(block->head, 0);
	CHECK_EQ(cells[DROPS_CELL], 1);
}

TEST_MAIN();
