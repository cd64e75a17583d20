#include "base/regfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAX_LINKS  40 /* path_resolution(7) */
#define MAX_DEPTH  128
#define MAX_TRIES  16
#define SMALL	   ((uint64_t)64 << 20) /* may be sparse */
#define MOST_RATIO 64			/* of size to blocks: file systems compress */

static bool has_no_openat2;

void regfile_without_openat2(bool is_so)
{
	has_no_openat2 = is_so;
}

/* ---- may it be read? ---- */

/* A file of holes only has nothing in it, and some file systems do not count blocks. */
static bool is_sparse(const struct stat *st)
{
	uint64_t on_disk = (uint64_t)st->st_blocks * 512, size = (uint64_t)st->st_size;

	return st->st_blocks && size > SMALL && (size - SMALL) / MOST_RATIO > on_disk;
}

static int check(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	return st->st_size < 0 || (uint64_t)st->st_size > REGFILE_MOST || is_sparse(st) ? -EFBIG
											: 0;
}

int regfile_check(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? -errno : check(&st);
}

const char *regfile_why(int code)
{
	switch (code) {
	case -EINVAL:
		return "it is not a regular file";
	case -EFBIG:
		return "it claims a size that nothing reads: above 16 GiB, or mostly holes";
	case -EAGAIN:
		return "another process holds a lease on it";
	case -ELOOP:
		return "its name leads through too many links, or through one of /proc";
	case -ESTALE:
		return "another file has its name now";
	default:
		return strerror(-code);
	}
}

/* ---- holding what a name leads to ---- */

/* The way of a name that is followed by hand, from the root (fds[0]) on. */
struct walk {
	int fds[MAX_DEPTH];
	unsigned n, nlinks;
	char rest[2 * PATH_MAX]; /* still to be followed */
};

static void go_up(struct walk *w, unsigned to)
{
	while (w->n > to)
		close(w->fds[--w->n]);
}

static int follow_link(struct walk *w, int link, const char *rest)
{
	char to[PATH_MAX], all[2 * PATH_MAX];
	struct statfs fs;
	ssize_t n;

	if (fstatfs(link, &fs) || fs.f_type == PROC_SUPER_MAGIC || ++w->nlinks > MAX_LINKS)
		return -ELOOP;
	n = readlinkat(link, "", to, sizeof(to) - 1);
	if (n <= 0)
		return n ? -errno : -ENOENT;
	to[n] = '\0';
	if (snprintf(all, sizeof(all), "%s/%s", to, rest) >= (int)sizeof(all))
		return -ENAMETOOLONG;
	memcpy(w->rest, all, sizeof(all));
	if (to[0] == '/')
		go_up(w, 1);
	return 0;
}

