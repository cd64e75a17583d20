/*
 * helper.h: a helper process for system calls that may never come back. Memory and files of other
 * programs can lie behind a userfaultfd that nobody serves, in a FUSE file system whose daemon is
 * silent, on a server that is dead: then whoever touches them sleeps in the kernel, some of them
 * out of the reach of SIGKILL. The helper touches them, and the caller waits for it for a bounded
 * time.
 *
 * One per process, made by the first call, and made anew when it has been given up. It shares the
 * caller's descriptors. Where helper_prepare was not called, the calls are made directly.
 */
#ifndef BASE_HELPER_H
#define BASE_HELPER_H

#include "base/base.h"

/* Where a caller may want to be quick: give_up(arg) is asked while it waits. */
void helper_prepare(bool (*give_up)(void *arg), void *arg);
/* At the end of the process that prepared it. */
void helper_end(void);

/*
 * Memory of a process at addr, as process_vm_readv and process_vm_writev have it. Returns how many
 * bytes, -ETIMEDOUT when they did not come within the limit, or -errno.
 */
ssize_t helper_read(pid_t, taddr_t addr, void *buf, size_t n, unsigned limit_ms);
ssize_t helper_write(pid_t, taddr_t addr, const void *buf, size_t n, unsigned limit_ms);
/* By a descriptor of /proc/PID/mem: what may not be read otherwise. */
ssize_t helper_pread(int mem_fd, taddr_t addr, void *buf, size_t n, unsigned limit_ms);
/* The beginning of a file, opened by its path. */
ssize_t helper_file(const char *path, void *buf, size_t n, unsigned limit_ms);

#endif
