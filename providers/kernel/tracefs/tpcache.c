#include "providers/kernel/tracefs/tpcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/notes.h"

#define LIST_MAX (64 << 20)

static const char *folder(void)
{
	const char *dir = getenv("DTRACE_CACHE");

	return dir && *dir ? dir : "/var/cache/dtrace";
}

/* The kernel's build-id in hexadecimal. */
static bool build_id(char *buf, size_t size)
{
	unsigned char id[64];
	size_t n = kernel_build_id(id, MIN(sizeof(id), (size - 1) / 2));

	for (size_t i = 0; i < n; i++)
		snprintf(buf + 2 * i, size - 2 * i, "%02x", id[i]);
	return n;
}

bool tpcache_path(char *buf, size_t size)
{
	char id[128];

	if (!build_id(id, sizeof(id)))
		return false;
	return snprintf(buf, size, "%s/tracepoints-%s", folder(), id) < (int)size;
}

char *tpcache_read(void)
{
	char path[4096], *text = NULL;
	struct stat st;
	ssize_t n;
	int fd;

	if (!tpcache_path(path, sizeof(path)))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LIST_MAX &&
	    (st.st_uid == 0 || st.st_uid == geteuid())) {
		text = xmalloc((size_t)st.st_size + 1);
		n = read(fd, text, (size_t)st.st_size);
		text[MAX(n, 0)] = '\0';
	}
	close(fd);
	return text;
}

int tpcache_write(const char *text, size_t n, struct err *err)
{
	char path[4096], fresh[4096 + 8];
	int fd, e;

	if (!tpcache_path(path, sizeof(path)))
		return err_set(err, -ENOENT, "the kernel does not tell its build");
	mkdir(folder(), 0755);
	snprintf(fresh, sizeof(fresh), "%s.%d", path, (int)getpid());
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(err, -errno, "cannot write %s: %s", fresh, strerror(errno));
	e = write(fd, text, n) == (ssize_t)n && fchmod(fd, 0644) == 0 ? 0 : errno;
	close(fd);
	if (!e && rename(fresh, path) < 0)
		e = errno;
	if (e)
		unlink(fresh);
	return e ? err_set(err, -e, "cannot write %s: %s", path, strerror(e)) : 0;
}
