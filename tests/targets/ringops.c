/*
 * ringops FILE: 3 writes of 100 bytes to it and 2 reads of 50 by io_uring, of which one read is by
 * a registered file; then fallocate of 4,096 bytes from 8,192 on (FALLOC_FL_KEEP_SIZE) and
 * sync_file_range of 200 from 100 on; prints "writes 3 300 reads 2 100", or "no ring" where there
 * is no io_uring.
 *
 * ringops FOLDER paths: operations with paths there, and others that have none, by io_uring; prints
 * a line for each that the kernel knows: PROBE PATH RESULT (a path that is "NEW < OLD" of a
 * rename).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct io_uring_params params;
static struct io_uring_sqe *sqes;
static char *sq, *cq;
static int ring;

static unsigned *word(char *at, unsigned off)
{
	return (unsigned *)(void *)(at + off);
}

/* The result of the one request. */
static int ask(const struct io_uring_sqe *sqe)
{
	unsigned tail = *word(sq, params.sq_off.tail),
		 i = tail & *word(sq, params.sq_off.ring_mask);
	unsigned head = *word(cq, params.cq_off.head);
	struct io_uring_cqe *cqes = (void *)(cq + params.cq_off.cqes);
	int res;

	sqes[i] = *sqe;
	word(sq, params.sq_off.array)[i] = i;
	__atomic_store_n(word(sq, params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	res = cqes[head & *word(cq, params.cq_off.ring_mask)].res;
	__atomic_store_n(word(cq, params.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return res;
}

static int one(uint8_t opcode, uint8_t flags, int fd, void *buf, unsigned len, uint64_t at)
{
	const struct io_uring_sqe sqe = {.opcode = opcode,
					 .flags = flags,
					 .fd = fd,
					 .addr = (uintptr_t)buf,
					 .len = len,
					 .off = at};
	int res = ask(&sqe);

	return res < 0 ? 0 : res;
}

static char *map(size_t size, uint64_t at)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, (off_t)at);
}

/* Of kernels that do not know the request there is no line. */
static int did(const char *probe, const char *path, const struct io_uring_sqe *sqe)
{
	int res = ask(sqe);

	if (res != -EINVAL)
		printf("%s %s %d\n", probe, path, res);
	return res;
}

#define DO(probe, path, op, ...)                                                                   \
	did(probe, path, &(struct io_uring_sqe){.opcode = IORING_OP_##op, __VA_ARGS__})
#define TEXT(s) (uintptr_t)(s)

/* Numbers of requests and their flags that headers of a C library may not have yet. */
enum { IORING_OP_TRUNCATES = 55 };

static int paths(const char *folder)
{
	const int here = AT_FDCWD;
	struct open_how how = {.flags = O_RDWR | O_CREAT, .mode = 0600};
	char about[256], text[100] = "some";
	int dir, fd, other, pipes[2];

	if (chdir(folder) < 0 || pipe(pipes) < 0)
		return 1;
	DO("create", "d", MKDIRAT, .fd = here, .addr = TEXT("d"), .len = 0750);
	dir = DO("create", "d", OPENAT, .fd = here, .addr = TEXT("d"), .open_flags = O_DIRECTORY);
	fd = DO("create", "d/f", OPENAT, .fd = dir, .addr = TEXT("f"), .len = 0640,
		.open_flags = O_RDWR | O_CREAT | O_EXCL);
	other = DO("create", "d/g", OPENAT2, .fd = dir, .addr = TEXT("g"), .len = sizeof(how),
		   .off = TEXT(&how));
	if (dir < 0 || fd < 0 || other < 0)
		return 1;
	DO("create", "d/f", OPENAT, .fd = dir, .addr = TEXT("f"), .len = 0640,
	   .open_flags = O_RDWR | O_CREAT | O_EXCL);
	DO("write", "d/f", WRITE, .fd = fd, .addr = TEXT(text), .len = 100);
	DO("read", "d/f", SPLICE, .fd = pipes[1], .splice_fd_in = fd, .splice_off_in = 40,
	   .len = 30, .off = (uint64_t)-1);
	DO("write", "d/g", SPLICE, .fd = other, .splice_fd_in = pipes[0],
	   .splice_off_in = (uint64_t)-1, .len = 30, .off = 7);
	DO("queryinfo", "d/f", STATX, .fd = dir, .addr = TEXT("f"), .off = TEXT(about));
	DO("queryinfo", "d/g", STATX, .fd = other, .addr = TEXT(""), .statx_flags = AT_EMPTY_PATH,
	   .off = TEXT(about));
	DO("queryinfo", "d/none", STATX, .fd = here, .addr = TEXT("d/none"), .off = TEXT(about));
	DO("setinfo", "d/f", FSETXATTR, .fd = fd, .addr = TEXT("user.x"), .addr2 = TEXT("some"),
	   .len = 4);
	DO("queryinfo", "d/f", FGETXATTR, .fd = fd, .addr = TEXT("user.x"), .addr2 = TEXT(text),
	   .len = 4);
	DO("setinfo", "d/g", SETXATTR, .addr = TEXT("user.x"), .addr2 = TEXT("more"), .len = 4,
	   .addr3 = TEXT("d/g"));
	DO("queryinfo", "d/g", GETXATTR, .addr = TEXT("user.x"), .addr2 = TEXT(text), .len = 4,
	   .addr3 = TEXT("d/g"));
	DO("setinfo", "d/f", TRUNCATES, .fd = fd, .off = 12);
	DO("create", "d/h", LINKAT, .fd = dir, .addr = TEXT("f"), .len = (unsigned)dir,
	   .addr2 = TEXT("h"));
	DO("create", "d/l", SYMLINKAT, .fd = dir, .addr = TEXT("f"), .addr2 = TEXT("l"));
	DO("rename", "d/h", RENAMEAT, .fd = dir, .addr = TEXT("h"), .len = (unsigned)here,
	   .addr2 = TEXT("d/i"));
	DO("flush", "d/f", FSYNC, .fd = fd);
	DO("cleanup", "d/f", CLOSE, .fd = fd);
	DO("cleanup", "d/g", CLOSE, .fd = other);
	DO("delete", "d/f", UNLINKAT, .fd = dir, .addr = TEXT("f"));
	DO("delete", "d/i", UNLINKAT, .fd = dir, .addr = TEXT("i"));
	DO("delete", "d/g", UNLINKAT, .fd = dir, .addr = TEXT("g"));
	DO("delete", "d/l", UNLINKAT, .fd = dir, .addr = TEXT("l"));
	DO("delete", "d", UNLINKAT, .fd = here, .addr = TEXT("d"), .unlink_flags = AT_REMOVEDIR);
	DO("cleanup", "d", CLOSE, .fd = dir);
	return 0;
}

int main(int argc, char **argv)
{
	char text[100] = "";
	int fd, written = 0, got = 0;

	ring = (int)syscall(__NR_io_uring_setup, 4, &params);
	if (argc < 2 || ring < 0) {
		printf("no ring\n");
		return 0;
	}
	sq = map(params.sq_off.array + params.sq_entries * 4, IORING_OFF_SQ_RING);
	cq = map(params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		 IORING_OFF_CQ_RING);
	sqes = (void *)map(params.sq_entries * sizeof(*sqes), IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || (void *)sqes == MAP_FAILED)
		return 1;
	if (argc > 2)
		return paths(argv[1]);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || syscall(__NR_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1) < 0)
		return 1;
	for (int i = 0; i < 3; i++)
		written += one(IORING_OP_WRITE, 0, fd, text, 100, (uint64_t)i * 100);
	got += one(IORING_OP_READ, 0, fd, text, 50, 0);
	got += one(IORING_OP_READ, IOSQE_FIXED_FILE, 0, text, 50, 250);
	/* of fallocate the bytes are at the address, its mode is the length; both give 0 */
	if (one(IORING_OP_FALLOCATE, 0, fd, (void *)4096, FALLOC_FL_KEEP_SIZE, 8192) ||
	    one(IORING_OP_SYNC_FILE_RANGE, 0, fd, NULL, 200, 100))
		return 1;
	printf("writes 3 %d reads 2 %d\n", written, got);
	return 0;
}
