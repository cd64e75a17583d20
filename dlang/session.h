/*
 * session.h: one run of the command: everything the two halves share. The struct lies in the shared
 * arena; fields say who writes them. After the fork only the engine allocates.
 */
#ifndef DLANG_SESSION_H
#define DLANG_SESSION_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/stage.h"
#include "dlang/options.h"
#include "dlang/placement.h"
#include "dlang/program.h"

#define SESSION_MAX_CPUS 1024

struct buffer;	       /* run/buffer.h */
struct aggtable;       /* run/aggtable.h */
struct aspaces;	       /* symbols/symbols.h */
struct journal;	       /* tracer/tracer.h */
struct watchdog;       /* tracer/janitor/watchdog.h */
struct session_engine; /* session_engine.h */

/* An enabling: (clause, probe). EPIDs count from 1 in the order of enabling. */
/* ECB_LOST_HIT: in the target, where it could not be recorded */
enum ecb_loss { ECB_LOST_RECORD, ECB_LOST_VALUE, ECB_LOST_HIT, ECB_NLOSSES };

struct ecb {
	uint32_t epid;
	struct probe *probe;
	struct clause *clause;
	struct ecb *next;		     /* of the same probe, program order */
	_Atomic uint64_t nlost[ECB_NLOSSES]; /* engine; also counted by CPU */
	struct placement place;		     /* engine */
};

enum session_state {
	SESSION_SETUP,	  /* compiling, launching */
	SESSION_READY,	  /* enabled, BEGIN not fired yet */
	SESSION_ACTIVE,	  /* event_fire runs clauses */
	SESSION_DRAINING, /* exit() or stop seen: only END fires */
	SESSION_DONE, /* END has fired; nothing is written any more: the front drains and ends */
};

/* Text from the engine for the user; the front prints them in order. */
enum {		     /* message.fd */
       MSG_OUT = 1,  /* the output (-o) */
       MSG_ERR = 2,  /* stderr; "dtrace: " is put in front */
       MSG_BARE = 3, /* stderr as it is (-S) */
};
struct message {
	int fd;		/* MSG_* */
	bool is_notice; /* suppressed by -q */
	const char *text;
	struct probe *const *probes; /* instead of text: these are to be listed */
	unsigned nprobes;
	struct message *_Atomic next;
};

/*
 * Losses, counted by the engine, reported by the front as differences (docs/spec/d-language.md
 * §14.6). Freed variables and speculations can be used again at once: none is lost to one that is
 * still being cleaned.
 */
enum drop_kind {
	DROP_DYNAMIC,
	DROP_SPEC,
	DROP_SPECUNAVAIL,
	DROP_DBLERROR,
	DROP_STKSTROVERFLOW,
	/* the kernel has counted an event, and written no record: */
	DROP_UNRECORDED,
	DROP_HIDDEN, /* and cannot be made to */
	DROP_NKINDS
};

struct session {
	struct arena *arena;
	struct session_engine *engine; /* what only the engine has; NULL before the fork */
	struct options options; /* front before the fork, engine until start, front (DYN) after */
	const struct provider *const *providers; /* the list dtrace.c gave */
	unsigned nproviders;
	struct aspaces *aspaces;
	bool is_ilp32;	      /* -32: the data model of D's own types */
	const char *progname; /* basename of argv[0]: "dtrace" */

	/* programs and enablings: engine, published by nprograms/necbs */
	struct program *programs;
	struct aggvar *aggvars;
	_Atomic uint32_t nprobes, necbs, naggvars;
	struct probe *_Atomic *probe_chunks; /* [n / 4096] → array of 4096 probes */
	struct ecb *_Atomic *ecb_chunks;
	struct probe *error_probe, *begin_probe, *end_probe;
	uint32_t unarmed_id; /* no probe below it is enabled and not armed: engine */

