#include "dlang/osinfo/openfile.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/procfile.h"
#include "dlang/osinfo/osinfo.h"

struct openfile *openfile_new(struct arena *a)
{
	return ARENA_NEW(a, struct openfile);
}

void openfile_begin_firing(struct openfile *f)
{
	f->have = false;
}

/* A number of /proc/PID/fdinfo/N (proc_pid_fdinfo(5)). */
static int64_t value_of(const char *text, const char *name, int base)
{
	const char *p = procstatus_value(text, name);

	return p ? strtoll(p, NULL, base) : 0;
}

static void look(struct openfile *f, pid_t pid, int64_t fd)
{
	char name[64], path[96], info[1024];
	ssize_t n = -1;

	*f = (struct openfile){.have = true, .pid = pid, .fd = fd};
	if (fd < 0 || fd > INT_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, (int)fd);
	n = readlink(path, f->path, sizeof(f->path) - 1);
	f->is_open = n >= 0;
	f->path[MAX(n, 0)] = '\0';
	snprintf(name, sizeof(name), "fdinfo/%d", (int)fd);
	osinfo_read(pid, name, info, sizeof(info));
	f->offset = value_of(info, "pos", 10);
	f->oflags = value_of(info, "flags", 8);
	f->mnt_id = value_of(info, "mnt_id", 10);
}

static const struct openfile *file(struct openfile *f, pid_t pid, int64_t fd)
{
	if (!f->have || f->pid != pid || f->fd != fd)
		look(f, pid, fd);
	return f;
}

/* "36 35 98:0 /root /mnt rw,noatime shared:1 - ext4 /dev/sda rw" (proc_pid_mountinfo(5)) */
static bool is_mount(struct openfile *f, const char *line)
{
	const char *kind = strstr(line, " - ");

	if (strtoll(line, NULL, 10) != f->mnt_id || !kind ||
	    sscanf(line, "%*s %*s %*s %*s %4095s", f->mount) != 1 ||
	    sscanf(kind, " - %63s", f->fs) != 1) {
		f->mount[0] = f->fs[0] = '\0';
		return false;
	}
	return true;
}

/* Line by line: there may be thousands, one of which is wanted. */
static void look_for_mount(struct openfile *f)
{
	char path[64], line[2 * OPENFILE_TEXT];
	FILE *mounts;

	f->have_mount = true;
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)f->pid);
	mounts = f->is_open ? fopen(path, "re") : NULL;
	while (mounts && fgets(line, sizeof(line), mounts))
		if (is_mount(f, line))
			break;
	if (mounts)
		fclose(mounts);
}

int64_t openfile_number(struct openfile *f, pid_t pid, int64_t fd, enum fdnum row)
{
	const struct openfile *now = file(f, pid, fd);

	if (row == FDNUM_OFFSET)
		return now->offset;
	return row == FDNUM_OFLAGS ? now->oflags : now->is_open;
}

const char *openfile_text(struct openfile *f, pid_t pid, int64_t fd, enum fdtext row)
{
	const struct openfile *now = file(f, pid, fd);

	if (row == FDTEXT_PATH)
		return now->path;
	if (!now->have_mount)
		look_for_mount(f);
	return row == FDTEXT_FS ? now->fs : now->mount;
}
