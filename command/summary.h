/*
 * summary.h: what a run comes to, in one line on the terminal: records, losses, the tracer's own
 * CPU time, and what becomes of the programs. Only where standard error is a terminal, and not with
 * -q.
 */
#ifndef COMMAND_SUMMARY_H
#define COMMAND_SUMMARY_H

#include "base/strbuf.h"
#include "dlang/session.h"
#include "command/cmdline.h"

enum summary_end {
	SUMMARY_OVER,	     /* exit(), or the programs have ended */
	SUMMARY_INTERRUPTED, /* by a signal to us */
	SUMMARY_FAILED,
};
struct summary {
	enum summary_end end;
	uint64_t nrecords;
	bool has_engine;    /* it lives, or has not been waited for: its time is asked of it */
	bool ends_programs; /* those of -c */
};
/* The programs and processes of a run, divided by commas. */
void summary_targets(const struct session *, const struct cmdline *, struct strbuf *);
void summary_show(const struct session *, const struct cmdline *, const struct summary *);

#endif
