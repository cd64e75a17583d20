/* The journal of patched bytes. */
#include "tracer/journal.h"

#include <fcntl.h>
#include <unistd.h>

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
	int32_t i = journal_add(j, 42, 3, 0x1000, (const uint8_t *)"\xf3\x0f\x1e\xfa", 4);

	CHECK_EQ(i, 0);
	CHECK_EQ(j->e[i].pid, 42);
	CHECK_EQ(j->e[i].mem_fd, 3);
	CHECK_EQ(j->e[i].addr, 0x1000);
	CHECK_EQ(j->e[i].len, 4);
	CHECK_EQ(memcmp(j->e[i].orig, "\xf3\x0f\x1e\xfa", 4), 0);
}

TEST(freed_entries_are_used_again)
{
	struct journal *j = fresh();

	for (unsigned i = 0; i < 10; i++)
		journal_add(j, 42, 3, 0x1000 + i, (const uint8_t *)"\x55", 1);
	journal_del(j, 3);
	journal_del(j, 7);
	CHECK_EQ(journal_add(j, 42, 3, 0x2000, (const uint8_t *)"\x55", 1), 3);
	CHECK_EQ(journal_add(j, 42, 3, 0x2001, (const uint8_t *)"\x55", 1), 7);
	CHECK_EQ(journal_add(j, 42, 3, 0x2002, (const uint8_t *)"\x55", 1), 10);
}

TEST(a_process_is_forgotten_as_a_whole)
{
	struct journal *j = fresh();

	for (pid_t i = 0; i < 10; i++)
		journal_add(j, 42 + i % 2, 3, 0x1000, (const uint8_t *)"\x55", 1);
	journal_forget(j, 42);
	CHECK_EQ(used(j), 5);
	for (uint32_t i = 0; i < j->high; i++)
		CHECK(j->e[i].pid != 42);
}

TEST(full_is_said)
{
	struct journal *j = fresh();

	for (unsigned i = 0; i < JOURNAL_MAX; i++)
		CHECK_EQ(journal_add(j, 42, 3, i, (const uint8_t *)"\x55", 1), i);
	CHECK_EQ(journal_add(j, 42, 3, 0, (const uint8_t *)"\x55", 1), -1);
	journal_del(j, 1000);
	CHECK_EQ(journal_add(j, 42, 3, 0, (const uint8_t *)"\x55", 1), 1000);
}

TEST(processes_are_named_once)
{
	struct journal *j = fresh();
	pid_t pids[2];

	for (pid_t i = 0; i < 9; i++)
		journal_add(j, 42 + i % 3, 3, 0x1000, (const uint8_t *)"\x55", 1);
	journal_forget(j, 42);
	CHECK_EQ(journal_pids(j, pids, 2), 2);
	CHECK_EQ(pids[0] + pids[1], 43 + 44);
	CHECK_EQ(journal_pids(j, pids, 1), 1);
}

TEST(bytes_go_back_where_they_still_are_ours)
{
	static uint8_t code[8] = {0xcc, 0x90, 0xcc, 0x90, 0xcc, 0x0f, 0x1f, 0x00};
	taddr_t at = (taddr_t)(uintptr_t)code;
	struct journal *j = fresh();
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	journal_add(j, getpid(), mem, at, (const uint8_t *)"\x55", 1);
	journal_add(j, getpid(), mem, at + 1, (const uint8_t *)"\x55", 1);
	journal_add(j, getpid(), mem, at + 4, (const uint8_t *)"\xf3\x0f\x1e\xfa", 4);
	CHECK_EQ(journal_restore(j, true), 2);
	CHECK_EQ(memcmp(code, "\x55\x90\xcc\x90\xf3\x0f\x1e\xfa", 8), 0);
	code[0] = 0xcc;
	close(mem);
	CHECK_EQ(journal_restore(j, false), 1);
	CHECK_EQ(code[0], 0x55);
}

TEST(affinities_go_back_where_they_still_are_ours)
{
	struct journal *j = fresh();
	cpu_set_t own, one, now;
	int32_t i;

	CHECK_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
	if (CPU_COUNT(&own) < 2)
		SKIP("one CPU only");
	for (size_t cpu = 0;; cpu++)
		if (CPU_ISSET(cpu, &own)) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			i = journal_add_mask(j, gettid(), (int)cpu, &own);
			break;
		}
	CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	journal_restore_masks(j);
	sched_getaffinity(0, sizeof(now), &now);
	CHECK(CPU_EQUAL(&now, &own));
	sched_setaffinity(0, sizeof(one), &one);
	journal_del_mask(j, i);
	journal_restore_masks(j);
	sched_getaffinity(0, sizeof(now), &now);
	CHECK(CPU_EQUAL(&now, &one));
	sched_setaffinity(0, sizeof(own), &own);
}

TEST(a_call_for_us_is_known_while_it_lasts)
{
	struct journal *j = fresh();
	const struct journal_call call = {
		.tid = 42, .pid = 41, .sigmask = 5, .regs = {.rip = 0x1000}};

	CHECK(!journal_call(j));
	journal_begin_call(j, &call);
	CHECK(journal_call(j));
	CHECK_EQ(memcmp(journal_call(j), &call, sizeof(call)), 0);
	journal_end_call(j);
	CHECK(!journal_call(j));
}

TEST_MAIN();
