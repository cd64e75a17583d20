/*
 * fileops FOLDER: one file of each kind of operation, in that folder; prints "OPERATION times" of
 * what it has done, as the fsinfo provider calls it, of files whose names begin with "fo_".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	CREATE,
	CLEANUP,
	READ,
	WRITE,
	SETINFO,
	DELETE,
	RENAME,
	DIRENUM,
	FLUSH,
	QUERYINFO,
	FSCONTROL,
	DIRNOTIFY,
	NOPS
};
static const char *const names[] = {"create",  "cleanup",   "read",	 "write",
				    "setinfo", "delete",    "rename",	 "direnum",
				    "flush",   "queryinfo", "fscontrol", "dirnotify"};
static int times[NOPS];

#define DO(op, call)                                                                               \
	(times[op]++, (call) == -1 && errno != ENOTTY && errno != ENODATA && errno != ENOTSUP &&   \
				      errno != EAGAIN                                              \
			      ? (perror(#call), exit(1))                                           \
			      : (void)0)

static int opened(int fd)
{
	if (fd < 0) {
		perror("open");
		exit(1);
	}
	times[CREATE]++;
	return fd;
}

static void transfer(int fd, int other)
{
	char a[100] = "", b[28] = "";
	struct iovec v[2] = {{a, sizeof(a)}, {b, sizeof(b)}};

	DO(WRITE, write(fd, a, 100));
	DO(WRITE, pwrite(fd, a, 50, 100));
	DO(WRITE, writev(fd, v, 2));
	DO(WRITE, pwritev(fd, v, 2, 300));
	DO(QUERYINFO, lseek(fd, 0, SEEK_SET));
	DO(READ, read(fd, a, 10));
	DO(READ, pread(fd, a, 20, 5));
	DO(READ, readv(fd, v, 2));
	DO(READ, preadv(fd, v, 2, 7));
	DO(READ, readahead(fd, 0, 4096));
	times[WRITE] += 2; /* of two files */
	DO(READ, copy_file_range(fd, &(off64_t){0}, other, NULL, 64, 0));
	DO(READ, sendfile(other, fd, &(off_t){0}, 32));
	DO(FLUSH, fsync(fd));
	DO(FLUSH, fdatasync(fd));
	DO(FLUSH, sync_file_range(fd, 0, 10, 0));
}

static void set(int fd)
{
	DO(SETINFO, ftruncate(fd, 10));
	DO(SETINFO, truncate("fo_one", 20));
	DO(SETINFO, fchmod(fd, 0600));
	DO(SETINFO, chmod("fo_one", 0644));
	DO(SETINFO, fchown(fd, (uid_t)-1, (gid_t)-1));
	DO(SETINFO, utimensat(AT_FDCWD, "fo_one", NULL, 0));
	DO(SETINFO, futimens(fd, NULL));
	DO(SETINFO, fallocate(fd, 0, 0, 100));
	DO(SETINFO, fcntl(fd, F_SETFL, O_APPEND));
	DO(FSCONTROL, fcntl(fd, F_GETFL));
	DO(FSCONTROL, flock(fd, LOCK_EX));
	DO(FSCONTROL, flock(fd, LOCK_UN));
	DO(FSCONTROL, ioctl(fd, FIONREAD, &(int){0}));
}

static void query(int fd)
{
	struct stat st;
	char text[100];

	DO(QUERYINFO, stat("fo_one", &st));
	DO(QUERYINFO, fstat(fd, &st));
	DO(QUERYINFO, access("fo_one", R_OK));
	DO(QUERYINFO, symlink("fo_one", "fo_link"));
	times[QUERYINFO]--;
	times[CREATE]++;
	DO(QUERYINFO, readlink("fo_link", text, sizeof(text)));
	DO(QUERYINFO, getxattr("fo_one", "user.x", text, sizeof(text)));
	DO(DELETE, unlink("fo_link"));
}

static void names_change(void)
{
	DO(CREATE, mkdir("fo_dir", 0755));
	DO(CREATE, link("fo_one", "fo_dir/fo_more"));
	DO(RENAME, rename("fo_dir/fo_more", "fo_dir/fo_other"));
	DO(DELETE, unlink("fo_dir/fo_other"));
	DO(DELETE, rmdir("fo_dir"));
}

/* A descriptor and its copy; one that only a child closes; a file that is mapped. */
static void close_all(int fd, int other)
{
	void *p = mmap(NULL, 10, PROT_READ, MAP_SHARED, other, 0);
	int copy = dup(fd);

	if (p == MAP_FAILED || copy < 0)
		exit(1);
	close(copy);
	DO(CLEANUP, close(fd));
	DO(CLEANUP, close(other)); /* mapped still */
}

int main(int argc, char **argv)
{
	char text[1000];
	int fd, other, dir, in;

	if (argc < 2 || chdir(argv[1]) < 0)
		return 1;
	fd = opened(open("fo_one", O_RDWR | O_CREAT | O_TRUNC, 0644));
	other = opened(open("fo_two", O_RDWR | O_CREAT | O_EXCL, 0600));
	transfer(fd, other);
	query(fd);
	set(fd);
	names_change();
	dir = opened(open("../fo_folder", O_RDONLY | O_DIRECTORY));
	while (syscall(SYS_getdents64, dir, text, sizeof(text)) > 0)
		times[DIRENUM]++;
	times[DIRENUM]++;
	DO(CLEANUP, close(dir));
	in = inotify_init1(IN_NONBLOCK);
	DO(DIRNOTIFY, inotify_add_watch(in, "fo_two", IN_OPEN));
	DO(DIRNOTIFY, read(in, text, sizeof(text)));
	DO(CLEANUP, close(in));
	close_all(fd, other);
	opened(open("fo_one", O_RDONLY)); /* closed by the end of the process */
	times[CLEANUP]++;
	for (int i = 0; i < NOPS; i++)
		printf("%s %d\n", names[i], times[i]);
	return 0;
}
