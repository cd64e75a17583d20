/*
 * driver.c: replays a corpus through a fuzz target without a fuzzer. Each argument is a file or a
 * directory of files; every one is given to LLVMFuzzerTestOneInput, whole, then cut at a few
 * lengths, then with single bits flipped: a cheap neighbourhood that plain `make check` can afford.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "tests/fuzz/fuzz.h"

static unsigned ninputs;

/* The input lies at the very end of its allocation, so that a sanitizer sees one byte too many. */
static void run_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = xmalloc(n ? n : 1);

	memcpy(copy, data, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
	ninputs++;
}

static void run_neighbours(uint8_t *data, size_t n)
{
	size_t step = n / 64 + 1;

	run_one(data, n);
	for (size_t i = 0; i < n; i += step) {
		run_one(data, i);
		data[i] ^= (uint8_t)(1U << (i % 8));
		run_one(data, n);
		data[i] ^= (uint8_t)(1U << (i % 8));
	}
}

static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, got;

	if (!f)
		die("%s: %s", path, strerror(errno));
	do {
		data = xrealloc(data, n + 65536);
		got = fread(data + n, 1, 65536, f);
		n += got;
	} while (got);
	fclose(f);
	run_neighbours(data, n);
	free(data);
}

static void run_dir(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;

	if (!d)
		die("%s: %s", path, strerror(errno));
	while ((e = readdir(d))) {
		char *file = xasprintf("%s/%s", path, e->d_name);

		if (e->d_name[0] != '.')
			run_file(file);
		free(file);
	}
	closedir(d);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st))
			die("%s: %s", argv[i], strerror(errno));
		if (S_ISDIR(st.st_mode))
			run_dir(argv[i]);
		else
			run_file(argv[i]);
	}
	printf("%u inputs\n", ninputs);
	return ninputs == 0;
}
