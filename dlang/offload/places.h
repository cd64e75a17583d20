/*
 * places.h: what can be done where: in the target (native code of fpid), and in the kernel's
 * programs, by their events. Each place asks these tables before it writes code, and users are told
 * of what they say: one row for a thing, a column for each place.
 */
#ifndef DLANG_OFFLOAD_PLACES_H
#define DLANG_OFFLOAD_PLACES_H

#include <stdbool.h>

enum place {
	PLACE_TARGET,
	PLACE_CALLS,	/* programs at system calls */
	PLACE_SWITCHES, /* at switches between threads, wakeups, migrations */
	PLACE_EVENTS,	/* at events in the name of a thread that may not be the one that runs */
	PLACE_OWN,	/* at events of the thread that runs */
	PLACE_RECORDS,	/* at tracepoints, by their records */
};

/* Is the value of a built-in variable (BUILTIN_PID ...) at hand there, as D has it? */
bool place_has_builtin(enum place, unsigned id);

/* Why something runs elsewhere, in words that live for ever. */
enum refusal {
#define REFUSAL(id, why, instead) REFUSE_##id,
#include "dlang/offload/refusals.def"
#undef REFUSAL
	NREFUSALS
};
const char *refusal_why(enum refusal);
#define WHY(id) refusal_why(REFUSE_##id)
/* Of what refusal_why() has returned: what to write instead; NULL: no way is known. */
const char *refusal_instead(const char *why);

#endif
