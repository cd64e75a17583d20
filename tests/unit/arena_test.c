#include "base/arena.h"

#include "tests/unit/test.h"

#include <sys/wait.h>
#include <unistd.h>

TEST(memory_is_zeroed_and_aligned_to_16)
{
	struct arena a;

	arena_init(&a);
	for (size_t n = 0; n < 200; n++) {
		char *p = arena_alloc(&a, n);

		CHECK_EQ((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < n; i++)
			CHECK_EQ(p[i], 0);
		memset(p, 0xff, n);
	}
	arena_release(&a);
}

TEST(an_allocation_larger_than_a_block_gets_its_own)
{
	struct arena a;
	char *small, *large;

	arena_init(&a);
	small = arena_strdup(&a, "small");
	large = arena_alloc(&a, 1 << 20);
	memset(large, 1, 1 << 20);
	CHECK_STR(small, "small");
	CHECK_STR(arena_strdup(&a, "after"), "after");
	arena_release(&a);
}

TEST(strings_are_copied_cut_and_formatted)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(arena_strdup(&a, "abc"), "abc");
	CHECK_STR(arena_strndup(&a, "abcdef", 3), "abc");
	CHECK_STR(arena_strndup(&a, "ab", 9), "ab");
	CHECK_STR(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	CHECK_EQ(memcmp(arena_memdup(&a, "a\0b", 3), "a\0b", 3), 0);
	arena_release(&a);
}

TEST(what_was_allocated_last_is_given_back)
{
	struct arena a, mark;
	char *kept, *p;

	arena_init(&a);
	mark = a;
	memset(arena_alloc(&a, 100), 1, 100);
	arena_return(&a, &mark);
	CHECK(!a.blocks);
	kept = arena_strdup(&a, "kept");
	for (size_t n = 100; n <= 1000000; n *= 10) {
		mark = a;
		for (unsigned i = 0; i < 3; i++)
			memset(arena_alloc(&a, n), 1, n);
		arena_return(&a, &mark);
		CHECK(a.blocks == mark.blocks);
		p = arena_alloc(&a, 64);
		for (unsigned i = 0; i < 64; i++)
			CHECK_EQ(p[i], 0);
		CHECK_STR(kept, "kept");
	}
	arena_release(&a);
}

TEST(equal_text_is_interned_to_one_pointer)
{
	struct arena a;
	struct intern in;
	char name[32];
	const char *first;

	arena_init(&a);
	intern_init(&in, &a);
	CHECK(!intern_find(&in, "entry"));
	first = intern_str(&in, "entry");
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		intern_str(&in, name);
	}
	CHECK(intern_str(&in, "entry") == first);
	CHECK(intern_find(&in, "entry") == first);
	CHECK(intern_str(&in, "Entry") != first);
	CHECK_STR(intern_find(&in, "name1999"), "name1999");
	CHECK(!intern_find(&in, "name2000"));
	intern_release(&in);
	arena_release(&a);
}

TEST(what_a_child_writes_into_the_shared_arena_its_parent_reads)
{
	struct arena a;
	struct err err;
	char **published;
	pid_t pid;

	CHECK_EQ(arena_init_shared(&a, (size_t)1 << 30, &err), 0);
	CHECK(a.shared);
	published = arena_alloc(&a, sizeof(*published));
	pid = fork();
	if (pid == 0) {
		*published = arena_strdup(&a, "from the engine");
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_STR(*published, "from the engine");
	CHECK(arena_owns(&a, *published));
	CHECK(!arena_owns(&a, &err));
	arena_release(&a);
}

TEST(a_full_shared_arena_says_so_with_NULL)
{
	struct arena a;
	struct err err;

	CHECK_EQ(arena_init_shared(&a, (size_t)64 << 20, &err), 0);
	CHECK(arena_try(&a, (size_t)65 << 20) == NULL);
	CHECK(arena_try(&a, (size_t)63 << 20) != NULL);
	CHECK(arena_try(&a, (size_t)2 << 20) == NULL);
	CHECK(arena_try(&a, 16) != NULL);
	arena_release(&a);
}

TEST_MAIN();
