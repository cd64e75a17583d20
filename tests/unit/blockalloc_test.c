/*
 * Threads that take their blocks: the first hit of each does, the program sees nothing of it, and a
 * copy by fork has none.
 */
#include "inject/x86/trampoline.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/hookobj.h"
#include "tests/unit/cpu.h"
#include "tests/unit/test.h"

#define WORD	   0x278 /* of glibc's thread control block */
#define SHARED	   0x550000000000UL
#define BLOCKS	   (SHARED + 8192)
#define BLOCK_SIZE 20480UL
#define NBLOCKS	   3 /* that can be taken; one more is nobody's */
#define CELL	   3
#define OWN	   4

/* clang-format off */
#define FUNCTIONS(X)                                                                               \
	X(f1, "push %rbp\n mov %rsp, %rbp\n push %r12\n pop %r12\n pop %rbp")                      \
	X(f2, "adc $1, %rcx\n jo 9f\n nop\n nop")                                                  \
	X(f3, "mov %rax, -8(%rsp)\n mov -16(%rsp), %r9\n nop")
/* clang-format on */

CPU_CASES(functions, FUNCTIONS)

static struct hook_shared *shared;
static struct hook_selfclaim *selfclaim;
static uint8_t *code;
static const uint64_t nothing;

static struct hook_block *block(unsigned i)
{
	return (void *)(BLOCKS + i * BLOCK_SIZE);
}

static uint64_t *cells(unsigned i)
{
	return (void *)((char *)block(i) + HOOK_BLOCK_HEADER);
}

