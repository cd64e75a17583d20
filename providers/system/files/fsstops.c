#include "providers/system/files/fsstops.h"

#include "providers/system/files/fsops.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/procfile.h"
#include "tracer/procfs/procfs.h"

#define PAGE_SIZE_MIN 4096

/* ---- what the process has in its memory ---- */

static uint64_t arg(const struct fsstops *s, unsigned n)
{
	return n < ARRAY_SIZE(s->call->args) ? s->call->args[n] : 0;
}

static bool read_memory(const struct fsstops *s, taddr_t addr, void *to, size_t n)
{
	return target_read(proc_target(s->call->proc), addr, to, n) == (ssize_t)n;
}

/* With its NUL; what is longer is cut. 0: it cannot be read. */
static size_t read_text(const struct fsstops *s, taddr_t addr, char to[BPF_FS_PATH])
{
	size_t n = 0;

	while (n < BPF_FS_PATH - 1) {
		size_t chunk = MIN(BPF_FS_PATH - 1 - n,
				   PAGE_SIZE_MIN - (size_t)(addr + n) % PAGE_SIZE_MIN);
		const char *end;

		if (!read_memory(s, addr + n, to + n, chunk))
			return 0;
		end = memchr(to + n, '\0', chunk);
		if (end)
			return (size_t)(end - to) + 1;
		n += chunk;
	}
	to[n] = '\0';
	return n + 1;
}

static uint64_t sum_of_iovec(const struct fsstops *s, taddr_t addr, uint64_t n)
{
	uint64_t v64[2], sum = 0;
	uint32_t v32[2];

	for (uint64_t i = 0; i < MIN(n, 1024); i++) {
		if (s->call->is_32 ? !read_memory(s, addr + i * sizeof(v32), v32, sizeof(v32))
				   : !read_memory(s, addr + i * sizeof(v64), v64, sizeof(v64)))
			return 0;
		sum += s->call->is_32 ? v32[1] : v64[1];
	}
	return sum;
}

/* ---- pieces of a record ---- */

static void begin(struct fsstops *s, unsigned row, uint64_t irp)
{
	struct bpf_fs *r = s->record;

	memset(r, 0, offsetof(struct bpf_fs, bytes));
	r->head.pid = (uint32_t)s->call->pid;
	r->head.tid = (uint32_t)s->call->tid;
	r->head.time_ns = s->call->time_ns;
	r->row = row;
	r->irp = irp;
	r->sharing = 7;
	s->len = offsetof(struct bpf_fs, bytes);
}

static void put(struct fsstops *s, const void *bytes, size_t n)
{
	memcpy((char *)s->record + s->len, bytes, n);
	s->len += n;
}

/* The parts of a path from the last to the first, each with its NUL; returns how many bytes. */
static unsigned short put_way(struct fsstops *s, const char *path)
{
	size_t end = strlen(path), from = end, before = s->len;

	while (from > 0)
		if (path[--from] == '/') {
			put(s, path + from + 1, end - from - 1);
			put(s, "", 1);
			end = from;
		}
	return (unsigned short)(s->len - before);
}

/* Where a link of /proc/PID leads to. */
static bool read_link(const struct fsstops *s, const char *what, char to[BPF_FS_PATH])
{
	static const char gone[] = " (deleted)";
	size_t len = strlen(gone);
	char name[64];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/%s", s->call->pid, what);
	n = readlink(name, to, BPF_FS_PATH - 1);
	if (n <= 0)
		return false;
	to[n] = '\0';
	if ((size_t)n > len && to[0] == '/' && strcmp(to + n - len, gone) == 0)
		to[n - (ssize_t)len] = '\0';
	return true;
}

static bool link_of_fd(const struct fsstops *s, int fd, char to[BPF_FS_PATH])
{
	char what[32];

	snprintf(what, sizeof(what), "fd/%d", fd);
	return read_link(s, what, to);
}

static bool stat_fd(pid_t pid, int fd, struct stat *st)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, fd);
	return stat(name, st) == 0;
}

static uint32_t mount_namespace(const struct fsstops *s)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/ns/mnt", s->call->pid);
	return stat(name, &st) == 0 ? (uint32_t)st.st_ino : 0;
}

