#include "tracer/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/helper.h"

#define USER_END 0x800000000000ULL
#define DENSE	 4	   /* patches in a page from which on it is written as a whole */
#define CHUNK	 262144ULL /* what is asked for at once, from the beginning of a page */

#define SEEN_NS	   10000000U
#define LATE_MS	   2000U
#define LATE_TIMES 2 /* that it is given as long */
#define LATER_MS   20U

static ssize_t read_at(int fd, taddr_t addr, void *buf, size_t n)
{
	ssize_t r = pread(fd, buf, n, (off_t)addr);

	if (r < 0)
		return errno == EIO ? -EFAULT : -errno;
	return r == 0 && n ? -ESRCH : r; /* 0: the address space has been given up */
}

ssize_t mem_read_fd(int fd, taddr_t addr, void *buf, size_t n)
{
	return addr >= USER_END ? -EFAULT : read_at(fd, addr, buf, MIN(n, USER_END - addr));
}

/* ---- what may not be there ---- */

int mem_pagemap(struct proc *p)
{
	char path[64];

	if (p->pagemap_fd == PAGEMAP_CLOSED) {
		snprintf(path, sizeof(path), "/proc/%d/pagemap", proc_live_tid(p));
		p->pagemap_fd = p->preload ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	}
	return p->pagemap_fd;
}

/* All pages from the first on are in memory now, or were a moment ago. */
static bool ask_pagemap(struct proc *p, taddr_t first, size_t npages)
{
	uint64_t entries[CHUNK / PAGE + 1];
	int fd = mem_pagemap(p);
	ssize_t got;

	if (fd < 0)
		return true;
	got = pread(fd, entries, npages * sizeof(entries[0]), (off_t)(first * sizeof(entries[0])));
	for (size_t i = 0; i < npages; i++)
		if (got < (ssize_t)((i + 1) * sizeof(entries[0])) || !(entries[i] & PAGE_PRESENT))
			return false;
	return true;
}

/*
 * Pages that are in memory are read without waiting for anybody. For any other the kernel may ask a
 * file system or a userfaultfd, and these may never answer. Where it does not tell, they count as
 * there. A page may go between the question and the read: who does that on purpose stops the engine
 * for as long as the watchdog lets him. So a page that threads come to again and again is not asked
 * for at each hit.
 */
static bool is_present(struct proc *p, taddr_t addr, size_t n)
{
	taddr_t first = addr / PAGE, end = (addr + n - 1) / PAGE + 1;
	uint64_t now = now_mono();
	bool all = true;

	for (taddr_t page = first; page < end && all; page++) {
		const struct seen_page *seen = &p->seen_pages[page % ARRAY_SIZE(p->seen_pages)];

		all = seen->page == page && now < seen->until_ns;
	}
	if (all)
		return true;
	if (!ask_pagemap(p, first, end - first))
		return false;
	for (taddr_t page = first; page < end; page++)
		p->seen_pages[page % ARRAY_SIZE(p->seen_pages)] =
			(struct seen_page){page, now + SEEN_NS};
	return true;
}

/* A process that let us wait for long is not waited for as long again: its threads and those of
 * others stand still meanwhile. */
static unsigned limit_ms(const struct proc *p)
{
	return p->nlate < LATE_TIMES ? LATE_MS : LATER_MS;
}

static ssize_t see_late(struct proc *p, taddr_t addr, ssize_t r)
{
	if (r != -ETIMEDOUT)
		return r;
	if (p->nlate++ == 0 && p->tracer->ops->late)
		p->tracer->ops->late(p->tracer->arg, p, addr);
	return -EFAULT;
}

/* What the program could not read itself is read by /proc/PID/mem, which no signal ends. One that
 * has ended has no page at all: the helper is not asked for each of them. */
static ssize_t read_absent(struct proc *p, taddr_t addr, void *buf, size_t n, bool is_protected)
{
	ssize_t r;

	if (mem_is_gone(p->mem_fd))
		return -ESRCH;
	r = helper_read(proc_live_tid(p), addr, buf, n, limit_ms(p));
	if (r == -EPERM || (r == -EFAULT && !is_protected) || r == -ESRCH) {
		r = helper_pread(p->mem_fd, addr, buf, n, limit_ms(p));
		r = r == -EIO ? -EFAULT : r == 0 && n ? -ESRCH : r;
	}
	return see_late(p, addr, r);
}

static ssize_t read_any(struct proc *p, taddr_t addr, void *buf, size_t n)
{
	return is_present(p, addr, n) ? read_at(p->mem_fd, addr, buf, n)
				      : read_absent(p, addr, buf, n, false);
}

