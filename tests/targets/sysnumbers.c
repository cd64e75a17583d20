/*
 * sysnumbers WAY FILE: makes the kernel count something of this process, so often as it says
 * or as the kernel's own files say: io (a child's reads and writes), forks (that are refused),
 * moves (to another CPU), direct (transfers of the disk that FILE is on), code (pages of it that
 * have to be read), swap (pages that go to FILE, a swap file, and come back), reclaim (pages that
 * are looked at and taken away). Lines "NAME NUMBER".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096UL
#define PAGES  200UL
#define ROUNDS 20

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

static volatile char sink;

static void check(int is_good, const char *what)
{
	if (is_good)
		return;
	perror(what);
	exit(2);
}

/* What stands behind a name in a file of such lines. */
static long number(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");

	char key[64];
	long v, sum = 0;

	check(f != NULL, path);
	while (fscanf(f, "%63s %ld", key, &v) == 2) {
		key[strcspn(key, ":")] = '\0';
		if (strcmp(key, name) == 0)
			sum += v;
	}
	fclose(f);
	return sum;
}

static long major_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_majflt;
}

static int file_of_pages(const char *path, size_t pages)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char page[PAGE];

	memset(page, 7, sizeof(page));
	check(fd >= 0, path);
	for (size_t i = 0; i < pages; i++)
		check(write(fd, page, sizeof(page)) == (ssize_t)sizeof(page), "write");
	check(fsync(fd) == 0, "fsync");
	return fd;
}

static void read_pages(const char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		sink += p[i * PAGE];
}

/* The kernel's account of a new process is empty. Its last read() is that of the account. */
static void io(const char *path)
{
	long *said = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char buf[512], *at;
	int fd, account;
	ssize_t n;

	if (fork()) {
		wait(NULL);
		printf("rchar %ld\nsyscr %ld\nwchar %ld\nsyscw %ld\n", said[0], said[1], said[2],
		       said[3]);
		return;
	}
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	account = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	for (int i = 1; i <= 70; i++)
		check(pwrite(fd, buf, (size_t)i * 3, i) == i * 3, "pwrite");
	for (int i = 1; i <= 90; i++)
		check(pread(fd, buf, (size_t)i, 0) == i, "pread");
	n = read(account, buf, sizeof(buf) - 1);
	check(n > 0, "/proc/self/io");
	buf[n] = '\0';
	at = buf;
	for (int i = 0; i < 4; i++) /* rchar, wchar, syscr, syscw */
		said[i == 1 ? 2 : i == 2 ? 1 : i] = strtol(strchr(at, ':') + 1, &at, 10);
	said[0] += n;
	said[1] += 1;
	_exit(0);
}

static void forks(const char *path)
{
	const struct rlimit one = {1, 1};
	long refused = 0;

	(void)path;
	check(setgid(65534) == 0 && setuid(65534) == 0, "setuid");
	check(setrlimit(RLIMIT_NPROC, &one) == 0, "setrlimit");
	for (int i = 0; i < 30; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		refused += child < 0 && errno == EAGAIN;
	}
	printf("refused %ld\n", refused);
}

static void moves(const char *path)
{
	cpu_set_t set;

	(void)path;
	for (int i = 0; i <= 100; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % 2, &set);
		check(sched_setaffinity(0, sizeof(set), &set) == 0, "sched_setaffinity");
	}
	printf("moves 100\n");
}

static void direct(const char *path)
{
	int fd = file_of_pages(path, PAGES);
	void *buf = NULL;

	close(fd);
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	check(fd >= 0, "O_DIRECT");
	check(posix_memalign(&buf, PAGE, PAGE) == 0, "memory");
	for (long i = 0; i < 50; i++)
		check(pread(fd, buf, PAGE, i * 2 * (long)PAGE) == (ssize_t)PAGE, "pread");
	for (long i = 0; i < 40; i++)
		check(pwrite(fd, buf, PAGE, i * 3 * (long)PAGE) == (ssize_t)PAGE, "pwrite");
	printf("read 50\nwritten 40\n");
}

/* The kernel reads code with its neighbours, as many as it likes. */
static void code(const char *path)
{
	int fd = file_of_pages(path, PAGES);
	long before = major_faults();
	char *p;

	for (int i = 0; i < ROUNDS; i++) {
		check(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0, "POSIX_FADV_DONTNEED");
		p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		check(p != MAP_FAILED, "PROT_EXEC");
		read_pages(p, PAGES);
		munmap(p, PAGES * PAGE);
	}
	printf("code %ld\n", major_faults() - before);
}

/* A page that is clean leaves the cache of the swap file when it is given away once more. */
static void swap(const char *path)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	long before, outs;

	check(p != MAP_FAILED, "mmap");
	madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES * PAGE; i++)
		p[i] = (char)(i * 2654435761U >> 13); /* nothing that could be left out */
	madvise(p, PAGES * PAGE, MADV_RANDOM);
	check(swapon(path, 0) == 0, "swapon");
	outs = number("/proc/vmstat", "pswpout");
	before = major_faults();
	for (int i = 0; i < ROUNDS; i++) {
		madvise(p, PAGES * PAGE, MADV_PAGEOUT);
		usleep(20000); /* time to be written in; how many were is counted */
		read_pages(p, PAGES);
	}
	printf("in %ld\nout %ld\n", major_faults() - before,
	       number("/proc/vmstat", "pswpout") - outs);
	check(swapoff(path) == 0, "swapoff");
}

/* Pages of files that the group FOLDER of version 1 is charged for, by its own account. */
static long cached(const char *folder)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	return number(path, "cache") / (long)PAGE;
}

static void write_to(const char *folder, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	check(fd >= 0, path);
	(void)!write(fd, "0", 1); /* of memory.force_empty EAGAIN: some are left */
	close(fd);
}

/* Of a group that this process has to itself: nobody else misses anything. */
static void reclaim(const char *path)
{
	const char *folder = getenv("CGROUP");
	long before;

	check(folder != NULL, "CGROUP");
	write_to(folder, "cgroup.procs");
	close(file_of_pages(path, 16 * PAGES));
	before = cached(folder);
	write_to(folder, "memory.force_empty");
	printf("taken %ld\n", before - cached(folder));
}

static const struct {
	const char *name;
	void (*go)(const char *path);
} ways[] = {{"io", io},	    {"forks", forks}, {"moves", moves},	   {"direct", direct},
	    {"code", code}, {"swap", swap},   {"reclaim", reclaim}};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOFBF, 8192);
	for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].go(argv[2]);
			return 0;
		}
	return 2;
}
