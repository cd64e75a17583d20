/* guard_test.c: faults in memory that is shared (guard.h). */
#include "base/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "tests/unit/test.h"

#define PAGES 8

static int ends[2];

static void report(UNUSED void *arg)
{
	if (write(ends[1], "x", 1) != 1)
		_exit(1);
}

/* Once: it remembers what was before. */
static void prepare(void)
{
	if (ends[1])
		return;
	CHECK_EQ(pipe(ends), 0);
	fatal_prepare(report, NULL);
}

/* Its file ends behind the first page. */
static volatile char *map_short(void)
{
	int fd = memfd_create("short", 0);
	void *p;

	CHECK_EQ(ftruncate(fd, PAGE), 0);
	p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

TEST(a_page_that_is_gone_is_empty_and_counted)
{
	volatile char *p = map_short();
	volatile uint32_t nfaults = 0;

	prepare();
	p[0] = 7;
	guard_add((void *)(uintptr_t)p, PAGES * PAGE, &nfaults);
	CHECK_EQ(p[0], 7);
	CHECK_EQ(nfaults, 0);
	CHECK_EQ(p[2 * PAGE + 5], 0);
	CHECK_EQ(nfaults, 1);
	p[5 * PAGE + 4095] = 9;
	CHECK_EQ(p[5 * PAGE + 4095], 9);
	CHECK_EQ(nfaults, 2);
	CHECK_EQ(p[0], 7);
	guard_remove((const void *)(uintptr_t)p);
	munmap((void *)(uintptr_t)p, PAGES * PAGE);
}

TEST(memory_of_several_and_one_removed)
{
	volatile char *a = map_short(), *b = map_short();
	volatile uint32_t of_a = 0, of_b = 0;

	prepare();
	guard_add((void *)(uintptr_t)a, PAGES * PAGE, &of_a);
	guard_add((void *)(uintptr_t)b, PAGES * PAGE, &of_b);
	guard_remove((const void *)(uintptr_t)a);
	CHECK_EQ(b[PAGE], 0);
	CHECK_EQ(of_a, 0);
	CHECK_EQ(of_b, 1);
	guard_remove((const void *)(uintptr_t)b);
}

TEST(other_faults_end_the_process_as_before)
{
	volatile char *p = map_short();
	int status;
	pid_t pid;
	char c;

	prepare();
	pid = fork();
	if (pid == 0) {
		p[PAGE] = 1;
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
/* A sanitizer reports the fault, and exits. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 0);
#else
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
#endif
	CHECK_EQ(read(ends[0], &c, 1), 1);
}

TEST_MAIN();
