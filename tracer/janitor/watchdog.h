/*
 * watchdog.h: the guard of the engine. A small process that shares the engine's descriptors and
 * ptraces it: when the engine is about to end, whatever the reason, the kernel stops it once more
 * before it lets go of what the engine traces. In that moment the watchdog takes the breakpoints
 * out by the journal and gives threads their CPUs back; otherwise the first thread that runs into
 * one would die of SIGTRAP. It ends with the engine.
 *
 * It also ends an engine that hangs: once the run is to end (its parent says so, or has died) and
 * the engine's pulse (base/pulse.h) does not move for WATCHDOG_SECONDS, while it sleeps or uses as
 * much CPU, the breakpoints are taken out and it is killed. Where it may not trace the engine it
 * does that all the same.
 *
 * It is a child of the engine's parent, so that the engine's waits do not meet it.
 */
#ifndef TRACER_JANITOR_WATCHDOG_H
#define TRACER_JANITOR_WATCHDOG_H

#include "base/err.h"
#include "tracer/journal/journal.h"

#define WATCHDOG_PROCS	 16
#define WATCHDOG_SECONDS 2

enum watchdog_state {
	WATCHDOG_NONE,
	WATCHDOG_ASKED, /* it may trace us now */
	WATCHDOG_ON,
	WATCHDOG_REFUSED, /* error says why */
	WATCHDOG_ACTED,	  /* the engine died with breakpoints in place */
	WATCHDOG_STUCK,	  /* it hangs and cannot be killed; breakpoints are out */
};

enum watchdog_request { WATCHDOG_WAIT, WATCHDOG_END, WATCHDOG_AT_ONCE };

/* In the shared arena. What it did is valid for its parent after watchdog_join. */
struct watchdog {
	pid_t pid; /* 0: never started */
	int pidfd; /* the engine's */
	_Atomic uint32_t state;
	int error;
	_Atomic uint32_t pulse;	  /* the engine's */
	_Atomic uint32_t request; /* enum watchdog_request */
	bool is_hung;		  /* why it was killed; where it was, "" if that is not known: */
	char where[64];
	pid_t stopped; /* a SIGSTOP of ours keeps it from running with registers of the engine's */
	unsigned nprocs; /* those that had breakpoints: the first of them */
	struct watchdog_proc {
		pid_t pid;
		bool lives; /* it runs on */
	} procs[WATCHDOG_PROCS];
};

/*
 * The engine, before it traces anybody; SIGCHLD is blocked, or each stop of a target would stop the
 * engine as well. An error is no reason not to go on; it says what was missing. -EACCES: whoever
 * calls ptrace here is killed.
 */
int watchdog_start(struct watchdog *, struct journal *, struct err *);
/* The engine, at an orderly end: nothing is left to be guarded. Nothing happens without one. */
void watchdog_stop(struct watchdog *);
/* The engine's parent: the run is to end; WATCHDOG_AT_ONCE: an engine that sleeps in the kernel has
 * no time left. May be said again and again. */
void watchdog_urge(struct watchdog *, enum watchdog_request);
/* The engine's parent, once the engine is dead: waits for the watchdog's end,
 * or for a bounded time. True: it has acted. */
bool watchdog_join(struct watchdog *);

#endif
