/* sharefile_test.c: a file that a traced process and we have open (proc_share_file). */
#include "tests/unit/tracerrig.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int64_t remote_mmap(int64_t fd, uint64_t offset)
{
	const uint64_t args[6] = {0,	      4096,	    PROT_READ | PROT_WRITE,
				  MAP_SHARED, (uint64_t)fd, offset};
	int64_t at = -1;

	CHECK_EQ(proc_syscall(R.proc, SYS_mmap, args, &at), 0);
	return at;
}

static bool has_descriptor(int64_t fd)
{
	char path[64], text[8];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", proc_pid(R.proc), (int)fd);
	return readlink(path, text, sizeof(text)) > 0;
}

static const char *const program[] = {TARGETS "t", "1", "1", "quiet", NULL};

TEST(a_shared_file_is_empty_and_never_gets_shorter)
{
	struct shared_file f;
	struct stat st;

	must_launch(program, EVALTIME_POSTINIT);
	CHECK_EQ(proc_share_file(R.proc, "test", &f), 0);
	CHECK(has_descriptor(f.theirs));
	CHECK_EQ(fstat(f.ours, &st), 0);
	CHECK_EQ(st.st_size, 0);
	CHECK_EQ(st.st_ino, f.ino);
	CHECK_EQ(ftruncate(f.ours, 8192), 0);
	CHECK(ftruncate(f.ours, 4096) < 0 && errno == EPERM);
	CHECK(fcntl(f.ours, F_ADD_SEALS, F_SEAL_GROW) < 0 && errno == EPERM);
	CHECK_EQ(ftruncate(f.ours, 16384), 0);
	proc_close_shared(R.proc, &f);
	CHECK(!has_descriptor(f.theirs));
	close(f.ours);
	finish();
	CHECK_EQ(R.status, 0);
}

TEST(what_is_mapped_is_told_from_another_file)
{
	struct shared_file f, other;
	int64_t at;

	must_launch(program, EVALTIME_POSTINIT);
	CHECK_EQ(proc_share_file(R.proc, "test", &f), 0);
	CHECK_EQ(proc_share_file(R.proc, "test", &other), 0);
	CHECK_EQ(ftruncate(f.ours, 8192), 0);
	at = remote_mmap(f.theirs, 4096);
	CHECK(at > 0);
	CHECK(proc_maps_shared(R.proc, &f, 4096, (taddr_t)at, 4096));
	CHECK(!proc_maps_shared(R.proc, &f, 0, (taddr_t)at, 4096));
	CHECK(!proc_maps_shared(R.proc, &f, 4096, (taddr_t)at, 8192));
	CHECK(!proc_maps_shared(R.proc, &other, 4096, (taddr_t)at, 4096));
	proc_close_shared(R.proc, &f);
	proc_close_shared(R.proc, &other);
	close(f.ours);
	close(other.ours);
	finish();
	CHECK_EQ(R.status, 0);
}

/* As a thread of the program does with dup2. */
TEST(a_number_that_another_file_has_got_stays_open)
{
	struct shared_file f;
	uint64_t args[6] = {1};
	int64_t got;

	must_launch(program, EVALTIME_POSTINIT);
	CHECK_EQ(proc_share_file(R.proc, "test", &f), 0);
	args[1] = (uint64_t)f.theirs;
	CHECK_EQ(proc_syscall(R.proc, SYS_dup2, args, &got), 0);
	proc_close_shared(R.proc, &f);
	CHECK(has_descriptor(f.theirs));
	CHECK(!proc_maps_shared(R.proc, &f, 0, (taddr_t)remote_mmap(f.theirs, 0), 4096));
	close(f.ours);
	finish();
	CHECK_EQ(R.status, 0);
}

TEST_MAIN();
