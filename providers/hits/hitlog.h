/*
 * hitlog.h: events of our own probes (pid, fpid, static probes, emit(), scripts) into the file that
 * a run makes (-E), as tracepoints of a system `dtrace` (hitformat.h); prov_hits.c fires them again
 * when the file is read.
 */
#ifndef PROVIDERS_HITS_HITLOG_H
#define PROVIDERS_HITS_HITLOG_H

#include "providers/hits/hits.h"
#include "providers/world/world.h"

struct hitlog;

/* Of the world's log, which must be there: the session tells it of events from now on. */
struct hitlog *hitlog_new(struct world *);
/* The file says of the probe that its events would be there, if it is one whose are logged. */
void hitlog_expect(struct hitlog *, struct probe *);
/* Before probes are armed: which clauses run, and which wait for the file to be read. */
void hitlog_begin(struct hitlog *);
/* Something is known of a process from then on. */
void hitlog_tell(struct hitlog *, enum hit_fact, pid_t, uint64_t time_ns, const char *text);
void hitlog_free(struct hitlog *); /* NULL: nothing */

#endif
