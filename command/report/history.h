/*
 * history.h: what forms of reports need besides the sums of a run: its records in time
 * (timeline.h), the last
 * of them (lastrecords.h), and what was aggregated when (intervals.h). Kept only while a report asks for it,
 * within -x reportsize each.
 */
#ifndef COMMAND_REPORT_HISTORY_H
#define COMMAND_REPORT_HISTORY_H

#include "command/report/intervals.h"
#include "command/report/lastrecords.h"
#include "command/report/timeline.h"

struct report_history {
	const struct session *session;
	struct intervals intervals;
	struct timeline timeline;
	struct last_records *last; /* NULL: no form needs them */
	bool has_records;	   /* in the timeline */
	uint64_t run_ns;	   /* its start, by the session's clock */
	uint64_t began_ns, due_ns,
		ndrops; /* of the interval that goes on: how many there were at its start */
	struct {
		uint64_t realtime_ns, monotonic_ns, boottime_ns;
	} clocks; /* of one moment, at the start */
};

#endif
