#include "providers/system/files/fsrecord.h"

#include <string.h>
#include <sys/stat.h>

#define CUT "..." /* in front of what is left of a path whose beginning found no room */

static void add(char *to, size_t *at, const char *text, size_t n)
{
	n = MIN(n, FS_PATH_ROOM - 1 - *at);
	memcpy(to + *at, text, n);
	*at += n;
	to[*at] = '\0';
}

/* The parts of a way, which lie from the last to the first, each with its NUL. */
static void add_way(char *to, size_t *at, const char *way, size_t n)
{
	while (n > 1) {
		size_t from = n - 1; /* its NUL */

		while (from > 0 && way[from - 1])
			from--;
		add(to, at, "/", 1);
		add(to, at, way + from, strnlen(way + from, n - from));
		n = from;
	}
}

/* As the process wrote it, without "//" and "/./". */
static void add_text(char *to, size_t *at, const char *text, size_t n)
{
	const char *end = text + strnlen(text, n);

	while (text < end) {
		const char *slash = memchr(text, '/', (size_t)(end - text));
		size_t len = (size_t)((slash ? slash : end) - text);

		if (len > 0 && !(len == 1 && *text == '.')) {
			add(to, at, "/", 1);
			add(to, at, text, len);
		}
		text += len + 1;
	}
}

static void set_words(struct fs_record *r, const char *words)
{
	snprintf(r->name, sizeof(r->name), "%s", words);
	snprintf(r->dir, sizeof(r->dir), "%s", words);
	snprintf(r->path, sizeof(r->path), "%s", words);
}

/* Name and folder of a path. */
static void split(struct fs_record *r)
{
	const char *slash = strrchr(r->path, '/');

	if (!slash) {
		snprintf(r->name, sizeof(r->name), "%.255s", r->path);
		snprintf(r->dir, sizeof(r->dir), "<none>");
		return;
	}
	snprintf(r->name, sizeof(r->name), "%.255s", slash[1] ? slash + 1 : "/");
	snprintf(r->dir, sizeof(r->dir), "%.*s", (int)MAX(slash - r->path, 1), r->path);
}

/* What is in no directory has a name of another form, as /proc/PID/fd shows it. */
static void set_anon(struct fs_record *r, const struct bpf_fs *f, const char *name, size_t n)
{
	unsigned type = f->mode & S_IFMT;

	if (type == S_IFIFO || type == S_IFSOCK)
		snprintf(r->path, sizeof(r->path), "%s:[%llu]", type == S_IFIFO ? "pipe" : "socket",
			 f->ino);
	else if (strcmp(r->fs, "anon_inodefs") == 0)
		snprintf(r->path, sizeof(r->path), "anon_inode:%.*s", (int)n, name);
	else
		snprintf(r->path, sizeof(r->path), "/%.*s", (int)n, name);
}

static void set_mount(struct fs_record *r, const struct bpf_fs *f, const char *bytes)
{
	char mount[FS_PATH_ROOM] = "/";
	size_t at = 0;

	if (f->flags & BPF_FS_CUT && f->mounted >= f->way)
		snprintf(mount, sizeof(mount), "<unknown>");
	else if (f->mounted < f->way)
		add_way(mount, &at, bytes + f->mounted, (size_t)(f->way - f->mounted));
	snprintf(r->mount, sizeof(r->mount), "%.255s", mount);
}

static void set_file(struct fs_record *r, const struct bpf_fs *f, const char *bytes)
{
	size_t at = 0;

	if (f->flags & BPF_FS_ANON) {
		set_anon(r, f, bytes, f->way);
		split(r);
		snprintf(r->mount, sizeof(r->mount), "<none>");
		return;
	}
	r->path[0] = '\0';
	if (f->flags & BPF_FS_CUT)
		add(r->path, &at, CUT, strlen(CUT));
	add_way(r->path, &at, bytes, f->way);
	if (!at)
		add(r->path, &at, "/", 1);
	split(r);
	if (f->way > 1) /* of a path that is too long, too */
		snprintf(r->name, sizeof(r->name), "%.*s", (int)strnlen(bytes, f->way), bytes);
	set_mount(r, f, bytes);
}

static void find_mount(struct fs_record *r, struct mounttab *mounts, const struct bpf_fs *f)
{
	const struct mounttab_of of = {(pid_t)f->head.pid, f->mntns, f->nmounts, f->head.time_ns};
	struct mounttab_entry e;

	if (mounttab_find(mounts, &of, r->path, &e)) {
		snprintf(r->mount, sizeof(r->mount), "%.255s", e.point);
		snprintf(r->fs, sizeof(r->fs), "%.15s", e.type);
	} else { /* its namespace is gone with the process */
		snprintf(r->fs, sizeof(r->fs), "<unknown>");
		snprintf(r->mount, sizeof(r->mount), "<unknown>");
	}
}

