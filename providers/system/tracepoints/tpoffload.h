/*
 * tpoffload.h: a probe of tracepoints, and what the kernel does for it: its predicates as a filter
 * of perf, its clauses as a counter of perf or as programs (kprog/tpclauses.h).
 */
#ifndef PROVIDERS_SYSTEM_TRACEPOINTS_TPOFFLOAD_H
#define PROVIDERS_SYSTEM_TRACEPOINTS_TPOFFLOAD_H

#include "providers/kernel/tracefs/tracefs.h"
#include "providers/world/world.h"

enum spelling {
	SPELLED_EVENT,	 /* linux-SYSTEM:::EVENT */
	SPELLED_SDT,	 /* sdt:SYSTEM::EVENT: args[] are the fields */
	SPELLED_EVENTS,	 /* linux-SYSTEM:::events */
	SPELLED_GENERIC, /* etw:SYSTEM:EVENT:generic_event */
	SPELLED_STATE,	 /* linux-SYSTEM:::capturestate */
};

struct tracepoint {
	struct probe *probe;
	enum spelling spelling;
	const char *system, *event; /* event: "" for all */
	struct feed *feeds;
	struct probe_arg arg;
	struct probe_arg *fields; /* SPELLED_SDT */
	bool is_kept;		  /* its clauses run in the kernel, unless they are refused there */
};

/* What arg1 is: 1 for a start, 2 for an end, else 0. */
uint64_t tp_opcode(const char *event);
/* What tracing does itself would be counted, too, and make more. */
bool tp_leaves_own_out(const struct tracepoint *);
/* Its counter counts another thing than its records. */
bool tp_is_weighted(const char *event);

/* The predicates of the probe as a filter; NULL: it asks for all. *is_exact: nobody else needs to
 * look at them. Caller frees. */
char *tp_predicate(const struct tracepoint *, const struct tpformat *, bool *is_exact);
/* Its clauses do no more than counters of perf, which ask for no more than `predicate`. */
bool tp_is_countable(const struct tracepoint *, const char *event, const char *predicate,
		     bool is_exact);

/* When probes are enabled, all of which are known by then: its clauses run in the kernel, and
 * nothing else has to be done for it. */
bool tp_is_kept(struct tracepoint *);
/* Once one has been asked for: such clauses can be had, and tell themselves why they are not. */
bool tp_has_clauses(const struct session *);
/* Tracing starts. `feed` is called for those that the kernel refuses after all. */
int tp_start_clauses(struct session *, int (*feed)(struct tracepoint *, struct err *),
		     struct err *);
void tp_collect_clauses(struct session *);
void tp_free_clauses(struct session *);

#endif
