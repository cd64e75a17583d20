/*
 * placement.h: where the clause of an enabling runs, as the provider of its probe has decided: in
 * the kernel or in the traced process, where its events happen, or here, from records or at
 * breakpoints. -x explain tells it by clause, -lv by probe.
 */
#ifndef DLANG_PLACEMENT_H
#define DLANG_PLACEMENT_H

#include <stdbool.h>

struct clause;
struct ecb;
struct probe;
struct session;
struct strbuf;

enum runs {
	RUNS_UNTOLD, /* nobody has said it: records, where events of the probe can be lost */
	RUNS_HERE,   /* in the engine, which makes the event itself */
	RUNS_RECORDS,
	RUNS_BREAKPOINT,
	RUNS_DECIDED, /* its predicate in the process, the rest from records of what passes */
	RUNS_TARGET,
	RUNS_TARGET_COUNT,
	RUNS_KERNEL,
	RUNS_KERNEL_COUNT,
	RUNS_NOWHERE, /* its probe cannot be enabled */
	NRUNS
};

struct placement {
	enum runs runs;
	/* Why in no better place; what to write instead. NULL: nothing is known. They live as long
	 * as the session. */
	const char *why, *instead;
	bool is_by_others; /* WHY is only that other clauses make records */
};

/* Says it of the enabling, of all that the probe has. */
void ecb_place(struct ecb *, const struct placement *);
void probe_place(const struct probe *, const struct placement *);
/* What is to be told of it, with what is known of enablings that nobody has said anything of. */
struct placement placement_of(const struct ecb *);
/* "makes records: WHY; instead: HOW" */
void placement_text(const struct placement *, struct strbuf *);

/* When all is enabled: -x explain, a line for each clause and place, also as JSON. */
void placements_tell(struct session *);
/* At the end: of clauses whose records the kernel had no room for. */
void placements_tell_lost(struct session *);

#endif
