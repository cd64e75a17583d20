/*
 * perfcopy.h: a recording made of others (providers/perfdata): their records in the order of time,
 * byte for byte where nothing else is asked for, what they say of themselves, and what is added:
 * events, names of processes, mappings.
 *
 * Of several files: times are on the clock of all; an id that two have is another one in the
 * second; events that are alike in all of them are one. What is larger than a record may be is left
 * out, and counted. Files that cannot be written any more: as perfwrite.h has it. One thread.
 */
#ifndef PROVIDERS_PERFWRITE_PERFCOPY_H
#define PROVIDERS_PERFWRITE_PERFCOPY_H

#include "base/err.h"
#include "providers/perfdata/perfdata.h"

struct perfcopy;
struct write_event;

#define PERFCOPY_RECORD_MAX 65528 /* of a record: its size has 16 bits, and is whole words */

/* Nothing is made yet; both are borrowed, and outlive it. */
struct perfcopy *perfcopy_new(const char *path, struct perfdata *);
void perfcopy_free(struct perfcopy *); /* one that has not ended is taken back; NULL: nothing */

/* Makes the file, which must not be there, for its owner alone. tags: events will be added, so that
 * all records have to say of which they are. Errors: it cannot be made; the files cannot be one. */
int perfcopy_make(struct perfcopy *, bool tags, struct err *);

/* ---- what is added ---- */

/* Has it a tracepoint of that name? */
bool perfcopy_has(struct perfcopy *, const char *system, const char *name);
/* A number that no tracepoint has. */
uint32_t perfcopy_number(struct perfcopy *);
/*
 * A tracepoint "SYSTEM:NAME" of its own, which has that number, with samples of IP, TID, TIME, CPU,
 * PERIOD and RAW; its format as tracefs would have it. Returns its number among the events that are
 * added.
 */
unsigned perfcopy_tracepoint(struct perfcopy *, const char *system, const char *name,
			     uint32_t number, const char *format);
/* An event as that one is, under another name; of a tracepoint with the same fields. */
unsigned perfcopy_like(struct perfcopy *, const struct perfdata_event *, const char *system,
		       const char *name);
/*
 * FILE@BASE[,PID]: the file's code lies there in that process, in all that have events (no PID): as
 * long as it runs. Before any record. Errors: that is none; the file cannot be read.
 */
int perfcopy_map(struct perfcopy *, const char *spec, struct err *);

/* ---- records ---- */

/* Of one of the files; of another event: its number, and 1 more; 0: of its own. Changed bytes:
 * r->h is a copy, of the same event. */
void perfcopy_record(struct perfcopy *, const struct perfdata_record *, unsigned other);

/* A sample of a tracepoint that has been added. */
struct perfcopy_sample {
	pid_t pid, tid;
	int cpu;
	uint64_t time_ns;
	const void *raw;
	size_t rawlen;
};
void perfcopy_sample(struct perfcopy *, unsigned event, const struct perfcopy_sample *);
/* From then on a thread has that name. */
void perfcopy_name(struct perfcopy *, pid_t pid, pid_t tid, const char *name, uint64_t time_ns);

/* All there is has been given. Errors: what of it is missing, and why. */
int perfcopy_end(struct perfcopy *, struct err *);

const char *perfcopy_path(const struct perfcopy *);
uint64_t perfcopy_nsamples(const struct perfcopy *);
uint64_t perfcopy_size(const struct perfcopy *);
uint64_t perfcopy_ntoo_long(const struct perfcopy *); /* records that were too long for what was
							 to be added to them */

#endif