static void put_position(struct fsstops *s, int fd)
{
	char name[64], text[256], *at;

	snprintf(name, sizeof(name), "/proc/%d/fdinfo/%d", s->call->pid, fd);
	if (slurp_start(name, text, sizeof(text)) < 0)
		return;
	at = strstr(text, "pos:");
	if (at)
		s->record->offset = strtoull(at + 4, NULL, 10);
	at = strstr(text, "flags:");
	if (at)
		s->record->oflags = (uint32_t)strtoul(at + 6, NULL, 8) & ~(uint32_t)O_CLOEXEC;
}

static void put_named(struct fsstops *s, const char *path)
{
	struct bpf_fs *r = s->record;
	struct mounttab_of of = {s->call->pid, mount_namespace(s), 0, s->call->time_ns};
	struct mounttab_entry e;

	r->mntns = of.mntns;
	r->way = r->mounted = put_way(s, path);
	if (!mounttab_find(s->mounts, &of, path, &e))
		return;
	snprintf(r->fs, sizeof(r->fs), "%.15s", e.type);
	if (strcmp(e.point, "/") != 0)
		r->mounted = (unsigned short)(r->way - MIN(strlen(e.point), r->way));
}

/* "pipe:[12]", "anon_inode:inotify", "/memfd:name": what is in no folder. */
static void put_nameless(struct fsstops *s, const char *link)
{
	static const char anon[] = "anon_inode:";
	struct bpf_fs *r = s->record;
	unsigned type = r->mode & S_IFMT;

	r->flags |= BPF_FS_ANON;
	snprintf(r->fs, sizeof(r->fs), "%s",
		 type == S_IFIFO    ? "pipefs"
		 : type == S_IFSOCK ? "sockfs"
				    : "anon_inodefs");
	if (strncmp(link, anon, sizeof(anon) - 1) == 0)
		link += sizeof(anon) - 1;
	put(s, link, strlen(link) + 1);
	r->way = r->mounted = (unsigned short)(strlen(link) + 1);
}

