/*
 * sysprobe.h: what the files of the syscall provider share. One way of seeing calls is chosen for
 * each probe when it is enabled:
 *
 *   counted    in the kernel (BPF), when all its clauses do is to count
 *   records    of BPF programs, with what the pointers lead to; without BPF, or for stacks: of the
 *              raw_syscalls tracepoints
 *   stops      of the traced processes (ptrace), for a user who may have nothing else
 */
#ifndef PROVIDERS_SYSTEM_SYSPROBE_H
#define PROVIDERS_SYSTEM_SYSPROBE_H

#include "providers/kernel/bpf.h"
#include "providers/kernel/perf.h"
#include "providers/system/syscalls.h"

enum sys_side { SYS_ENTRY, SYS_RETURN };

struct sys_world {
	struct session *session;
	struct probe *probes[2][SYSCALL_MAX_NR]; /* enabled ones; by enum sys_side */
	struct sys_bpf *bpf;			 /* NULL: not in use */
	struct sys_perf *perf;
	bool by_stops[2][SYSCALL_MAX_NR], needs_stops;
	bool follows;	/* descendants, which have stops, too */
	bool says_late; /* that a raise() comes some time after its call */
};

/* Fires the probe for a call that has been seen, if it is enabled. ev has everything but the probe
 * and args. */
void sys_fire(struct sys_world *, enum sys_side, unsigned nr, struct event *ev,
	      const uint64_t args[6], int64_t ret);

/* sys_bpf.c. Errors: BPF cannot be used; the probe is taken back. */
int sys_bpf_add(struct sys_world *, enum sys_side, unsigned nr, struct err *);
void sys_bpf_collect(struct sys_world *); /* hands over what has been counted */
void sys_bpf_free(struct sys_bpf *);

/*
 * sys_clauses.c: the clauses that the kernel runs whole. Found when all is enabled, started before
 * anything is attached; NULL: there are none, or they cannot be.
 */
struct sys_clauses;
struct sys_clauses_of {
	const struct bpf_syscall_who *who;
	int targets_fd, numbers32_fd;
	int record_fd; /* the program that makes records of entries, if some are to be made */
};
struct sys_clauses *sys_clauses_find(struct sys_world *, struct bpf *);
/* Takes what was found, or NULL. */
struct sys_clauses *sys_clauses_start(struct sys_clauses *, const struct sys_clauses_of *);
/* Are records made of entries whose texts are not in memory? NULL: no. */
bool sys_clauses_make_records(const struct sys_clauses *);
/* Nothing else has to be done for the calls of this probe. */
bool sys_clauses_have(const struct sys_clauses *, const struct probe *);
void sys_clauses_collect(struct sys_clauses *);
void sys_clauses_free(struct sys_clauses *);

/* sys_perf.c: flags are PERF_*; the events are opened when all are known. */
void sys_perf_add(struct sys_world *, enum sys_side, unsigned nr, unsigned flags);
/* Of a recording: by raw_syscalls, or by the tracepoint of this call alone. Errors: neither is in
 * the file. */
int sys_perf_add_recorded(struct sys_world *, const struct probe *, enum sys_side, unsigned nr,
			  struct err *);
int sys_perf_open(struct sys_world *, struct err *);
/* The call that ev has happened, of which there is no record; in a run that goes to a file it gets
 * one, if such calls have, and fires. False: it does not. */
bool sys_perf_make(struct sys_world *, enum sys_side, unsigned nr, const struct event *ev,
		   const uint64_t args[6], int64_t ret);
void sys_perf_free(struct sys_perf *);

/* sys_ptrace.c */
void sys_stops_start(struct sys_world *);
/* As in struct provider; a process that was not stopped gets the signal when its record is read. */
int sys_stops_stop(const struct event *);
int sys_stops_raise(const struct event *, int sig);
/* What the kernel is to send at each event of the probe that its filter lets pass, which is all of
 * its predicate or not; 0: nothing. What is sent later is said. */
uint8_t sys_raise_of(struct sys_world *, const struct probe *, bool is_exact);
/* If the probe has a raise(): why it comes late is said, once. */
void sys_raise_is_late(struct sys_world *, const struct probe *, const char *why);
/* The record that is fired: was its signal sent where it happened? */
bool sys_bpf_has_raised(const struct sys_world *);
/* exit() has been called: nothing is sent any more. */
void sys_bpf_drain(struct sys_world *);

#endif
