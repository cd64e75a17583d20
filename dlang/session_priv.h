/*
 * session_priv.h: what the engine's files of this room share about a session and nobody else needs.
 */
#ifndef DLANG_SESSION_PRIV_H
#define DLANG_SESSION_PRIV_H

#include "dlang/session_engine.h"

/* Probes and ECBs lie in chunks, so that a published one never moves. */
#define SESSION_CHUNK	   4096
#define SESSION_MAX_CHUNKS 4096

struct timers {
	struct timer *v;
	unsigned n;
};

struct probe_index *probe_index_new(void);
void probe_index_free(struct probe_index *);

/* session.c: what this room itself needs in the engine: names, types, the probe index, timers. */
void session_init_tables(struct session *);
void session_free_tables(struct session *);

/* fire.c: buffers and tables, before the first event. */
int firing_init(struct session *, struct err *);
/* Keeps this room free in each buffer, for END; 0 when END is about to fire. -ENOSPC: no buffer is
 * that large. */
int firing_keep(struct session *, uint64_t bytes, struct err *);

/* merge.c: fires what the sources hold that is older than an event about to fire. */
void merge_until(struct session *, uint64_t time_ns);

/* limits.c: sizes and rates as far as they can be had, before firing_init(). Each change is said on
 * stderr. -ENOMEM: a size is too large and bufresize is `manual`. */
int session_limit_sizes(struct session *, struct err *);
void session_limit_rates(struct session *);

#endif
