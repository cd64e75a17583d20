/*
 * perfwrite.h: a file as "perf record" writes it, of records that rings have brought: they are
 * copied as they are. The format: the kernel's tools/perf/Documentation/perf.data-file-format.txt.
 *
 * All events of a file place what all records have alike (sample_type: PERFWRITE_PREFIX, and
 * sample_id_all). A file that cannot be written any more ends before what could not, and is whole:
 * that is an error of perfwrite_end(), and nobody has to ask before. One thread.
 */
#ifndef PROVIDERS_PERFWRITE_PERFWRITE_H
#define PROVIDERS_PERFWRITE_PERFWRITE_H

#include <linux/perf_event.h>
#include <time.h>

#include "base/err.h"

#define PERFWRITE_CLOCK CLOCK_MONOTONIC
#define PERFWRITE_PREFIX                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

struct perfwrite;

/* Nothing is made yet; path is borrowed. */
struct perfwrite *perfwrite_new(const char *path);
void perfwrite_free(struct perfwrite *); /* NULL: nothing */
const char *perfwrite_path(const struct perfwrite *);

/*
 * Before anything is added. The file gets no larger than max bytes, as far as samples make it so
 * (0: as large as it may). With ring_ns, samples are kept in memory, of so many bytes at most (0:
 * 256 MB), and those of that time before the end are written then.
 */
void perfwrite_limit(struct perfwrite *, uint64_t max, uint64_t ring_ns);

/* Before anything is added: records are compressed, as "perf record -z" does, by so much (1 to 19).
 */
int perfwrite_compress(struct perfwrite *, int level, struct err *);

/*
 * What is recorded, at any time before the end: an event, as perf would name it ("sched:
 * sched_switch"); returns its number. Then those of its ids, and for a tracepoint its format as
 * tracefs has it.
 */
unsigned perfwrite_event(struct perfwrite *, const struct perf_event_attr *, const char *name);
void perfwrite_id(struct perfwrite *, unsigned event, uint64_t id);
void perfwrite_format(struct perfwrite *, const char *system, const char *text);
/* The run begins: so does the time that is recorded. */
void perfwrite_clock(struct perfwrite *, uint64_t time_ns);
/* Other texts of tracefs: "header_page", "header_event", "printk_formats". */
void perfwrite_text(struct perfwrite *, const char *name, const char *text);

/* Makes the file, which must not be there, for its owner alone. Errors: it cannot be made. */
int perfwrite_make(struct perfwrite *, struct err *);
/*
 * Writes of what is there now: processes, their names and mappings. What tells of processes that
 * come and go must be recorded already.
 */
struct perfwrite_start {
	pid_t self; /* a process of ours, by whom the file says when it begins and ends */
	uint64_t kernel_start, kernel_end; /* its code; 0: hidden */
	const pid_t *targets;		   /* whom the run is about; none: the machine */
	unsigned ntargets;
};
void perfwrite_begin(struct perfwrite *, const struct perfwrite_start *);

/* A record; id: its event has this one, whatever it says of a sample itself; 0: it is right. */
void perfwrite_add(struct perfwrite *, const struct perf_event_header *, uint64_t id);
/* A sample of what is so from then on: it stays where a ring gives up what is older. */
void perfwrite_keep(struct perfwrite *, const struct perf_event_header *);
/* So many have been lost of which no record tells. */
void perfwrite_lost(struct perfwrite *, uint64_t n, uint64_t time_ns);
/* Nothing older than what has been added will come, but for what has happened just now. */
void perfwrite_round(struct perfwrite *);

/* All there is to add has been added; the time that is recorded ends. Errors: what of it is
 * missing, and why; what is there can be read. Where it has not been made: nothing. */
int perfwrite_end(struct perfwrite *, uint64_t time_ns, struct err *);
/*
 * A file of its own of what this one would be if it ended now, and it goes on. Errors: it cannot be
 * made or written; then it is not there.
 */
int perfwrite_copy(struct perfwrite *, const char *path, uint64_t *nsamples, struct err *);
/* A file that has been made, and is not wanted: as if it had not been. */
void perfwrite_undo(struct perfwrite *);
/* Samples for which the limit had no room: later ones, or with a ring older ones. */
uint64_t perfwrite_nleft_out(const struct perfwrite *);
bool perfwrite_is_full(const struct perfwrite *); /* what is added now is not written any more */

uint64_t perfwrite_nsamples(const struct perfwrite *);
uint64_t perfwrite_size(const struct perfwrite *); /* in bytes, once it has ended */

#endif
