/*
 * procmem.h: for those who change the code of a process: all its threads stand still meanwhile, and
 * what is mapped into it and written is noted for whoever takes it out when we are gone.
 */
#ifndef TRACER_PROCMEM_H
#define TRACER_PROCMEM_H

#include "base/procfile.h"
#include "base/target.h"

struct proc;

/* All its threads are stopped, and none is a vfork's: its code may be replaced now. */
bool proc_is_still(const struct proc *);
/*
 * Stops all threads, and those that are born meanwhile, until proc_go. Threads that are stopped
 * already stay stopped after it. A thread deep in the kernel (the parent of a vfork) counts as
 * stopped: it cannot get back to its program before it stops. Errors: -ESRCH the process ends or
 * runs another program, -EBUSY a thread does not stop; then nothing has happened. No breakpoint is
 * added, deleted or written in between, and nothing waits for stops.
 */
int proc_halt(struct proc *, struct err *);
void proc_go(struct proc *);
/*
 * Moves the threads that are within code that is about to go, by letting them run alone until they
 * are out of it. False: one cannot be moved; is_in was called last with where it stands. If it
 * faults there, it has a fault now (below). In a process that is halted, or in tracer_ops.leaving.
 */
typedef bool code_fn(taddr_t pc, void *arg);
bool proc_move_out(struct proc *, code_fn *is_in, void *arg);
/* It has stopped for a fault, which the program has not been told of; it will be told that this was
 * at pc, with the stack pointer so much higher. Halted, or in tracer_ops.leaving. */
bool thread_has_fault(const struct thread *);
void thread_move_fault(struct thread *, taddr_t pc, unsigned undo);
/* The same, where the program has not faulted: it is told of nothing, and goes on at pc; has_rax:
 * the last word pushed is its rax. */
void thread_drop_fault(struct thread *, taddr_t pc, unsigned undo, bool has_rax);
/*
 * Calls fn for each word on the stacks in use that lies in [lo, hi): such an address may be
 * returned to. is_saved_pc: it looks like the one that a signal frame returns to (struct sigcontext
 * of the kernel's uapi: rip, flags, segments). Not for a thread that runs on memory of its own
 * choice: it is counted in the result.
 */
typedef void stack_word_fn(taddr_t word, bool is_saved_pc, void *arg);
unsigned proc_stack_words(struct proc *, taddr_t lo, taddr_t hi, stack_word_fn *fn, void *arg);

/* A system call, made by one of its threads, which is stopped for it where none is; *result as the
 * kernel gave it. Errors: -ESRCH, -ENOSYS. */
int proc_syscall(struct proc *, long nr, const uint64_t args[6], int64_t *result);
/*
 * An empty file in memory that the process and we have open: made by one of its threads, its name
 * begins with `name`. What has come to us is looked at, not where it came from: a thread that puts
 * another file in its place makes this fail. It can grow, and never be made shorter. Errors: -EBADF
 * another file was there, or only a guest (vfork) was to be had; -ESRCH, -ENOSYS, -EMFILE, -errno
 * of memfd_create and of opening.
 */
struct shared_file {
	int ours; /* the caller's, to be closed */
	int64_t theirs;
	pid_t tid;     /* whose descriptors `theirs` is among */
	char path[64]; /* as /proc shows it */
	uint64_t ino;
};
int proc_share_file(struct proc *, const char *name, struct shared_file *);
/* The process closes its descriptor, if it is that file's still. What is mapped stays. */
void proc_close_shared(struct proc *, const struct shared_file *);
/* Nothing is mapped of its shared files any more. */
void proc_forget_shared(struct proc *);
/*
 * For the watchdog, which takes it out if we are killed: executable memory of no file that is about
 * to be mapped there, or is not mapped (any more).
 */
void proc_note_mapped(struct proc *, taddr_t start, uint64_t size);
void proc_forget_mapped(struct proc *, taddr_t start);
/* Is it that file, from `offset` on, that the process has mapped there? */
bool proc_maps_shared(struct proc *, const struct shared_file *, uint64_t offset, taddr_t,
		      uint64_t size);
/*
 * The text of a file that is mapped at an address: of which file, as maps tell; is_copy: it is one
 * of procmap_add_copy already. path: until the maps are read again.
 */
struct proc_text {
	taddr_t start, end;
	uint64_t offset;
	int prot;
	bool is_copy;
	struct procmap_file file;
	const char *path;
};
bool proc_look_at_maps(struct proc *); /* reads the maps again */
/* As of the last time that the maps were read. False: it is no text of a file. */
bool proc_text_at(const struct proc *, taddr_t, struct proc_text *);
/* Nothing but breakpoints of ours has been written there since it was mapped. fd: of its file. */
bool proc_text_is_unchanged(struct proc *, const struct proc_text *, int fd);
/*
 * Maps a file over it, from the same offset on, which the process opens by that path and which must
 * be the one that `fd` is; breakpoints stay. Halted or still. Errors: -ESRCH no thread can do it;
 * -EBADF another file is there; of open and mmap.
 */
int proc_map_over(struct proc *, const struct proc_text *, const char *path, int fd);
/* Writes whatever the page protection says. Errors: -errno. */
int proc_write_code(struct proc *, taddr_t, const void *code, size_t n);
/* What is there, breakpoints included. Errors: -EFAULT, -ESRCH. */
ssize_t proc_read_code(struct proc *, taddr_t, void *code, size_t n);
/*
 * A detour that is about to be written, for the watchdog; proc_forget_detour once it is out again.
 * Returns its number, -1: there is no room.
 */
int32_t proc_note_detour(struct proc *, taddr_t, const uint8_t *orig, const uint8_t *now,
			 uint8_t len);
void proc_forget_detour(struct proc *, int32_t detour);
void proc_forget_detours(struct proc *); /* all of them */
/* The child, which has noted none, has those of its parent, with their numbers. False: no room. */
bool proc_share_detours(const struct proc *parent, struct proc *child);
/* A symbol that the file whose header is mapped at base exports. False: there is none. */
bool proc_exported(struct proc *, taddr_t base, const char *name, taddr_t *addr);
/* Free addresses that a rel32 reaches from near. 0: none. */
taddr_t proc_gap(struct proc *, taddr_t near, uint64_t size);
taddr_t proc_lonely_gap(struct proc *, taddr_t near, uint64_t size); /* as vmmap_lonely_gap */

#endif
