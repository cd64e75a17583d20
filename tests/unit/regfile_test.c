/* Files that others name: what is opened, and what never is. Each test runs with openat2 and
 * without. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/endreq.h"
#include "base/regfile.h"

static char dir[PATH_MAX];

static void remove_dir(void)
{
	char *argv[] = {(char[]){"rm"}, (char[]){"-rf"}, dir, NULL};
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static const char *in_dir(const char *name)
{
	static char path[4][PATH_MAX + 256];
	static unsigned next;
	char *p = path[next++ % 4];

	if (!dir[0]) {
		snprintf(dir, sizeof(dir), "%s/regfile.XXXXXX",
			 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
		if (!mkdtemp(dir))
			TEST_FAIL("mkdtemp: %s", strerror(errno));
		atexit(remove_dir);
	}
	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		TEST_FAIL("%s: %s", name, strerror(errno));
}

/* The first bytes of what was opened; "" for an error, which is in *code. */
static const char *content(int fd, int *code)
{
	static char text[64];
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	*code = MIN(fd, 0);
	text[MAX(n, 0)] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static int code_of(int fd)
{
	int code;

	content(fd, &code);
	return code;
}

static void both_ways(void (*fn)(void))
{
	regfile_without_openat2(false);
	fn();
	regfile_without_openat2(true);
	fn();
	regfile_without_openat2(false);
}

static void open_odd_files(void)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", in_dir("socket"));
	unlink(sun.sun_path);
	unlink(in_dir("fifo"));
	CHECK_EQ(bind(s, (const struct sockaddr *)&sun, sizeof(sun)), 0);
	CHECK_EQ(mkfifo(in_dir("fifo"), 0600), 0);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("fifo"), REGFILE_FOLLOW)), -EINVAL);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("socket"), REGFILE_FOLLOW)), -EINVAL);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, "/dev/null", REGFILE_FOLLOW)), -EINVAL);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, "/dev/tty", REGFILE_FOLLOW)), -EINVAL);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, dir, REGFILE_FOLLOW)), -EINVAL);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("nothing"), REGFILE_FOLLOW)), -ENOENT);
	close(s);
}

TEST(only_regular_files_are_opened)
{
	both_ways(open_odd_files);
}

static void follow_links(void)
{
	char text[64];
	int code, fd;

	write_file("plain", "plain");
	unlink(in_dir("link"));
	unlink(in_dir("loop"));
	unlink(in_dir("magic"));
	CHECK_EQ(symlink("plain", in_dir("link")), 0);
	CHECK_EQ(symlink("loop", in_dir("loop")), 0);
	fd = open(in_dir("plain"), O_RDONLY | O_CLOEXEC);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	CHECK_EQ(symlink(text, in_dir("magic")), 0);
	CHECK_STR(content(regfile_open(FILEROOT_OURS, in_dir("plain"), REGFILE_NO_LINK), &code),
		  "plain");
	CHECK_STR(content(regfile_open(FILEROOT_OURS,
				       in_dir("./../../../../../..//tmp/../proc/version"),
				       REGFILE_FOLLOW),
			  &code) +
			  5,
		  content(regfile_open(FILEROOT_OURS, "/proc/version", REGFILE_FOLLOW), &code) + 5);
	CHECK_STR(content(regfile_open(FILEROOT_OURS, in_dir("link"), REGFILE_FOLLOW), &code),
		  "plain");
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("link"), REGFILE_NO_LINK)), -EINVAL);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("loop"), REGFILE_FOLLOW)), -ELOOP);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("magic"), REGFILE_FOLLOW)), -ELOOP);
	CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, text, REGFILE_FOLLOW)), -ELOOP);
	close(fd);
}

TEST(links_are_followed_but_not_those_of_descriptors)
{
	both_ways(follow_links);
}

