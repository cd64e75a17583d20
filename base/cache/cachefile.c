#include "base/cache/cachefile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

#define UNFINISHED   ".new-" /* what names of files begin with that are being written */
#define UNFINISHED_S 3600

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* ---- the folder ---- */

/* One below another, if that is ours, too. */
static int open_below(int at, const char *name, bool make)
{
	struct stat st;
	int fd;

	if (make)
		mkdirat(at, name, 0700);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !is_ours(&st))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_and_close(int at, const char *name, bool make)
{
	int fd = at < 0 ? -1 : open_below(at, name, make);

	if (at >= 0)
		close(at);
	return fd;
}

/* By that specification a path that is not absolute counts as none. */
int cachefile_folder(bool make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return open_and_close(open_below(AT_FDCWD, cache, make), "dtrace", make);
	if (!home || *home != '/')
		return -1;
	return open_and_close(open_and_close(open_below(AT_FDCWD, home, false), ".cache", make),
			      "dtrace", make);
}

/* ---- one file ---- */

static void *read_whole(int fd, size_t size)
{
	char *data = malloc(size + 1);
	size_t n = 0;
	ssize_t r = 1;

	while (data && n < size && r > 0) {
		r = read(fd, data + n, size - n);
		n += (size_t)MAX(r, 0);
	}
	if (data && n == size)
		return data;
	free(data);
	return NULL;
}

void *cachefile_read(int folder, const char *name, size_t max, size_t *n)
{
	const struct timespec used[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	void *data = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_ours(&st) &&
	    (uint64_t)st.st_size <= max)
		data = read_whole(fd, (size_t)st.st_size);
	if (data) {
		*n = (size_t)st.st_size;
		futimens(fd, used);
	}
	close(fd);
	return data;
}

static int write_parts(int fd, const struct iovec *parts, unsigned nparts)
{
	for (unsigned i = 0; i < nparts; i++) {
		const char *from = parts[i].iov_base;
		size_t left = parts[i].iov_len;

		while (left) {
			ssize_t n = write(fd, from, left);

			if (n < 0)
				return -errno;
			from += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

int cachefile_write(int folder, const char *name, const struct iovec *parts, unsigned nparts)
{
	char fresh[64];
	int fd, r;

	snprintf(fresh, sizeof(fresh), UNFINISHED "%d", (int)getpid());
	unlinkat(folder, fresh, 0); /* of one that had this number, and was killed */
	fd = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_parts(fd, parts, nparts);
	close(fd);
	if (!r && renameat(folder, fresh, folder, name) < 0)
		r = -errno;
	if (r)
		unlinkat(folder, fresh, 0);
	return r;
}

/* ---- all of them ---- */

struct kept {
	char *name;
	size_t size;
	time_t used;
};

static int by_age(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

/* False: it is none, or one that had to go. */
static bool is_kept(int folder, const char *name, struct kept *k)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (!strncmp(name, UNFINISHED, strlen(UNFINISHED))) {
		if (time(NULL) - st.st_mtime > UNFINISHED_S)
			unlinkat(folder, name, 0);
		return false;
	}
	*k = (struct kept){.name = xstrdup(name), .size = (size_t)st.st_size, .used = st.st_atime};
	return true;
}

void cachefile_bound(int folder, size_t max)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	unsigned n = 0, room = 0;
	struct kept *v = NULL;
	struct dirent *e;
	size_t all = 0;

	if (!d && fd >= 0)
		close(fd);
	while (d && (e = readdir(d))) {
		if (n == room) {
			room = 2 * room + 64;
			v = xrealloc(v, room * sizeof(*v));
		}
		if (is_kept(folder, e->d_name, &v[n]))
			all += v[n++].size;
	}
	if (d)
		closedir(d);
	if (n)
		qsort(v, n, sizeof(*v), by_age);
	for (unsigned i = 0; i < n; i++) {
		if (all > max && unlinkat(folder, v[i].name, 0) == 0)
			all -= v[i].size;
		free(v[i].name);
	}
	free(v);
}
