/* Call frame information of files, whole and broken. */
#include "symbols/cfi/filecfi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* How many of these offsets of a file have a row. */
static unsigned rows_of(const char *path)
{
	struct filecfi *f = filecfi_new(open(path, O_RDONLY | O_CLOEXEC));
	struct cfi_row row;
	unsigned n = 0;

	for (uint64_t off = 0; off < 1 << 20; off += 64)
		n += filecfi_row(f, off, &row) == 0;
	filecfi_free(f);
	return n;
}

TEST(a_program)
{
	CHECK(rows_of("/proc/self/exe") > 10);
}

TEST(what_is_none)
{
	CHECK_EQ(rows_of("/nonexistent"), 0);
	CHECK_EQ(rows_of("/"), 0);
	CHECK_EQ(rows_of("/dev/null"), 0);
	CHECK_EQ(rows_of("/proc/self/status"), 0);
}

/* The beginning of a program, cut off everywhere: whatever is missing, there is an answer. */
TEST(a_part_of_a_program)
{
	char path[] = "/tmp/filecfi_test.XXXXXX", bytes[8192];
	FILE *from = fopen("/proc/self/exe", "re");
	int fd = mkstemp(path);

	CHECK(from && fd >= 0);
	CHECK(fread(bytes, 1, sizeof(bytes), from) == sizeof(bytes));
	fclose(from);
	for (size_t n = 0; n < sizeof(bytes); n += 37) {
		CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, n, 0) == (ssize_t)n);
		rows_of(path);
	}
	close(fd);
	unlink(path);
}

TEST_MAIN();
