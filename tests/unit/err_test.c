#include "base/err.h"

#include "tests/unit/test.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(set_stores_code_and_sentence_and_returns_the_code)
{
	struct err err;

	CHECK_EQ(err_set(&err, -ENOENT, "no module %s", "libx"), -ENOENT);
	CHECK_EQ(err.code, -ENOENT);
	CHECK_STR(err.text, "no module libx");
	CHECK_EQ(err_set(NULL, -EINVAL, "nobody listens"), -EINVAL);
}

TEST(wrap_puts_a_context_in_front)
{
	struct err err;

	err_set(&err, -EPERM, "not allowed");
	CHECK_EQ(err_wrap(&err, "failed to grab process %d", 7), -EPERM);
	CHECK_STR(err.text, "failed to grab process 7: not allowed");
	CHECK_EQ(err_wrap(NULL, "x"), -EIO);
}

TEST(a_text_too_long_is_cut_not_overrun)
{
	struct err err;
	char big[2 * sizeof(err.text)];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&err, -EINVAL, "%s", big);
	CHECK_EQ(strlen(err.text), sizeof(err.text) - 1);
	err_wrap(&err, "%s", big);
	CHECK_EQ(strlen(err.text), sizeof(err.text) - 1);
}

static void say(void *text)
{
	dprintf(STDERR_FILENO, "%s\n", (const char *)text);
}

static void die_in_child(void)
{
	static char first[] = "first", second[] = "second", third[] = "third";

	die_cleanup(say, first);
	die_cleanup(say, second);
	die_cleanup(say, third);
	die_forget(say, second);
	die("%s failed", "something");
}

TEST(die_cleans_up_newest_first_and_exits_1_with_one_sentence)
{
	char got[256] = "";
	size_t n = 0;
	ssize_t r;
	int fds[2], status;
	pid_t pid;

	CHECK_EQ(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		die_in_child();
	}
	close(fds[1]);
	while ((r = read(fds[0], got + n, sizeof(got) - 1 - n)) > 0)
		n += (size_t)r;
	close(fds[0]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 1);
	CHECK_STR(got, "third\nfirst\ndtrace: something failed\n");
}

TEST_MAIN();
