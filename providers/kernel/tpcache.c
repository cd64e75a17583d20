#include "providers/kernel/tpcache.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_MAX (64 << 20)

static const char *folder(void)
{
	const char *dir = getenv("DTRACE_CACHE");

	return dir && *dir ? dir : "/var/cache/dtrace";
}

/* The build-id among the notes of the kernel, in hexadecimal. */
static bool build_id(char *buf, size_t size)
{
	char notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;
	size_t at = 0;

	if (fd >= 0)
		close(fd);
	while (n > 0 && at + sizeof(Elf64_Nhdr) <= (size_t)n) {
		Elf64_Nhdr h;
		size_t name, desc;

		memcpy(&h, notes + at, sizeof(h));
		name = at + sizeof(h);
		desc = name + ROUND_UP((size_t)h.n_namesz, 4);
		if (desc + h.n_descsz > (size_t)n)
			return false;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && size > 2 * (size_t)h.n_descsz) {
			for (size_t i = 0; i < h.n_descsz; i++)
				snprintf(buf + 2 * i, size - 2 * i, "%02x",
					 (unsigned char)notes[desc + i]);
			return true;
		}
		at = desc + ROUND_UP((size_t)h.n_descsz, 4);
	}
	return false;
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
