/*
 * test.h: unit tests in one header. A file tests/unit/X_test.c holds one behaviour per TEST(name)
 * and ends with TEST_MAIN(). The program prints one line per test, which tests/run counts:
 *
 *	ok NAME
 *	FAIL NAME file:line: what was expected
 *	SKIP NAME reason
 *
 * and ends with 1 if any failed. With arguments it runs the tests so named. A failed CHECK or a
 * SKIP ends its test, also from a helper function (by longjmp: what the test holds is not freed).
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>

#include "base/base.h"

struct test {
	const char *name;
	void (*fn)(void);
	struct test *next;
};

static struct test *test_first, **test_last = &test_first;
static const char *test_now;
static int test_nfailed;
static jmp_buf test_end;

static inline void test_register(struct test *t)
{
	*test_last = t;
	test_last = &t->next;
}

#define TEST(id)                                                                                   \
	static void test_##id(void);                                                               \
	__attribute__((constructor)) static void test_register_##id(void)                          \
	{                                                                                          \
		static struct test t = {#id, test_##id, NULL};                                     \
		test_register(&t);                                                                 \
	}                                                                                          \
	static void test_##id(void)

static inline NORETURN void test_give_up(void)
{
	test_nfailed++;
	longjmp(test_end, 1);
}

#define TEST_FAIL(...)                                                                             \
	do {                                                                                       \
		printf("FAIL %s %s:%d: ", test_now, __FILE__, __LINE__);                           \
		printf(__VA_ARGS__);                                                               \
		putchar('\n');                                                                     \
		test_give_up();                                                                    \
	} while (0)

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			TEST_FAIL("%s", #cond);                                                    \
	} while (0)

/* Integers and pointers cast to integers: what came, then what was expected. */
#define CHECK_EQ(got, want)                                                                        \
	do {                                                                                       \
		int64_t got_ = (int64_t)(got), want_ = (int64_t)(want);                            \
		if (got_ != want_)                                                                 \
			TEST_FAIL("%s is %" PRId64 " (0x%" PRIx64 "), expected %" PRId64, #got,    \
				  got_, (uint64_t)got_, want_);                                    \
	} while (0)

#define CHECK_STR(got, want)                                                                       \
	do {                                                                                       \
		const char *got_ = (got), *want_ = (want);                                         \
		if (!got_ || !want_ ? got_ != want_ : strcmp(got_, want_) != 0)                    \
			TEST_FAIL("%s is \"%s\", expected \"%s\"", #got, got_ ? got_ : "(null)",   \
				  want_ ? want_ : "(null)");                                       \
	} while (0)

#define SKIP(...)                                                                                  \
	do {                                                                                       \
		printf("SKIP %s ", test_now);                                                      \
		printf(__VA_ARGS__);                                                               \
		putchar('\n');                                                                     \
		longjmp(test_end, 1);                                                              \
	} while (0)

static inline bool test_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc < 2;
}

static inline void test_run(const struct test *t)
{
	test_now = t->name;
	if (setjmp(test_end) == 0) {
		t->fn();
		printf("ok %s\n", test_now);
	}
}

static inline int test_run_all(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (const struct test *t = test_first; t; t = t->next)
		if (test_wanted(t->name, argc, argv))
			test_run(t);
	return test_nfailed != 0;
}

#define TEST_MAIN()                                                                                \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return test_run_all(argc, argv);                                                   \
	}                                                                                          \
	extern int test_main_needs_a_semicolon

#endif
