#include "dlang/osinfo/openfile.h"

#include <limits.h>
#include <stdlib.h>

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

bool openfile_turn_to(struct openfile *f, pid_t pid, int64_t fd)
{
	if (f->have && f->pid == pid && f->fd == fd)
		return false;
	*f = (struct openfile){.have = true, .pid = pid, .fd = fd};
	return true;
}

void openfile_look(struct openfile *f)
{
	char name[64], info[1024];

	if (f->fd < 0 || f->fd > INT_MAX)
		return;
	snprintf(name, sizeof(name), "fd/%d", (int)f->fd);
	f->is_open = procfile_link(f->pid, name, f->path, sizeof(f->path)) >= 0;
	snprintf(name, sizeof(name), "fdinfo/%d", (int)f->fd);
	osinfo_read(f->pid, name, info, sizeof(info));
	f->offset = value_of(info, "pos", 10);
	f->oflags = value_of(info, "flags", 8);
	f->mnt_id = value_of(info, "mnt_id", 10);
}

static bool is_other_mount(void *arg, const struct procmount *m)
{
	struct openfile *f = arg;

	if (m->id != f->mnt_id)
		return true;
	snprintf(f->mount, sizeof(f->mount), "%s", m->point);
	snprintf(f->fs, sizeof(f->fs), "%s", m->type);
	return false;
}

/* What is mounted nowhere has a name that begins so, where a path has its slash. */
static const struct {
	const char *prefix, *fs;
} unmounted[] = {
	{"socket:", "sockfs"},
	{"pipe:", "pipefs"},
	{"anon_inode:", "anon_inodefs"},
};

void openfile_look_for_mount(struct openfile *f)
{
	f->have_mount = true;
	if (!f->is_open)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(unmounted); i++)
		if (strncmp(f->path, unmounted[i].prefix, strlen(unmounted[i].prefix)) == 0) {
			snprintf(f->fs, sizeof(f->fs), "%s", unmounted[i].fs);
			return;
		}
	procmounts_each(f->pid, is_other_mount, f);
}

int64_t openfile_number(const struct openfile *f, enum fdnum row)
{
	if (row == FDNUM_OFFSET)
		return f->offset;
	return row == FDNUM_OFLAGS ? f->oflags : f->is_open;
}

const char *openfile_text(struct openfile *f, enum fdtext row)
{
	if (row == FDTEXT_PATH)
		return f->path;
	if (!f->have_mount)
		openfile_look_for_mount(f);
	return row == FDTEXT_FS ? f->fs : f->mount;
}
