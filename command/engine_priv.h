/*
 * engine_priv.h: what the files of the engine half share: engine.c (from the options to the end),
 * runtargets.c (its processes come and go), told.c (what the tracer tells of them), engineloop.c.
 */
#ifndef COMMAND_ENGINE_PRIV_H
#define COMMAND_ENGINE_PRIV_H

#include <time.h>

#include "command/engine.h"
#include "providers/world/world.h"

/* The longest sleep: a wake-up that comes just before a wait begins costs at most this. */
#define ENGINE_WAIT_NS 50000000U

struct perfcopy; /* providers/perfwrite/perfcopy.h */

struct engine {
	const struct run *run;
	struct session *s;
	struct world world;
	struct target front;   /* the memory of the command's other half, whose pid BEGIN has */
	timer_t timer;	       /* ends the wait for stops at a deadline */
	uint64_t armed_ns;     /* the deadline it is set for */
	uint64_t period_ns;    /* and then again each; 0: it has to be set */
	uint64_t looks_ns;     /* when it is looked whether the front is there */
	bool is_leaving;       /* nobody is followed any more */
	bool is_orphan;	       /* the front is dead: nobody reads any more */
	int oom_score_adj;     /* what the front has */
	uint32_t dumps_seen;   /* of session.dump_request */
	uint64_t dump_ns;      /* none before that */
	unsigned ndumps;       /* files of the ring that have been tried */
	bool has_run;	       /* the programs: exit() in BEGIN is before that */
	struct err untraced;   /* why ptrace is forbidden */
	struct err deadly;     /* it kills whoever calls it; code 0: it does not */
	struct perfcopy *copy; /* what the recording is written to; NULL: nothing */
	const struct source *failed; /* the program that does not compile; its text may be long */
};

/* engine.c */
bool engine_front_is_gone(const struct engine *);
/* -x debug: what this half is about to do. */
void engine_debug(struct session *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* told.c: what becomes of a process is told to the providers. */
extern const struct tracer_ops engine_tracer_ops; /* their argument: the engine */
bool engine_gives_up(void *engine);		  /* nobody waits for us any more */
struct world_proc *engine_keep_proc(struct world *, struct proc *, enum proc_origin,
				    bool is_awaited);
void engine_reap_untraced(struct engine *);

/* runtargets.c: the watchdog; the processes of -c and -p; one that a program names. */
void engine_guard(struct engine *);
int engine_get_targets(struct engine *, struct err *);
int engine_grab_named(struct world *, pid_t, struct err *);
/* All are armed: they run. */
int engine_resume_all(struct world *, struct err *);
/* The end: killed, or let go; and when we die. */
void engine_release_procs(struct engine *);
void engine_detach_all(void *engine);

/* engineloop.c: until the run is to end, or the file that events come from. */
void engine_loop(struct engine *);
void engine_replay(struct engine *);

/* logging.c: events go to a new file (-E) as well. */
int engine_open_log(struct engine *, struct err *);
int engine_begin_log(struct engine *, struct err *); /* before anything runs */
/* BEGIN has fired: the time of the file begins, so that ticks are where they were. */
void engine_time_log(struct engine *);
void engine_tell_log(struct engine *);		     /* what is enabled and will not be there */
bool engine_log_is_over(const struct engine *); /* nothing more fits, and it is all that is asked */
void engine_dump_log(struct engine *);		/* if somebody has asked for what the ring has */
void engine_end_log(struct engine *);
void engine_free_log(struct engine *); /* one that has not ended is taken back */

/* rewriting.c: the recording is written anew: its clauses may change it, from before they are
 * compiled. */
void engine_open_rewriting(struct engine *);
int engine_begin_rewriting(struct engine *, struct err *); /* they have been compiled */
void engine_free_rewriting(struct engine *);

/* replay.c: opens the file of -E and makes it the source of events. */
int engine_open_recording(struct engine *, struct err *);
/* -l: the probes that it has events for, and how many. */
int engine_list_recording(struct engine *, struct err *);
/* What is to be said when it has been read. */
void engine_report_recording(struct engine *);

#endif
