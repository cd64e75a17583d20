/* The two tables of system calls. */
#include "providers/system/syscalls.h"

#include "tests/unit/test.h"

static const char *name_of_32(unsigned nr)
{
	int meant = syscall_of_32(nr);

	return meant < 0 ? "none" : syscall_name((unsigned)meant);
}

TEST(calls_that_both_have_are_one)
{
	CHECK_EQ(syscall_of_32(3), 0); /* read */
	CHECK_EQ(syscall_of_32(64), 110);
	CHECK_STR(name_of_32(64), "getppid");
	CHECK_STR(name_of_32(11), "execve");
	CHECK_STR(name_of_32(425), "io_uring_setup");
}

TEST(calls_that_only_32_bit_programs_have)
{
	CHECK_STR(name_of_32(7), "waitpid");
	CHECK_STR(name_of_32(192), "mmap2");
	CHECK_STR(name_of_32(403), "clock_gettime64");
	CHECK_EQ(syscall_of_32(7), SYSCALL_ONLY_32 + 7);
}

TEST(numbers_without_a_call)
{
	CHECK_EQ(syscall_of_32(511), -1);
	CHECK_EQ(syscall_of_32(1u << 31), -1);
	CHECK_EQ(syscall_name(511) == NULL, true);
	CHECK_EQ(syscall_name(SYSCALL_ONLY_32 + 64) == NULL, true); /* getppid is that of both */
	CHECK_EQ(syscall_name(~0u) == NULL, true);
}

/* Each name is one probe's. */
TEST(no_name_twice)
{
	for (unsigned a = 0; a < SYSCALL_MAX_NR; a++)
		for (unsigned b = a + 1; syscall_name(a) && b < SYSCALL_MAX_NR; b++)
			if (syscall_name(b))
				CHECK(strcmp(syscall_name(a), syscall_name(b)) != 0);
}

TEST_MAIN();
