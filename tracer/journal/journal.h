/*
 * journal.h: what of ours is in other processes, for whoever outlives the engine (ARCHITECTURE.md,
 * Two halves and an arena): the bytes of breakpoints and hooks, the affinities of threads that were
 * moved, the registers of one that makes a system call for us, memory for slots and hooks, files
 * that are shared, and the semaphores of static probes that are one higher. Lies in the shared
 * arena. An entry is written before the byte in the target and freed after it is put back, so at
 * any moment every patched byte has an entry.
 */
#ifndef TRACER_JOURNAL_JOURNAL_H
#define TRACER_JOURNAL_JOURNAL_H

#include <sched.h>
#include <sys/user.h>

#include "tracer/journal/journalrows.h"

#define JOURNAL_MASKS  1024
#define JOURNAL_COUNTS 8192
#define JOURNAL_MEMORY 4096
#define JOURNAL_FILES  4096

/*
 * What is replaced in a process. Of a breakpoint orig goes back only where the first byte is still
 * int3. A detour harms nobody who runs over it, unlike a breakpoint; it is taken out only
 * while all threads of the process are stopped.
 */
struct journal_proc {
	struct journal_proc *next;
	pid_t pid;  /* 0: free */
	int mem_fd; /* the engine's descriptor of /proc/PID/mem */
	struct journal_rows bkpts, detours;
};

struct journal_mask {
	pid_t tid;     /* 0: free */
	int cpu;       /* where it was moved to */
	cpu_set_t own; /* what it had */
};

struct journal_count {
	pid_t pid; /* 0: free */
	int mem_fd;
	taddr_t addr;
};

/* Executable memory of no file that we map into a process: for slots, for trampolines. */
struct journal_memory {
	pid_t pid; /* 0: free */
	taddr_t start;
	uint64_t size;
};

/* A file that the process and we share: all that is mapped of it is ours, wherever it is. */
struct journal_file {
	pid_t pid;     /* 0: free */
	char path[64]; /* as /proc shows it, and no other file's */
};

/*
 * A thread that makes a system call for us: what it comes back to. There is one at a time. A thread
 * whose process was stopped by job control stays so.
 */
struct journal_call {
	pid_t tid; /* 0: none */
	pid_t pid;
	bool is_stopped;
	uint64_t sigmask;
	struct user_regs_struct regs;
};

struct journal {
	struct journal_store store;
	struct journal_proc *procs, *last; /* that rows were added to */
	struct journal_mask masks[JOURNAL_MASKS];
	struct journal_count counts[JOURNAL_COUNTS];
	struct journal_call call;
	struct journal_memory memory[JOURNAL_MEMORY];
	struct journal_file files[JOURNAL_FILES];
};

struct arena;
struct journal *journal_new(struct arena *);

/* A breakpoint is about to be written, or has been taken out. Returns the row's number (of those of
 * the process), or -1 when there is no room. */
int32_t journal_add(struct journal *, pid_t, int mem_fd, taddr_t, const uint8_t *orig, uint8_t len);
void journal_del(struct journal *, pid_t, int32_t row);
void journal_forget(struct journal *, pid_t); /* the address space is gone */
/*
 * For the one who outlives the engine: puts the bytes back, in processes that run on, where they
 * still are a breakpoint, and takes one from each semaphore. Returns how many bytes. has_fds: the
 * caller shares the engine's descriptors; otherwise it must be allowed to open those processes'
 * memory.
 */
unsigned journal_restore(const struct journal *, bool has_fds);
/* The same for a child by fork that the engine has not heard of when it ends: what it has is its
 * parent's. */
unsigned journal_restore_copy(const struct journal *, pid_t parent, pid_t child);
/* The processes that have breakpoints or raised semaphores, each once: at most max. Returns how
 * many. */
unsigned journal_pids(const struct journal *, pid_t *pids, unsigned max);

/* A semaphore is about to be raised. Returns the number of the note, or -1: no room. */
int32_t journal_add_count(struct journal *, pid_t, int mem_fd, taddr_t);
void journal_del_count(struct journal *, int32_t count);
/* Takes one from the semaphore at an address, where it is not 0. */
void journal_lower(int mem_fd, taddr_t);

/* The same for a detour; at most five bytes are replaced by `now`. */
int32_t journal_add_detour(struct journal *, pid_t, taddr_t, const uint8_t *orig,
			   const uint8_t *now, uint8_t len);
void journal_del_detour(struct journal *, pid_t, int32_t detour);
void journal_del_detours(struct journal *, pid_t);
/* The child, which has none yet, has all detours of its parent, with their numbers. False: there is
 * no room. */
bool journal_share_detours(struct journal *, pid_t parent, pid_t child);
/*
 * Memory is about to be mapped, or has not been after all, or is no more; a file is about to be
 * made, or nothing is mapped of those of a process any more. What finds no room is not noted: then
 * it stays when we are killed.
 */
void journal_add_memory(struct journal *, pid_t, taddr_t start, uint64_t size);
void journal_del_memory(struct journal *, pid_t, taddr_t start);
void journal_add_file(struct journal *, pid_t, const char *path);
void journal_del_files(struct journal *, pid_t);
bool journal_has_file(const struct journal *, pid_t, const char *path);
/* A process that has detours, memory or files of ours, with a number above `after`; 0: none. */
pid_t journal_next_changed(const struct journal *, pid_t after);
/* The short jumps among its detours lead to addresses in [*lo, *hi); false: there are none. */
bool journal_islands(const struct journal *, pid_t, taddr_t *lo, taddr_t *hi);
bool journal_is_island(const struct journal *, pid_t, taddr_t);
/* Puts back what its detours replace, where they still stand. All its threads are stopped. */
void journal_restore_detours(const struct journal *, pid_t, int mem_fd);

/* Before a thread is made to run something of ours, and after it has its own registers again. */
void journal_begin_call(struct journal *, const struct journal_call *);
void journal_end_call(struct journal *);
/* The call that has begun and not ended; NULL: none. */
const struct journal_call *journal_call(const struct journal *);

/* Before a thread is moved. Returns the number of the note, or -1: no room. */
int32_t journal_add_mask(struct journal *, pid_t tid, int cpu, const cpu_set_t *own);
void journal_del_mask(struct journal *, int32_t mask);
/* Gives the threads that still are where they were put their own mask back. */
void journal_restore_masks(const struct journal *);

#endif
