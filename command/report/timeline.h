/*
 * timeline.h: records of a run as they lie in time: what has an entry and a return is a slice on
 * the track of its thread, what has neither an instant there; threads on their CPUs are slices on
 * tracks of CPUs (sched:::on-cpu, off-cpu). Begins and ends are pairs on each track: a return
 * closes what is open above its function (it was unwound: an exception, longjmp), one without an
 * entry is an instant, what is open at the end is closed then.
 */
#ifndef COMMAND_REPORT_TIMELINE_H
#define COMMAND_REPORT_TIMELINE_H

#include "base/arena.h"
#include "base/hash.h"
#include "dlang/print/printval.h"
#include "dlang/session.h"

struct rec_head;

struct tl_arg {
	const char *name;
	const char *text; /* NULL: it is a number */
	int64_t number;
};

struct tl_track {
	enum { TL_THREAD, TL_CPU, TL_OWN } kind; /* TL_OWN: of BEGIN, END and ticks */
	uint32_t pid, tid;			 /* TL_CPU: tid is the CPU */
	const char *name, *process;		 /* "": nobody knows */
	const char **open;			 /* names of slices, the outermost first */
	unsigned nopen, room;
	size_t first, last;    /* of its events: their numbers from 1; 0: none */
	struct tl_track *next; /* in order of first use */
};

enum tl_kind { TL_BEGIN = 1, TL_END = 2, TL_INSTANT = 3 };

struct tl_event {
	uint64_t time_ns;
	enum tl_kind kind;
	struct tl_track *track;
	const char *name, *category; /* NULL: of ends */
	struct tl_arg *args;
	unsigned nargs;
	size_t next; /* of the same track: its number from 1; 0: none */
};

struct timeline {
	const struct session *session;
	struct arena arena;
	struct strmap texts; /* each is there once */
	struct hash tracks;
	struct tl_track *first, **tail;
	struct tl_event *events; /* in order of time */
	size_t nevents, room;
	uint64_t size, size_max; /* bytes that all take, about */
	uint64_t nleft;		 /* records that have found no room */
	struct {
		const struct probe *probe;
		uint64_t time_ns;
		uint32_t tid;
	} last; /* the firing that the last event is of */
};

void timeline_init(struct timeline *, const struct session *, uint64_t size_max);
void timeline_release(struct timeline *);
/* A record, when it is consumed. */
void timeline_add(struct timeline *, const struct printer *, const struct rec_head *,
		  const struct ecb *, const char *data);
/* What threads that still live are called now is what their tracks are called. */
void timeline_renew_names(struct timeline *);
/* Closes what is open. */
void timeline_finish(struct timeline *);

#endif
