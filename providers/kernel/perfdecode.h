/*
 * perfdecode.h: what a record of perf_event_open(2) tells, as it lies in a ring: of the bytes
 * and the layout of its event. The layout: man perf_event_open,
 * "PERF_RECORD_SAMPLE", "sample_id".
 */
#ifndef PROVIDERS_KERNEL_PERFDECODE_H
#define PROVIDERS_KERNEL_PERFDECODE_H

#include "base/hash.h"
#include "providers/kernel/perf.h"
#include "providers/perfdata/perfdata.h"
#include "providers/perfdata/perflayout.h"
#include "providers/world/procspace.h"
#include "providers/world/userstack.h"

#define PERF_BUILD_ID 20 /* bytes at most */

struct perf_record {
	uint32_t type; /* PERF_RECORD_SAMPLE ... */
	pid_t pid, tid;
	int cpu;	  /* -1: it does not say */
	uint64_t time_ns; /* 0: the same */
	uint64_t id;	  /* of its event */
	union {
		uint64_t lost; /* LOST: how many */
		struct {
			char name[16];
			bool is_exec;
		} comm;
		struct {
			pid_t pid, tid;
		} parent; /* FORK, EXIT */
		struct {
			bool is_out, is_preempted;
		} sw;	 /* SWITCH, SWITCH_CPU_WIDE: to or from that thread */
		struct { /* MMAP, MMAP2: the path is in the record */
			struct procspace_map mapping;
			unsigned mapping_flags; /* MAP_PRIVATE ... */
			bool is_code;		/* it may be executed */
			const uint8_t *build_id;
			unsigned build_id_size; /* 0: not told */
		};
	};
};

/* False: of a kind that nobody reads, or too short for what it has to tell. Of a sample this is all
 * that needs no event. */
bool perf_decode_record(const struct perf_event_header *, const struct perf_layout *,
			struct perf_record *);

/* Of a sample. Both outputs point into the record; what it is too short for is 0, or empty. */
void perf_decode(const struct perf_event_header *, const struct perf_layout *, struct perf_sample *,
		 struct userstack *);

/*
 * Groups of a recording (perf record -e '{a,b}:S'): b writes no samples, its counter is read with
 * those of a. What it has counted since the last one is a sample of it (as perf script has them),
 * with that period. A tracepoint's would have no fields, and is none.
 */
struct groupread {
	struct hash counts; /* what counters were when they were read last */
};

void groupread_init(struct groupread *);
void groupread_release(struct groupread *);
/* Are members read with the samples of that event? */
bool groupread_has_members(const struct perfdata_event *);
/* fn: each member that has counted since the last time, by the sample in which it is read. */
void groupread_each(struct groupread *, const struct perfdata_record *,
		    const struct perf_sample *of,
		    void (*fn)(void *arg, struct perfdata_event *, const struct perf_sample *),
		    void *arg);

#endif
