/*
 * proctab.h: what is known of processes whose events arrive late: name, parent, ids. Filled from
 * /proc at the start, then kept by the kernel's COMM, FORK and EXIT records in the order of the
 * events, so that an event of a process that is gone has its name still.
 */
#ifndef PROVIDERS_WORLD_PROCTAB_H
#define PROVIDERS_WORLD_PROCTAB_H

#include "dlang/provider.h"

struct proctab;

struct proctab *proctab_new(void);
void proctab_free(struct proctab *);
void proctab_seed(struct proctab *); /* from /proc: every process */
/* Visits every process there is now, by number. */
void proctab_each(struct proctab *, void (*fn)(void *arg, pid_t, const struct taskinfo *),
		  void *arg);

/* Side-band records, in time order. */
void proctab_comm(struct proctab *, pid_t pid, pid_t tid, const char *comm, bool is_exec);
void proctab_fork(struct proctab *, pid_t pid, pid_t ppid, pid_t tid, pid_t ptid);
/* It has been there for a while, with a name of its own. */
void proctab_parent_was(struct proctab *, pid_t pid, pid_t ppid);
void proctab_exit(struct proctab *, pid_t pid, pid_t tid);
/* Whose child it is by now, of one that is known: its first parent has ended, perhaps. Where nobody
 * tells, it is asked of /proc when a parent has ended. What proctab_get() has returned is changed.
 */
void proctab_parent_is(struct proctab *, pid_t pid, pid_t ppid);
/* Who is asked where the process has gone by then; it says 0 if it does not know. */
void proctab_ask_of_gone(struct proctab *, pid_t (*parent)(void *arg, pid_t pid), void *arg);

/* It runs a 32-bit program (ELF class); as far as /proc tells still. */
bool proctab_is_32(struct proctab *, pid_t);

/* Whose it is by now, of one that proctab_get() has returned. */
void proctab_ids(struct proctab *, pid_t pid, uint32_t uid, uint32_t gid);

/* Whose it is, and its parent (0: that is known), is told besides /proc: /proc is not asked, also
 * of its children and the programs that they execute. */
void proctab_tell_ids(struct proctab *, pid_t pid, pid_t ppid, uint32_t uid, uint32_t gid);

/* One that is not known is asked of /proc. Valid until the next call of this file. */
const struct taskinfo *proctab_get(struct proctab *, pid_t pid);
/* What it is called: as its process, where nothing else has been told. */
const char *proctab_thread_name(struct proctab *, pid_t pid, pid_t tid);
/* The process of a thread: as records have told, of a file; the same number where none has. */
void proctab_know_thread(struct proctab *, pid_t pid, pid_t tid);
pid_t proctab_process_of(const struct proctab *, pid_t tid);
pid_t proctab_parent(const struct proctab *, pid_t pid); /* 0: not known here */
/* The same of one that may have none: 0. False: not known here. */
bool proctab_knows_parent(const struct proctab *, pid_t pid, pid_t *parent);

/* Time on a CPU: what a thread has had before; it comes, goes; what it has had, since it was first
 * seen where nobody has told of before. */
void proctab_seed_vtime(struct proctab *, pid_t tid, uint64_t sum_ns, uint64_t time_ns);
void proctab_switch(struct proctab *, pid_t tid, bool is_out, uint64_t time_ns);
uint64_t proctab_vtime(struct proctab *, pid_t tid, uint64_t time_ns);

/* The processes that -c and -p mean, and their descendants. */
void proctab_follow(struct proctab *, pid_t pid);
bool proctab_is_followed(const struct proctab *, pid_t pid);

#endif
