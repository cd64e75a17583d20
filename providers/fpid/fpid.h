/*
 * fpid.h: what the files of the fpid provider share.
 */
#ifndef PROVIDERS_FPID_FPID_H
#define PROVIDERS_FPID_FPID_H

#include "base/hash.h"
#include "inject/hooks.h"
#include "providers/pid/site.h"

/* What is told of by what became of its fpid probes: a function that has both kinds counts where
 * the worse one does; an instruction is one of its own. */
enum fpid_noun { FPID_FUNCTIONS, FPID_INSNS, FPID_NOUNS };
struct fpid_tally {
	unsigned hooked, armed, refused;
	struct err why; /* the first that was not hooked */
};

struct fpid_world {
	struct fpid_explain *explain;		/* fpid_explain.c's own */
	struct fpid_rules *rules;		/* fpid_claims.c's own */
	struct fpid_tally followed[FPID_NOUNS]; /* of all processes that are only followed */
	struct fpid_scan *scan;			/* fpid_verdict.c's own */
	struct hash plans;			/* file → its struct plans */
	struct hash images;			/* file → its struct fpid_image */
	struct textcopies *copies; /* of files, for processes that are followed; NULL: none yet */
	bool is_copyless;	   /* it has been told why there are none */
	struct rings *rings;	   /* of what hooks record; NULL: nothing */
	bool tsc_known;
	const char
		*tsc_why; /* it is known why the time stamp counter cannot be used; NULL: it can */
	bool rings_busy;  /* they held something since they were polled */
	uint64_t nunread; /* records that were dropped at the end */
	bool reads_vtime; /* of what is recorded */
};

/* Of a process: each has one while fpid is in use. */
struct fpid_proc {
	struct hooks *hooks;		     /* NULL: none */
	bool no_hooks;			     /* it cannot have any */
	bool is_preloaded;		     /* it can have hooks, and nothing else */
	bool has_left;			     /* the program that it had them for */
	bool is_heard;			     /* hooks_listen_at */
	bool knows_stacks;		     /* of all that is mapped: hooks_know_stack */
	bool asks_cputime;		     /* its hooks do, by system calls */
	struct taskinfo task;		     /* as it was when it got them */
	struct hash scans;		     /* file → its struct codescan, of these plans */
	struct fpid_tally later[FPID_NOUNS]; /* what was decided one by one */
	unsigned nearly;		     /* functions whose sites are HOOK_LATER */
	bool is_told[FPID_NOUNS];	     /* how many are hooked */
	uint64_t settled_ns;		     /* when that was decided first; 0: not yet */
	uint64_t calls_ns;		     /* when hooks_lead_calls is due; 0: not known yet */
	struct fpid_records *records;	     /* fpid_records.c; NULL: nothing of it is recorded */
	struct fpid_claims *claims; /* fpid_claims.c; NULL: none of its clauses is claimed */
	struct fpid_image *learnt;  /* fpid_image.c: what is not kept yet */
	struct fpid_fold *folds;    /* fpid_fold.c: sites that are not made */
	struct hooked_copy *copied; /* while it becomes a copy of its parent */
};

enum hook_state {
	HOOK_NONE,
	HOOK_WANTED, /* fpid_settle will decide */
	HOOK_LATER,  /* when its process can have hooks; a breakpoint until then */
	HOOK_ON,
};

enum fpid_how {
	FPID_NOT,
	FPID_COUNTS,  /* counts hits in a cell */
	FPID_CLAIMS,  /* runs the clauses */
	FPID_RECORDS, /* writes what the clauses read into the thread's ring */
};

/* Of a site of an fpid probe. */
struct fpid_site {
	enum hook_state hook;
	enum fpid_how how; /* the hook does what the clauses ask for */
	bool is_half;	   /* its function has a breakpoint besides */
	bool was_hooked;   /* it is a breakpoint by now; `counter` may still grow a little */
	uint32_t counter;  /* HOOK_ON: in the process's hooks */
	uint64_t counted;  /* of its calls: handed over */
	bool is_explained; /* fpid_explain.c: it has been told of ... */
	const char *why;   /* ... with this, if there is something better */
	/* of one that has none: */
	uint64_t stopped_ns;	   /* by its breakpoints, so often: */
	uint32_t nstops;
	bool is_named;		   /* for taking too much of the time */
	struct pid_site *next_end; /* fpid_settle's own */
};

/* Of the sites of a process those of fpid probes; NULL: no more. */
struct pid_site *fpid_first(const struct pid_proc *);
struct pid_site *fpid_next(const struct pid_site *);

/* fpid_hot.c: a hit of an fpid probe that is a breakpoint, whose stop was collected at that time;
 * and the functions that take too much are named, each once. */
void fpid_hot_hit(struct pid_site *, uint64_t since_ns, pid_t tid);
void fpid_hot_look(struct pid_proc *);

/* Within a function the return address is not where the stack pointer is; neither is it in what the
 * compiler has moved away from it. */
static inline bool fpid_is_within(const struct pid_probe *pr)
{
	return pr->kind == PID_OFFSET || strstr(pr->probe->func, ".cold");
}
#define FPID_CALLERS "no call frame information tells where the caller of its function is"

