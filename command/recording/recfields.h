/*
 * recfields.h: what an event of a recording tells, as text: `name=value` for each field of its
 * tracepoint, by the formats in the file; of other events what was sampled. Values are numbers,
 * texts in quotes, and lists [1,2]; a text is that of a hostile machine: what would act on a
 * terminal is escaped, quotes and backslashes have a backslash in front.
 */
#ifndef COMMAND_RECORDING_RECFIELDS_H
#define COMMAND_RECORDING_RECFIELDS_H

#include "base/strbuf.h"
#include "providers/kernel/perf.h"
#include "providers/perfdata/perfdata.h"

struct recfields;

struct recfields *recfields_new(const struct perfdata *); /* its formats and events */
void recfields_free(struct recfields *);
/* "sched:sched_switch", "cpu-clock"; lives as long as the recfields. */
const char *recfields_name(struct recfields *, const struct perfdata_event *);
/* All of them, or the value of the one with that name; false: it has none. */
void recfields_all(struct recfields *, const struct perfdata_event *, const struct perf_sample *,
		   struct strbuf *);
bool recfields_one(struct recfields *, const struct perfdata_event *, const struct perf_sample *,
		   const char *name, struct strbuf *);
/* Does any event have that field? */
bool recfields_has(struct recfields *, const char *name);
/* The same escapes without quotes. */
void recfields_clean(struct strbuf *, const char *text, size_t n);

#endif
