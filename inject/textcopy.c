#include "inject/textcopy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define COPIES_MAX 512U
#define BYTES_MAX  (512ULL << 20) /* of all copies together, as they stay until the end */

struct textcopies {
	struct textcopy *v[COPIES_MAX];
	unsigned n;
	uint64_t bytes;
	bool needs_namespace; /* as the caller it is not allowed */
	struct err why;	      /* code 0: it is possible, or has not been tried */
};

struct textcopies *textcopies_new(void)
{
	return xcalloc(1, sizeof(struct textcopies));
}

void textcopies_free(struct textcopies *cs)
{
	if (!cs)
		return;
	for (unsigned i = 0; i < cs->n; i++) {
		close(cs->v[i]->fd);
		free(cs->v[i]);
	}
	free(cs);
}

const char *textcopies_why(const struct textcopies *cs)
{
	return cs->why.code ? cs->why.text : NULL;
}

/* ---- the file ---- */

/* Negative: errno. All of it may be called in a child that shares nothing but descriptors. */
static int make_mount(void)
{
	long fs = syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), mnt = -1;
	int e;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
			      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	e = errno;
	close((int)fs);
	return mnt < 0 ? -e : (int)mnt;
}

/* The directories above it, too. Returns one that can be written to. */
static int create(int mnt, const char *path)
{
	char name[4096];
	int fd;

	if (snprintf(name, sizeof(name), "%s", path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	for (char *slash = name; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdirat(mnt, name, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	fd = openat(mnt, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0555);
	return fd < 0 ? -errno : fd;
}

static int fill(int fd, const struct textcopy_request *q)
{
	for (size_t done = 0; done < q->len;) {
		ssize_t n = pwrite(fd, q->text + done, q->len - done, (off_t)(q->offset + done));

		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		done += (size_t)n;
	}
	return fchmod(fd, 0555) < 0 ? -errno : 0; /* whatever the umask is */
}

static int open_for_reading(int mnt, const char *path)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	int fd;

	if (syscall(SYS_mount_setattr, mnt, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return -errno;
	fd = openat(mnt, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

static int make(const struct textcopy_request *q)
{
	const char *path = q->path + 1; /* it begins with a slash */
	int mnt = make_mount(), fd, r;

	if (mnt < 0)
		return mnt;
	r = fd = create(mnt, path);
	if (fd >= 0) {
		r = fill(fd, q);
		close(fd);
	}
	if (r >= 0)
		r = open_for_reading(mnt, path);
	close(mnt);
	return r;
}

/* ---- in a user namespace ---- */

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
	int e = errno;

	if (fd >= 0)
		close(fd);
	return n < 0 ? -e : 0;
}

/* What the file system is to own a file must have a number in it. */
static int map_self(uid_t uid, gid_t gid)
{
	char text[64];
	int r;

	snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	r = write_file("/proc/self/uid_map", text);
	if (!r)
		r = write_file("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	return r ? r : write_file("/proc/self/gid_map", text);
}

/*
 * A child does it, which has our descriptors, and ends before this returns: nobody else meets it in
 * a wait of theirs.
 */
static int make_in_namespace(const struct textcopy_request *q)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	_Atomic int *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long pid;
	int r;

	if (result == MAP_FAILED)
		return -errno;
	*result = -ECHILD;
	pid = syscall(SYS_clone, CLONE_VFORK | CLONE_FILES | CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD,
		      NULL, NULL, NULL, 0);
	r = pid < 0 ? -errno : 0;
	if (pid == 0) {
		r = map_self(uid, gid);
		*result = r ? r : make(q);
		_exit(0);
	}
	while (pid > 0 && waitpid((pid_t)pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	if (!r)
		r = *result;
	munmap((void *)result, sizeof(*result));
	return r;
}

/* ---- for the run ---- */

static int make_as_allowed(struct textcopies *cs, const struct textcopy_request *q)
{
	int fd = cs->needs_namespace ? -EPERM : make(q);

	if (fd != -EPERM && fd != -EACCES)
		return fd;
	cs->needs_namespace = true;
	return make_in_namespace(q);
}

static bool tell(const struct textcopy_request *q, int fd)
{
	struct procmap_file copy;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	copy = (struct procmap_file){major(st.st_dev), minor(st.st_dev), st.st_ino};
	procmap_add_copy(&copy, &q->file);
	return true;
}

const struct textcopy *textcopy_new(struct textcopies *cs, const struct textcopy_request *q)
{
	struct textcopy *c;
	int fd;

	if (cs->why.code || cs->n == COPIES_MAX || cs->bytes + q->len > BYTES_MAX ||
	    q->path[0] != '/')
		return NULL;
	fd = make_as_allowed(cs, q);
	if (fd < 0) {
		err_set(&cs->why, fd,
			"no copies of files can be made for processes (a tmpfs, or a user "
			"namespace "
			"for it): %s",
			strerror(-fd));
		return NULL;
	}
	if (!tell(q, fd)) {
		close(fd);
		return NULL;
	}
	c = xcalloc(1, sizeof(*c));
	c->fd = fd;
	snprintf(c->path, sizeof(c->path), "/proc/%d/fd/%d", getpid(), fd);
	c->offset = q->offset;
	c->len = q->len;
	cs->v[cs->n++] = c;
	cs->bytes += q->len;
	return c;
}
