/*
 * sharefile.c: a file in memory that a process and we have open.
 *
 * One of its threads makes it, and the number of a descriptor says nothing: another thread may put
 * any file there that it can name, without being able to open it. Opened again by a path in /proc
 * it would be opened with our rights. So the open file is shared as it is (pidfd_getfd), which
 * gives us no more rights than the process has. Where that is not to be had (before Linux 5.6,
 * forbidden, or descriptors of a single thread) the file is looked at through a descriptor that
 * cannot be read from or written to, and is opened by that one if everybody may write to it. In
 * both cases it must be a file without a name, empty, and sealable, as memfd_create makes them,
 * with a name that nobody knew before.
 */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/mem.h"
#include "tracer/x86/regs.h"
#include "tracer/remote.h"

#define SCRATCH 1024 /* below a stack pointer: the red zone, and more */
#define SEALS	(F_SEAL_SHRINK | F_SEAL_SEAL)

/* Of headers that are younger than the kernels we run on. */
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x20
#endif
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

/* ---- is it ours? ---- */

static bool leads_to(const char *link, const char *path)
{
	char text[128];
	ssize_t n = readlink(link, text, sizeof(text));

	return n == (ssize_t)strlen(path) && memcmp(text, path, (size_t)n) == 0;
}

/* Looks only: fd may be of any file there is. */
static bool is_made_for_us(int fd, const char *path, uint64_t *ino)
{
	struct statfs fs;
	struct stat st;
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink || st.st_size ||
	    fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_MAGIC || !leads_to(link, path))
		return false;
	*ino = st.st_ino;
	return true;
}

/* A sysctl may have added one of the seals (vm.memfd_noexec). */
static bool is_sealable(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && !(seals & ~F_SEAL_EXEC);
}

/* ---- the two ways to it ---- */

static int by_open_file(const struct shared_file *f)
{
	long pidfd = syscall(SYS_pidfd_open, f->tid, PIDFD_THREAD);
	long fd;
	int e;

	if (pidfd < 0) /* before 6.9: of first threads only */
		pidfd = syscall(SYS_pidfd_open, f->tid, 0);
	if (pidfd < 0)
		return -errno;
	fd = syscall(SYS_pidfd_getfd, pidfd, (int)f->theirs, 0);
	e = errno;
	close((int)pidfd);
	return fd < 0 ? -e : (int)fd;
}

/* By a descriptor of ours, which nobody else can make another one. */
static int open_again(int fd)
{
	char path[64];
	struct stat st;
	int again;

	/* everybody who has it open may write to it, so that we get no right by being privileged */
	if (fstat(fd, &st) < 0 || (st.st_mode & 0666) != 0666)
		return -EBADF;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK); /* a lease does not hold us */
	return again < 0 ? -errno : again;
}

static int by_looking(const struct shared_file *f)
{
	char path[64];
	uint64_t ino;
	int fd, r;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", f->tid, (int)f->theirs);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EBADF : -errno;
	r = is_made_for_us(fd, f->path, &ino) ? open_again(fd) : -EBADF;
	close(fd);
	return r;
}

static int check_and_seal(struct shared_file *f)
{
	return is_made_for_us(f->ours, f->path, &f->ino) && is_sealable(f->ours) &&
			       fcntl(f->ours, F_ADD_SEALS, SEALS) == 0
		       ? 0
		       : -EBADF;
}

static int get(struct shared_file *f)
{
	int r;

	f->ours = by_open_file(f);
	if (f->ours < 0 && f->ours != -EMFILE && f->ours != -ENFILE)
		f->ours = by_looking(f);
	if (f->ours < 0)
		return f->ours;
	r = check_and_seal(f);
	if (r)
		close(f->ours);
	return r;
}

/* ---- in the process ---- */

static int create(struct thread *t, const char *name, int64_t *fd)
{
	const struct user_regs_struct *r = regs_all(&t->regs);
	uint64_t args[6] = {0, MFD_CLOEXEC | MFD_ALLOW_SEALING};
	size_t n = strlen(name) + 1;
	int e;

	if (!r)
		return -ESRCH;
	args[0] = (r->rsp - SCRATCH - n) & ~7ULL;
	if (mem_write(t->proc->mem_fd, args[0], name, n) < 0)
		return -EFAULT;
	e = remote_syscall(t, SYS_memfd_create, args, fd);
	return e ? e : (int)MIN(*fd, 0);
}

static bool is_theirs(pid_t tid, const struct shared_file *f)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", tid, (int)f->theirs);
	return leads_to(link, f->path);
}

int proc_share_file(struct proc *p, const char *name, struct shared_file *out)
{
	struct thread *t = proc_borrow_retrying(p);
	struct shared_file f = {.ours = -1, .theirs = -1};
	char full[40];
	uint64_t key;
	int r;

	if (!t)
		return -ESRCH;
	f.tid = t->tid;
	r = getrandom(&key, sizeof(key), 0) == sizeof(key) ? 0 : -EIO;
	snprintf(full, sizeof(full), "%s-%016lx", name, key);
	snprintf(f.path, sizeof(f.path), "/memfd:%s (deleted)", full);
	if (!r) {
		journal_add_file(p->tracer->journal, p->pid, f.path);
		r = create(t, full, &f.theirs);
	}
	if (!r) {
		r = get(&f); /* while the thread is ours */
		if (!r)
			*out = f;
	}
	proc_give_back(t);
	if (r && f.theirs >= 0)
		proc_close_shared(p, &f);
	return r;
}

void proc_close_shared(struct proc *p, const struct shared_file *f)
{
	const uint64_t args[6] = {(uint64_t)f->theirs};
	int64_t got;

	/* that thread may have ended */
	if (is_theirs(f->tid, f) || is_theirs(proc_live_tid(p), f))
		proc_syscall(p, SYS_close, args, &got);
}

bool proc_maps_shared(struct proc *p, const struct shared_file *f, uint64_t offset, taddr_t at,
		      uint64_t size)
{
	const struct vma *v =
		vmmap_read(&p->maps, proc_live_tid(p)) < 0 ? NULL : vmmap_at(&p->maps, at);

	return v && v->ino == f->ino && !strcmp(v->path, f->path) && v->end - at >= size &&
	       v->offset + (at - v->start) == offset;
}

void proc_forget_shared(struct proc *p)
{
	journal_del_files(p->tracer->journal, p->pid);
}

void proc_note_mapped(struct proc *p, taddr_t start, uint64_t size)
{
	journal_add_memory(p->tracer->journal, p->pid, start, size);
}

void proc_forget_mapped(struct proc *p, taddr_t start)
{
	journal_del_memory(p->tracer->journal, p->pid, start);
}
