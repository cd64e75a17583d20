/*
 * report.h: files that are made besides what is printed (-x report=): of all that was aggregated in
 * a run, whatever clear() and trunc() have done to what lines show of it.
 */
#ifndef COMMAND_REPORT_REPORT_H
#define COMMAND_REPORT_REPORT_H

#include "dlang/print/aggstore.h"
#include "dlang/print/printval.h"
#include "dlang/session.h"

struct baseline;

/*
 * Can what the options ask for be written? Before anything is started. 0, or a negative errno with
 * the sentence: a form that is not known, a place where nothing can be written. *baseline: what the
 * run is compared with, as it is now (command/report/baseline.h), which the caller closes; NULL:
 * nothing.
 */
int report_check(struct session *, struct baseline **baseline, struct err *);
bool report_is_wanted(const struct options *);
/* Engine, of programs that have compiled: two aggregations of one metric, where metrics are asked
 * for, are -EEXIST. */
int report_check_names(const struct session *, struct err *);

/* What reports are made of; the printer has no output. */
struct report_data {
	struct session *session; /* read only; a document is made as a consumer does */
	const struct aggstore *aggs;
	const struct aggstore
		*lines; /* what clear() and trunc() act on; NULL: nothing was printed */
	struct printer pr;
	const struct report_history *history; /* NULL: no form needs it */
	struct baseline *baseline; /* of report_check(); NULL: none, or the program names it */
	uint64_t began_ns;	   /* the run, by the realtime clock */
	uint64_t nrecords;	   /* that have been printed */
	const char *targets;	   /* programs and processes, in words; NULL: none */
	bool is_silent;		   /* what forms cannot hold has been said */
};
/*
 * What else forms need of a run that goes on: its records, and what came when. NULL: none of those
 * that options ask for does. It begins now, by the session's clock.
 */
struct report_history *report_history_new(const struct session *);
void report_history_free(struct report_history *);
bool report_history_has_records(const struct report_history *);
/* A record, as record_fn of dlang/print/consume.h; arg is the history. */
struct rec_head;
void report_history_record(void *arg, const struct printer *, const struct rec_head *,
			   const struct ecb *, const char *data);
/* Is it time for an interval to end (-x reportrate)? */
bool report_history_is_due(const struct report_history *);
/* It ends; aggs: what came in it, which is empty then. */
void report_history_interval(struct report_history *, struct aggstore *aggs);
/* Behind the last record and interval. */
void report_history_end(struct report_history *);

/* Writes them. What could not be written is a line on stderr; false: something could not. */
bool report_write(const struct report_data *);
/* Is there one that is to be written while the run goes on (prom)? */
bool report_is_renewed(const struct options *);
/* Writes those; what could not be written is not said here. */
void report_renew(const struct report_data *);
/* All as metrics for a reader that asks now: OpenMetrics 1.0, or the text format 0.0.4. */
void report_metrics(const struct report_data *, bool is_openmetrics, struct strbuf *out);
/* All as the body of a request to a collector of OpenTelemetry: protocol buffers, or JSON. */
void report_otlp(const struct report_data *, bool is_json, struct strbuf *out);

#endif
