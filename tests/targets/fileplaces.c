/*
 * fileplaces FOLDER: files that are closed while they are or were mapped, files without a name, of
 * other types, at descriptors that are not open, and below a root of its own, in that folder.
 * Prints "chroot" if it may have one.
 *
 * fileplaces FOLDER mounts: mounts a tmpfs at FOLDER/m, asks for FOLDER/m/file, waits until there
 * is FOLDER/go_on, unmounts, asks again, and waits until that is gone. Prints "mounts" if it may do
 * so.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int made(const char *name, off_t size)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);

	return fd < 0 || ftruncate(fd, size) < 0 ? -1 : fd;
}

static char *mapped(int fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Each is closed once, with its last descriptor: what is mapped holds a file, but is none. */
static int closes(void)
{
	int fd = made("unmapped", PAGE), copy;
	char *p = mapped(fd, PAGE);

	if (!p || munmap(p, PAGE) < 0)
		return -1;
	copy = dup(fd);
	close(copy);
	close(fd);
	fd = made("split", 3 * PAGE); /* one mapping becomes three */
	p = mapped(fd, 3 * PAGE);
	if (!p || mprotect(p + PAGE, PAGE, PROT_NONE) < 0)
		return -1;
	close(fd);
	fd = made("inherited", PAGE);
	if (!mapped(fd, PAGE))
		return -1;
	if (fork() == 0)
		_exit(0); /* not the last */
	wait(NULL);
	close(fd);
	return 0;
}

static void names(void)
{
	struct stat st;
	int fd = open(".", O_TMPFILE | O_RDWR, 0640);

	close(fd);
	mknod("fifo", S_IFIFO | 0600, 0);
	mknod("plain", 0600, 0);
	fstatat(999, "nowhere", &st, 0);
}

static int below_a_root(void)
{
	struct stat st;

	if (mkdir("root", 0755) < 0 || mkdir("root/in", 0755) < 0 || chroot("root") < 0 ||
	    chdir("/in") < 0)
		return -1;
	close(made("/in/absolute", 1));
	stat("absolute", &st);
	rename("/in/absolute", "/renamed");
	return 0;
}

static void wait_until(const char *name, int is_there)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	while ((access(name, F_OK) == 0) != is_there)
		nanosleep(&ms, NULL);
}

static int mounts(void)
{
	struct stat st;

	if (mkdir("m", 0755) < 0 || mount("none", "m", "tmpfs", 0, NULL) < 0)
		return 0;
	printf("mounts\n");
	stat("m/file", &st);
	wait_until("go_on", 1);
	umount("m");
	stat("m/file", &st);
	wait_until("go_on", 0);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2 || chdir(argv[1]) < 0)
		return 1;
	if (argc > 2)
		return mounts();
	if (closes() < 0)
		return 1;
	names();
	if (below_a_root() == 0)
		printf("chroot\n");
	return 0;
}
