/*
 * baseline.h: an earlier report to which a run is compared (-x baseline=FILE): a page (html), lines
 * of JSON (jsonl) or folded stacks, told by what it begins with. Of aggregations that count or sum
 * up by stacks; stacks are the same when their functions are, in order.
 */
#ifndef COMMAND_REPORT_BASELINE_H
#define COMMAND_REPORT_BASELINE_H

#include "base/arena.h"
#include "base/hash.h"
#include "dlang/session.h"

struct baseline_stack {
	const char *frames; /* names divided by ';', callers first, as of folded stacks */
	uint64_t value;
	bool is_taken; /* by a row of this run */
	struct baseline_stack *next;
};

struct baseline_agg {
	const char *name; /* NULL: nobody says it (folded) */
	struct strmap by_frames;
	struct baseline_stack *stacks;
	uint64_t total;
	struct baseline_agg *next;
};

struct baseline {
	struct arena arena;
	struct baseline_agg *aggs;
};

/* NULL: it cannot be read, with a sentence. */
struct baseline *baseline_open(struct session *, const char *path, struct err *);
void baseline_close(struct baseline *); /* may be NULL */
/* The aggregation of that name, of which nothing is taken; one without a name is the first that is
 * asked for. NULL: there is none. */
struct baseline_agg *baseline_find(struct baseline *, const char *name);
/* What it had; 0: nothing. Each is told once. */
uint64_t baseline_take(struct baseline_agg *, const char *frames);

#endif
