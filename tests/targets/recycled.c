/*
 * recycled: calls a function it has made at run time until a line comes, then makes its memory
 * data, all bytes 0xcc, and says so; at the next line it looks whether they are so still: "same" or
 * "changed".
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>
#include "perfmap.h"

static int line_waits(void)
{
	struct timeval soon = {0, 1000};
	fd_set in;

	FD_ZERO(&in);
	FD_SET(0, &in);
	return select(1, &in, NULL, NULL, &soon) > 0;
}

static void read_line(void)
{
	char c = 0;

	while (c != '\n' && read(0, &c, 1) == 1)
		;
}

int main(void)
{
	static const uint8_t add[] = {0x55, 0x8d, 0x04, 0x37, 0x5d, 0xc3};
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*fn)(int, int);
	int same = 1;
	struct perf_map map;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (code == MAP_FAILED)
		return 2;
	map = perf_map_open();
	memcpy(code, add, sizeof(add));
	memcpy(&fn, &code, sizeof(fn));
	fprintf(map.file, "%lx %zx recycled_add\n", (unsigned long)(uintptr_t)code, sizeof(add));
	fclose(map.file);
	puts("ready");
	while (!line_waits())
		if (fn(2, 3) != 5)
			return 1;
	read_line();
	mprotect(code, 4096, PROT_READ | PROT_WRITE);
	memset(code, 0xcc, 4096);
	puts("data");
	read_line();
	for (int i = 0; i < 4096; i++)
		same &= code[i] == 0xcc;
	puts(same ? "same" : "changed");
	unlink(map.path);
	return 0;
}
