/*
 * files.h: files that a process has open.
 */
#ifndef BPF_FILES_H
#define BPF_FILES_H

#include "providers/kernel/bpf/typed.h"

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

/* Of the current process; NULL: there is none of this number. can_cast: of typed.h, a constant. */
static __always_inline struct file *file_of(__u32 fd, __u32 can_cast)
{
	struct task_struct___files *t = (void *)bpf_get_current_task_btf();
	struct files_struct *files = t->files;
	struct fdtable *fdt = files ? files->fdt : 0;
	struct file **fds, *f = 0;

	if (!fdt || fd >= fdt->max_fds)
		return 0;
	fds = fdt->fd;
	if (can_cast)
		return (struct file *)typed_word((__u64)(fds + fd));
	bpf_probe_read_kernel(&f, sizeof(void *), fds + fd);
	return f;
}

#endif
