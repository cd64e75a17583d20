/*
 * pushreport.h: -v tells what of the predicates is filtered in the kernel, and how many records
 * came all the same.
 */
#ifndef PROVIDERS_KERNEL_PUSHREPORT_H
#define PROVIDERS_KERNEL_PUSHREPORT_H

#include "providers/world/world.h"

/* Of that many probes of the source ("syscall", "linux-sched:::sched_switch") the kernel writes
 * only the events that the text says. */
void pushdown_report(const struct world *, const char *source, unsigned nprobes, const char *text);

/* When all has been read. */
void pushdown_report_records(const struct world *);

#endif
