/*
 * stage.h: what this process is at, and how far, where it takes long: for whoever shows it
 * (command/recording/progress.h). One per process by nature, as base/pulse.h; without it nothing is
 * told.
 */
#ifndef BASE_STAGE_H
#define BASE_STAGE_H

#include <stdatomic.h>

#include "base/base.h"

enum stage_id {
	STAGE_NONE,
	STAGE_SYMBOLS,	  /* modules whose symbols are read */
	STAGE_PROBES,	  /* functions that are given probes */
	STAGE_ARMING,	  /* probes that are armed */
	STAGE_TAKING_OUT, /* breakpoints and hooks that are taken out */
	STAGE_READING,	  /* bytes of a recording */
	STAGE_WRITING,	  /* reports */
	NSTAGES
};

/* May lie in memory that another process reads. */
struct stages {
	_Atomic uint32_t now; /* enum stage_id */
	struct stage_count {
		_Atomic uint64_t since_ns; /* of CLOCK_MONOTONIC; 0: it has never begun */
		_Atomic uint64_t done, of; /* of: 0: nobody knows */
		const char
			*_Atomic of_what; /* one of them, which outlives all; NULL: none is named */
	} counts[NSTAGES];
};

/* They live as long as the process. told: called with each change; is_hidden: something else is to
 * be written now. NULL: nobody is. */
typedef void stage_fn(void *arg, bool is_hidden);
void stage_share(struct stages *, stage_fn *told, void *arg);
/* What there is to be done in all; 0: nobody knows. */
void stage_begin(enum stage_id, uint64_t of);
/* So much of the stage that has begun is done. of_what: what comes now, NULL: it has no name. */
void stage_reach(uint64_t done, uint64_t of, const char *of_what);
/* One more; nothing where none has begun. */
void stage_step(void);
/* All of it. */
void stage_end(void);
/* Before something is written to the terminal by who knows nothing of stages. */
void stage_hide(void);

#endif
