/*
 * Makes page faults of each kind, so many of each, in ranges of addresses of their own, and says
 * how many they were: "KIND COUNT" lines. What depends on the kernel's mood (how many pages of a
 * file it maps at a time) is counted by getrusage(). Its argument: a file that it writes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	   4096UL
#define FILE_PAGES 512

/* Where each kind happens: tests/sys/pf.sh knows these. */
#define ZERO_AT	   0x610000000000UL
#define UPGRADE_AT 0x620000000000UL
#define FORK_AT	   0x630000000000UL
#define CACHE_AT   0x640000000000UL
#define HARD_AT	   0x650000000000UL
#define GROWS_AT   0x660000000000UL
#define BAD_AT	   0x670000000000UL
#define KERNEL_AT  0x680000000000UL
#define ALLOC_AT   0x690000000000UL
#define REPLACE_AT 0x6b0000000000UL

static volatile char sink;

static char *map(unsigned long at, size_t pages, int prot, int flags, int fd)
{
	char *p = mmap((void *)at, pages * PAGE, prot, flags | MAP_FIXED_NOREPLACE, fd, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	return p;
}

static char *map_fresh(unsigned long at, size_t pages)
{
	return map(at, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void write_all(char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		p[i * PAGE] = 1;
}

static void read_all(const char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		sink += p[i * PAGE];
}

static struct rusage now(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u;
}

static void zeros(void)
{
	char *p;

	write_all(map_fresh(ZERO_AT, 64), 64);
	p = map_fresh(UPGRADE_AT, 32);
	read_all(p, 32);
	write_all(p, 32);
	printf("zero 64\nzero-read 32\nupgrade 32\n");
}

/* The child has the pages, too, until the parent has written to them. */
static void copies(void)
{
	char *p = map_fresh(FORK_AT, 48), c;
	int ends[2];
	pid_t child;

	write_all(p, 48);
	if (pipe(ends) < 0 || (child = fork()) < 0)
		exit(2);
	if (!child) {
		close(ends[1]);
		_exit(read(ends[0], &c, 1) != 0);
	}
	write_all(p, 48);
	close(ends[1]);
	waitpid(child, NULL, 0);
	printf("copy 48\n");
}

static void of_file(int fd)
{
	struct rusage a, b;
	char *p = map(CACHE_AT, FILE_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);

	b = now();
	read_all((char *)ZERO_AT, 64); /* what these functions need is there then */
	a = now();
	read_all(p, FILE_PAGES);
	b = now();
	printf("transition %ld\n", b.ru_minflt - a.ru_minflt);
	write_all(p, 24);
	printf("copy-file 24\n");
	munmap(p, FILE_PAGES * PAGE);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = map(HARD_AT, FILE_PAGES, PROT_READ, MAP_PRIVATE, fd);
	madvise(p, FILE_PAGES * PAGE, MADV_RANDOM);
	a = now();
	read_all(p, FILE_PAGES);
	b = now();
	printf("hard %ld\n", b.ru_majflt - a.ru_majflt);
}

static void stack_grows(void)
{
	char *p = map(GROWS_AT, 1, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1);

	*p = 1;
	for (unsigned long i = 1; i <= 36; i++)
		*(volatile char *)(GROWS_AT - i * PAGE) = 1;
	printf("guard 36\n");
}

static sigjmp_buf out;
static siginfo_t told;

static void caught(int sig, siginfo_t *info, void *context)
{
	(void)context;
	told = *info;
	siglongjmp(out, sig);
}

/* Says by which page of the range, with which signal and code. */
static void forbidden(char *p, int executes)
{
	for (volatile int i = 0; i < 5; i++) {
		if (sigsetjmp(out, 1))
			continue;
		if (executes)
			((void (*)(void))p)();
		*(volatile char *)p = 1;
	}
	if (told.si_addr != p)
		exit(2);
	printf("violation-at %lu %d %d\n", ((unsigned long)p - BAD_AT) / PAGE, told.si_signo,
	       told.si_code);
}

static void violations(int fd)
{
	const struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
	char *none = map(BAD_AT, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	char *only_read = map(BAD_AT + 16 * PAGE, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	char *past =
		map(BAD_AT + 32 * PAGE, FILE_PAGES + 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd);

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	forbidden(none, 0);
	forbidden(only_read, 0);
	forbidden((char *)BAD_AT + 8 * PAGE, 0);
	forbidden(past + FILE_PAGES * PAGE, 0);
	forbidden((char *)BAD_AT + 9 * PAGE, 1);
	printf("violation 25\n");
}

/* The kernel stumbles over pages of ours, too. */
static void in_kernel(void)
{
	int zero = open("/dev/zero", O_RDONLY);

	if (read(zero, map_fresh(KERNEL_AT, 16), 16 * PAGE) != (ssize_t)(16 * PAGE))
		exit(2);
	printf("zero-kernel 16\n");
}

static void areas(void)
{
	char *p = map(ALLOC_AT, 10, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), *old;

	p = mremap(p, 10 * PAGE, 30 * PAGE, 0);
	p = mremap(p, 30 * PAGE, 25 * PAGE, 0);
	madvise(p, 3 * PAGE, MADV_DONTNEED);
	munmap(p, 25 * PAGE - 1);
	old = sbrk(0);
	sbrk(5 * (long)PAGE);
	sbrk(-5 * (long)PAGE);
	if (sbrk(0) != old)
		exit(2);
	mmap((void *)ALLOC_AT, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* fails */
	printf("brk %#lx\n", (unsigned long)old);
}

/* One area after the other at one address: fresh memory, and a page of the file. */
static void replaced(int fd)
{
	char *p = map_fresh(REPLACE_AT, 1);

	for (int i = 0; i < 100; i++) {
		*p = 1;
		mmap(p, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
		sink += *p;
		mmap(p, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		     0);
	}
	printf("replaced 100\n");
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	char page[PAGE];

	setvbuf(stdout, NULL, _IOFBF, 8192);
	if (fd < 0)
		return 2;
	memset(page, 7, sizeof(page));
	for (int i = 0; i < FILE_PAGES; i++)
		if (write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
			return 2;
	zeros();
	copies();
	of_file(fd);
	stack_grows();
	violations(fd);
	in_kernel();
	areas();
	replaced(fd);
	return 0;
}
