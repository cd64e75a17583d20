/*
 * speculation.h: speculative tracing (docs/spec/d-language.md §13): records that wait until their
 * clause knows whether they are wanted. One buffer per speculation holds whole records in the order
 * of firing, whatever CPU they come from, so that a commit or discard is done when it returns: a
 * speculation is in use or free, and never busy.
 *
 * Engine only. IDs count from 1.
 */
#ifndef DLANG_RUN_SPECULATION_H
#define DLANG_RUN_SPECULATION_H

#include "dlang/run/buffer.h"

struct speculations; /* opaque, in the arena */

/* n speculations of `size` bytes each; -ENOMEM with the sentence. */
struct speculations *speculations_new(struct arena *, uint64_t n, uint64_t size, struct err *);
/* Is it one that records may go to? */
bool speculations_is_active(const struct speculations *, uint64_t id);
uint64_t speculations_count(const struct speculations *);
/* Adds a record to an active one; to any other, nothing happens. False: no room. */
bool speculations_record(struct speculations *, uint32_t id, const struct rec_head *,
			 const char *payload, uint32_t n);
/* The bytes of its records. 0: it is empty, inactive, or there is no such. */
uint64_t speculations_bytes(const struct speculations *, uint32_t id);
/* What they take of bufsize. */
uint64_t speculations_counted(const struct speculations *, uint32_t id);
/* Copies them out, heads and all, and gives them their numbers: *seq is that of the last record. */
void speculations_copy(const struct speculations *, uint32_t id, char *dst, uint64_t *seq);
/* Makes it free; what it holds is gone. */
void speculations_release(struct speculations *, uint32_t id);

#endif
