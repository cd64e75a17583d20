/*
 * happen: what bench/events measures tracers by. Makes N events of a kind, prints nanoseconds each:
 * the median of batches, which are so short that what else runs on the machine is not part of most.
 *
 *   ./happen KIND N
 *
 *   zero       pages of one area are touched for the first time
 *   zeros      the same in 64 areas that take turns
 *   udp, tcp   100 bytes to oneself over the loopback device, and read
 *   read       a page of a file that is in memory
 *   open       a file, and closed
 *   sysctl     a setting of the kernel is read
 *   getppid    a system call that does next to nothing
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

#define NPAGES	2048UL
#define NAREAS	64UL
#define PAYLOAD 100
#define BATCH	64 /* events; divides NPAGES */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

static void need(bool is_done, const char *what)
{
	if (is_done)
		return;
	perror(what);
	exit(2);
}

static char *map_pages(void)
{
	char *p = mmap(NULL, NPAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	need(p != MAP_FAILED, "mmap");
	madvise(p, NPAGES * PAGE, MADV_NOHUGEPAGE);
	return p;
}

static uint64_t *took;
static size_t ntook, nbatches;

/* Which begins: false where all have been made. */
static bool batch_begins(uint64_t *start)
{
	*start = now_ns();
	return ntook < nbatches;
}

static void batch_ends(uint64_t start)
{
	took[ntook++] = now_ns() - start;
}

/* What is given back is not part of the time. */
static void touch(volatile char *p, size_t step)
{
	uint64_t start;

	for (size_t at = 0; batch_begins(&start); at = (at + BATCH) % NPAGES) {
		for (size_t i = at; i < at + BATCH; i++)
			p[(i * step % NPAGES + i * step / NPAGES) * PAGE] = 1;
		batch_ends(start);
		if (at + BATCH == NPAGES)
			madvise((char *)p, NPAGES * PAGE, MADV_DONTNEED);
	}
}

static void zero(void)
{
	touch(map_pages(), 1);
}

/* Neighbours differ, so that they stay areas of their own. */
static void zeros(void)
{
	const size_t pages = NPAGES / NAREAS;
	char *p = map_pages();

	for (size_t i = 0; i < NAREAS; i += 2)
		need(mprotect(p + i * pages * PAGE, pages * PAGE,
			      PROT_READ | PROT_WRITE | PROT_EXEC) == 0,
		     "mprotect");
	touch(p, pages);
}

static struct sockaddr_in loopback(void)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int bound(int type)
{
	const struct sockaddr_in at = loopback();
	const int fd = socket(AF_INET, type, 0);

	need(fd >= 0 && bind(fd, (const void *)&at, sizeof(at)) == 0, "bind");
	return fd;
}

static int connected(int type, int to)
{
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	const int fd = socket(AF_INET, type, 0);

	need(getsockname(to, (void *)&at, &len) == 0, "getsockname");
	need(connect(fd, (void *)&at, len) == 0, "connect");
	return fd;
}

static void exchange(int from, int to)
{
	char bytes[PAYLOAD] = "";
	uint64_t start;

	while (batch_begins(&start)) {
		for (int i = 0; i < BATCH; i++)
			need(send(from, bytes, sizeof(bytes), 0) == PAYLOAD &&
				     recv(to, bytes, sizeof(bytes), MSG_WAITALL) == PAYLOAD,
			     "exchange");
		batch_ends(start);
	}
}

static void udp(void)
{
	const int to = bound(SOCK_DGRAM);

	exchange(connected(SOCK_DGRAM, to), to);
}

static void tcp(void)
{
	const int listener = bound(SOCK_STREAM), one = 1;
	int from;

	need(listen(listener, 1) == 0, "listen");
	from = connected(SOCK_STREAM, listener);
	setsockopt(from, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	exchange(from, accept(listener, NULL, NULL));
}

static void read_file(const char *path)
{
	const int fd = open(path, O_RDONLY);
	char bytes[PAGE];
	uint64_t start;

	need(fd >= 0, path);
	while (batch_begins(&start)) {
		for (int i = 0; i < BATCH; i++)
			need(pread(fd, bytes, sizeof(bytes), 0) > 0, "pread");
		batch_ends(start);
	}
}

static void reads(void)
{
	read_file("/proc/self/exe");
}

static void sysctls(void)
{
	read_file("/proc/sys/vm/swappiness");
}

static void opens(void)
{
	uint64_t start;

	while (batch_begins(&start)) {
		for (int i = 0; i < BATCH; i++)
			close(open("/etc/passwd", O_RDONLY));
		batch_ends(start);
	}
}

static void getppids(void)
{
	uint64_t start;

	while (batch_begins(&start)) {
		for (int i = 0; i < BATCH; i++)
			syscall(SYS_getppid);
		batch_ends(start);
	}
}

static const struct {
	const char *name;
	void (*fn)(void);
} kinds[] = {
	{"zero", zero},	 {"zeros", zeros}, {"udp", udp},	{"tcp", tcp},
	{"read", reads}, {"open", opens},  {"sysctl", sysctls}, {"getppid", getppids},
};

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	nbatches = argc == 3 ? strtoull(argv[2], NULL, 10) / BATCH : 0;
	took = calloc(nbatches + 1, sizeof(*took));
	for (size_t i = 0; took && nbatches && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0) {
			kinds[i].fn();
			qsort(took, ntook, sizeof(*took), by_value);
			printf("%s %.1f\n", argv[1], (double)took[ntook / 2] / BATCH);
			return 0;
		}
	fputs("usage: happen KIND N (at least 64)\n", stderr);
	return 2;
}
