/*
 * mergebuild.h: what was read of several runs as the aggregations of one: partials are added, so
 * that it is what one run over all of it would have. Nothing else is: what does not fit together is
 * refused.
 */
#ifndef COMMAND_MERGE_MERGEBUILD_H
#define COMMAND_MERGE_MERGEBUILD_H

#include "command/merge/mergeread.h"
#include "dlang/print/aggstore.h"
#include "dlang/print/printval.h"

struct merged {
	struct arena arena; /* what all below points into */
	struct aggstore aggs;
	struct namelist names;
	uint64_t *normals;  /* by id - 1: what lines are divided by */
	const char **units; /* the same: "": none */
	char *notes;	    /* lines: what is less than it seems: cut runs, trunc() */
	uint64_t drops;	    /* of all runs */
	int64_t began_ns;   /* the first of them, by the realtime clock; 0: nobody says it */
};

/*
 * has_hosts: the host is a key of its own, in front. 0, or -EINVAL with a sentence that names the
 * aggregation and what does not fit; *out is to be released in either case.
 */
int merge_build(struct merged *out, const struct merge_input *, bool has_hosts, struct err *);
void merged_release(struct merged *);

#endif
