/*
 * target.h: a process (or a recording) as an address space. `struct proc` of the tracer owns one.
 */
#ifndef BASE_TARGET_H
#define BASE_TARGET_H

#include "base/base.h"

struct target {
	pid_t pid;	   /* thread group id */
	bool holds_kernel; /* addresses of the kernel may be read, too: what was recorded there */
	uint32_t aspace;   /* id of the current address space (symbols.h); see target_aspace() */
	void *priv;	   /* of the owner */
	/*
	 * Reads n bytes at addr. Our breakpoints are hidden: the program's own bytes are returned.
	 * Returns the number of bytes read, short at the end of the mapped range, or -EFAULT (first
	 * byte unreadable), -ESRCH. Callable during a hit.
	 */
	ssize_t (*read)(struct target *, taddr_t addr, void *buf, size_t n);
	/* Writes, honouring the page protection (EFAULT on read-only memory). */
	ssize_t (*write)(struct target *, taddr_t addr, const void *buf, size_t n);
	/* Brings `aspace` up to what was mapped at time_ns; NULL: it always is. */
	void (*learn)(struct target *, uint64_t time_ns);
	/* Of what was recorded: the process as it is now, to which everything else falls, and whose
	 * address space it is. NULL: this is that. */
	struct target *now;
};

/* For what is recorded of an event of time_ns; 0: none is known. */
static inline uint32_t target_aspace(struct target *t, uint64_t time_ns)
{
	if (t->learn)
		t->learn(t, time_ns);
	if (t->now)
		t->aspace = target_aspace(t->now, time_ns);
	return t->aspace;
}

static inline ssize_t target_read(struct target *t, taddr_t addr, void *buf, size_t n)
{
	return t->read(t, addr, buf, n);
}

static inline ssize_t target_write(struct target *t, taddr_t addr, const void *buf, size_t n)
{
	return t->write(t, addr, buf, n);
}

#endif
