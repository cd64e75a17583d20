/*
 * intervals.h: what was aggregated when: a run in intervals, of which each holds what came in it,
 * so that all together are what came in all. Bounded: when there is no more room, neighbours are
 * joined two by two, and times are told apart half as well.
 */
#ifndef COMMAND_REPORT_INTERVALS_H
#define COMMAND_REPORT_INTERVALS_H

#include "dlang/print/aggstore.h"

struct interval {
	uint64_t from_ns, to_ns; /* by the session's clock */
	struct aggstore aggs;
	uint64_t ndrops; /* in it */
};

struct intervals {
	struct interval *v; /* in order of time, without gaps */
	size_t n, room;
	uint64_t size, size_max; /* bytes of rows */
	uint64_t least_ns;	 /* the shortest that tells a rate */
	unsigned njoins;	 /* how often all were joined */
};

void intervals_init(struct intervals *, uint64_t size_max, uint64_t least_ns);
void intervals_release(struct intervals *);
/* Behind the last, or, as long as that is too short, a part of it. The aggregations are the
 * interval's then, and *aggs is empty. */
void intervals_add(struct intervals *, struct aggstore *aggs, uint64_t from_ns, uint64_t to_ns,
		   uint64_t ndrops);
/* Nothing comes behind the last, which may be too short and is joined then. */
void intervals_end(struct intervals *);
/* What came in an interval of an aggregation; NULL: nothing did. */
const struct aggcopy *interval_copy(const struct interval *, const struct aggvar *);

#endif
