/*
 * taskdetail.h: the texts of a process that its records do not hold (struct bpf_task): the name of
 * its executable and its arguments, from /proc, asked once for each program that a process runs.
 */
#ifndef PROVIDERS_SYSTEM_TASKDETAIL_H
#define PROVIDERS_SYSTEM_TASKDETAIL_H

#include "base/err.h"
#include "providers/kernel/bpfrec.h"

struct taskdetail;

/* is_recorded: as little as the records of a file tell. */
struct taskdetail *taskdetail_new(bool is_recorded);
void taskdetail_free(struct taskdetail *);
/* Sets fname and psargs if the record has not. Of a process that is gone and was never asked: its
 * comm, in both; of a thread of the kernel "[comm]" and no arguments. */
void taskdetail_fill(struct taskdetail *, struct bpf_task *);
/* Everything that /proc says of a thread of which only the number is known. False: it is gone. */
bool taskdetail_of_thread(struct taskdetail *, pid_t tid, struct bpf_task *);
/* What little is known of one that is gone: its number, its process, whose parent, and the name of
 * that (at most len bytes). The rest stays as it is. */
void taskdetail_of_gone(struct taskdetail *, pid_t tid, pid_t pid, pid_t ppid, const char *comm,
			size_t len, struct bpf_task *);
/* As taskdetail_of_thread, for each thread of a process group, or of a user (real id), which are
 * there now. */
typedef void taskdetail_fn(void *arg, const struct bpf_task *);
void taskdetail_of_group(struct taskdetail *, pid_t pgid, taskdetail_fn *, void *arg);
void taskdetail_of_user(struct taskdetail *, uid_t, taskdetail_fn *, void *arg);

#endif
