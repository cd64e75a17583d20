#include "mem.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#define USER_END 0x800000000000ULL
#define PAGE	 4096ULL
#define DENSE	 4 /* patches in a page from which on it is written as a whole */

ssize_t mem_read(int fd, taddr_t addr, void *buf, size_t n)
{
	ssize_t r;

	if (addr >= USER_END)
		return -EFAULT;
	n = MIN(n, USER_END - addr);
	r = pread(fd, buf, n, (off_t)addr);
	if (r < 0)
		return errno == EIO ? -EFAULT : -errno;
	return r == 0 && n ? -ESRCH : r; /* 0: the address space has been given up */
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
static ssize_t read_protected(const struct proc *p, taddr_t addr, void *buf, size_t n)
{
	struct iovec to = {.iov_base = buf, .iov_len = n};
	struct iovec from = {.iov_base = (void *)(uintptr_t)addr, .iov_len = n};
	ssize_t r = process_vm_readv(proc_live_tid(p), &to, 1, &from, 1, 0);
	const struct vma *v;

	if (r == (ssize_t)n)
		return r;
	if (r >= 0 || errno == EFAULT) {
		v = vmmap_at(&p->maps, addr + (uint64_t)MAX(r, 0));
		if (!v || v->read || !v->exec)
			return r < 0 ? -EFAULT : r;
	}
	return mem_read(p->mem_fd, addr, buf, n);
}

ssize_t mem_target_read(struct target *target, taddr_t addr, void *buf, size_t n)
{
	const struct proc *p = target->priv;
	ssize_t r = read_protected(p, addr, buf, n);

	if (r > 0)
		bkpt_hide(p, addr, buf, (size_t)r);
	return r;
}

ssize_t mem_target_write(struct target *target, taddr_t addr, const void *buf, size_t n)
{
	const struct proc *p = target->priv;
	/* as read_protected */
	struct iovec from = {.iov_base = (void *)(uintptr_t)buf, .iov_len = n};
	struct iovec to = {.iov_base = (void *)(uintptr_t)addr, .iov_len = n};
	ssize_t r = process_vm_writev(proc_live_tid(p), &from, 1, &to, 1, 0);

	return r < 0 ? -errno : r;
}

static void patch_one(int fd, struct patch *p)
{
	uint8_t now;
	ssize_t r = mem_read(fd, p->addr, &now, 1);

	if (r < 0)
		p->error = (int)r;
	else if (now != p->from)
		p->error = -EAGAIN;
	else
		p->error = mem_write(fd, p->addr, &p->to, 1);
}

/* All patches of one page: read, change, write back the stretch from the first to the last. */
static void patch_page(int fd, struct patch *p, size_t n)
{
	uint8_t buf[PAGE] = {0};
	size_t len = p[n - 1].addr - p[0].addr + 1;
	int r;

	if (mem_read(fd, p[0].addr, buf, len) != (ssize_t)len) {
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
	r = mem_write(fd, p[0].addr, buf, len);
	for (size_t i = 0; r && i < n; i++)
		p[i].error = r;
}

void mem_patch(int fd, struct patch *p, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && p[end].addr / PAGE == p[i].addr / PAGE; end++)
			;
		if (end - i >= DENSE) {
			patch_page(fd, p + i, end - i);
			continue;
		}
		for (size_t k = i; k < end; k++)
			patch_one(fd, &p[k]);
	}
}

bool mem_is_gone(int fd)
{
	uint8_t byte;

	return pread(fd, &byte, 1, 0) == 0; /* where there is memory, EIO: nothing is mapped at 0 */
}
