/*
 * output.h: the forms that output has: lines, JSON and the like (-x oformat), pieces with what
 * belongs to them (-B). The consumer finds the records and asks one of these to show them.
 */
#ifndef DLANG_PRINT_OUTPUT_H
#define DLANG_PRINT_OUTPUT_H

#include "dlang/session.h"

struct consumer;
struct rec_head;

struct output {
	/* The statements of one record: 0, or a negative errno that ends the run. */
	int (*record)(struct consumer *, const struct rec_head *, const struct ecb *,
		      const char *data);
	/* Records were lost; stderr has been told. */
	void (*drop)(struct consumer *, const char *kind, uint64_t n, const char *text);
	/* The end: aggregations that were never printed; all is closed. */
	void (*finish)(struct consumer *);
	/* The end without them: what must be closed is. */
	void (*give_up)(struct consumer *);
	bool is_for_terminals; /* may be redrawn (-x live), and be interrupted by ^C */
};

extern const struct output output_text;	      /* textout.c */
extern const struct output output_structured; /* structured.c: JSON, XML or HTML; the root
					       * `dtrace` holds a list `probes`: a member for each
					       * record, in the order of firing, with a list
					       * `output` of what its statements recorded */
extern const struct output output_jsonl;   /* jsonlines.c: a line of JSON for each record and row */
extern const struct output output_bufdump; /* bufdump.c */

#endif
