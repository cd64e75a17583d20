/*
 * calltexts N: access() of texts of each kind, N times in a loop: short and long ones, at the end
 * of a page, without an end in it, at addresses where nothing is, in pages of a file that are not
 * in memory yet. `calltexts N M`: of M names, in turn, and
 * nothing else; prints the ns that one takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static void of_each_kind(const char *page, const char *endless, const char *large)
{
	access("short", 0);
	access("", 1);
	access("/seven7", 2);
	access("eight888", 3);
	access("\xc3\xa4\xc3\xb6", 4);
	access(large, 5);
	access(page + PAGE - 6, 6);
	access(page + PAGE - 100, 7);
	access(endless + PAGE - 8, 0);
	access((const char *)16, 1);
	access((const char *)0xffff800000000000, 2);
}

/* A page of that character, behind which nothing can be read, whatever is mapped later. */
static char *page_of(int c)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + PAGE, PAGE, PROT_NONE))
		exit(1);
	return memset(p, c, PAGE);
}

/* Each is mapped anew, and nobody has looked at it. */
static void of_files(const char *file, int times)
{
	int fd = open(file, O_RDONLY);

	for (int i = 0; i < times; i++) {
		char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

		if (p == MAP_FAILED)
			exit(1);
		access(p + 1, 4);
		munmap(p, PAGE);
	}
	close(fd);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void of_names(int n, int names)
{
	char(*name)[64] = calloc((size_t)names, sizeof(*name));
	double start;

	if (!name)
		exit(1);
	for (int i = 0; i < names; i++)
		snprintf(name[i], sizeof(name[i]), "/nowhere/at/all/%d", i);
	start = now_ns();
	for (int i = 0; i < n; i++)
		access(name[i % names], 0);
	printf("access %d %.0f\n", n, (now_ns() - start) / n);
	free(name);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, names = argc > 2 ? atoi(argv[2]) : 0;
	char *page = page_of('x'), *endless = page_of('y'), large[700];

	strcpy(page + PAGE - 6, "edge");
	memset(large, 'l', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	if (names) {
		of_names(n, names);
		return 0;
	}
	for (int i = 0; i < n; i++)
		of_each_kind(page, endless, large);
	of_files(argv[0], n);
	return 0;
}