	pid_t target_pid; /* $target; 0: none: engine */
	/* engine: events come from a file (-E): the time of the last of them; 0: they are live */
	_Atomic uint64_t recorded_ns;
	/* engine: events go to a file as well (-E): probes that cannot are told, and left out */
	bool is_logged;
	/* engine: where addresses of the recorded kernel have names; NULL: /proc/kallsyms; "":
	 * nowhere */
	const char *_Atomic kernel_names;
	/* engine: that kernel was so much above what they say (KASLR) */
	_Atomic uint64_t kernel_slide;

	/* the data path */
	struct buffer *_Atomic buffers[SESSION_MAX_CPUS]; /* made when a CPU is first seen */
	_Atomic uint64_t buffer_drops[SESSION_MAX_CPUS];
	struct aggtable *aggtables[2];
	_Atomic uint32_t agg_active; /* engine: the table it adds to */
	_Atomic uint64_t agg_drops[SESSION_MAX_CPUS];
	_Atomic uint64_t drops[DROP_NKINDS];
	_Atomic uint64_t nlost_events; /* by the kernel; they are in buffer_drops, too */
	const char *_Atomic sampled; /* how profile-N was, for the closing line; NULL: it was not */
	struct message *_Atomic messages; /* list head: a dummy; engine appends */
	struct message *messages_tail;
	const struct message *_Atomic messages_shown; /* front: all up to this one */

	/* the two halves */
	_Atomic uint32_t state;	      /* enum session_state: engine */
	_Atomic uint32_t exit_status; /* of exit() */
	_Atomic uint32_t exit_called;
	_Atomic uint32_t fatal;	       /* engine gave up: a message says why; exit status 1 */
	_Atomic uint32_t incomplete;   /* a recording could not be read whole: exit status 1 */
	struct stages stages;	       /* engine: what it is at, and how far */
	_Atomic uint32_t stop_request; /* front: stop in order (^C, closed output) */
	_Atomic uint32_t snap_request,
		snap_done;	       /* front asks for a table swap by ++; engine answers */
	_Atomic uint32_t dump_request; /* ++: what a ring of events has is to be written now */
	_Atomic uint32_t read_now;     /* engine: the buffers should be read now; front clears it */
	_Atomic uint32_t is_arming; /* engine: what BEGIN recorded is shown when all is at work */
	_Atomic uint32_t was_begun; /* front: it has been */
	_Atomic uint32_t wake;	    /* futex of the front: engine ++ when there is something new */
	pid_t front_pid, engine_pid;
	struct watchdog *watchdog; /* of the engine; NULL: none */
	const struct journal
		*journal; /* of the tracer, for the front if the engine dies; NULL: none */

	char apart[64];		    /* the engine reads what is above at each event */
	_Atomic uint64_t nconsumed; /* front: so many records, in the order of their seq */
};

/*
 * Front, before the fork: a session in the shared arena. Engine, first thing: what only the engine
 * has (types, names, the probe index; compile.c).
 */
struct session *session_new(struct arena *, const char *progname);
void session_init_engine(struct session *);
/* For who makes several sessions in one process: all that does not lie in the arena; its sources
 * have been freed. */
void session_free_engine(struct session *);

/* Engine: the state, and a front that must hear of something. */
void session_set_state(struct session *, enum session_state);
void session_wake(struct session *);
/* Engine: answers a snapshot request of the front. */
void session_swap_aggs(struct session *);
/* All that has been lost so far, of whatever kind. */
uint64_t session_drops(const struct session *);
/* Engine, of a recording: a record that acts on aggregations waits for the front; what comes next
 * would be counted in what it shows. */
bool session_awaits_front(const struct session *);
/* Engine, of events that can wait: returns when less than half of each principal buffer is taken,
 * when tracing is over, or when the end was asked for (base/endreq.h). */
void session_await_room(struct session *);
/* Engine: calls the timers that are due; returns the next deadline (UINT64_MAX: none). */
uint64_t session_run_timers(struct session *);
/* None fires before that time; those that would have, fire then, once. */
void session_leap_timers(struct session *, uint64_t to_ns);
/*
 * Engine: fires what the sources hold, for 100 us at most. Returns when to be called again: at once
 * when there is more, UINT64_MAX when there are no sources.
 */
