/*
 * ringops FILE: 3 writes of 100 bytes to it and 2 reads of 50 by io_uring, of which one read is by
 * a registered file; then fallocate of 4,096 bytes from 8,192 on (FALLOC_FL_KEEP_SIZE) and
 * sync_file_range of 200 from 100 on; prints "writes 3 300 reads 2 100", or "no ring" where there
 * is no io_uring.
 */
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/io_uring.h>
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
static int one(uint8_t opcode, uint8_t flags, int fd, void *buf, unsigned len, uint64_t at)
{
	unsigned tail = *word(sq, params.sq_off.tail),
		 i = tail & *word(sq, params.sq_off.ring_mask);
	unsigned head = *word(cq, params.cq_off.head);
	struct io_uring_cqe *cqes = (void *)(cq + params.cq_off.cqes);

	memset(&sqes[i], 0, sizeof(sqes[i]));
	sqes[i].opcode = opcode;
	sqes[i].flags = flags;
	sqes[i].fd = fd;
	sqes[i].addr = (uintptr_t)buf;
	sqes[i].len = len;
	sqes[i].off = at;
	word(sq, params.sq_off.array)[i] = i;
	__atomic_store_n(word(sq, params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	i = cqes[head & *word(cq, params.cq_off.ring_mask)].res >= 0
		    ? (unsigned)cqes[head & *word(cq, params.cq_off.ring_mask)].res
		    : 0;
	__atomic_store_n(word(cq, params.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return (int)i;
}

static char *map(size_t size, uint64_t at)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, (off_t)at);
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
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || sq == MAP_FAILED || cq == MAP_FAILED || (void *)sqes == MAP_FAILED ||
	    syscall(__NR_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1) < 0)
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
