/*
 * summary.h: what an interrupted run comes to, in one line on the terminal: records, losses, the
 * tracer's own CPU time, and what becomes of the programs. Only where standard error is a terminal,
 * and not with -q.
 */
#ifndef PROVIDERS_SUMMARY_H
#define PROVIDERS_SUMMARY_H

#include "dlang/session.h"
#include "providers/cmdline.h"

/* While the engine lives: its time is asked of it. */
void summary_show(const struct session *, const struct cmdline *, uint64_t nrecords);

#endif
