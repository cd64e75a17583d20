/*
 * progress.h: a line on the terminal while tracing takes long to begin, gone when it has begun; for
 * many probes, then, one that says how many they are and how long it took. And while a recording is
 * read that takes long.
 * Only where standard error is a terminal, and not with -q.
 */
#ifndef COMMAND_RECORDING_PROGRESS_H
#define COMMAND_RECORDING_PROGRESS_H

#include "dlang/session.h"

struct progress {
	bool is_wanted, is_told;
	unsigned shown; /* characters of the line on the terminal; 0: there is none */
	uint64_t since_ns;
};

void progress_init(struct progress *, struct session *);
/* Where it is wanted, and it is time: how much of a recording has been read; of: all of it, 0: not
 * known. Returns when to call again. */
uint64_t progress_read(struct progress *, const char *progname, uint64_t bytes, uint64_t of);
/* Draws the line, if it is time for one. Returns when it wants to be called again (UINT64_MAX: no
 * more). */
uint64_t progress_show(struct progress *, struct session *);
/* Before anything else is written to the terminal. */
void progress_clear(struct progress *);

#endif