/* One component; the one before it becomes a step of the way. */
static int step(struct walk *w, enum regfile_links links)
{
	char *name = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(name, "/");
	char *rest = name + len + strspn(name + len, "/");
	struct stat st;
	int fd, r = 0;

	name[len] = '\0';
	if (!strcmp(name, "..")) {
		go_up(w, MAX(1, w->n - 1));
	} else if (len && strcmp(name, ".") != 0) {
		fd = openat(w->fds[w->n - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			return -errno;
		if (S_ISLNK(st.st_mode) && (*rest || links == REGFILE_FOLLOW)) {
			r = follow_link(w, fd, rest);
			close(fd);
			return r;
		}
		if (w->n == MAX_DEPTH) {
			close(fd);
			return -ENAMETOOLONG;
		}
		w->fds[w->n++] = fd;
	}
	memmove(w->rest, rest, strlen(rest) + 1);
	return r;
}

/* Before Linux 5.6, or where a filter of system calls does not know openat2. */
static int hold_by_walking(int root, const char *path, enum regfile_links links)
{
	struct walk *w = calloc(1, sizeof(*w));
	char cwd[PATH_MAX] = "";
	int fd, r = 0;

	if (!w)
		return -ENOMEM;
	if (root == FILEROOT_OURS && path[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		r = -errno;
	else if (snprintf(w->rest, sizeof(w->rest), "%s/%s", cwd, path) >= (int)sizeof(w->rest))
		r = -ENAMETOOLONG;
	fd = r ? r
	       : openat(root == FILEROOT_OURS ? AT_FDCWD : root, root == FILEROOT_OURS ? "/" : ".",
			O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!r && fd < 0)
		r = -errno;
	if (!r)
		w->fds[w->n++] = fd;
	while (!r && w->rest[0])
		r = step(w, links);
	if (!r)
		r = fcntl(w->fds[w->n - 1], F_DUPFD_CLOEXEC, 0);
	go_up(w, 0);
	free(w);
	return r;
}

static int hold(int root, const char *path, enum regfile_links links)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (links == REGFILE_NO_LINK ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_NO_MAGICLINKS | (root == FILEROOT_OURS ? 0 : RESOLVE_IN_ROOT)};
	long fd = -1;

	errno = EAGAIN; /* somebody renames what is on the way: openat2(2) */
	for (unsigned i = 0; i < MAX_TRIES && fd < 0 && errno == EAGAIN && !has_no_openat2; i++)
		fd = syscall(SYS_openat2, root == FILEROOT_OURS ? AT_FDCWD : root, path, &how,
			     sizeof(how));
	if (fd >= 0)
		return (int)fd;
	if (has_no_openat2 || errno == ENOSYS || errno == EPERM)
		return hold_by_walking(root, path, links);
	return -errno;
}

/* ---- opening what is held ---- */

static int reopen(int held)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Takes `held`, which may be an error. ino: what it must be, 0: anything. */
static int open_held(int held, uint64_t ino)
{
	struct stat st;
	int r;

	if (held < 0)
		return held;
	if (fstat(held, &st))
		r = -errno;
	else
		r = ino && st.st_ino != ino ? -ESTALE : check(&st);
	if (!r)
		r = reopen(held);
	close(held);
	return r;
}

int regfile_open(int root, const char *path, enum regfile_links links)
{
	return open_held(hold(root, path, links), 0);
}

static int hold_link(const char *proc_link)
{
	int fd = open(proc_link, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int regfile_open_link(const char *proc_link)
{
	return open_held(hold_link(proc_link), 0);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* /proc shows names as seen from our root, or, in other mounts, from theirs: not from the process's
 * own, if it has changed it. False: the name does not lie below it. */
static bool look_from(const char *root_link, const char **path)
{
	char prefix[PATH_MAX];
	ssize_t n = readlink(root_link, prefix, sizeof(prefix) - 1);

	if (n <= 0 || !path)
		return n > 0;
	prefix[n] = '\0';
	if (n == 1) /* "/" */
		return true;
	if (strncmp(*path, prefix, (size_t)n) != 0 || (*path)[n] != '/')
		return false;
	*path += n;
	return true;
}

int fileroot_of(pid_t tid, const char **path)
{
	char root[32], mounts[32];
	int fd;

	snprintf(root, sizeof(root), "/proc/%d/root", tid);
	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", tid);
	if (same_file(mounts, "/proc/self/ns/mnt") && same_file(root, "/proc/self/root"))
		return FILEROOT_OURS;
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return FILEROOT_OURS;
	if (!look_from(root, path)) {
		close(fd);
		return FILEROOT_OURS;
	}
	return fd;
}

int fileroot_dup(int root)
{
	int fd = root >= 0 ? fcntl(root, F_DUPFD_CLOEXEC, 0) : -1;

	return fd >= 0 ? fd : FILEROOT_OURS;
}

void fileroot_close(int root)
{
	if (root >= 0)
		close(root);
}

/*
 * map_files needs CAP_CHECKPOINT_RESTORE; exe needs nothing more than we have; the path is the last
 * resort. A thread that is on its way out, or gone, has no root: then it is ours.
 */
int regfile_open_mapped(pid_t tid, taddr_t start, taddr_t end, const char *path, uint64_t ino)
{
	char name[80];
	int fd, root;

	snprintf(name, sizeof(name), "/proc/%d/map_files/%llx-%llx", tid, (unsigned long long)start,
		 (unsigned long long)end);
	fd = open_held(hold_link(name), ino);
	if (fd >= 0 || fd == -EFBIG)
		return fd;
	snprintf(name, sizeof(name), "/proc/%d/exe", tid);
	fd = open_held(hold_link(name), ino);
	if (fd >= 0 || fd == -EFBIG)
		return fd;
	root = fileroot_of(tid, &path);
	fd = open_held(hold(root, path, REGFILE_FOLLOW), ino);
	fileroot_close(root);
	return fd;
}
