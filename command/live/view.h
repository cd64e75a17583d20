/*
 * view.h: the aggregations of a run as a table that can be sorted, filtered and walked through (-x
 * live=full). Pure: of what snapshots say and keys that are pressed it makes lines of text; who has
 * a terminal shows them (screen.h).
 *
 * Aggregations whose keys are of the same kinds stand side by side; the others are pages of their
 * own. Rows stay once they have been seen: what they held one interval ago is kept to show rates.
 */
#ifndef COMMAND_LIVE_VIEW_H
#define COMMAND_LIVE_VIEW_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "command/report/report.h"

#define VIEW_MAX_AGGS 6 /* side by side */

struct view_cell {
	bool is_there;
	int64_t now, before;		    /* what is shown; of a histogram how much is in it */
	uint64_t *buckets, *buckets_before; /* of a histogram; NULL: none yet */
};

struct view_row {
	char *key; /* clean text */
	struct view_cell cells[VIEW_MAX_AGGS];
};

struct view_page {
	const struct aggvar *vars[VIEW_MAX_AGGS];
	unsigned nvars;
	struct strmap by_key;
	struct hash by_bytes; /* of a key, hashed → row and bytes: texts of keys are made once */
	struct view_row **rows; /* all, in the order in which they came */
	size_t nrows, room;
	struct view_row **shown; /* those that the filter leaves, sorted */
	size_t nshown;
};

struct view {
	struct view_page *pages;
	unsigned npages, page;
	unsigned sort;	  /* column of the page; 0: keys */
	bool is_reversed; /* the smallest first */
	size_t cursor, top;
	bool is_frozen, shows_interval, shows_help, shows_row, asks_filter;
	struct strbuf filter;
	size_t scroll; /* of what is shown of a row */
	uint64_t interval_ns;
	uint64_t last_ns, elapsed_ns; /* of the last update; since the one before it */
	bool has_utf8;
	struct report_data data; /* of the last update */
};

void view_init(struct view *, uint64_t interval_ns, bool has_utf8);
void view_release(struct view *);
/* What a snapshot says; not while it is frozen. */
void view_update(struct view *, const struct report_data *, uint64_t now_ns);
/* A key (keyboard.h). False: the user wants to end. */
bool view_key(struct view *, uint32_t key);

/* What stands around the table. */
struct view_facts {
	uint64_t drops;
	const char *note;	   /* "": none */
	const char *const *output; /* the last lines of the program */
	unsigned noutput;
};
/* Lines for a screen of that size, with sequences for colours and without ends that wrap. */
void view_draw(struct view *, const struct view_facts *, unsigned rows, unsigned columns,
	       struct strbuf *out);

/* ---- for view.c and viewdraw.c ---- */

enum column_kind {
	COLUMN_KEY,
	COLUMN_VALUE,
	COLUMN_RATE,
	COLUMN_CHANGE,
	COLUMN_BARS,
	COLUMN_MEDIAN,
	COLUMN_MOST
};
struct view_column {
	enum column_kind kind;
	unsigned var; /* of the page */
	unsigned width;
};
#define VIEW_MAX_COLUMNS (1 + 3 * VIEW_MAX_AGGS)
/* Those of a page, the key first; how many. */
unsigned view_columns(const struct view_page *, struct view_column columns[VIEW_MAX_COLUMNS]);
/* What a cell shows in a column, as a number. */
int64_t view_number(const struct view *, const struct view_row *, const struct view_column *,
		    const struct view_page *);
/* What a histogram had in a bucket, or got in the last interval. */
uint64_t view_bucket(const struct view *, const struct view_cell *, unsigned bucket);
/* The bucket with the median, or the last one that holds something; UINT_MAX: it is empty. */
unsigned view_median(const struct view *, const struct view_cell *, unsigned nbuckets);
unsigned view_most(const struct view *, const struct view_cell *, unsigned nbuckets);

#endif
