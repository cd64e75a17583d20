/*
 * files.h: files that a process has open.
 */
#ifndef BPF_FILES_H
#define BPF_FILES_H

#include "providers/kernel/bpf/kernel.h"

struct file;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KERNEL;

struct files_struct {
	struct fdtable *fdt;
} KERNEL;

struct task_struct___files {
	struct files_struct *files;
} KERNEL;

/* Of the current process; NULL: there is none of this number. */
static __always_inline struct file *file_of(__u32 fd)
{
	struct task_struct___files *t = (void *)bpf_get_current_task_btf();
	struct fdtable *fdt = BPF_CORE_READ(t, files, fdt);
	struct file **fds, *f = 0;

	if (fd >= BPF_CORE_READ(fdt, max_fds))
		return 0;
	fds = BPF_CORE_READ(fdt, fd);
	bpf_probe_read_kernel(&f, sizeof(void *), fds + fd);
	return f;
}

#endif
