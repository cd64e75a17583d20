/*
 * report.h: files that are made besides what is printed (-x report=): of all that was aggregated in
 * a run, whatever clear() and trunc() have done to what lines show of it.
 */
#ifndef COMMAND_REPORT_REPORT_H
#define COMMAND_REPORT_REPORT_H

#include "dlang/print/aggstore.h"
#include "dlang/print/printval.h"
#include "dlang/session.h"

/*
 * Can what the options ask for be written? Before anything is started. 0, or a negative errno with
 * the sentence: a form that is not known, a place where nothing can be written.
 */
int report_check(const struct options *, struct err *);
bool report_is_wanted(const struct options *);

/* What reports are made of; the printer has no output. */
struct report_data {
	const struct session *session;
	const struct aggstore *aggs;
	const struct aggstore
		*lines; /* what clear() and trunc() act on; NULL: nothing was printed */
	struct printer pr;
	uint64_t began_ns; /* the run, by the realtime clock */
	bool is_silent;	   /* what forms cannot hold has been said */
};
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
