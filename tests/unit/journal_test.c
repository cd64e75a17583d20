/* The journal of patched bytes. */
#include "tracer/journal/journal.h"

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

static const uint8_t push[] = {0x55};

static int32_t add(struct journal *j, pid_t pid, taddr_t addr)
{
	return journal_add(j, pid, 3, addr, push, sizeof(push));
}

static const struct journal_proc *of(const struct journal *j, pid_t pid)
{
	const struct journal_proc *p = j->procs;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

static unsigned used(const struct journal_rows *rs)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < rs->high; i++)
		n += rows_at(rs, i) != NULL;
	return n;
}

TEST(rows_say_what_belongs_where)
{
	struct journal *j = fresh();
	int32_t i = journal_add(j, 42, 3, 0x1000, (const uint8_t *)"\xf3\x0f\x1e\xfa", 4);
	const struct journal_row *r = rows_at(&of(j, 42)->bkpts, 0);

	CHECK_EQ(i, 0);
	CHECK_EQ(of(j, 42)->mem_fd, 3);
	CHECK_EQ(r->addr, 0x1000);
	CHECK_EQ(r->len, 4);
	CHECK_EQ(memcmp(r->orig, "\xf3\x0f\x1e\xfa", 4), 0);
}

TEST(freed_rows_are_used_again)
{
	struct journal *j = fresh();

	for (unsigned i = 0; i < 10; i++)
		add(j, 42, 0x1000 + i);
	journal_del(j, 42, 3);
	journal_del(j, 42, 7);
	CHECK_EQ(add(j, 42, 0x2000), 3);
	CHECK_EQ(add(j, 42, 0x2001), 7);
	CHECK_EQ(add(j, 42, 0x2002), 10);
}

TEST(a_process_is_forgotten_as_a_whole)
{
	struct journal *j = fresh();

	for (pid_t i = 0; i < 10; i++)
		add(j, 42 + i % 2, 0x1000);
	journal_forget(j, 42);
	CHECK(!of(j, 42));
	CHECK_EQ(used(&of(j, 43)->bkpts), 5);
}

/* What one process has takes nothing from another. */
TEST(each_process_has_as_many_as_it_needs)
{
	struct journal *j = fresh();

	for (pid_t pid = 1; pid <= 8; pid++)
		for (int32_t i = 0; i < 300000; i++)
			CHECK_EQ(add(j, pid, (taddr_t)i), i);
}

TEST(full_is_said)
{
	struct arena small;
	struct journal *j;
	int32_t n = 0, i;

	if (arena_init_shared(&small, 64U << 20, NULL))
		SKIP("no shared memory");
	j = journal_new(&small);
	while ((i = add(j, 42, (taddr_t)n)) == n)
		n++;
	CHECK_EQ(i, -1);
	CHECK(n > 1000000);
	CHECK_EQ(add(j, 43, 0), -1);
	journal_del(j, 42, 1000);
	CHECK_EQ(add(j, 42, 0), 1000);
	journal_forget(j, 42);
	CHECK_EQ(add(j, 43, 0), 0);
	arena_release(&small);
}

static int32_t add_jump(struct journal *j, pid_t pid, taddr_t addr)
{
	return journal_add_detour(j, pid, addr, push, push, 1);
}

TEST(a_copy_shares_the_jumps_of_its_parent_until_one_changes)
{
	const unsigned n = 3 * JOURNAL_CHUNK;
	struct journal *j = fresh();
	const struct journal_rows *parent, *child;

	for (unsigned i = 0; i < n; i++)
		add_jump(j, 42, 0x1000 + i);
	CHECK(journal_share_detours(j, 42, 43));
	parent = &of(j, 42)->detours;
	child = &of(j, 43)->detours;
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(parent->chunks[i], child->chunks[i]);
	journal_del_detour(j, 43, (int32_t)JOURNAL_CHUNK + 5);
	CHECK(parent->chunks[1] != child->chunks[1]);
	CHECK_EQ(parent->chunks[2], child->chunks[2]);
	CHECK_EQ(used(parent), n);
	CHECK_EQ(used(child), n - 1);
	CHECK_EQ(add_jump(j, 43, 0x9000), (int32_t)JOURNAL_CHUNK + 5);
	CHECK_EQ(rows_at(parent, JOURNAL_CHUNK + 5)->addr, 0x1000 + JOURNAL_CHUNK + 5);
	CHECK_EQ(rows_at(child, JOURNAL_CHUNK + 5)->addr, 0x9000);
	journal_forget(j, 42);
	CHECK_EQ(used(child), n);
	CHECK_EQ(rows_at(child, 7)->addr, 0x1007);
	CHECK_EQ(journal_next_changed(j, 0), 43);
	CHECK_EQ(journal_next_changed(j, 43), 0);
}

/* A thousand children, one after the other: what they have had is had by others. */
TEST(rows_of_processes_that_have_gone_are_used_again)
{
	struct arena small;
	struct journal *j;

	if (arena_init_shared(&small, 64U << 20, NULL))
		SKIP("no shared memory");
	j = journal_new(&small);
	for (unsigned i = 0; i < 100000; i++)
		add_jump(j, 42, i);
	for (pid_t pid = 43; pid < 1043; pid++) {
		CHECK(journal_share_detours(j, 42, pid));
		for (int32_t i = 0; i < 100000; i += (int32_t)JOURNAL_CHUNK)
			journal_del_detour(j, pid, i);
		CHECK_EQ(add_jump(j, pid, 1), 0);
		journal_forget(j, pid);
	}
	arena_release(&small);
}

TEST(processes_are_named_once)
{
	struct journal *j = fresh();
	pid_t pids[2];

	for (pid_t i = 0; i < 9; i++)
		add(j, 42 + i % 3, 0x1000);
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

	journal_add(j, getpid(), mem, at, push, 1);
	journal_add(j, getpid(), mem, at + 1, push, 1);
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
