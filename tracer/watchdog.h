/*
 * watchdog.h: the guard of the engine. A small process that shares the engine's descriptors and
 * ptraces it: when the engine is about to end, whatever the reason, the kernel stops it once more
 * before it lets go of what the engine traces. In that moment the watchdog takes the breakpoints
 * out by the journal and gives threads their CPUs back; otherwise the first thread that runs into
 * one would die of SIGTRAP. It ends with the engine.
 *
 * It is a child of the engine's parent, so that the engine's waits do not meet it.
 */
#ifndef TRACER_WATCHDOG_H
#define TRACER_WATCHDOG_H

#include "base/err.h"
#include "tracer/journal.h"

#define WATCHDOG_PROCS 16

enum watchdog_state {
	WATCHDOG_NONE,
	WATCHDOG_ASKED, /* it may trace us now */
	WATCHDOG_ON,
	WATCHDOG_REFUSED, /* error says why */
	WATCHDOG_ACTED,	  /* the engine died with breakpoints in place */
};

/* In the shared arena. What it did is valid for its parent after watchdog_join. */
struct watchdog {
	pid_t pid; /* 0: never started */
	int pidfd; /* the engine's */
	_Atomic uint32_t state;
	int error;
	unsigned nprocs; /* those that had breakpoints: the first of them */
	struct watchdog_proc {
		pid_t pid;
		bool lives; /* it runs on */
	} procs[WATCHDOG_PROCS];
};

/*
 * The engine, before it traces anybody; SIGCHLD is blocked, or each stop of a target would stop the
 * engine as well. An error is no reason not to go on; it says what was missing.
 */
int watchdog_start(struct watchdog *, struct journal *, struct err *);
/* The engine, at an orderly end: nothing is left to be guarded. Nothing happens without one. */
void watchdog_stop(struct watchdog *);
/* The engine's parent, once the engine is dead: waits for the watchdog's end. True: it has acted.
 */
bool watchdog_join(struct watchdog *);

#endif