/* False: it is not open, or not told. */
static bool put_fd(struct fsstops *s, int fd)
{
	struct bpf_fs *r = s->record;
	char link[BPF_FS_PATH];
	struct stat st;

	if (fd < 0 || !link_of_fd(s, fd, link) || !stat_fd(s->call->pid, fd, &st)) {
		r->flags |= BPF_FS_NO_FILE;
		return true;
	}
	if (!s->sockets && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	r->flags |= BPF_FS_FILE;
	r->mode = st.st_mode;
	r->ino = st.st_ino;
	put_position(s, fd);
	if (link[0] == '/')
		put_named(s, link);
	else
		put_nameless(s, link);
	return true;
}

/* What a path begins at. False: at no open descriptor. */
static bool put_folder(struct fsstops *s, const char *text, int dirfd, unsigned short *way)
{
	char link[BPF_FS_PATH];

	if (text[0] == '/'	? !read_link(s, "root", link)
	    : dirfd == AT_FDCWD ? !read_link(s, "cwd", link)
				: !link_of_fd(s, dirfd, link))
		return false;
	*way = link[0] == '/' ? put_way(s, link) : 0;
	return true;
}

static int folder_arg(const struct fsstops *s, unsigned n)
{
	return n == FS_OP_NONE ? AT_FDCWD : (int)arg(s, n);
}

/* False: it is a descriptor that is not told. */
static bool put_paths(struct fsstops *s, const struct bpf_fs_op *op)
{
	char text[BPF_FS_PATH] = "", text2[BPF_FS_PATH] = "";
	struct bpf_fs *r = s->record;
	size_t n = arg(s, op->path) ? read_text(s, arg(s, op->path), text) : 0, n2 = 0;
	bool is_new = op->flags & (FS_OP_OPENS | FS_OP_MAKES);

	if ((n == 1 || !arg(s, op->path)) && !is_new && folder_arg(s, op->dirfd) >= 0)
		return put_fd(s, folder_arg(s, op->dirfd));
	r->mntns = mount_namespace(s);
	if (!n)
		return true; /* a bad address */
	r->flags |= BPF_FS_TEXT;
	if (!put_folder(s, text, folder_arg(s, op->dirfd), &r->way))
		r->flags |= BPF_FS_NOWHERE;
	if (op->path2 != FS_OP_NONE) {
		n2 = read_text(s, arg(s, op->path2), text2);
		r->flags |= BPF_FS_TEXT2;
		if (n2)
			put_folder(s, text2, folder_arg(s, op->dirfd2), &r->way2);
	}
	put(s, text, n);
	r->text = (unsigned short)n;
	put(s, text2, n2);
	r->text2 = (unsigned short)n2;
	return true;
}

/* ---- what the numbers of a call say, as in bpf/fs/fscall.h ---- */

static void put_open_flags(struct fsstops *s, const struct bpf_fs_op *op)
{
	struct bpf_fs *r = s->record;
	uint64_t how[2] = {arg(s, op->oflags), 0};
	bool is_nameless;

	if (op->flags & FS_OP_HOW) {
		how[0] = 0;
		read_memory(s, arg(s, op->oflags), how, sizeof(how));
		r->mode = (uint32_t)how[1];
	}
	if (op->flags & FS_OP_CREAT)
		how[0] = O_CREAT | O_TRUNC | O_WRONLY;
	r->oflags = (uint32_t)how[0];
	is_nameless = (r->oflags & O_TMPFILE) == O_TMPFILE;
	r->cflags = (unsigned short)fsops_cflags(r->oflags);
	if (!(r->oflags & O_CREAT) && !is_nameless)
		r->mode = 0;
}

static void put_offset(struct fsstops *s, const struct bpf_fs_op *op)
{
	uint64_t v = arg(s, op->off), there;

	if (op->flags & FS_OP_OFF_AT) {
		if (v && read_memory(s, v, &there, sizeof(there)))
			s->record->offset = there;
		return;
	}
	if (op->flags & FS_OP_POS64 && s->call->is_32)
		v |= arg(s, op->off + 1U) << 32;
	if (v != UINT64_MAX) /* preadv2: the file's own */
		s->record->offset = v;
}

static void put_numbers(struct fsstops *s, const struct bpf_fs_op *op)
{
	struct bpf_fs *r = s->record;

	if (op->len != FS_OP_NONE)
		r->bytes_asked = op->flags & FS_OP_IOVEC
					 ? sum_of_iovec(s, arg(s, 1), arg(s, op->len))
					 : arg(s, op->len);
	if (op->off != FS_OP_NONE)
		put_offset(s, op);
	if (op->mode != FS_OP_NONE)
		r->mode = arg(s, op->mode) & (op->flags & FS_OP_NODE ? 0177777 : 07777);
	if (op->flags & FS_OP_NODE && !(r->mode & S_IFMT))
		r->mode |= S_IFREG;
	if (op->flags & FS_OP_MAKES) {
		r->cflags = 2;
		r->mode |= op->type;
	}
	if (op->flags & FS_OP_OPENS)
		put_open_flags(s, op);
	if (op->extra != FS_OP_NONE)
		r->result = (int64_t)arg(s, op->extra);
}

unsigned short fsstops_buffer(struct fsstops *s, const struct bpf_fs_op *op, int64_t n)
{
	char bytes[BPF_REG_VALUE];
	size_t len = (size_t)MIN(MAX(n, 0), (int64_t)sizeof(bytes));
	uint64_t at = arg(s, 1);

	if (op->flags & FS_OP_IOVEC) {
		at = 0;
		read_memory(s, arg(s, 1), &at, s->call->is_32 ? 4 : 8);
	}
	if (!len || !read_memory(s, at, bytes, len))
		return 0;
	put(s, bytes, len);
	return (unsigned short)len;
}

/* ---- closing ---- */

static bool same_file(pid_t pid, int a, pid_t of, int b)
{
	struct stat one, other;

	return stat_fd(pid, a, &one) && stat_fd(of, b, &other) && one.st_ino == other.st_ino &&
	       one.st_dev == other.st_dev &&
	       syscall(SYS_kcmp, pid, of, KCMP_FILE, (unsigned long)a, (unsigned long)b) == 0;
}

/* What has been inherited has the same number there. */
static bool parent_has(pid_t pid, int fd)
{
	uint64_t parent;

	return procfs_status(pid, "PPid", 10, &parent) && parent &&
	       same_file(pid, fd, (pid_t)parent, fd);
}

static DIR *open_fds(pid_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/fd", pid);
	return opendir(name);
}

/* Of those from `first` to `last`, which are closed one after the other. */
static bool is_last(pid_t pid, int fd, unsigned first, unsigned last)
{
	bool found = parent_has(pid, fd);
	DIR *d = open_fds(pid);
	const struct dirent *e;

	while (d && !found && (e = readdir(d))) {
		unsigned other = (unsigned)strtoul(e->d_name, NULL, 10);

		if (e->d_name[0] != '.' && (other < first || other > last || other > (unsigned)fd))
			found = same_file(pid, fd, pid, (int)other);
	}
	if (d)
		closedir(d);
	return !found;
}

static bool close_one(struct fsstops *s, int fd, unsigned first, unsigned last)
{
	struct stat st;

	if (!stat_fd(s->call->pid, fd, &st) || !is_last(s->call->pid, fd, first, last))
		return false;
	return put_fd(s, fd) && s->record->flags & BPF_FS_FILE;
}

static bool is_only_thread(pid_t pid)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	return stat(name, &st) == 0 && st.st_nlink == 3;
}

