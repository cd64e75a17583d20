/* Code of a process that is read a page at a time, from two pages of which the second may be
 * unreadable. */
#include "inject/codepages.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/test.h"

#define CODE (16 * (taddr_t)PAGE)

static uint8_t code[2 * PAGE];
static size_t readable = sizeof(code);
static unsigned nreads;

ssize_t proc_read_code(struct proc *p UNUSED, taddr_t at, void *buf, size_t n)
{
	size_t there = at - CODE < readable ? readable - (at - CODE) : 0;

	nreads++;
	memcpy(buf, code + (at - CODE), MIN(n, there));
	return there ? (ssize_t)MIN(n, there) : -EFAULT;
}

TEST(a_page_is_read_once_until_it_is_forgotten)
{
	struct codepages *pages = NULL;
	uint8_t now[8];

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(i * 7);
	nreads = 0;
	CHECK(codepages_read(&pages, NULL, CODE + 8, now, 8));
	CHECK(codepages_read(&pages, NULL, CODE + 100, now, 8));
	CHECK(!memcmp(now, code + 100, 8));
	CHECK_EQ(nreads, 1);
	CHECK(codepages_read(&pages, NULL, CODE + PAGE - 3, now, 8));
	CHECK(!memcmp(now, code + PAGE - 3, 8));
	CHECK_EQ(nreads, 2);
	codepages_forget(&pages);
	code[8] ^= 1;
	CHECK(codepages_read(&pages, NULL, CODE + 8, now, 8));
	CHECK_EQ(now[0], code[8]);
	CHECK_EQ(nreads, 3);
	codepages_forget(&pages);
	codepages_forget(&pages);
}

TEST(what_can_be_read_of_a_page_that_ends_early_is_read)
{
	struct codepages *pages = NULL;
	uint8_t now[8];

	readable = PAGE + 64;
	CHECK(codepages_read(&pages, NULL, CODE + PAGE + 56, now, 8));
	CHECK(!memcmp(now, code + PAGE + 56, 8));
	CHECK(!codepages_read(&pages, NULL, CODE + PAGE + 57, now, 8));
	readable = sizeof(code);
	codepages_forget(&pages);
}

TEST_MAIN();
