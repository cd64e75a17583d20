/* The journal of patched bytes. */
#include "tracer/journal.h"

#include "tests/unit/test.h"
#include "tracer/tracer.h"

static struct journal *fresh(void)
{
	static struct arena a;

	arena_release(&a);
	arena_init(&a);
	return journal_new(&a);
}

static unsigned used(const struct journal *j)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < j->high; i++)
		n += j->e[i].pid != 0;
	return n;
}

TEST(entries_say_what_belongs_where)
{
	struct journal *j = fresh();
	int32_t i = journal_add(j, 42, 0x1000, (const uint8_t *)"\xf3\x0f\x1e\xfa", 4);

	CHECK_EQ(i, 0);
	CHECK_EQ(j->e[i].pid, 42);
	CHECK_EQ(j->e[i].addr, 0x1000);
	CHECK_EQ(j->e[i].len, 4);
	CHECK_EQ(memcmp(j->e[i].orig, "\xf3\x0f\x1e\xfa", 4), 0);
}

TEST(freed_entries_are_used_again)
{
	struct journal *j = fresh();

	for (unsigned i = 0; i < 10; i++)
		journal_add(j, 42, 0x1000 + i, (const uint8_t *)"\x55", 1);
	journal_del(j, 3);
	journal_del(j, 7);
	CHECK_EQ(journal_add(j, 42, 0x2000, (const uint8_t *)"\x55", 1), 3);
	CHECK_EQ(journal_add(j, 42, 0x2001, (const uint8_t *)"\x55", 1), 7);
	CHECK_EQ(journal_add(j, 42, 0x2002, (const uint8_t *)"\x55", 1), 10);
}

TEST(a_process_is_forgotten_as_a_whole)
{
	struct journal *j = fresh();

	for (pid_t i = 0; i < 10; i++)
		journal_add(j, 42 + i % 2, 0x1000, (const uint8_t *)"\x55", 1);
	journal_forget(j, 42);
	CHECK_EQ(used(j), 5);
	for (uint32_t i = 0; i < j->high; i++)
		CHECK(j->e[i].pid != 42);
}

TEST(full_is_said)
{
	struct journal *j = fresh();

	for (unsigned i = 0; i < JOURNAL_MAX; i++)
		CHECK_EQ(journal_add(j, 42, i, (const uint8_t *)"\x55", 1), i);
	CHECK_EQ(journal_add(j, 42, 0, (const uint8_t *)"\x55", 1), -1);
	journal_del(j, 1000);
	CHECK_EQ(journal_add(j, 42, 0, (const uint8_t *)"\x55", 1), 1000);
}

TEST_MAIN();