/* fpid_verdict.c: as in struct provider. */
void fpid_detail(struct probe *, struct strbuf *);
/* The same of one site: why it would have no hook; NULL: it would. In the arena. */
const char *fpid_foreseen(struct session *, struct pid_site *);
void fpid_verdict_end(struct fpid_scan *);

/* prov_fpid.c */
int fpid_arm(struct pid_site *, struct err *); /* as pid_arm; fpid_settle must follow */
/* Has it a C library that hooks know, or may it have when all is mapped? Errors: as tlsword_find.
 */
int fpid_hookable(const struct pid_proc *, struct err *);
/* Its C library, which hooks need, is still to come. */
bool fpid_is_early(const struct pid_proc *);
/* What no hook can do may be a breakpoint. */
bool fpid_falls_back(const struct pid_proc *);
/* No hook can do what the site asks for: it is a breakpoint, or refused (errors: as of pid_refuse).
 */
int fpid_fall_back(struct pid_site *, const struct err *why, struct fpid_tally *, struct err *);
/* Sites that want a hook get one if the process is still; else they are armed as breakpoints, which
 * bkpt_commit then writes. Errors: of writing code, and refusals of exact names. */
int fpid_settle(struct session *, struct pid_proc *, struct err *);
/* Functions (the keys) are no longer mapped: what their hooks have used is free for others. */
void fpid_unmapped(struct pid_proc *, const struct hash *functions);
/* fpid_site.c: what a child by fork has of its parent's hooks, before it runs. */
struct hooked_copy {
	struct hash functions; /* that are hooked in it */
	bool is_whole;	       /* all are that are hooked in the parent */
	struct hash sites;     /* of the parent → of the child */
};
/* The rows of fpid, and of pid with -x pidhooks: hooks where nothing else comes out. */
extern const struct site_ops fpid_site_ops, pidhook_site_ops;

/* ---- fpid_function.c ---- */

void fpid_plans_free(struct pid_world *); /* of all files, when no process has hooks any more */
/* The code of the file, as far as hooks ask, with what padding they have taken in this process. */
struct codescan *fpid_scan_of(struct pid_proc *, const struct module *, struct objfile *);

/* fpid_unhook.c */
void fpid_collect(struct pid_proc *);		      /* hands over what has been counted */
void fpid_part(struct session *, struct pid_proc *);  /* unhooked, while it runs */
void fpid_end_broken(struct pid_proc *);	      /* if its memory is */
void fpid_leave(struct session *, struct pid_proc *); /* the process is let go, unhooked */
void fpid_forget(struct pid_proc *);		      /* the program is gone: its hooks with it */

#define FPID_LOOK_NS 50000000U /* between two looks at the maps for new code */
/* What a program begins with has the number of arguments where others have who called them: no
 * code is below vm.mmap_min_addr, by default. */
#define FPID_LOWEST_CODE 0x10000

/* fpid_records.c: hits that are recorded in the process, and fired some time later. */
const char *
fpid_clock_unusable(struct pid_world *); /* the time stamp counter; NULL: it can be used */
/* Why the hits of this site cannot be records; NULL: they can. */
const char *fpid_unrecordable(const struct pid_site *);
/* What hooks_new must know for records; the memory is taken when they are made. */
void fpid_rings(struct pid_proc *, struct hooks_sizes *);
/*
 * The site's hits at this point become records: at its entry or at the return whose instruction is
 * `off` bytes into it, with the stack pointer at the return address, or at an instruction, which
 * has no arguments but those in registers. Before hooks_commit.
 */
struct fpid_point {
	bool is_return, is_offset; /* else an entry */
	int64_t off;		   /* is_return: as in struct retsite; else 0 */
};
int fpid_record(struct pid_site *, struct hook_point *, const struct fpid_point *, struct err *);
/* The code of the process has changed, or what is recorded: before hooks_commit. */
void fpid_records_settle(struct pid_proc *);
/* Fires what has been recorded; returns when it should be called again (UINT64_MAX: no need). */
uint64_t fpid_poll(struct world *);
void fpid_report_cut(const struct pid_proc *, uint64_t n); /* so many stacks, if any */
/* The sites of a child by fork record as its parent's do. */
void fpid_records_inherit(const struct fork_copy *);
void fpid_records_drop(struct pid_site *); /* it is about to be freed: all is fired before */
/* Tells how many hits were left in the rings, because the end was asked for. */
void fpid_records_report_unread(struct pid_world *);
void fpid_records_flush(struct pid_proc *);  /* fires all there is, and counts what was lost */
void fpid_records_forget(struct pid_proc *); /* the program is gone; flush first */

/*
 * fpid_preload.c: a process that nobody stops (is_preloaded; of others nothing happens). Before
 * hooks_commit: it is to tell of libraries that come. Then: looks for what it has to tell, and
 * returns when it should be called again.
 */
void fpid_listen(struct pid_proc *);
uint64_t fpid_poll_preloaded(struct pid_proc *);

/* fpid_latecalls.c: returns when it should be called again. */
uint64_t fpid_lead_calls(struct pid_proc *);
bool fpid_may_end_soon(const struct pid_proc *); /* it is followed, not asked for itself */

/* fpid_fault.c: as in struct tracer_ops. */
void fpid_faulted(struct pid_proc *, struct code_fault *);

#endif
