/*
 * pftrace.h: packets of a Perfetto trace (perfetto.protos.Trace, proto2; numbers of fields are
 * those of google/perfetto, protos/perfetto/trace). All are of one sequence; the first track says
 * that its state is new.
 */
#ifndef COMMAND_REPORT_PFTRACE_H
#define COMMAND_REPORT_PFTRACE_H

#include "base/strbuf.h"
#include "command/report/timeline.h"

enum pft_unit { PFT_NS = 1, PFT_COUNT = 2, PFT_BYTES = 3 };

/* The clocks of one moment: realtime, monotonic (which all times are by), boottime. */
void pft_clocks(struct strbuf *, uint64_t realtime_ns, uint64_t monotonic_ns, uint64_t boottime_ns);
void pft_process(struct strbuf *, uint64_t uuid, uint32_t pid, const char *name, bool is_first);
void pft_thread(struct strbuf *, uint64_t uuid, uint64_t parent, uint32_t pid, uint32_t tid,
		const char *name);
/* One of a name alone; parent 0: none. */
void pft_track(struct strbuf *, uint64_t uuid, uint64_t parent, const char *name, bool is_first);
/* unit 0: unit_name is it (NULL: none). */
void pft_counter(struct strbuf *, uint64_t uuid, uint64_t parent, const char *name, int unit,
		 const char *unit_name);
void pft_event(struct strbuf *, uint64_t uuid, const struct tl_event *);
void pft_value(struct strbuf *, uint64_t uuid, uint64_t time_ns, int64_t value);

#endif
