/*
 * fscloses.h: what closes descriptors without a call for each: close_range, an exec, the end of a
 * process. The file that includes this one has a function close_file().
 */
#ifndef BPF_FSCLOSES_H
#define BPF_FSCLOSES_H

#include "providers/kernel/bpf/fs/fslast.h"

/* Is about to lose a descriptor, of which it may have others. */
static __always_inline void close_file(void *ctx, struct file___fs *f);

struct closing {
	void *ctx;
	__u32 first, is_exec;
};

/* One descriptor of those that close all at once. */
static long close_one(__u32 i, void *arg)
{
	struct closing *c = arg;
	__u32 fd = c->first + i;
	struct file___fs *f = fs_file_of(fd);
	unsigned long *bits, word = 0;

	if (!f)
		return 0;
	if (c->is_exec) {
		bits = current_fs()->files->fdt->close_on_exec;
		bpf_probe_read_kernel(&word, sizeof(word), bits + fd / 64);
		if (!(word & 1UL << fd % 64))
			return 0;
	}
	close_file(c->ctx, f);
	return 0;
}

static __always_inline void close_all(void *ctx, __u32 first, __u32 last, __u32 is_exec)
{
	struct closing c = {ctx, first, is_exec};
	struct task_struct___fs *t = current_fs();
	__u32 end;

	if (!t->files)
		return;
	end = t->files->fdt->max_fds;
	if (last < end)
		end = last + 1;
	if (end > first)
		bpf_loop(end - first, close_one, &c, 0);
}

enum { NR_close_range = 436, RANGE_CLOEXEC = 4 };

SEC("tp_btf/sys_enter")
int BPF_PROG(on_range, struct pt_regs *regs, unsigned long id)
{
	if (id != NR_close_range || call_arg(regs, 2) & RANGE_CLOEXEC || is_own() ||
	    !current_passes(&wants.filter))
		return 0;
	close_all(ctx, (__u32)call_arg(regs, 0), (__u32)call_arg(regs, 1), 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_gone, struct task_struct *task)
{
	struct files_struct___fs *files = current_fs()->files;

	if (!files || files->count.counter > 1 || is_own() || !current_passes(&wants.filter))
		return 0;
	close_all(ctx, 0, ~0U, 0);
	return 0;
}

/* Other threads of the process, which hold its descriptors, too, are about to end. */
SEC("tp_btf/sched_prepare_exec")
int BPF_PROG(on_exec)
{
	struct task_struct___fs *t = current_fs();

	if (!t->files || t->files->count.counter > t->signal->nr_threads || is_own() ||
	    !current_passes(&wants.filter))
		return 0;
	close_all(ctx, 0, ~0U, 1);
	return 0;
}

#endif
