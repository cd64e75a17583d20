/*
 * hits.h: hits that a recording has (hitlog.h has written them) as the probes that they were.
 */
#ifndef PROVIDERS_HITS_HITS_H
#define PROVIDERS_HITS_HITS_H

#include "dlang/provider.h"

struct world;

/* They fire this probe of another provider. call: event.syscall of each. Returns 0, or -ENOENT: the
 * recording has none. */
int hits_feed(struct probe *, unsigned call, struct err *);
/* The same, if they have been written with their records (HITS_RECORD). */
int hits_feed_record(struct probe *, struct err *);

/* What is known of processes besides their events (procfacts.h). Nobody fires: the texts are handed
 * over, in the order of time. A recording that has none is no error. */
enum hit_fact { HIT_ARGUMENTS, HIT_IDS, HIT_FILE, HIT_NFACTS };
typedef void hit_fact_fn(void *arg, pid_t, const char *text);
int hits_feed_fact(struct world *, enum hit_fact, hit_fact_fn *, void *arg, struct err *);

#endif
