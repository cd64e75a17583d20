/*
 * progress.h: how far what takes long is (base/stage.h): a line on the terminal, gone before
 * anything else is written there; -x progress: lines, once a second, wherever standard error goes;
 * one line for whoever asks (SIGUSR1). And for many probes, when they are at work, a line that says
 * how many they are and how long it took. What nobody has asked for comes only where standard error
 * is a terminal, and not with -q.
 */
#ifndef COMMAND_RECORDING_PROGRESS_H
#define COMMAND_RECORDING_PROGRESS_H

#include "base/stage.h"
#include "dlang/session.h"

struct progress {
	struct session *session;
	const struct stages *stages;
	bool is_drawn;	/* on the terminal */
	bool is_listed; /* -x progress */
	bool is_told;
	unsigned shown; /* columns of the line on the terminal; 0: there is none */
	uint64_t since_ns, next_ns;
	struct {
		uint64_t ns; /* when it was listed last; 0: never */
		uint64_t since_ns, done;
	} listed[NSTAGES];
};

void progress_init(struct progress *, struct session *, const struct stages *);
/* Shows where we are, if it is time for that. Returns when it wants to be called again (UINT64_MAX:
 * no more). */
uint64_t progress_show(struct progress *);
/* One line now, for who has asked. nrecords: of the run so far. */
void progress_answer(struct progress *, uint64_t nrecords);
/* All has been reached: what -x progress has not said of it yet. */
void progress_end(struct progress *);
/* Before anything else is written to the terminal. */
void progress_clear(struct progress *);

#endif
