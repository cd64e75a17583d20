/*
 * perfdecode.h: what a record of perf_event_open(2) tells, as it lies in a ring: of the bytes
 * alone, and of a sample the event's sample_type. The layout: man perf_event_open,
 * "PERF_RECORD_SAMPLE", "sample_id".
 */
#ifndef PROVIDERS_KERNEL_PERFDECODE_H
#define PROVIDERS_KERNEL_PERFDECODE_H

#include "providers/kernel/perf.h"
#include "providers/world/procspace.h"
#include "providers/world/userstack.h"

/* What follows the header of a sample, by PERF_PREFIX. */
struct perf_prefix {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
};

/* What every other record ends with, by PERF_PREFIX. */
struct perf_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* When it was written; 0: it does not say. */
uint64_t perf_record_time(const struct perf_event_header *);

struct perf_record {
	uint32_t type; /* PERF_RECORD_SAMPLE ... */
	pid_t pid, tid;
	uint64_t time_ns; /* as perf_record_time() */
	union {
		uint64_t id;   /* SAMPLE: of its event, by which the rest can be decoded */
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
		struct { /* MMAP2: the path is in the record */
			struct procspace_map mapping;
			unsigned mapping_flags; /* MAP_PRIVATE ... */
		};
	};
};

/* False: of a kind that nobody reads, or too short for what it has to tell. */
bool perf_decode_record(const struct perf_event_header *, struct perf_record *);

/* Beside the sample_type: the values of PERF_SAMPLE_READ, of a group and with its times, have what
 * was lost behind them (PERF_FORMAT_LOST). */
#define PERF_READ_HAS_LOST (1ULL << 62)

/*
 * Of a sample, whose event has PERF_PREFIX in its sample_type. Both outputs point into the record;
 * what it is too short for is 0, or empty. False: it has no prefix.
 */
bool perf_decode(const struct perf_event_header *, uint64_t sample_type, struct perf_sample *,
		 struct userstack *);

#endif