void fsstops_closes(struct fsstops *s, int nr, void (*fn)(void *arg, struct fsstops *),
		    void *fn_arg)
{
	unsigned first = 0, last = UINT32_MAX;
	const struct dirent *e;
	DIR *d;

	if (nr == SYS_close_range && !(arg(s, 2) & 4)) { /* CLOSE_RANGE_CLOEXEC */
		first = (unsigned)arg(s, 0);
		last = (unsigned)arg(s, 1);
	} else if (nr != SYS_exit_group && (nr != SYS_exit || !is_only_thread(s->call->pid))) {
		return;
	}
	d = open_fds(s->call->pid);
	while (d && (e = readdir(d))) {
		unsigned fd = (unsigned)strtoul(e->d_name, NULL, 10);

		if (e->d_name[0] == '.' || fd < first || fd > last)
			continue;
		begin(s, FS_CLEANUP, (uint64_t)s->call->tid << 32 | fd << 2);
		if (close_one(s, (int)fd, first, last))
			fn(fn_arg, s);
	}
	if (d)
		closedir(d);
}

/* ---- calls ---- */

static bool is_of_changes(const struct fsstops *s, int fd)
{
	char link[BPF_FS_PATH];

	return link_of_fd(s, fd, link) && (strcmp(link, "anon_inode:inotify") == 0 ||
					   strcmp(link, "anon_inode:[fanotify]") == 0);
}

static bool put_operand(struct fsstops *s, const struct bpf_fs_op *op)
{
	struct bpf_fs *r = s->record;
	int fd = (int)arg(s, op->fd);
	struct stat st;

	if (op->fd == FS_OP_NONE) {
		r->flags |= BPF_FS_NO_FILE;
		return true;
	}
	if (op->flags & FS_OP_REPLACES &&
	    ((int)arg(s, 0) == fd || !stat_fd(s->call->pid, (int)arg(s, 0), &st)))
		return false;
	if (r->row == FS_READ && is_of_changes(s, fd))
		r->row = FS_DIRNOTIFY;
	if (r->row == FS_CLEANUP)
		return close_one(s, fd, (unsigned)fd, (unsigned)fd);
	return put_fd(s, fd);
}

bool fsstops_start(struct fsstops *s, const struct bpf_fs_op *op, uint64_t irp)
{
	begin(s, op->row, irp);
	if (op->flags & FS_OP_CONTROL && (int)arg(s, 1) == F_SETFL)
		s->record->row = FS_SETINFO;
	if (op->path != FS_OP_NONE ? !put_paths(s, op) : !put_operand(s, op))
		return false;
	put_numbers(s, op);
	return true;
}

bool fsstops_opened(struct fsstops *s, uint64_t irp, int fd)
{
	begin(s, FS_DONE, irp);
	if (!put_fd(s, fd) || !(s->record->flags & BPF_FS_FILE))
		return false;
	s->record->result = fd;
	return true;
}
