/*
 * mem.h: the memory of a traced process, through a descriptor of /proc/PID/mem that is kept open:
 * it works for processes whose first thread has ended and takes no lock an exec holds.
 */
#ifndef TRACER_MEM_H
#define TRACER_MEM_H

#include "tracer/tracer_priv.h"

/*
 * Bytes as they are, our patches included. Returns how many, or -EFAULT, -ESRCH. Memory that does
 * not come within a bounded time (helper.h) is not readable.
 */
ssize_t mem_read(const struct proc *, taddr_t, void *buf, size_t n);
/* The same by a descriptor of its own, without a bound: for memory that we have read before. */
ssize_t mem_read_fd(int mem_fd, taddr_t, void *buf, size_t n);
/* Writes whatever the page protection says. Errors: -errno. */
int mem_write(int mem_fd, taddr_t, const void *buf, size_t n);

/* struct target's functions for a struct proc in priv. */
ssize_t mem_target_read(struct target *, taddr_t, void *buf, size_t n);
ssize_t mem_target_write(struct target *, taddr_t, const void *buf, size_t n);

struct patch {
	taddr_t addr;
	uint8_t from, to; /* writes `to` only where `from` stands */
	int error;	  /* out: 0, -EAGAIN: another byte stood there, or -errno */
	void *tag;	  /* of the caller */
};

/* Writes one-byte patches in address order, a page at a time where there are many. */
void mem_patch(int mem_fd, struct patch *, size_t n);

#define PAGE_PRESENT (1ULL << 63) /* of an entry of /proc/PID/pagemap */
#define PAGE_SWAPPED (1ULL << 62)
#define PAGE_OF_FILE (1ULL << 61) /* one that is present, and not the process's own */
/* /proc/PID/pagemap, which stays the process's; negative: it cannot be had. */
int mem_pagemap(struct proc *);

/* The address space that a descriptor is of has no threads any more: another program was executed,
 * or the process has ended. */
bool mem_is_gone(int fd);

#endif