static void look_below_root(void)
{
	static const char *const names[] = {"/f",  "f",	    "up/../f", "/../../f",
					    "abs", "climb", "/up/deep"};
	int root, code;

	mkdir(in_dir("root"), 0700);
	mkdir(in_dir("root/up"), 0700);
	write_file("f", "outside");
	write_file("root/f", "inside");
	unlink(in_dir("root/abs"));
	unlink(in_dir("root/climb"));
	unlink(in_dir("root/up/deep"));
	CHECK_EQ(symlink("/f", in_dir("root/abs")), 0);
	CHECK_EQ(symlink("../f", in_dir("root/climb")), 0);
	CHECK_EQ(symlink("../../../f", in_dir("root/up/deep")), 0);
	root = open(in_dir("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		CHECK_STR(content(regfile_open(root, names[i], REGFILE_FOLLOW), &code), "inside");
	CHECK_EQ(code_of(regfile_open(root, in_dir("f"), REGFILE_FOLLOW)), -ENOENT);
	close(root);
}

TEST(names_of_a_process_stay_below_its_root)
{
	both_ways(look_below_root);
}

TEST(a_root_of_its_own)
{
	char byte, shown[PATH_MAX + 300];
	const char *path;
	pid_t pid;
	int root, go[2];

	if (getuid())
		SKIP("chroot is for root");
	look_below_root();
	CHECK_EQ(fileroot_of(getpid(), NULL), FILEROOT_OURS);
	CHECK_EQ(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		byte = (char)(chroot(in_dir("root")) == 0);
		(void)!write(go[1], &byte, 1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(go[0], &byte, 1), 1);
	snprintf(shown, sizeof(shown), "%s/some/file", in_dir("root"));
	path = shown;
	root = fileroot_of(pid, &path);
	CHECK(root >= 0);
	CHECK_STR(path, "/some/file");
	path = "/outside";
	CHECK_EQ(fileroot_of(pid, &path), FILEROOT_OURS);
	CHECK_STR(path, "/outside");
	CHECK_STR(content(regfile_open(root, "/f", REGFILE_FOLLOW), &root), "inside");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_EQ(fileroot_of(pid, NULL), FILEROOT_OURS);
}

static int of_size(off_t size, const char *head)
{
	int fd = open(in_dir("sized"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, size) || pwrite(fd, head, strlen(head), 0) < 0)
		SKIP("no sparse files here: %s", strerror(errno));
	close(fd);
	return code_of(regfile_open(FILEROOT_OURS, in_dir("sized"), REGFILE_FOLLOW));
}

TEST(a_file_must_be_what_it_claims)
{
	CHECK_EQ(of_size((off_t)2 << 40, "x"), -EFBIG);
	CHECK_EQ(of_size((off_t)15 << 30, "x"), -EFBIG); /* nearly all of it a hole */
	CHECK_EQ(of_size(32 << 20, "x"), 0);
}

TEST(a_lease_is_not_waited_for)
{
	pid_t pid;
	int go[2];
	char byte = 0;

	write_file("leased", "x");
	CHECK_EQ(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open(in_dir("leased"), O_RDWR | O_CLOEXEC);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGIO, SIG_IGN);
		byte = (char)(fcntl(fd, F_SETLEASE, F_WRLCK) == 0);
		(void)!write(go[1], &byte, 1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(go[0], &byte, 1), 1);
	if (byte) /* some file systems have none */
		CHECK_EQ(code_of(regfile_open(FILEROOT_OURS, in_dir("leased"), REGFILE_FOLLOW)),
			 -EAGAIN);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (!byte)
		SKIP("no leases on this file system");
}

TEST(a_mapped_file_is_found_under_another_name)
{
	struct stat st;
	int fd, code;
	char *p;

	write_file("mapped", "mapped");
	fd = open(in_dir("mapped"), O_RDONLY | O_CLOEXEC);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK_EQ(fstat(fd, &st), 0);
	close(fd);
	unlink(in_dir("mapped"));
	mkfifo(in_dir("mapped"), 0600);
	fd = regfile_open_mapped(getpid(), (taddr_t)p, (taddr_t)p + 4096, in_dir("mapped"),
				 st.st_ino);
	if (fd < 0 && geteuid())
		CHECK_EQ(fd, -ESTALE); /* map_files is for root */
	else
		CHECK_STR(content(fd, &code), "mapped");
	munmap(p, 4096);
}

TEST(reasons_have_words)
{
	CHECK_STR(regfile_why(-EINVAL), "it is not a regular file");
	CHECK_STR(regfile_why(-ENOENT), strerror(ENOENT));
}

static bool is_asked;

static bool asked(void *arg UNUSED)
{
	return is_asked;
}

TEST(time_limits_end_by_request_and_by_time)
{
	struct time_limit p, none;

	CHECK(!endreq_asked());
	endreq_set(asked, NULL);
	time_limit_begin(&p, 1000);
	time_limit_begin(&none, 0);
	CHECK(time_limit_is_over(&none) && time_limit_is_over(&none));
	CHECK(!time_limit_is_over(&p));
	is_asked = true;
	for (unsigned i = 0; i < 1000; i++)
		time_limit_is_over(&p);
	CHECK(time_limit_is_over(&p));
	is_asked = false;
	CHECK(time_limit_is_over(&p));
	endreq_set(NULL, NULL);
}

TEST_MAIN();