static void *map(uint64_t at, size_t n, int prot, int flags)
{
	void *p = mmap((void *)(uintptr_t)at, n, prot, flags | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		       -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void set_word(const void *to)
{
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(to), "i"(WORD));
}

static uint64_t tcb(void)
{
	uint64_t v;

	__asm__("mov %%fs:0, %0" : "=r"(v));
	return v;
}

/* No thread has a block. */
static void begin(void)
{
	uint64_t text = (uint64_t)(uintptr_t)functions[0].code & ~0xfffULL;

	if (!shared) {
		shared = map(SHARED, 8192 + (NBLOCKS + 2) * BLOCK_SIZE, PROT_READ | PROT_WRITE,
			     MAP_SHARED);
		selfclaim = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
		CHECK_EQ(madvise(selfclaim, 4096, MADV_WIPEONFORK), 0);
		code = map(text + 0x8000000, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE);
		memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
		((struct hook_object *)code)->where =
			(struct hook_where){.blocks = BLOCKS,
					    .shared = SHARED,
					    .word = WORD,
					    .block_size = BLOCK_SIZE,
					    .selfclaim = (uint64_t)(uintptr_t)selfclaim};
	}
	memset((void *)BLOCKS, 0, (NBLOCKS + 2) * BLOCK_SIZE);
	memset(selfclaim, 0, 4096);
	selfclaim->is_original = 1;
	*shared = (struct hook_shared){.nblocks = NBLOCKS + 1, .nown = 1, .own = {{OWN, 1}}};
	set_word(&nothing);
}

/* A function with a trampoline in front of it that counts. */
static void *trampoline(const struct cpu_case *c, bool keeps_flags_and_redzone)
{
	static const struct reloc_stop entry = {0};
	const struct hook_object *o = (const void *)code;
	uint8_t *to = code + ROUND_UP(HOOKOBJ_SIZE, 64);
	struct payloads ps = {.n = 1,
			      .v = {{.kind = PAYLOAD_COUNT, .cell = HOOK_BLOCK_HEADER + CELL * 8}}};
	struct trampoline_request rq = {.moved = {.bytes = c->code,
						  .n = 64,
						  .from = (uintptr_t)c->code,
						  .to = (uintptr_t)to,
						  .need = JUMP_LEN,
						  .stops = &entry,
						  .nstops = 1},
					.payloads = &ps,
					.keeps_flags_and_redzone = keeps_flags_and_redzone,
					.word = WORD,
					.take_block =
						(uintptr_t)code + o->functions[HOOK_FN_TAKE_BLOCK]};
	struct reloc s;

	CHECK_EQ(trampoline_emit(&rq, &s, NULL), 0);
	memcpy(to, s.code, s.len);
	return to;
}

static uint64_t hits(void)
{
	uint64_t n = 0;

	for (unsigned i = 1; i <= NBLOCKS; i++)
		n += cells(i)[CELL];
	return n;
}

TEST(the_first_hit_takes_a_block_and_the_program_sees_nothing)
{
	for (unsigned round = 0; round < 600; round++) {
		const struct cpu_case *c = &functions[round % ARRAY_SIZE(functions)];
		bool careful = round & 1 || round % ARRAY_SIZE(functions) == 2;
		static uint64_t memory[CPU_WORDS];
		struct cpu want;
		void *with;

		begin();
		with = trampoline(c, careful);
		cells(1)[OWN] = 99; /* of the thread that had it before */
		cpu_randomise();
		memcpy(memory, cpu_memory, sizeof(memory));
		cpu_run(c->code);
		want = cpu_out;
		for (unsigned hit = 1; hit <= 2; hit++) {
			memcpy(cpu_memory, memory, sizeof(memory));
			cpu_run(with);
			CHECK(!memcmp(want.r, cpu_out.r, sizeof(want.r)));
			CHECK_EQ((want.flags ^ cpu_out.flags) & (careful ? CPU_ARITH : 1), 0);
			CHECK_EQ(cells(1)[CELL], hit);
		}
		CHECK_EQ(block(1)->tcb, tcb());
		CHECK_EQ(cells(1)[OWN], 0);
	}
}

static void *hit_once(void *with)
{
	set_word(&nothing);
	cpu_run(with);
	return NULL;
}

TEST(each_thread_has_its_own_as_long_as_there_are_blocks)
{
	void *with;
	pthread_t t;

	begin();
	with = trampoline(&functions[0], false);
	for (unsigned i = 1; i <= NBLOCKS; i++)
		block(i)->owner = block(i)->tcb = i; /* of others */
	block(2)->owner = block(2)->tcb = 0;
	cpu_run(with);
	CHECK_EQ(cells(2)[CELL], 1);
	pthread_create(&t, NULL, hit_once, with);
	pthread_join(t, NULL);
	CHECK_EQ(hits(), 1);
	CHECK_EQ(block(0)->owner, 1); /* one that found none */
	cpu_run(with);
	CHECK_EQ(cells(2)[CELL], 2);
}

TEST(the_block_of_a_thread_whose_control_block_is_ours_now_is_free)
{
	begin();
	block(1)->owner = 12345;
	block(1)->tcb = tcb();
	cpu_run(trampoline(&functions[0], false));
	CHECK_EQ(cells(1)[CELL], 1);
	begin();
	block(1)->owner = 12345;
	block(1)->tcb = tcb();
	block(1)->head = 64; /* its records have not been read */
	cpu_run(trampoline(&functions[0], false));
	CHECK_EQ(cells(1)[CELL], 0);
	CHECK_EQ(cells(2)[CELL], 1);
}

TEST(a_copy_by_fork_counts_where_nobody_looks)
{
	void *with;
	int status;
	pid_t pid;

	begin();
	with = trampoline(&functions[0], false);
	cpu_run(with);
	pid = fork();
	if (pid == 0) {
		pthread_t t;

		cpu_run(with);
		cpu_run(with);
		pthread_create(&t, NULL, hit_once, with);
		pthread_join(t, NULL);
		_exit(selfclaim->is_original ? 1 : 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(hits(), 1);
	CHECK_EQ(cells(NBLOCKS + 1)[CELL], 3);
	CHECK_EQ(block(0)->owner, 0);
	cpu_run(with);
	CHECK_EQ(cells(1)[CELL], 2);
}

TEST_MAIN();
