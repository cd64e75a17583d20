/*
 * rewrite.h: what clauses do to the record behind an event where a recording is written anew (-E IN
 * -o OUT.data): it is left out, becomes one of another event, or says something else; events that
 * they emit are added. Fields of args[] that a tracepoint's record has are changed in the copy of
 * it that the event has (event.is_writable), and taken from there by its provider.
 */
#ifndef DLANG_REWRITE_H
#define DLANG_REWRITE_H

#include "dlang/program.h"

/* What can be assigned to besides. */
enum rewrite_what { REWRITE_EXECNAME, REWRITE_PID, REWRITE_TID, REWRITE_CPU };

/* An event that a clause has emitted, when its own clauses have run. */
struct emitted {
	const struct emission *emission;
	const struct event *ev;
	const char *data; /* its fields */
};

/* The results: false: there is no record behind the event. */
struct rewriter {
	bool (*drop)(void *arg, const struct event *);
	/* system: "SYSTEM:NAME". */
	bool (*become)(void *arg, const struct event *, const char *name);
	bool (*set)(void *arg, const struct event *, enum rewrite_what, uint64_t value,
		    const char *text);
	void (*emit)(void *arg, const struct emitted *);
	void *arg;
};

#endif
