/*
 * textcheck: is the code of a process what its files say? `./textcheck PID` compares every private
 * executable mapping of a file with the file, and looks for executable memory that is of no file.
 * Prints each difference; ends with 0 when there is none.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct map {
	unsigned long start, end, off, ino;
	char perms[5], path[512];
};

static int differs;

static void compare(int mem, const char *pid, const struct map *m)
{
	char name[128];
	int fd;

	snprintf(name, sizeof(name), "/proc/%s/map_files/%lx-%lx", pid, m->start, m->end);
	fd = open(name, O_RDONLY);
	if (fd < 0)
		fd = open(m->path, O_RDONLY);
	if (fd < 0)
		return;
	for (unsigned long a = m->start; a < m->end; a += 4096) {
		unsigned char in_memory[4096], in_file[4096] = {0};

		if (pread(mem, in_memory, 4096, (off_t)a) != 4096 ||
		    pread(fd, in_file, 4096, (off_t)(m->off + a - m->start)) <= 0)
			continue;
		for (unsigned i = 0; i < 4096; i++)
			if (in_memory[i] != in_file[i]) {
				printf("%s+0x%lx: %02x in memory, %02x in the file\n", m->path,
				       m->off + a - m->start + i, in_memory[i], in_file[i]);
				differs = 1;
			}
	}
	close(fd);
}

int main(int argc, char **argv)
{
	char line[1024], name[64];
	int mem;
	FILE *f;

	if (argc < 2)
		return 2;
	snprintf(name, sizeof(name), "/proc/%s/maps", argv[1]);
	f = fopen(name, "r");
	snprintf(name, sizeof(name), "/proc/%s/mem", argv[1]);
	mem = open(name, O_RDONLY);
	if (!f || mem < 0)
		return 2;
	while (fgets(line, sizeof(line), f)) {
		struct map m = {0};

		if (sscanf(line, "%lx-%lx %4s %lx %*s %lu %511s", &m.start, &m.end, m.perms, &m.off,
			   &m.ino, m.path) < 5 ||
		    strcmp(m.perms, "r-xp") != 0)
			continue;
		if (m.ino) {
			compare(mem, argv[1], &m);
		} else if (m.path[0] != '[') {
			printf("executable memory at 0x%lx is left\n", m.start);
			differs = 1;
		}
	}
	return differs;
}
