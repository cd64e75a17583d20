/*
 * lastrecords.h: the last records of a run, kept as they are until a page shows them: nothing is
 * made text of those that others follow.
 */
#ifndef COMMAND_REPORT_LASTRECORDS_H
#define COMMAND_REPORT_LASTRECORDS_H

#include "base/strbuf.h"
#include "dlang/print/printval.h"
#include "dlang/run/buffer.h"
#include "dlang/session.h"

#define LAST_RECORDS 1000

struct last_record {
	struct rec_head head;
	const struct ecb *ecb;
	char *data; /* NULL: none is kept here */
	pid_t pid;  /* whose addresses it shows */
};

struct last_records {
	struct last_record v[LAST_RECORDS]; /* a ring */
	uint64_t n;			    /* that there have been */
	uint64_t size, size_max;	    /* bytes that those kept take */
};

struct last_records *last_records_new(uint64_t size_max);
void last_records_free(struct last_records *); /* NULL: nothing */
/* A record, when it is consumed. */
void last_records_add(struct last_records *, const struct printer *, const struct rec_head *,
		      const struct ecb *, const char *data);
/* Those that are kept, in the order in which they were consumed. */
typedef void last_record_fn(void *arg, const struct last_record *);
void last_records_each(const struct last_records *, last_record_fn *, void *arg);
/* What it printed and traced, as one text. */
void last_record_add_text(const struct printer *, struct strbuf *, const struct last_record *);

#endif
