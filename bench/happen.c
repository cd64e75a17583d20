/*
 * happen: what bench/events measures tracers by. Makes N events of a kind, prints nanoseconds each.
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

/* What is given back is not part of the time. */
static uint64_t touch(volatile char *p, size_t step, uint64_t n)
{
	uint64_t took = 0;

	for (uint64_t left = n; left;) {
		const uint64_t now = left < NPAGES ? left : NPAGES, start = now_ns();

		for (size_t i = 0; i < now; i++)
			p[(i * step % NPAGES + i * step / NPAGES) * PAGE] = 1;
		took += now_ns() - start;
		left -= now;
		madvise((char *)p, NPAGES * PAGE, MADV_DONTNEED);
	}
	return took;
}

static uint64_t zero(uint64_t n)
{
	return touch(map_pages(), 1, n);
}

/* Neighbours differ, so that they stay areas of their own. */
static uint64_t zeros(uint64_t n)
{
	const size_t pages = NPAGES / NAREAS;
	char *p = map_pages();

	for (size_t i = 0; i < NAREAS; i += 2)
		need(mprotect(p + i * pages * PAGE, pages * PAGE,
			      PROT_READ | PROT_WRITE | PROT_EXEC) == 0,
		     "mprotect");
	return touch(p, pages, n);
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

static uint64_t exchange(int from, int to, uint64_t n)
{
	const uint64_t start = now_ns();
	char bytes[PAYLOAD] = "";

	for (uint64_t i = 0; i < n; i++)
		need(send(from, bytes, sizeof(bytes), 0) == PAYLOAD &&
			     recv(to, bytes, sizeof(bytes), MSG_WAITALL) == PAYLOAD,
		     "exchange");
	return now_ns() - start;
}

static uint64_t udp(uint64_t n)
{
	const int to = bound(SOCK_DGRAM);

	return exchange(connected(SOCK_DGRAM, to), to, n);
}

static uint64_t tcp(uint64_t n)
{
	const int listener = bound(SOCK_STREAM), one = 1;
	int from;

	need(listen(listener, 1) == 0, "listen");
	from = connected(SOCK_STREAM, listener);
	setsockopt(from, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return exchange(from, accept(listener, NULL, NULL), n);
}

static uint64_t read_file(const char *path, size_t size, uint64_t n)
{
	const int fd = open(path, O_RDONLY);
	const uint64_t start = now_ns();
	char bytes[PAGE];

	need(fd >= 0, path);
	for (uint64_t i = 0; i < n; i++)
		need(pread(fd, bytes, size, 0) > 0, "pread");
	return now_ns() - start;
}

static uint64_t reads(uint64_t n)
{
	return read_file("/proc/self/exe", PAGE, n);
}

static uint64_t sysctls(uint64_t n)
{
	return read_file("/proc/sys/vm/swappiness", PAGE, n);
}

static uint64_t opens(uint64_t n)
{
	const uint64_t start = now_ns();

	for (uint64_t i = 0; i < n; i++)
		close(open("/etc/passwd", O_RDONLY));
	return now_ns() - start;
}

static uint64_t getppids(uint64_t n)
{
	const uint64_t start = now_ns();

	for (uint64_t i = 0; i < n; i++)
		syscall(SYS_getppid);
	return now_ns() - start;
}

static const struct {
	const char *name;
	uint64_t (*fn)(uint64_t n);
} kinds[] = {
	{"zero", zero},	 {"zeros", zeros}, {"udp", udp},	{"tcp", tcp},
	{"read", reads}, {"open", opens},  {"sysctl", sysctls}, {"getppid", getppids},
};

int main(int argc, char **argv)
{
	const uint64_t n = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	for (size_t i = 0; n && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0) {
			printf("%s %.1f\n", argv[1], (double)kinds[i].fn(n) / (double)n);
			return 0;
		}
	fputs("usage: happen KIND N\n", stderr);
	return 2;
}
