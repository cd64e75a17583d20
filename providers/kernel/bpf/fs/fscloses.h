/*
 * fscloses.h: what closes descriptors without a call for each: close_range, an exec, the end of a
 * process. The file that includes this one has a function close_file(); if it includes fsgather.h
 * before, clauses on closes may run in the kernel.
 */
#ifndef BPF_FSCLOSES_H
#define BPF_FSCLOSES_H

#include "providers/kernel/bpf/fs/fslast.h"

#ifdef BPF_FSGATHER_H
GATHERING_PROGRAM(range_clauses);
GATHERING_PROGRAM(gone_clauses);
GATHERING_PROGRAM(exec_clauses);
#define EVENTS_OF(name) &name##_event
#else
#define EVENTS_OF(name)		       0
#define RUN_GATHERED(ctx, name)	       ((void)0)
#define begin_gathering(events, first) (first)
#define go_on_later(fd)		       ((void)0)
#endif

/* Is about to lose a descriptor, of which it may have others. Returns 1 where there is no room for
 * it now. `events`: the map of the program's clauses. */
static __always_inline int close_file(void *ctx, void *events, struct file___fs *f);

struct closing {
	void *ctx, *events;
	__u32 first, is_exec, stops_at;
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
	if (!close_file(c->ctx, c->events, f))
		return 0;
	c->stops_at = fd;
	return 1;
}

static __always_inline void close_all(void *ctx, void *events, __u32 first, __u32 last,
				      __u32 is_exec)
{
	struct closing c = {ctx, events, first, is_exec, 0};
	struct task_struct___fs *t = current_fs();
	__u32 end;

	if (!t->files)
		return;
	end = t->files->fdt->max_fds;
	if (last < end)
		end = last + 1;
	if (end > first)
		bpf_loop(end - first, close_one, &c, 0);
	if (c.stops_at)
		go_on_later(c.stops_at);
}

enum { NR_close_range = 436, RANGE_CLOEXEC = 4 };

SEC("tp_btf/sys_enter")
int BPF_PROG(on_range, struct pt_regs *regs, unsigned long id)
{
	__u32 first;

	if (id != NR_close_range || call_arg(regs, 2) & RANGE_CLOEXEC || is_own() ||
	    !current_passes(&wants.filter))
		return 0;
	first = begin_gathering(EVENTS_OF(range_clauses), (__u32)call_arg(regs, 0));
	close_all(ctx, EVENTS_OF(range_clauses), first, (__u32)call_arg(regs, 1), 0);
	RUN_GATHERED(ctx, range_clauses);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_gone, struct task_struct *task)
{
	struct files_struct___fs *files = current_fs()->files;

	if (!files || files->count.counter > 1 || is_own() || !current_passes(&wants.filter))
		return 0;
	close_all(ctx, EVENTS_OF(gone_clauses), begin_gathering(EVENTS_OF(gone_clauses), 0), ~0U,
		  0);
	RUN_GATHERED(ctx, gone_clauses);
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
	close_all(ctx, EVENTS_OF(exec_clauses), begin_gathering(EVENTS_OF(exec_clauses), 0), ~0U,
		  1);
	RUN_GATHERED(ctx, exec_clauses);
	return 0;
}

#endif