/* A path that begins at a folder; is_cut: at the end of that folder's path. */
static void join(char *to, bool is_cut, const char *way, size_t nway, const char *text, size_t n)
{
	size_t at = 0;

	to[0] = '\0';
	if (is_cut)
		add(to, &at, CUT, strlen(CUT));
	add_way(to, &at, way, nway);
	add_text(to, &at, text, n);
	if (!at)
		add(to, &at, "/", 1);
}

bool fs_record_has_bytes(const struct bpf_fs *f, size_t len)
{
	return len >= offsetof(struct bpf_fs, bytes) &&
	       (size_t)f->way + f->way2 + f->text + f->text2 + f->value + f->newvalue <=
		       len - offsetof(struct bpf_fs, bytes) &&
	       f->mounted <= f->way;
}

/* The last part of what a process wrote, where the whole path is too long. */
static void set_last_part(struct fs_record *r, const char *text, size_t n)
{
	char path[FS_PATH_ROOM];
	const char *slash;

	join(path, false, "", 0, text, n);
	slash = strrchr(path, '/');
	if (slash && slash[1])
		snprintf(r->name, sizeof(r->name), "%.255s", slash + 1);
}

/* As the process wrote it: where it begins is nowhere. */
static void set_text_alone(struct fs_record *r, const char *text, size_t n)
{
	snprintf(r->path, sizeof(r->path), "%.*s", (int)strnlen(text, n), text);
	split(r);
	if (r->path[0] != '/')
		snprintf(r->dir, sizeof(r->dir), "<unknown>");
}

static void set_texts(struct fs_record *r, struct mounttab *mounts, const struct bpf_fs *f)
{
	const char *way2 = f->bytes + f->way, *text = way2 + f->way2;

	if (f->text && f->flags & BPF_FS_NOWHERE) {
		set_text_alone(r, text, f->text);
	} else if (f->text) {
		join(r->path, f->flags & BPF_FS_CUT, f->bytes, f->way, text, f->text);
		split(r);
		if (strlen(r->path) == FS_PATH_ROOM - 1)
			set_last_part(r, text, f->text);
		find_mount(r, mounts, f);
	}
	if (f->text2)
		join(r->newname, f->flags & BPF_FS_CUT2, way2, f->way2, text + f->text, f->text2);
}

void fs_record_set(struct fs_record *r, struct mounttab *mounts, const struct bpf_fs *f, size_t len)
{
	r->irp = f->irp;
	r->row = f->row;
	r->extinfo = f->result;
	r->status = 0;
	r->offset = r->bytes = r->oflags = r->cflags = r->aflags = r->sflags = 0;
	r->newname[0] = '\0';
	snprintf(r->fs, sizeof(r->fs), "<none>");
	snprintf(r->mount, sizeof(r->mount), "<none>");
	set_words(r, "<unknown>");
	if (!fs_record_has_bytes(f, len))
		return;
	r->offset = f->offset;
	r->bytes = f->bytes_asked;
	r->oflags = f->oflags;
	r->cflags = f->cflags;
	r->aflags = f->mode;
	r->sflags = f->sharing;
	if (f->flags & BPF_FS_FILE) {
		snprintf(r->fs, sizeof(r->fs), "%.15s", f->fs);
		set_file(r, f, f->bytes);
	} else if (f->flags & BPF_FS_NO_FILE) {
		set_words(r, "<none>");
	}
	if (f->flags & BPF_FS_TEXT)
		set_texts(r, mounts, f);
}

void fs_record_set_late(struct fs_record *r, struct mounttab *mounts, const struct bpf_fs *late,
			size_t len)
{
	if (fs_record_has_bytes(late, len))
		set_texts(r, mounts, late);
}

void fs_record_opened(struct fs_record *r, const struct bpf_fs *end, size_t len)
{
	char path[FS_PATH_ROOM], name[FS_NAME_ROOM], dir[FS_PATH_ROOM];
	bool has_path = r->path[0] == '/';

	if (!fs_record_has_bytes(end, len))
		return;
	memcpy(path, r->path, sizeof(path));
	memcpy(name, r->name, sizeof(name));
	memcpy(dir, r->dir, sizeof(dir));
	snprintf(r->fs, sizeof(r->fs), "%.15s", end->fs);
	set_file(r, end, end->bytes);
	r->aflags = end->mode;
	r->sflags = end->sharing;
	if (!has_path)
		return;
	memcpy(r->path, path, sizeof(path)); /* as it was asked for */
	memcpy(r->name, name, sizeof(name));
	memcpy(r->dir, dir, sizeof(dir));
}
