/*
 * mergeread.h: lines of JSON of one or several runs (dlang/print/aggjson.h) as they come: of
 * several files, in any order, with a host and a colon in front. They are hostile: bounded, and
 * checked before they are used (mergebuild.h).
 */
#ifndef COMMAND_MERGE_MERGEREAD_H
#define COMMAND_MERGE_MERGEREAD_H

#include <stdio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/json/json.h"

#define MERGE_RUN_SIZE 17 /* of an id, with its end */

struct merge_run {
	char id[MERGE_RUN_SIZE];
	const char *host, *file; /* "?": nobody says it */
	bool has_begin, has_end;
	uint64_t drops;
	int64_t wall_ns; /* when it began; 0: nobody says it */
	struct merge_module {
		const char *name, *id; /* of a build */
		struct merge_module *next;
	} * modules;
	struct merge_run *next;
};

/* One state of an aggregation of a run. */
struct merge_set {
	struct merge_run *run;
	const char *name; /* "": @ alone */
	uint64_t seq;
	const struct json *agg; /* its line; NULL: not seen */
	uint64_t nsaid;		/* rows that there are, says that line */
	struct merge_row {
		const struct json *line;
		struct merge_row *next;
	} * rows;
	uint64_t nrows;
	struct merge_set *next;
};

struct merge_input {
	struct arena arena;
	struct strmap runs_by_id, sets_by_name;
	struct merge_run *runs;
	struct merge_set *sets;
	uint64_t nbytes; /* kept lines */
	unsigned ncut;	 /* files whose last line is not whole */
};

void merge_input_init(struct merge_input *);
void merge_input_release(struct merge_input *);
/*
 * All lines of a file, named in messages as `name`. 0; -EINVAL: a line is no JSON, or no line of a
 * run that can be merged (another version), or a run is there twice; -E2BIG: more than can be
 * taken; or an error of reading.
 */
int merge_read(struct merge_input *, FILE *, const char *name, struct err *);

#endif