/* Piece by piece, each by `part`, up to the first that is not all there. */
static ssize_t read_parts(struct proc *p, taddr_t addr, void *buf, size_t n,
			  ssize_t (*part)(struct proc *, taddr_t, void *, size_t))
{
	size_t got = 0;
	ssize_t r = 0;

	if (addr >= USER_END)
		return -EFAULT;
	n = MIN(n, USER_END - addr);
	while (got < n) {
		size_t len = MIN(n - got, CHUNK - (addr + got) % PAGE);

		r = part(p, addr + got, (char *)buf + got, len);
		got += r > 0 ? (size_t)r : 0;
		if (r != (ssize_t)len)
			break;
	}
	return got ? (ssize_t)got : r;
}

ssize_t mem_read(const struct proc *of, taddr_t addr, void *buf, size_t n)
{
	struct proc *p = of->target.priv; /* what it remembers of its memory is not its state */

	return read_parts(p, addr, buf, n, read_any);
}

int mem_write(int fd, taddr_t addr, const void *buf, size_t n)
{
	ssize_t r;

	if (addr >= USER_END)
		return -EFAULT;
	r = pwrite(fd, buf, n, (off_t)addr);
	if (r < 0)
		return -errno;
	return (size_t)r == n ? 0 : -EFAULT;
}

/*
 * What the program itself could read. /proc/PID/mem goes past the protection of pages: it is asked
 * only for code that may be executed alone, and where the call is refused (the program has changed
 * its credentials since).
 */
static ssize_t read_protected(struct proc *p, taddr_t addr, void *buf, size_t n)
{
	struct iovec to = {.iov_base = buf, .iov_len = n};
	struct iovec from = {.iov_base = (void *)(uintptr_t)addr, .iov_len = n};
	const struct vma *v;
	ssize_t r;

	if (!is_present(p, addr, n)) {
		r = read_absent(p, addr, buf, n, true);
		if (r == -EFAULT && p->nlate)
			return r;
	} else {
		r = process_vm_readv(proc_live_tid(p), &to, 1, &from, 1, 0);
		r = r < 0 ? -errno : r;
	}
	if (r == (ssize_t)n)
		return r;
	if (r >= 0 || r == -EFAULT) {
		v = vmmap_at(&p->maps, addr + (uint64_t)MAX(r, 0));
		if (!v || v->read || !v->exec)
			return r;
	}
	return mem_read(p, addr, buf, n);
}

ssize_t mem_target_read(struct target *target, taddr_t addr, void *buf, size_t n)
{
	struct proc *p = target->priv;
	ssize_t got = read_parts(p, addr, buf, n, read_protected);

	if (got > 0)
		bkpt_hide(p, addr, buf, (size_t)got);
	return got;
}

/* Whether a page that is there can be written without waiting is not to be seen beforehand. */
ssize_t mem_target_write(struct target *target, taddr_t addr, const void *buf, size_t n)
{
	struct proc *p = target->priv; /* as read_protected */

	return see_late(p, addr, helper_write(proc_live_tid(p), addr, buf, n, limit_ms(p)));
}

static void patch_one(int fd, struct patch *p)
{
	uint8_t now;
	ssize_t r = mem_read_fd(fd, p->addr, &now, 1);

	if (r < 0)
		p->error = (int)r;
	else if (now != p->from)
		p->error = -EAGAIN;
	else
		p->error = mem_write(fd, p->addr, &p->to, 1);
}

/* Those that may be written, byte by byte, or, where there are many, as one stretch with what lies
 * between them: another may write there at the same time. */
static void write_page(int fd, struct patch *p, size_t n, const uint8_t *bytes, size_t len)
{
	int r = n < DENSE ? 0 : mem_write(fd, p[0].addr, bytes, len);

	for (size_t i = 0; i < n; i++)
		if (r)
			p[i].error = r;
		else if (n < DENSE && !p[i].error)
			p[i].error = mem_write(fd, p[i].addr, &p[i].to, 1);
}

/* All patches of one page, which is read once, from the first to the last. */
static void patch_page(int fd, struct patch *p, size_t n)
{
	uint8_t buf[PAGE] = {0};
	size_t len = p[n - 1].addr - p[0].addr + 1;

	if (mem_read_fd(fd, p[0].addr, buf, len) != (ssize_t)len) {
		for (size_t i = 0; i < n; i++)
			patch_one(fd, &p[i]);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint8_t *b = &buf[p[i].addr - p[0].addr];

		p[i].error = *b == p[i].from ? 0 : -EAGAIN;
		if (!p[i].error)
			*b = p[i].to;
	}
	write_page(fd, p, n, buf, len);
}

void mem_patch(int fd, struct patch *p, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && p[end].addr / PAGE == p[i].addr / PAGE; end++)
			;
		patch_page(fd, p + i, end - i);
	}
}

bool mem_is_gone(int fd)
{
	uint8_t byte;

	return pread(fd, &byte, 1, 0) == 0; /* where there is memory, EIO: nothing is mapped at 0 */
}
