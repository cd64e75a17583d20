/*
 * manyfiles.c: opens N files of the folder, appending, every other one not for programs that it
 * executes, and closes them all at once: manyfiles FOLDER N exit|exec|range. Prints how many were
 * opened.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const unsigned n = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
	const struct rlimit limit = {n + 100, n + 100};
	char path[4096];

	if (!n || setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 2;
	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/many_%u", argv[1], i % 50);
		if (open(path, O_CREAT | O_WRONLY | O_APPEND | (i % 2 ? O_CLOEXEC : 0), 0600) < 0)
			return 2;
	}
	printf("opened %u\n", n);
	fflush(stdout);
	if (strcmp(argv[3], "exec") == 0)
		execlp("true", "true", NULL);
	if (strcmp(argv[3], "range") == 0)
		syscall(SYS_close_range, 3U, ~0U, 0U);
	return 0;
}
