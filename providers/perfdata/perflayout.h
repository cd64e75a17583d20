/*
 * perflayout.h: where the common fields of a record are, which follows from the attributes of its
 * event. The layout: man perf_event_open, "sample_type", "sample_id_all".
 */
#ifndef PROVIDERS_PERFDATA_PERFLAYOUT_H
#define PROVIDERS_PERFDATA_PERFLAYOUT_H

#include <linux/perf_event.h>

#include "base/base.h"

struct perf_layout {
	uint64_t sample_type, read_format, branch_type;
	uint64_t regs_user; /* a bit for each register of a sample (asm/perf_regs.h) */
	bool has_trailer; /* sample_id_all: records that are no samples end with a struct perf_place
			   */
};

/* Of whom a record is. What it does not say is 0; cpu: -1. */
struct perf_place {
	pid_t pid, tid;
	int cpu;
	uint64_t time_ns, id;
	uint64_t ip, addr; /* of a sample */
};

struct perf_layout perf_layout_of(const struct perf_event_attr *);

/*
 * Of a sample, or of another record by what it ends with. Nothing beyond its size is read. Returns
 * where the rest of a sample begins, or where the trailer of another record does. Records are
 * aligned to 8.
 */
const uint64_t *perf_place(const struct perf_layout *, const struct perf_event_header *,
			   struct perf_place *);
/* Where in a record words stand that a copy of it may have to change; NULL: it does not have them.
 */
struct perf_words {
	uint64_t *identifier, *thread, *time, *id, *cpu;
	uint64_t *read; /* of a sample: the counters, as read_format says */
};
void perf_find_words(const struct perf_layout *, struct perf_event_header *, struct perf_words *);
/* Of a sample, the word in front of its piece of the user stack, which says how many bytes it has;
 * they follow, then a word that says how many of them count. NULL: it has none. */
uint64_t *perf_find_stack(const struct perf_layout *, struct perf_event_header *);
/* How many bytes a record that is no sample ends with. */
size_t perf_trailer_size(const struct perf_layout *);

#endif
