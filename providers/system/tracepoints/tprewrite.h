/*
 * tprewrite.h: what clauses have changed of a tracepoint's record, where a recording is written
 * anew (providers/rewrite/recrewrite.h): field by field, as its format has them.
 */
#ifndef PROVIDERS_SYSTEM_TRACEPOINTS_TPREWRITE_H
#define PROVIDERS_SYSTEM_TRACEPOINTS_TPREWRITE_H

#include "providers/kernel/perf.h"

/* The copy of a record's n bytes that an event has had, and behind it, at a multiple of 8, its view
 * (tptypes.h), where the format has dynamic fields. */
struct tpcopied {
	struct session *session;
	const struct tpformat *format;
	const char *bytes;
	uint32_t n;
};

/* Fields of the copy that are not those of the sample become those of the record. */
void tprewrite_take(const struct tpcopied *, const struct perf_sample *);

#endif
