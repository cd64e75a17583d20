/* report_priv.h: what the forms of reports share. For the files of this room only. */
#ifndef COMMAND_REPORT_REPORT_PRIV_H
#define COMMAND_REPORT_REPORT_PRIV_H

#include "base/strbuf.h"
#include "command/report/report.h"

/* A report as it is being made. */
struct report {
	const struct report_data *data;
	const char *path;
	struct strbuf out;
};

/* Makes the text of one. */
typedef void report_fn(struct report *);
report_fn report_folded, report_svg, report_csv, report_tsv;

/* A line on stderr about what the form cannot hold, or what is missing. */
void report_note(const struct report *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Text as it may stand in a file of lines: what is no UTF-8 is U+FFFD, control characters are
 * blanks.
 */
void report_add_text(struct strbuf *, const char *text, size_t n);
bool report_is_stack(const struct rec *);

/* ---- stacks.c ---- */

/* The stacks of an aggregation that are summed up: outermost first, frames divided by ';'. */
struct folded {
	struct folded_line {
		char *frames;
		uint64_t value;
	} * lines; /* sorted by their frames, as bytes; each once */
	size_t nlines;
	uint64_t total;
	const struct aggvar *var; /* NULL: no aggregation has a stack for a key */
};
/* Of the first aggregation that has one and counts or sums up; the others are told of. */
void folded_make(struct folded *, const struct report *);
void folded_release(struct folded *);

#endif