uint64_t session_run_sources(struct session *);
/* Engine: fires what they hold that is older than that. */
void session_fire_until(struct session *, uint64_t time_ns);
/* Engine, events of a file: fires at most `max` of those before limit_ns, and moves the clock to
 * that when it is reached. False: there are no more. */
bool session_replay(struct session *, uint64_t limit_ns, unsigned max);
/* Engine: fires all that they hold now. A while after the end was asked for it is dropped. */
void session_flush_sources(struct session *);
/* Engine: the same when the run ends: what is just being written is waited for, as long as its
 * source does, and what is behind it is not forgotten. */
void session_drain_sources(struct session *);
/* Events that came after a younger one had been fired: they fired out of their order. */
uint64_t session_late_events(const struct session *);

/*
 * Engine: queue a message. Text without newline gets one; session_text takes it as it is. -q
 * silences notices: tests/messages.py has them all, and why nothing is missing in the answer then.
 */
void session_text(struct session *, int fd, bool is_notice, const char *text, size_t len);
/* Engine: queue the lines of -l about probes, an array in the arena. The front writes them. */
void session_list(struct session *, struct probe *const *, unsigned n);
void session_message(struct session *, int fd, bool is_notice, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
struct ecb *session_ecb(struct session *, uint32_t epid); /* NULL: none; both halves */
bool session_is_testing(void);				  /* _DTRACE_TESTING is set */

/* probe.c: probes that match a description, in order of ID. prov_on_demand is asked first. Returns
 * how many; *out is in the arena. Errors: those of provide (tag in *tag). */
int probe_match(struct session *, const struct probe_desc *, struct probe ***out, int *tag,
		struct err *);
/* "syscall::open:entry" from the four fields; buf holds it. */
char *probe_desc_text(const struct probe_desc *, char *buf, size_t size);
/* Asks every provider for the probes that always exist. */
int probes_provide(struct session *, struct err *);
/* Asks those that create theirs on demand for all they have: the whole list. */
int probes_provide_all(struct session *, struct err *);

/* enabling.c */
/* Makes the ECBs of a program's clauses. */
void session_enable(struct session *, const struct program *);
/*
 * Matches the descriptions of all enabled clauses again, for probes that appeared while tracing (a
 * library was loaded, another program executed): a clause gets an enabling of each probe it did not
 * have, and the probe is armed. Returns the number of new enablings; errors: of provide and enable.
 */
int session_rematch(struct session *, struct err *);
/* -lv: the ECBs of all programs, and where their clauses would run, as far as that is known before
 * anything is started. */
void session_foresee(struct session *);
/* The provider finds the probe's events in the recording. Errors: it has none. */
int probe_enable_recorded(struct probe *, struct err *);
/*
 * Adds the hidden ERROR clause, checks and arms all, fires BEGIN; the state is then SESSION_ACTIVE
 * (or DRAINING, after exit() in BEGIN). Error text: what follows "could not enable tracing: ".
 */
int session_start(struct session *, struct err *);
/* Before that much is matched and armed, and between so many of it is asked: does somebody want it
 * to end? Errors: -EINTR. */
#define SESSION_LOOK_EVERY 256
int session_give_up(const struct session *, struct err *);
/* Stops the providers; END fires. The state is then SESSION_DONE. */
void session_finish(struct session *);

/* probeline.c: the lines of -l. */
void list_header(struct strbuf *);
void list_line(struct strbuf *, const struct probe *);
/* report.c: -l. Header and probes as messages of the output; programs NULL: all probes. */
void list_probes(struct session *, const struct program *programs, bool verbose);
/* -v: the stability of a program, named by the first name_len characters; with the probes it
 * describes (-e). A message of the output. */
void report_program(struct session *, const struct program *, int name_len, bool with_descs);

#endif
