/*
 * hits.h: hits that a recording has (hitlog.h has written them) as the probes that they were.
 */
#ifndef PROVIDERS_HITS_HITS_H
#define PROVIDERS_HITS_HITS_H

#include "dlang/provider.h"

/* They fire this probe of another provider. call: event.syscall of each. Returns 0, or -ENOENT: the
 * recording has none. */
int hits_feed(struct probe *, unsigned call, struct err *);
/* The same, if they have been written with their records (HITS_RECORD). */
int hits_feed_record(struct probe *, struct err *);

#endif
