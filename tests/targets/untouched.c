/* untouched FILE N: opens the path that FILE holds N times, each time from a mapping of FILE that
 * nobody has touched before and that is gone afterwards; then executes it from such a mapping. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char *map(int fd)
{
	char *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED)
		_exit(2);
	return p;
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY), n = argc > 2 ? atoi(argv[2]) : 1;
	char *args[] = {argv[1], NULL}, *env[] = {NULL};

	if (fd < 0)
		return 1;
	while (n-- > 0) {
		char *p = map(fd);

		close(open(p, O_RDONLY));
		munmap(p, 4096);
	}
	execve(map(fd), args, env);
	return 3;
}
