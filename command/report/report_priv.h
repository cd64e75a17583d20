/* report_priv.h: what the forms of reports share. For the files of this room only. */
#ifndef COMMAND_REPORT_REPORT_PRIV_H
#define COMMAND_REPORT_REPORT_PRIV_H

#include "base/hash.h"
#include "base/json/json.h"
#include "base/strbuf.h"
#include "dlang/print/keytext.h"
#include "command/report/report.h"
#include "dlang/print/units.h"
#include "symbols/symbols.h"

/* A report as it is being made. */
struct report {
	const struct report_data *data;
	const char *path;
	struct strbuf out;
};

/* Makes the text of one. */
typedef void report_fn(struct report *);
report_fn report_folded, report_svg, report_csv, report_tsv, report_html, report_pprof,
	report_speedscope, report_jsonl, report_json, report_perfetto, report_chrome, report_prom,
	report_openmetrics;

/* What a form needs of the run while it goes on. */
enum { REPORT_RECORDS = 1, REPORT_INTERVALS = 2, REPORT_LAST = 4 /* records */ };
/* Of all that options ask for. */
unsigned report_needs(const struct options *);

/* A line on stderr about what the form cannot hold, or what is missing. */
void report_note(const struct report *, const char *fmt, ...) PRINTF_LIKE(2, 3);

uint64_t report_drops(const struct report *); /* so far, of whatever kind */

/* ---- html.c ---- */

#define REPORT_PAGE_VERSION "1" /* of the data in it */

/* A text of JSON, which ends no element of HTML that it stands in. */
void report_add_json(struct strbuf *, const char *);
void report_add_json_bytes(struct strbuf *, const char *, size_t n);
void report_add_html(struct strbuf *, const char *);

/* ---- tracefile.c ---- */

/* Records that the history had no room for. */
void records_note_left(const struct report *);

/* ---- metrics.c ---- */

/* A row as it is sent: keys that are equal as labels are one. */
struct metric_row {
	char *labels;	 /* without braces */
	const char *key; /* of the first of them */
	uint64_t *data;
	int64_t sum; /* of the values of a histogram */
};
/* An aggregation. */
struct family {
	const struct aggvar *var;
	struct strbuf name;
	struct unit unit;	 /* "" and 0: it has none */
	struct metric_row *rows; /* in the order in which they came */
	size_t nrows;
	struct metric_row rest; /* what all beyond -x metricsmax add up to; no data: none */
	bool has_sums;		/* of a histogram: those of its values are known, */
	bool sums_grow;		/* and none of these is negative */
};
/* Its name, unit and rows. family_release() is due. */
void family_collect(struct report *, struct family *, const struct aggcopy *);
void family_release(struct family *);
/*
 * Of a histogram: the buckets from the one below the lowest, from which readers interpolate (from 0
 * they do by themselves), to the highest that any row has ever had something in: series that appear
 * late would have no rate.
 */
void family_range(const struct family *, unsigned *from, unsigned *to);

/* ---- stacks.c ---- */

/* Texts as keytext_add_line() has them. */
struct frame {
	const char *name, *module; /* "": none */
	const char *key;	   /* it is one, of that name; NULL: a function */
	bool is_number;		   /* of such a key */
};
/*
 * Rows of an aggregation by stacks: frames, callers first. Keys in front of the first stack are the
 * outermost ones, what a program did stands before what the kernel did for it, other keys are the
 * innermost ones. Returns how many rows are left out: their values are not above 0.
 */
typedef void stack_fn(void *arg, const struct frame *, unsigned n, uint64_t value);
uint64_t stacks_each(const struct report *, struct aggcopy *, stack_fn *, void *arg);
bool stacks_are_keys(const struct aggvar *); /* and it counts or sums up */

/* A name as it stands in a line of folded stacks, and frames of such a line. */
void stack_add_name(struct strbuf *, const char *name);
void stack_add_frames(struct strbuf *, const struct frame *, unsigned n);

/* Numbers of frames, in order of first use, for forms that name each once. */
struct frame_numbers {
	struct hash numbers; /* hash_init() before, hash_release() behind it */
	unsigned n;
};
unsigned frame_number(struct frame_numbers *, const struct frame *, bool *is_new);

/* The first such aggregation and all that have the kinds of its keys; the others are told of: how
 * many; the caller frees the array. */
unsigned stacks_choose_alike(const struct report *, struct aggcopy ***);
/* All such aggregations; that there is none is not told. */
unsigned stacks_choose_all(const struct report *, struct aggcopy ***);
void stacks_note_none(const struct report *);
void stacks_note_left(const struct report *, const struct aggvar *, uint64_t nleft); /* rows */

/* Of the first such aggregation; the others are told of. */
struct folded {
	struct folded_line {
		char *frames; /* names, divided by ';' */
		uint64_t value;
	} * lines; /* sorted by their frames, as bytes; each once */
	size_t nlines;
	uint64_t total;
	const struct aggvar *var; /* NULL: there is none */
};
void folded_make(struct folded *, const struct report *);
void folded_release(struct folded *);

#endif
