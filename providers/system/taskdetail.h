/*
 * taskdetail.h: the texts of a process that its records do not hold (struct bpf_task): the name of
 * its executable and its arguments, from /proc, asked once for each program that a process runs.
 */
#ifndef PROVIDERS_SYSTEM_TASKDETAIL_H
#define PROVIDERS_SYSTEM_TASKDETAIL_H

#include "base/err.h"
#include "providers/kernel/bpfrec.h"

struct tasktext;

struct tasktext *tasktext_new(void);
/* Sets fname and psargs if the record has not. Of a process that is gone and was never asked: its
 * comm, in both; of a thread of the kernel "[comm]" and no arguments. */
void tasktext_fill(struct tasktext *, struct bpf_task *);
/* Everything that /proc says of a thread of which only the number is known. False: it is gone. */
bool tasktext_of_thread(struct tasktext *, pid_t tid, struct bpf_task *);
/* What little is known of one that is gone: its number, its parent, the name of its process (at
 * most len bytes). The rest stays as it is. */
void tasktext_of_gone(struct tasktext *, pid_t tid, pid_t ppid, const char *comm, size_t len,
		      struct bpf_task *);
/* As tasktext_of_thread, for each thread of a process group, or of a user (real id), which are
 * there now. */
typedef void tasktext_fn(void *arg, const struct bpf_task *);
void tasktext_of_group(struct tasktext *, pid_t pgid, tasktext_fn *, void *arg);
void tasktext_of_user(struct tasktext *, uid_t, tasktext_fn *, void *arg);

#endif
