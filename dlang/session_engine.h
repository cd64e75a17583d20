/*
 * session_engine.h: what only the engine has of a session: it compiles, matches and runs clauses.
 * The front and what it prints with (command/front.c, print/) know nothing of it.
 */
#ifndef DLANG_SESSION_ENGINE_H
#define DLANG_SESSION_ENGINE_H

#include "dlang/session.h"

struct typesource;   /* typesource.h */
struct kernelmem;    /* kernelmem.h */
struct idents;	     /* parse/ident.h */
struct xlator;	     /* parse/xlate.h */
struct prov_decl;    /* parse/provdecl.h */
struct varstore;     /* run/vars.h */
struct gaps;	     /* run/gaps.h */
struct speculations; /* run/speculation.h */
struct vm;	     /* run/vm.h */
struct rewriter;     /* rewrite.h */
struct world;	     /* providers/world/world.h: tracer and what providers share */

/*
 * Who wants to know of each event that has fired: whether a clause took it (its predicate held),
 * and the user stack that clauses have asked for. Events of its own provider are left out.
 */
struct event_watch {
	void (*fn)(void *arg, const struct event *, bool was_taken, const taddr_t *pcs,
		   unsigned npcs);
	void *arg;
	const struct provider *own;
};

/*
 * Who keeps the events of providers that say so (struct provider, hits). Before their clauses run
 * it says which event they see: another one if it wants to know what they read, NULL if they do not
 * run. Then it is told of the event, with the user stack if clauses of the probe ask for it.
 */
struct event_log {
	const struct event *(*before)(void *arg, const struct event *);
	void (*after)(void *arg, const struct event *, const taddr_t *pcs, unsigned npcs);
	/* So many events of the probe have happened and were lost before they came here. */
	void (*lost)(void *arg, struct probe *, uint64_t n);
	void *arg;
};

/* What processes are known by in a recording, and in a run that becomes one, as /proc tells it in
 * others. */
struct openfile;
struct process_facts {
	/* As known_args below. */
	bool (*args)(const struct session *, pid_t, char *buf, size_t size);
	/* Of the process and descriptor that it has (dlang/osinfo/openfile.h). */
	void (*file)(const struct session *, const struct event *, struct openfile *);
};

struct session_engine {
	/* names and types */
	struct intern intern;
	struct types types;
	struct idents *idents;
	const struct typesource *typesource; /* NULL: no targets */
	const struct kernelmem *kernelmem;   /* NULL: it cannot be read */
	struct xlator *xlators;		     /* the latest first */
	struct prov_decl *prov_decls;	     /* in order */
	bool reads_typed_args;		     /* a program has args[] of a probe */

	bool foresees; /* nothing will be started: where clauses would run is all that is asked */

	/* what is looked at */
	struct world *world;
	struct target *target; /* its memory, for events without a process; NULL: none, or gone */
	struct target *self; /* the command's own memory, for its own events where there is none */
	/* The parent (0: it has none) of a process that may be gone when its event is read; false:
	 * /proc is to be asked. NULL: all live. */
	bool (*known_parent)(const struct session *, pid_t, pid_t *parent);
	/* The arguments, blanks between them, of a process that may be gone; NULL: /proc is all. */
	bool (*known_args)(const struct session *, pid_t, char *buf, size_t size);
	const struct process_facts *facts; /* NULL: /proc is asked */

	/* Events come from a file: CLOCK_REALTIME less the clock of its events. */
	int64_t recorded_wall_ns;
	/* stop() and raise() of events whose provider has no way of its own: a signal to the
	 * process, which may have ended. NULL: nothing is sent. */
	int (*signal_process)(struct session *, const struct event *, int sig);

	/* Brings what sources have added to shared variables (vars_share()) to their values, before
	 * clauses of the run itself look. NULL: it is there. */
	void (*fetch_shared)(struct session *);

	const struct event_watch *watch; /* NULL: nobody */
	const struct event_log *log;	 /* the same */
	bool defers;			 /* of the event at hand, clauses that wait do not run */
	/* Of a recording: its events are in it as such a log has written them, whatever the
	 * provider would find. Errors: -ENOENT: they are not. NULL: no recording is read. */
	int (*feed_logged)(struct probe *, struct err *);
	struct buffer *crowded; /* more than half of it was taken: events that can wait do */
	/* BEGIN has fired then; END fires then (0: at its own time). A file of the run has both. */
	uint64_t begin_ns, end_ns;
	/* END has fired, and the front listens still. NULL: nothing is left to be done. */
	void (*at_end)(struct session *);
	const struct rewriter *rewriter; /* rewrite.h; NULL: nothing is written anew */

	/* programs and running */
	struct program **programs_tail;
	struct aggvar **aggvars_tail;
	struct probe_index *probe_index; /* probe.c's own */
	struct timers *timers;		 /* session.c's own */
	struct merge *merge;		 /* merge.c's own; NULL: no source has been added */
	struct firing *firing;		 /* fire.c's own */
	struct varstore *vars;
	struct vm *vm;
	struct speculations *speculations;
	struct gaps *gaps[LOSS_KINDS]; /* gaps.c; malloced */
	uint64_t exit_ns;	       /* of the event whose clause called exit() */
	uint64_t seq;		       /* of the last record */
	uint64_t
		acting_seq; /* of the last that acts on aggregations, if it is shown while we run */
};

#endif
