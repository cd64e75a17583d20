/* Threads by the memory they live in: the last that was told, and never one that had to go for
 * room. */
#include "providers/kernel/kprog/toldthreads.h"

#include "tests/unit/test.h"

#define SIZE  9792
#define LEAST 5000
#define BASE  0xffff888100000000ULL

static struct toldthreads *told;

static void tell(uint64_t addr, uint32_t tid)
{
	toldthreads_add(told, &(struct kernthread){.addr = addr, .tid = tid});
}

static uint32_t who(uint64_t addr)
{
	const struct kernthread *t = toldthreads_find(told, addr);

	return t ? t->tid : 0;
}

TEST(from_its_first_byte_to_its_last)
{
	told = toldthreads_new(SIZE, LEAST);
	tell(BASE + 100, 7);
	CHECK_EQ(who(BASE + 99), 0);
	CHECK_EQ(who(BASE + 100), 7);
	CHECK_EQ(who(BASE + 100 + SIZE - 1), 7);
	CHECK_EQ(who(BASE + 100 + SIZE), 0);
	toldthreads_free(told);
}

TEST(many_more_are_told_of)
{
	told = toldthreads_new(SIZE, LEAST);
	/* where tables that are indexed by some bits of an address have one place for all */
	for (uint32_t i = 1; i <= 1000; i++)
		tell(BASE + ((uint64_t)i << 24), i);
	for (uint32_t i = 1; i <= 1000; i++)
		CHECK_EQ(who(BASE + ((uint64_t)i << 24) + 200), i);
	toldthreads_free(told);
}

TEST(side_by_side)
{
	told = toldthreads_new(SIZE, LEAST);
	for (uint32_t i = 0; i < 100; i++)
		tell(BASE + i * SIZE, i + 1);
	for (uint32_t i = 0; i < 100; i++) {
		CHECK_EQ(who(BASE + i * SIZE), i + 1);
		CHECK_EQ(who(BASE + i * SIZE + SIZE - 1), i + 1);
	}
	toldthreads_free(told);
}

/* The processor needs less room for its state than the type has: slabs lie closer. */
TEST(shorter_than_the_type)
{
	told = toldthreads_new(SIZE, LEAST);
	for (uint32_t i = 0; i < 100; i++)
		tell(BASE + i * 6144, i + 1);
	for (uint32_t i = 0; i < 100; i++) {
		CHECK_EQ(who(BASE + i * 6144), i + 1);
		CHECK_EQ(who(BASE + i * 6144 + 6143), i + 1);
	}
	tell(BASE + 50 * 6144, 1000); /* another there; its neighbours stay */
	CHECK_EQ(who(BASE + 49 * 6144 + 6143), 50);
	CHECK_EQ(who(BASE + 50 * 6144 + 2000), 1000);
	CHECK_EQ(who(BASE + 51 * 6144), 52);
	toldthreads_free(told);
}

TEST(who_comes_last_has_the_memory)
{
	told = toldthreads_new(SIZE, LEAST);
	for (uint32_t i = 1; i < 100; i++) {
		tell(BASE + i * 64 % LEAST, i);
		CHECK_EQ(who(BASE + i * 64 % LEAST), i);
		CHECK_EQ(who(BASE + i * 64 % LEAST + SIZE - 1), i);
	}
	tell(BASE, 100);
	CHECK_EQ(who(BASE + SIZE + 10), 0);
	toldthreads_free(told);
}

TEST(a_kernel_that_does_not_tell_the_size)
{
	told = toldthreads_new(0, 0);
	tell(BASE, 7);
	CHECK_EQ(who(BASE), 0);
	toldthreads_free(told);
	toldthreads_free(NULL);
}

TEST_MAIN();
